import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as playwright, type Locator, type Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/shared/run/failure';
import type { RunRecord } from '../../src/shared/run/record';
import { bad } from '../support/axe';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp } from '../support/fake-app';
import { nothingFound, type FakeFinds } from '../support/fake-search';
import { answerRecord, callRecord, metaRecord, resultRecord, userRecord } from '../support/journal-records';
import { built, chromium } from '../support/prerequisites';
import { makeScene } from '../support/scenes';
import { journalBytes, ready as readyFolder } from '../support/store-folder';
import { makeHome, onEveryDoor, picture, type Home, type Started } from './harness';
import { conversation, doors, ready, until } from './steps';

const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Search all text' });
const hits = (page: Page): Locator => page.locator('[data-hit]');
const MOD = 'Control';

/** A few days of work as a person has it. */
function fillWithWork(home: Home): void {
  readyFolder(home.runs);
  const invoice = (n: number) =>
    `The invoices of March add up to 4,8${n}0.00 €, and the invoice of Nordwind is not paid yet. I would send a reminder this week, since its term ended on the 14th.`;
  const runs: [string, RunRecord[]][] = [
    [
      'inv',
      [
        metaRecord('inv', 'Which invoices of March are still open?'),
        {
          ...callRecord(2, ['c1'], 0, 'search_text'),
          ...thinking(
            2,
            'The invoices are in one folder for each month, so I look through March first.',
            'search_text',
            'c1',
          ),
        },
        resultRecord(
          3,
          'c1',
          'march/nordwind.txt:3: invoice no. 2041, due on 14 March, open\nmarch/brandt.txt:3: invoice no. 2042, due on 20 March, paid\nmarch/okafor.txt:3: invoice no. 2043, due on 28 March, paid',
        ),
        answerRecord(4, invoice(7), 1),
        userRecord(5, 'Write the reminder for the open invoice, friendly please.'),
        answerRecord(
          6,
          'Dear Ms Lindqvist, perhaps our invoice no. 2041 went astray: it was due on the 14th of March. Could you have a look?',
          2,
        ),
      ],
    ],
    [
      'tax',
      [
        metaRecord('tax', 'Prepare the papers for the tax office'),
        answerRecord(2, 'What is missing is the invoice of the car repair and the bank’s yearly statement.'),
        userRecord(3, 'The invoice is in the folder “car”, look again'),
        answerRecord(4, 'Found: car/invoice-garage.pdf. Everything is there now.', 1),
      ],
    ],
    [
      'rtl',
      [
        metaRecord('rtl', 'תרגם את המכתב לעברית'),
        answerRecord(2, 'המכתב מתורגם. המילה invoice נשארה באנגלית, כפי שביקשת, וגם\u202e מספר החשבון.'),
      ],
    ],
    [
      'code',
      [
        metaRecord('code', 'Rename getInvoice to loadInvoice everywhere'),
        resultRecord(
          2,
          'c9',
          'src/invoice.ts:12: export function getInvoice(id: string): Promise<Invoice> {',
        ),
        answerRecord(3, 'Done in 4 files: src/invoice.ts, src/list.ts, src/mail.ts and their test.'),
      ],
    ],
    [
      'trip',
      [metaRecord('trip', 'Plan four days in Lisbon'), answerRecord(2, 'Day one: Alfama and the castle.')],
    ],
  ];
  put(home.runs, runs);
}

function thinking(seq: number, text: string, tool: string, id: string): RunRecord {
  const record = callRecord(seq, [id], 0, tool);
  record.assistant?.message.content?.unshift({ thinking: { text } });
  const call = record.assistant?.message.content?.at(-1)?.tool_use;
  if (call) call.input = '{"folder":"march","words":"invoice","ignore_case":true}' as typeof call.input;
  return record;
}

function put(folder: string, runs: [string, RunRecord[]][]): void {
  for (const [n, [id, records]] of runs.entries()) {
    const path = join(folder, `${id}.json`);
    writeFileSync(path, journalBytes(records), { mode: 0o600 });
    const when = new Date(Date.now() - (n * 20 + 1) * 3_600_000);
    utimesSync(path, when, when);
  }
}

/** So many runs that reading them takes a while. The newest is `run0`; `needle…` stands in one each. */
function fillWithMany(home: Home, runs: number): void {
  readyFolder(home.runs);
  const words =
    'the quick brown fox jumps over a lazy dog while reports of the harbour count ships and barrels';
  const text = (n: number) =>
    Array.from({ length: 60 }, (_, at) => `${words} ${(n * 7919 + at * 104_729) % 50_021}`).join(' ');
  put(
    home.runs,
    Array.from({ length: runs }, (_, n) => [
      `run${n}`,
      [
        metaRecord(`run${n}`, `Count the ships of day ${n}`),
        answerRecord(2, `${text(n)} needle${n}`),
        userRecord(3, text(n + runs)),
        answerRecord(4, text(n + 2 * runs), 1),
      ],
    ]),
  );
}

/** Opens the search by its key and waits for the field, since a view is fetched when it is first wanted. */
async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press(`${MOD}+Shift+F`);
  await until(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
}

async function search(page: Page, words: string): Promise<void> {
  await field(page).fill(words);
  await until(() =>
    page
      .getByText(/^[\d,]+\+? places? in /)
      .or(page.locator('main h2'))
      .count(),
  ).toBeGreaterThan(0);
}
const look = (started: Started, scheme: 'light' | 'dark') =>
  started.page.emulateMedia({ colorScheme: scheme });

onEveryDoor(
  'search',
  (start, target) => {
    const name = target.replace(' ', '-');

    it('finds what was said, by keys alone: open, type, narrow, open a hit, come back to it, leave', async () => {
      const home = makeHome();
      fillWithWork(home);
      const started = await start({ home });
      const { page } = started;
      await ready(page);
      await openSearch(page);
      await page.getByText('Find anything that was said').waitFor();
      for (const scheme of ['dark', 'light'] as const) {
        await look(started, scheme);
        for (const size of [
          { width: 900, height: 600 },
          { width: 1280, height: 800 },
        ]) {
          await page.setViewportSize(size);
          await picture(page, `search-start-${size.width}-${scheme}-${name}`);
        }
        expect(await bad(page)).toEqual([]);
      }

      await page.keyboard.type('invoice');
      await until(() => hits(page).count()).toBeGreaterThan(8);
      await page.getByText('in 4 runs').waitFor();
      expect(await page.locator('[data-hit] mark').first().textContent()).toMatch(/invoice/i);
      await picture(page, `search-found-light-${name}`);
      expect(await bad(page)).toEqual([]);
      await look(started, 'dark');
      await picture(page, `search-found-dark-${name}`);
      expect(await bad(page)).toEqual([]);
      await page.setViewportSize({ width: 900, height: 600 });
      await picture(page, `search-found-900-dark-${name}`);
      await look(started, 'light');
      await picture(page, `search-found-900-light-${name}`);
      expect(await bad(page)).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });

      await page.getByRole('button', { name: 'Tool inputs' }).click();
      await until(() => hits(page).count()).toBe(1);
      expect(await hits(page).first().textContent()).toContain('search_text');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await until(() => hits(page).count()).toBeGreaterThan(8);

      await field(page).focus();
      for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowDown');
      await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-hit'))).toBe('3');
      await page.keyboard.press('Enter');
      await conversation(page).waitFor();
      // The words are in the find bar, at the occurrence that was chosen.
      const inRun = page.getByRole('searchbox', { name: 'Find in this run' });
      await until(() => inRun.inputValue()).toBe('invoice');
      await page.getByText(/^\d+ of \d+$/).waitFor();
      await picture(page, `search-opened-${name}`);
      await openSearch(page);
      await until(() => field(page).inputValue()).toBe('invoice');
      await until(() => hits(page).count()).toBeGreaterThan(8);
      await page.keyboard.press('Escape');
      await conversation(page).waitFor();
    });

    it('is offered for what was typed into the palette, and says plainly that nothing was found', async () => {
      const home = makeHome();
      fillWithWork(home);
      const { page } = await start({ home });
      await ready(page);
      await page.keyboard.press(`${MOD}+k`);
      await page.getByRole('combobox').waitFor();
      await page.keyboard.type('reminder invoice');
      await page.getByRole('option', { name: /Search all text for/ }).click();
      await until(() => field(page).inputValue()).toBe('reminder invoice');
      await until(() => hits(page).count()).toBe(2);
      await search(page, 'zeppelin');
      await page.getByText('Nothing has these words').waitFor();
      await picture(page, `search-nothing-${name}`);
      expect(await bad(page)).toEqual([]);
      await search(page, '? - *');
      await page.getByText('Nothing to look for yet').waitFor();
      for (const words of ['"', 'NEAR(a', 'prompt:x', '-x ^y', '東京', '\u202eabc', 'x'.repeat(100_000)]) {
        await search(page, words);
        expect(await page.getByText('did not work').count()).toBe(0);
      }
      await search(page, 'המילה');
      await until(() => hits(page).count()).toBe(1);
    });

    it('is offered where titles are filtered', async () => {
      const home = makeHome();
      fillWithMany(home, 8);
      const { page } = await start({ home });
      await ready(page);
      await page.getByRole('searchbox', { name: 'Filter by title' }).fill('harbour');
      await page.getByText('No title has these words.').waitFor();
      const offer = page.getByRole('button', { name: /^Search all text for/ });
      await offer.waitFor();
      await picture(page, `search-offered-${name}`);
      expect(await bad(page)).toEqual([]);
      await offer.focus();
      await page.keyboard.press('Enter');
      await until(() => field(page).inputValue()).toBe('harbour');
      await until(() => hits(page).count()).toBeGreaterThan(5);
    });

    it('leaves out a store that is away, and says so', async () => {
      const home = makeHome();
      fillWithWork(home);
      mkdirSync(home.config, { recursive: true });
      writeFileSync(
        join(home.config, 'stores.yaml'),
        JSON.stringify({ stores: [{ name: 'office', url: 'nats://127.0.0.1:9/RUNS' }] }),
      );
      const { page } = await start({ home });
      await ready(page);
      await openSearch(page);
      await page.keyboard.type('invoice');
      await page.getByText('Not searched:').waitFor();
      await until(() => hits(page).count()).toBeGreaterThan(8);
      await picture(page, `search-away-${name}`);
      expect(await bad(page)).toEqual([]);
    });

    it('can be used while it is built, shows how far that is, and goes on after a kill', async () => {
      const home = makeHome();
      fillWithMany(home, 900);
      let started = await start({ home });
      await ready(started.page);
      await openSearch(started.page);
      await started.page.keyboard.type('harbour ships');
      await until(() => hits(started.page).count()).toBeGreaterThan(5);
      const bar = (page: Page) => page.getByRole('progressbar', { name: 'Runs read for the search' });
      await bar(started.page).waitFor();
      await picture(started.page, `search-building-${name}`);
      expect(await bad(started.page)).toEqual([]);
      await look(started, 'dark');
      await started.page.setViewportSize({ width: 900, height: 600 });
      await picture(started.page, `search-building-900-dark-${name}`);
      await started.kill();

      started = await started.restart();
      const { page } = started;
      await ready(page);
      await openSearch(page);
      await page.keyboard.type('needle899');
      await expect.poll(() => hits(page).count(), { timeout: 60_000 }).toBe(1);
      await expect.poll(() => bar(page).count(), { timeout: 60_000 }).toBe(0);
      // The index that was begun before the kill went on; none was begun beside it.
      const indexes = readdirSync(join(home.path, '.cache', 'holdfast', 'search'));
      expect(indexes.filter((file) => file.endsWith('.db'))).toHaveLength(1);

      // Far down, page after page, by keys.
      await search(page, 'harbour');
      await until(() => hits(page).count()).toBeGreaterThan(5);
      await page.keyboard.press('ArrowDown');
      await until(async () => {
        await page.keyboard.press('End');
        return page.evaluate(() => Number(document.activeElement?.getAttribute('data-hit') ?? -1));
      }).toBeGreaterThan(250);
      expect(await page.locator('*').count()).toBeLessThan(2_500);
      await picture(page, `search-far-down-${name}`);
    });
  },
  doors(),
);

describe('states of the search that are hard to reach', () => {
  const building = [
    { store: 'default', label: 'This computer', done: 4_210, total: 10_000, bytes: 91_000_000 },
  ];
  const away = new Failure({
    code: 'store_unavailable',
    message: 'This store took too long to answer.',
    todo: 'Search again in a moment.',
  });
  const states: [name: string, words: string, FakeFinds][] = [
    ['building', '', { ...nothingFound(), building }],
    ['not-yet', 'harbour', { ...nothingFound(), building }],
    ['listing', 'harbour', { ...nothingFound(), building: [{ ...building[0]!, done: 0, total: 0 }] }],
    [
      'none-searched',
      'harbour',
      { ...nothingFound(), failed: [{ store: 'default', label: 'This computer', failure: away.toJSON() }] },
    ],
    [
      'failed',
      'harbour',
      new Failure({
        code: 'no_space',
        message: 'There is no room on the disk for the index that makes searching fast.',
        kept: 'The runs are untouched; what was read already can be found.',
        todo: 'Make room on the disk of the cache folder, then search again.',
      }),
    ],
  ];

  it('are told in words, look right in both colours and sizes, and are clean for axe', async () => {
    const app = await fakeApp(built('renderer') ?? '', makeScene());
    const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
    try {
      const problems: string[] = [];
      for (const [theme, size] of [
        ['light', { width: 1280, height: 800 }],
        ['dark', { width: 900, height: 600 }],
      ] as const) {
        app.scene.prefs = { theme, zoom: 1 };
        const page = await (
          await browser.newContext({ viewport: size, reducedMotion: 'reduce', bypassCSP: true })
        ).newPage();
        await page.goto(app.link());
        await ready(page);
        for (const [name, words, finds] of states) {
          app.scene.finds = finds;
          await page.goto(new URL('/', page.url()).href);
          await ready(page);
          await openSearch(page);
          await field(page).fill(words);
          await page.locator('main').getByRole('heading', { level: 2 }).first().waitFor();
          await page.getByText('Searching…').waitFor({ state: 'detached' });
          if ('building' in finds && finds.building.length > 0)
            await page.getByRole('progressbar', { name: 'Runs read for the search' }).waitFor();
          await picture(page, `search-${name}-${size.width}-${theme}`);
          problems.push(...(await bad(page)).map((text) => `${name} ${theme}: ${text}`));
        }
      }
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      await app.close();
    }
  });
});
