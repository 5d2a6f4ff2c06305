import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeLine } from '../../src/shared/run/codec';
import { answerRecord, chatRecords } from '../support/journal-records';
import { cleanUp, makeHome, picture, start, type Home } from './harness';
import { conversation, ready, until } from './steps';

const SOAK = process.env['HOLDFAST_SOAK'] === '1';
const MEGABYTES = SOAK ? 120 : 50;
const NEEDLE = 'the heron stood in the reeds';

function put(home: Home): void {
  mkdirSync(home.runs, { recursive: true, mode: 0o700 });
  const records = chatRecords('long', MEGABYTES * 300, 'some words '.repeat(300));
  const at = records.findIndex(({ seq, assistant }) => seq >= 100 && assistant?.stop_reason === 'end_turn');
  const seq = records[at]?.seq ?? 0;
  const iteration = records[at]?.assistant?.iteration ?? 0;
  records[at] = answerRecord(seq, `${NEEDLE}. ${'some words '.repeat(40)}`, iteration);
  writeFileSync(join(home.runs, 'long.json'), Buffer.concat(records.map(encodeLine)), { mode: 0o600 });
}

/** Opens the first hit: milliseconds until its words are seen, and until all of the run is read; where they stand. */
const opening = (page: Page) =>
  page.evaluate(
    (words) =>
      new Promise<{ first: number; whole: number; tops: number[] }>((resolve) => {
        const begun = performance.now();
        document.querySelector<HTMLElement>('[data-hit]')?.click();
        let first = 0;
        let after = 0;
        const tops: number[] = [];
        const look = () => {
          const rows = [...document.querySelectorAll('[data-row]')];
          const top = rows.find((one) => one.textContent?.includes(words))?.getBoundingClientRect().top;
          const field = document.querySelector<HTMLElement>('[aria-label="Find in this run"]');
          const seen = top !== undefined && top > 0 && top < window.innerHeight;
          if (seen && first === 0) first = performance.now() - begun;
          // Without the find bar nothing but the reading itself could move what is seen.
          if (first > 0 && field) {
            field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
            // Who reads here is not brought to the record again.
            document
              .querySelector('[data-virtuoso-scroller]')
              ?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
          } else if (first > 0) tops.push(Math.round(top ?? -1));
          if (first > 0 && !document.querySelector('[role="status"] progress')) after += 1;
          if (after > 30) resolve({ first, whole: performance.now() - begun, tops });
          else requestAnimationFrame(look);
        };
        look();
      }),
    NEEDLE,
  );

/** The run in a window that has found the words in it. */
async function found(): Promise<{ page: Page }> {
  const home = makeHome();
  put(home);
  const { page } = await start('browser door', { home });
  await page.addInitScript('globalThis.__name = (value) => value');
  await page.reload();
  await ready(page);
  const search = page.getByRole('textbox', { name: 'Search all text' });
  await page.keyboard.press('Control+Shift+F');
  await search.waitFor();
  await search.fill(`"${NEEDLE}"`);
  await until(() => page.locator('[data-hit]').count()).toBe(1);
  return { page };
}

describe('a long run that is opened at one of its records', () => {
  afterEach(cleanUp);

  it('shows what stands around that long before all of it is read, and moves nothing then', async () => {
    const { page } = await found();
    const { first, whole, tops } = await opening(page);
    expect(first / whole).toBeLessThan(SOAK ? 0.4 : 0.95);
    expect(Math.abs((tops[0] ?? 0) - (tops[1] ?? 9))).toBeLessThan(4);
    await picture(page, 'around-whole');
    // From here on it is the whole: its end and its beginning can be reached.
    await page.getByRole('button', { name: 'To the end' }).click();
    await until(() => conversation(page).locator('[data-row]').last().getAttribute('data-row')).toMatch(
      /^\d{4,}$/,
    );
    await page.keyboard.press('Control+g');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await until(() => conversation(page).locator('[data-row="0"]').count()).toBe(1);
  });

  it('goes to its end from there, also before the rest is read', async () => {
    const { page } = await found();
    await page.locator('[data-hit]').first().click();
    await conversation(page).getByText(NEEDLE).first().waitFor();
    await page.getByRole('searchbox', { name: 'Find in this run' }).press('Escape');
    await page.getByRole('button', { name: 'To the end' }).click();
    await until(() => conversation(page).getByText(NEEDLE).count()).toBe(0);
    await until(() => page.locator('[role="status"] progress').count()).toBe(0);
    const left = () =>
      conversation(page).evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
    await until(left).toBeLessThan(8);
    expect(await conversation(page).getByText(NEEDLE).count()).toBe(0);
  });
});
