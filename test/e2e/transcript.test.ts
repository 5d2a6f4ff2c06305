import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, afterEach, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { encodeLine } from '../../src/shared/run/codec';
import type { RunRecord } from '../../src/shared/run/record';
import { bad } from '../support/axe';
import { richNotes, richRecords } from '../support/histories';
import {
  answerRecord,
  chatRecords,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';
import { bindEntry, encodeEntries, metaSha256 } from '../../src/main/journal/sidecar';
import { cleanUp, makeHome, picture, PICTURES, start, type Home, type Started } from './harness';
import { conversation, openRow, ready, settled, until } from './steps';

/** A run of `length` records with an error in the middle, numbers that vary, and an end. */
function longRun(length: number, text: string): RunRecord[] {
  const records = chatRecords('long', length - 2, text);
  if (records[0]?.meta) records[0].meta.prompt = 'A long run to read in';
  const middle = Math.floor(length / 2 / 4) * 4;
  const at = records.findIndex(({ seq, tool_result }) => seq >= middle && tool_result);
  const failing = records[at]?.tool_result;
  if (failing) {
    failing.result.content = 'There is no such file.';
    failing.result.is_error = true;
  }
  for (const { assistant, seq } of records) {
    if (!assistant) continue;
    assistant.in_tokens = 400 + ((seq * 37) % 900);
    assistant.out_tokens = 40 + ((seq * 13) % 160);
    assistant.cache_read_tokens = 1_000 + ((seq * 7) % 800);
    assistant.cache_create_tokens = 30 + (seq % 50);
  }
  return [...records, userRecord(length - 1, 'And the last question'), terminalRecord(length, 'suspended')];
}

function put(home: Home, id: string, records: RunRecord[], notes = false): Buffer {
  mkdirSync(home.runs, { recursive: true, mode: 0o700 });
  const lines = records.map(encodeLine);
  const bytes = Buffer.concat(lines);
  writeFileSync(join(home.runs, `${id}.json`), bytes, { mode: 0o600 });
  if (notes) {
    const bound = [bindEntry(metaSha256(lines[0]?.subarray(0, -1) ?? '')), ...richNotes];
    writeFileSync(join(home.runs, `${id}.aux.jsonl`), encodeEntries(bound).lines.join(''), { mode: 0o600 });
  }
  return bytes;
}

const transcript = async (page: Page) => {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Transcript' }).click();
  await page.getByRole('toolbar', { name: 'Reading' }).waitFor();
};

/** Number of the item at the top of what is seen. */
const top = (page: Page) =>
  conversation(page).evaluate((scroller) => {
    const edge = scroller.getBoundingClientRect().top + 24;
    const rows = [...scroller.querySelectorAll<HTMLElement>('[data-row]')];
    return Number(rows.find((row) => row.getBoundingClientRect().bottom > edge)?.dataset['row']);
  });

/** Contrast differs by colours and layout by size, so two looks of the four show axe both. */
const LOOKS = [
  { size: { width: 1280, height: 800 }, colorScheme: 'light', axe: true },
  { size: { width: 1280, height: 800 }, colorScheme: 'dark', axe: false },
  { size: { width: 900, height: 600 }, colorScheme: 'light', axe: false },
  { size: { width: 900, height: 600 }, colorScheme: 'dark', axe: true },
] as const;

async function pictures(page: Page, name: string): Promise<void> {
  for (const { size, colorScheme, axe } of LOOKS) {
    if (!axe && !PICTURES) continue;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await settled(page);
    await picture(page, `transcript-${name}-${size.width}-${colorScheme}`);
    if (axe) expect(await bad(page)).toEqual([]);
  }
  await page.setViewportSize(LOOKS[0].size);
  await page.emulateMedia({ colorScheme: 'light' });
}

describe('the transcript', () => {
  afterEach(cleanUp);
  const open = async (home: Home, title: string | RegExp): Promise<Started> => {
    const started = await start('browser door', { home });
    await ready(started.page);
    await openRow(started.page, title);
    await transcript(started.page);
    return started;
  };

  it('opens at its end, and leads to errors, messages, steps and turns, also by keyboard only', async () => {
    const home = makeHome();
    put(home, 'long', longRun(1_000, 'some words in a sentence '.repeat(200)));
    const { page } = await open(home, 'A long run to read in');
    await conversation(page).getByText('And the last question').first().waitFor();
    const note = page.getByText(/Reading the beginning/);
    await until(() => note.count()).toBe(0);

    await page.keyboard.press('Shift+F8');
    await conversation(page).getByText('There is no such file.').waitFor();
    // Of a thousand records only those near the screen are in the page.
    expect(await page.locator('*').count()).toBeLessThan(2_500);
    await page.keyboard.press('Shift+F8');
    await page.getByText('No error before this.').first().waitFor();
    await page.keyboard.press('Control+g');
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await until(() => top(page)).toBe(4);
    await page.keyboard.press('Alt+ArrowUp');
    await until(() => top(page)).toBe(3);
    await page.keyboard.press('Alt+ArrowUp');
    await until(() => top(page)).toBe(0);

    await page.getByRole('button', { name: 'Turns' }).click();
    const turns = page.getByRole('complementary', { name: 'Turns' });
    await turns.getByText('A long run to read in').waitFor();
    await pictures(page, 'turns');
    // By keys from the line that is read to a turn far away.
    await until(async () => {
      await turns.getByRole('listbox').focus();
      await page.keyboard.press('End');
      return turns.locator('[data-active="true"]').allInnerTexts();
    }).toEqual([expect.stringContaining('And the last question')]);
    await page.keyboard.press('Enter');
    await conversation(page).getByText('And the last question').first().waitFor();
    await until(() => turns.getByRole('option', { selected: true }).innerText()).toContain(
      'And the last question',
    );
    await turns.getByRole('button', { name: 'Close turns' }).click();
  });

  it('shows what a run used and cost, in pictures and in numbers', async () => {
    const home = makeHome();
    put(home, 'long', longRun(400, 'some words'));
    const { page } = await open(home, 'A long run to read in');
    await page.getByRole('button', { name: 'Usage' }).click();
    const usage = page.getByRole('region', { name: 'What the run used' });
    await usage.getByText('Tokens in 199 model calls').waitFor();
    expect(
      await page.getByRole('table', { name: 'Tokens by step' }).getByRole('row').count(),
    ).toBeGreaterThan(50);
    await usage.getByRole('button', { name: 'Set prices…' }).click();
    const dialog = page.getByRole('dialog', { name: 'What models cost' });
    await dialog.getByLabel('In', { exact: true }).fill('3');
    await dialog.getByLabel('Out', { exact: true }).fill('many');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Each price needs a model').waitFor();
    await dialog.getByLabel('Out', { exact: true }).fill('15');
    await pictures(page, 'prices');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await usage.getByText(/^\d+\.\d+ USD$/).waitFor();
    expect(readFileSync(join(home.config, 'prices.yaml'), 'utf8')).toMatch(/model: practice-1\n\s+input: 3/);
    await usage.getByRole('button', { name: 'Show as a table' }).click();
    const steps = usage.getByRole('region', { name: 'Tokens by step' });
    // What the charts show stands in numbers, the budget too: it only grows.
    const used = (await steps.locator('tbody td:last-child').allTextContents()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    expect(await steps.getByRole('columnheader').allTextContents()).toEqual([
      'Step',
      'In, not cached',
      'In, cache written',
      'In, cache read',
      'Out',
      'Budget used',
    ]);
    expect([used.length, used.every((value, n) => n === 0 || value > (used[n - 1] ?? 0))]).toEqual([
      199,
      true,
    ]);
    const box = await steps.evaluate((element) => {
      element.scrollIntoView({ block: 'start' });
      return [element.clientHeight, element.scrollHeight, element.scrollWidth - element.clientWidth];
    });
    // All of it can be seen, and the panel is wide enough.
    expect([box[0], box[2]]).toEqual([box[1], 0]);
    expect(box[0]).toBeGreaterThan(1_000);
    await picture(page, 'transcript-usage-table');
    await pictures(page, 'usage');
  });

  it('says how the run stood at a record, and offers a fork where one can begin', async () => {
    const home = makeHome();
    const bytes = put(home, 'rich', richRecords('rich'), true);
    const { page } = await open(home, /^Find/);
    const item = page.locator('[data-kind="call"]').nth(1);
    // It opened at its end, which it follows until a person scrolls.
    await conversation(page).hover();
    await page.mouse.wheel(0, -5_000);
    await until(() => conversation(page).evaluate((scroller) => scroller.scrollTop)).toBe(0);
    await item.hover();
    await item.getByRole('button', { name: /^Record 2/ }).click();
    await page.getByRole('menuitem', { name: 'As it stood here' }).click();
    const stand = page.getByRole('region', { name: 'The run after record 4' });
    await stand.getByText('The model was to be asked next.').waitFor();
    await pictures(page, 'stand');
    await page.getByRole('button', { name: 'Previous', exact: true }).click();
    await page.getByText('The model had asked for tools that were not all answered.').waitFor();
    await page.getByText('Open turn: 1 of 2 tools answered').waitFor();
    await page.getByRole('button', { name: 'The record' }).click();
    const json = (await page.getByLabel('Record as JSON').textContent()) ?? '';
    const start = bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1;
    await page.getByText(`bytes ${start.toLocaleString('en')} to`).waitFor();
    // What would turn the text is shown by its name.
    const line = bytes.subarray(start, bytes.indexOf('\n', start)).toString();
    expect(json).toBe(line.replaceAll('\u202e', 'U+202E'));
    await pictures(page, 'record');
    const fact = (name: string) => page.locator('dt', { hasText: name }).locator('+ dd').textContent();
    expect(await fact('Kind')).toContain('tool_result');
    expect(await fact('Durability')).toBe('On disk, synced before anything went on');
    await page.getByRole('button', { name: 'Previous', exact: true }).click();
    await until(() => fact('Tokens')).toBe('10 in, 3 out');
    expect(await fact('Kind')).toContain('assistant');
    expect(await fact('Durable since')).toMatch(/2026/);
    await page.getByRole('button', { name: 'Close' }).click();
    await item.hover();
    await item.getByRole('button', { name: /^Record 2/ }).click();
    await page.getByRole('menuitem', { name: 'Fork from here…' }).waitFor();
    await pictures(page, 'menu');
  });

  it('shows an image only when it is asked to, and none that lies elsewhere', async () => {
    const home = makeHome();
    const dot =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const text = `![a dot](data:image/png;base64,${dot})\n\n![far away](https://pictures.example/x.png)`;
    put(home, 'long', [...chatRecords('long', 2), answerRecord(3, text, 1)]);
    const { page } = await open(home, /./);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await conversation(page).getByText('a dot').waitFor();
    await conversation(page).getByText('It lies at pictures.example').waitFor();
    const images = conversation(page).locator('img');
    expect(await images.count()).toBe(0);
    await conversation(page).getByRole('button', { name: 'Show', exact: true }).click();
    await until(() =>
      images.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)),
    ).toEqual([1]);
    expect(asked.filter((url) => url.startsWith('http'))).toEqual([]);
  });

  it('shows a huge result and a huge line by their beginnings', async () => {
    const home = makeHome();
    const records = longRun(300, 'some words');
    const at = records.findLastIndex(({ tool_result }) => tool_result);
    const { seq, tool_result: result } = records[at] as RunRecord;
    records[at] = resultRecord(seq, result?.tool_use_id ?? '', 'a line of a long result\n'.repeat(210_000));
    if (records[0]?.meta) records[0].meta.prompt = `A long run ${'p'.repeat(2_000_000)}`;
    put(home, 'long', records);
    const { page } = await open(home, /^A long run/);
    const show = page.getByRole('button', { name: 'Show all 210,000 lines' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const card = page.getByRole('article').filter({ has: show });
    await card.getByRole('button', { name: 'Copy the result' }).click();
    await page.getByText('Copied the result.').first().waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe('a line of a long result\n'.repeat(210_000));
    await show.click();
    await page.getByRole('button', { name: /^Show 200k of [\d.]+M more characters/ }).waitFor();
  });
});
