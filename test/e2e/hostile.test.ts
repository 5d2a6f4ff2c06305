import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as playwright, type Page } from 'playwright';
import { afterEach, describe, expect, it } from 'vitest';
import type { TranscriptItem } from '../../src/shared/contract/items';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp } from '../support/fake-app';
import { HostileWatch, hostileTexts, type Damage } from '../support/hostile';
import { built, chromium } from '../support/prerequisites';
import { drift, head, makeScene, row } from '../support/scenes';
import { Seeded } from '../support/seeded';
import { cleanUp, makeHome, start } from './harness';
import { conversation, openRow, ready, rows, say, startChat, status, until } from './steps';

const NONE: Damage = { executed: [], requests: [], violations: [], dialogs: [], pages: [], errors: [] };
const SPLITS = process.env['HOLDFAST_SOAK'] ? 12 : 1;
/** So many texts take their time on a slow machine. ms. */
const LIMIT = (process.env['HOLDFAST_SOAK'] ? 60 : 6) * 60_000;
const EVERY_TRANSCRIPT = process.env['HOLDFAST_SOAK'] ? 1 : 9;
/** By what is known which text is shown: its run ends with it. */
const endOf = (n: number) => `Here ends text number ${n}.`;

afterEach(cleanUp);

/** One item of every kind, each of its texts the same hostile one. */
function everywhere(text: string, n: number): TranscriptItem[] {
  const base = (block: number) => ({ key: `${n}.${block}`, seq: n });
  return [
    { kind: 'prompt', ...base(0), text },
    { kind: 'thinking', ...base(1), iteration: n, text },
    { kind: 'text', ...base(2), iteration: n, text },
    { kind: 'provider', ...base(3), iteration: n, provider: text.slice(0, 200), text },
    ...(['ok', 'error', 'unknown', 'waiting'] as const).map((state, at): TranscriptItem => ({
      kind: 'call',
      ...base(4 + at),
      iteration: n,
      toolUseId: `call_${n}_${at}`,
      tool: text.slice(0, 300),
      input: JSON.stringify({ path: text }),
      line: text.slice(0, 2_000),
      changes: true,
      state,
      ...(state !== 'waiting' && { result: { seq: n, text, lines: 3, isError: state === 'error' } }),
    })),
    { kind: 'orphan', ...base(8), toolUseId: text.slice(0, 200), text, isError: true },
    {
      kind: 'seam',
      ...base(9),
      forced: true,
      changed: [{ field: 'model', recorded: text.slice(0, 300), current: text.slice(0, 300) }],
      endpoint: { from: text.slice(0, 300), to: text.slice(0, 300) },
    },
    { kind: 'end', ...base(10), reason: text.slice(0, 100), message: text.slice(0, 5_000), past: true },
    { kind: 'lost', ...base(11), text, thinking: text },
    { kind: 'notice', ...base(12), tone: 'bad', text },
  ];
}

describe('hostile text', () => {
  it(
    'in every place of the window, streamed at odd splits and stored, does nothing',
    { timeout: LIMIT },
    async () => {
      const watch = await HostileWatch.open();
      const texts = hostileTexts(watch.sink);
      expect(texts.length).toBeGreaterThanOrEqual(100);
      const scene = makeScene();
      const app = await fakeApp(built('renderer') ?? '', scene);
      const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
      try {
        const context = await browser.newContext({ viewport: { width: 1280, height: 3000 } });
        const page = await context.newPage();
        const link = app.link();
        const home = new URL('/', link).href;
        await watch.watch(context, page, () => home);
        const random = new Seeded(1);
        // Stored: one run for each text, named by it, with all of it unfolded.
        scene.rows = texts.map(({ text }, n) =>
          row(`h${n}`, text.slice(0, 300), 'waiting', text.slice(0, 200), n),
        );
        texts.forEach(({ text }, n) => {
          const items: TranscriptItem[] = [
            ...everywhere(text, 5),
            { kind: 'notice', key: 'end', seq: 5, tone: 'warn', text: endOf(n) },
          ];
          const short = text.slice(0, 2_000);
          scene.runs.set(`h${n}`, {
            items,
            head: head(scene.rows[n] ?? row('x', '', 'waiting', '', 0), {
              mode: 'live',
              phase: 'waiting',
              items: items.length,
              profile: short.slice(0, 80),
              folder: `/home/${short}`,
              endpoint: short,
              queued: [{ id: 'm1', text: short, held: false }],
              warnings: [{ code: 'x', detail: short }],
              caution: short,
              failure: { code: 'internal', message: short, kept: short, todo: short },
              approval: {
                hash: 'h',
                toolUseId: 'call_5_3',
                tool: short.slice(0, 300),
                input: text,
                line: short,
              },
            }),
            preflight: {
              ...drift,
              id: `h${n}`,
              profile: short.slice(0, 80),
              folder: short,
              matching: [short.slice(0, 80)],
              gates: drift.gates.map((gate) => ({ ...gate, text: short })),
              diff: drift.diff.map((field) => ({ ...field, recorded: short, current: `${short}!` })),
              pending: drift.pending.map((tool) => ({
                ...tool,
                tool: short.slice(0, 300),
                input: text,
                line: short,
              })),
              unknown: drift.unknown.map((tool) => ({
                ...tool,
                tool: short.slice(0, 300),
                input: text,
                line: short,
              })),
              endpoint: { recorded: short, current: `${short}?`, changed: true },
              lost: { text, characters: text.length, at: new Date(0).toISOString() },
            },
          });
        });
        scene.folders = texts.slice(0, 6).map(({ text }) => `/home/${text.slice(0, 100)}`);
        await page.goto(link);
        await ready(page);
        const heard = watch.damage;
        let pressed = 0;
        for (const [n, { text, name }] of texts.entries()) {
          app.emit('app.focus', { id: `h${n}` });
          expect(await page.evaluate(unfolded, endOf(n)), `${name} is shown`).toBe(true);
          // Live: the same text streams at splits that nobody chose for it.
          for (let round = 0; round < SPLITS; round++) {
            const short = text.slice(0, 20_000);
            let from = 0;
            while (from < short.length) {
              const to = Math.min(
                short.length,
                from + 1 + random.below(Math.max(2, Math.ceil(short.length / 8))),
              );
              for (const part of ['text', 'thinking'] as const) {
                app.change(`h${n}`, 11, {
                  type: 'stream',
                  part,
                  iteration: 6 + round,
                  from,
                  text: short.slice(from, to),
                });
              }
              from = to;
              if (random.below(3) === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
            }
            if (text.trim() !== '') expect(await page.evaluate(streams), `${name} streams`).toBe(true);
            app.change(`h${n}`, 11, { type: 'stream_end', iteration: 6 + round, reason: text.slice(0, 300) });
          }
          await page.evaluate(unfoldAll);
          pressed += await press(page);
          if (n % EVERY_TRANSCRIPT === 0) await view(page, 'Transcript').click();
          expect(heard, `${name}: ${text.slice(0, 100)}`).toEqual(NONE);
        }
        // Everything that can be pressed in a text was pressed: nothing left, and addresses were only shown.
        expect(pressed).toBeGreaterThan(10);
        expect(heard).toEqual(NONE);
        // Which run is shown is behind the hash.
        expect(page.url().replace(/#.*$/, '')).toBe(home);
        expect(await page.title()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        console.log(
          `hostile text in the window: ${texts.length} texts x ${everywhere('', 1).length + 20} places, ${SPLITS} streams each: 0 executions, 0 requests, 0 violations`,
        );
      } finally {
        await browser.close();
        await app.close();
        await watch.close();
      }
    },
  );

  it('through the real app: typed, answered, thought, written, read, listed and renamed', async () => {
    const watch = await HostileWatch.open();
    try {
      const texts = hostileTexts(watch.sink).filter(({ kind }) => kind !== 'huge');
      const home = makeHome();
      const folder = join(home.files, 'odd');
      mkdirSync(folder);
      let files = 0;
      for (const { text } of texts) {
        const name = text.replace(/[/\0]/g, '∕').slice(0, 80);
        try {
          writeFileSync(join(folder, name), text);
          files += 1;
        } catch {
          // This system has no such name.
        }
      }
      const started = await start('browser door', { home, env: { HOLDFAST_PRACTICE_DELAY: '0' } });
      const { page } = started;
      const origin = new URL('/', page.url()).href;
      await watch.watch(page.context(), page, () => origin);
      await page.reload();
      await ready(page);
      await startChat(started, 'list the files', { folder });
      await status(page, 'Your turn');
      const step = process.env['HOLDFAST_SOAK'] ? 1 : 3;
      const some = texts.filter((_, n) => n % step === 0);
      for (const { text } of some) {
        const words = text.replace(/\0/g, '').slice(0, 400);
        await say(page, `say ${words}`);
        await status(page, 'Your turn');
      }
      const told = some[0]?.text ?? '';
      await say(page, `think about ${told}`);
      await status(page, 'Your turn');
      await say(page, `write note.txt: ${told}`);
      await page.getByRole('button', { name: 'Allow once' }).waitFor();
      await page.getByRole('button', { name: 'Allow for this run' }).press('Space');
      await status(page, 'Your turn');
      await say(page, 'read note.txt');
      await status(page, 'Your turn');
      for (const { text } of some.slice(0, 20)) {
        await rows(page).first().focus();
        await page.keyboard.press('F2');
        await page.locator('[data-run-row], nav input[aria-label="Title"]').first().waitFor();
        await page.locator('nav input[aria-label="Title"]').fill(text.slice(0, 200).replace(/\n/g, ' '));
        await page.keyboard.press('Enter');
        await page.locator('main header h1').waitFor();
      }
      expect(watch.damage).toEqual(NONE);
      // Stored: all of it again, from the first line to the last.
      await page.reload();
      await ready(page);
      await rows(page).first().click();
      await conversation(page).waitFor();
      await page.getByRole('button', { name: 'Transcript' }).click();
      await page.getByRole('button', { name: 'Unfold tool output' }).click();
      await readThrough(page);
      expect(watch.damage).toEqual(NONE);
      console.log(
        `hostile text through the real app: ${some.length} texts and ${files} file names: 0 executions, 0 requests, 0 violations`,
      );
    } finally {
      await watch.close();
    }
  });

  it('in a journal that somebody else wrote, tool names and provider data too, does nothing', async () => {
    const watch = await HostileWatch.open();
    try {
      const texts = hostileTexts(watch.sink).filter(({ kind }) => kind !== 'huge');
      const home = makeHome();
      mkdirSync(home.runs, { recursive: true, mode: 0o700 });
      // In our own folder; one of another program is only read, and offers no resume.
      writeFileSync(join(home.runs, '.holdfast-store'), '');
      writeFileSync(join(home.runs, 'foreign.json'), journal(texts.map(({ text }) => text)), { mode: 0o600 });
      const started = await start('browser door', { home });
      const { page } = started;
      const origin = new URL('/', page.url()).href;
      await watch.watch(page.context(), page, () => origin);
      await page.reload();
      await ready(page);
      await openRow(page, /./);
      await view(page, 'Transcript').click();
      await page.getByRole('button', { name: 'Unfold tool output' }).click();
      await page.getByRole('button', { name: 'Unfold thinking' }).click();
      await readThrough(page);
      await view(page, 'Resume').click();
      await page.getByRole('heading', { name: 'Before this run goes on' }).waitFor();
      expect(watch.damage).toEqual(NONE);
      await rows(page).first().focus();
    } finally {
      await watch.close();
    }
  });

  it('would be caught: a page that believes it is', async () => {
    const watch = await HostileWatch.open();
    const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await watch.watch(context, page, () => 'about:');
      await page.route('http://believing.test/', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<div id="text"></div>' }),
      );
      await page.goto('http://believing.test/');
      watch.damage.requests.length = 0;
      for (const { text, kind } of hostileTexts(watch.sink)) {
        if (kind === 'huge' || /meta|base/.test(text)) continue;
        await page.evaluate((html) => {
          // By the prototype: some of the texts take the name of the page's own function.
          const place = Document.prototype.getElementById.call(document, 'text');
          if (place) place.innerHTML = html;
        }, text);
      }
      await until(() => watch.damage.executed.length).toBeGreaterThan(5);
      await until(() => watch.damage.requests.length).toBeGreaterThan(5);
    } finally {
      await browser.close();
      await watch.close();
    }
  });
});

const view = (page: Page, name: string) =>
  page.getByRole('group', { name: 'View' }).getByRole('button', { name });

/** Opens every fold that is on the screen. Runs in the page. */
function unfoldAll(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-row] [aria-expanded="false"]'))
    button.click();
}

/** Waits for the run that ends so, and opens its folds; false when it never comes. Runs in the page. */
async function unfolded(end: string): Promise<boolean> {
  for (const begun = performance.now(); performance.now() - begun < 20_000;) {
    const kinds = [...document.querySelectorAll<HTMLElement>('[data-row] [data-kind]')];
    if (kinds.some((item) => item.textContent.includes(end))) {
      for (const button of document.querySelectorAll<HTMLElement>('[data-row] [aria-expanded="false"]'))
        button.click();
      return true;
    }
    await new Promise(requestAnimationFrame);
  }
  return false;
}

/** Waits until something of a stream is shown. Runs in the page. */
async function streams(): Promise<boolean> {
  for (const begun = performance.now(); performance.now() - begun < 20_000;) {
    if (document.querySelector('[data-tail]')?.textContent) return true;
    await new Promise(requestAnimationFrame);
  }
  return false;
}

/** Presses the first and the last link that is shown, in every way; each only asks, with its address. Gives how many. */
async function press(page: Page): Promise<number> {
  const links = page.locator('[data-row] [role="link"]');
  const count = await links.count();
  const card = page.getByRole('dialog', { name: 'Open this outside Holdfast?' });
  for (const link of [links.first(), links.last()].slice(0, count)) {
    await link.dispatchEvent('auxclick', { button: 1 });
    await link.dispatchEvent('click');
    await card.getByRole('button', { name: 'Cancel' }).click();
    await card.waitFor({ state: 'detached' });
  }
  return Math.min(count, 2);
}

/** Scrolls through everything that is shown, so that every item is rendered once. */
async function readThrough(page: Page): Promise<void> {
  const scroller = conversation(page);
  await scroller.evaluate((element) => element.scrollTo(0, 0));
  for (let screens = 0; screens < 600; screens++) {
    await page.evaluate(unfoldAll);
    const more = await scroller.evaluate(async (element) => {
      const before = element.scrollTop;
      element.scrollBy(0, element.clientHeight * 0.9);
      await new Promise(requestAnimationFrame);
      return element.scrollTop > before + 1;
    });
    if (!more) return;
  }
}

/** A run with a hostile text in each place that a record has. */
function journal(texts: string[]): string {
  const protocol = (kind: string) => `io.choria.fisk-ai.v1.session.${kind}`;
  const fingerprint = {
    provider: 'practice',
    model: texts[0],
    system_hash: texts[1],
    tools_hash: texts[2],
    thinking_mode: 'off',
    max_tokens: 0,
    max_iterations: 50,
  };
  const records: Record<string, unknown>[] = [
    {
      seq: 1,
      protocol: protocol('meta'),
      meta: {
        version: 3,
        run_id: 'foreign',
        created: '2026-01-01T00:00:00Z',
        fingerprint,
        prompt: texts[3],
        interactive: true,
      },
    },
  ];
  texts.forEach((text, n) => {
    records.push({
      seq: records.length + 1,
      protocol: protocol('assistant'),
      assistant: {
        iteration: n,
        message: {
          role: 'assistant',
          content: [
            { thinking: { text } },
            { text: { text } },
            { provider: { kind: text, raw: { type: text } } },
            { tool_use: { id: `call_${n}`, name: text, input: { path: text, [text]: text } } },
          ],
        },
        stop_reason: 'tool_use',
        in_tokens: 1,
        out_tokens: 1,
      },
    });
    if (n === texts.length - 1) return;
    records.push({
      seq: records.length + 1,
      protocol: protocol('tool_result'),
      tool_result: {
        tool_use_id: `call_${n}`,
        result: { tool_use_id: `call_${n}`, content: text, is_error: n % 2 === 0 },
      },
    });
  });
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
