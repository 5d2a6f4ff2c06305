import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as playwright, type Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { StoreView } from '../../src/shared/contract/stores';
import { bad } from '../support/axe';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp } from '../support/fake-app';
import { manyId, manyRecords } from '../support/many-runs';
import { built, chromium } from '../support/prerequisites';
import { makeScene } from '../support/scenes';
import { journalBytes } from '../support/store-folder';
import { onEveryDoor, picture, type Home } from './harness';
import { conversation, doors, ready, rows, startChat, status, toolRuns, until } from './steps';
import {
  browse,
  cells,
  chosen,
  filters,
  focused,
  journals,
  line,
  looks,
  LOOKS,
  populated,
  total,
} from './table-steps';

const COUNT = 800;

/** SHA-256 of every journal, wherever it is kept. */
function hashes(home: Home): Record<string, string> {
  const all: Record<string, string> = {};
  for (const folder of [home.runs, join(home.runs, 'trash')])
    for (const name of journals(folder))
      all[name] = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
  return all;
}

onEveryDoor(
  'all runs',
  (start) => {
    it('are sorted, filtered, chosen, labelled, deleted and brought back by mouse, in a table that stays small', async () => {
      const home = populated(COUNT);
      const before = hashes(home);
      const started = await start({ home });
      const { page } = started;
      await browse(page);
      expect(await total(page)).toBe('800 runs');
      await looks(started, 'library-table');
      expect(await cells(page).count()).toBeLessThan(60);

      // Sorted by each column, and said so.
      for (const column of ['Title', 'State', 'Model', 'Tokens', 'Steps', 'Updated']) {
        await page.getByRole('columnheader', { name: column }).getByRole('button').click();
        const header = page.getByRole('columnheader', { name: column });
        await until(() => header.getAttribute('aria-sort')).toMatch(/^(ascending|descending)$/);
        await header.getByRole('button').click();
      }
      await page.getByRole('columnheader', { name: 'Updated' }).getByRole('button').click();
      await until(() => page.getByRole('columnheader', { name: 'Updated' }).getAttribute('aria-sort')).toBe(
        'descending',
      );

      // Filters, with counts of what is left.
      await filters(page)
        .getByRole('button', { name: /^State/ })
        .click();
      const states = page.getByRole('dialog', { name: 'State' });
      await states.getByRole('checkbox', { name: /Failed/ }).check();
      await until(() => total(page)).toMatch(/^1\d\d of 800 runs$/);
      await looks(started, 'library-filter');
      await page.keyboard.press('Escape');
      await filters(page)
        .getByRole('button', { name: /^Model/ })
        .click();
      await page
        .getByRole('dialog', { name: 'Model' })
        .getByRole('checkbox', { name: /gpt-5-mini/ })
        .check();
      await page.keyboard.press('Escape');
      await until(() => total(page)).toMatch(/^\d\d of 800 runs$/);
      await filters(page)
        .getByRole('button', { name: /^Changed/ })
        .click();
      const days = page.getByRole('dialog', { name: 'Changed' });
      await days.getByRole('button', { name: 'Last 7 days' }).click();
      await until(() => total(page)).toMatch(/^\d of 800 runs$/);
      await picture(page, 'library-days');
      await days.getByRole('button', { name: 'Any day' }).click();
      await days.getByLabel('From').fill('2020-01-01');
      await until(() => total(page)).toMatch(/^\d\d of 800 runs$/);
      await page.keyboard.press('Escape');
      await page.getByRole('searchbox', { name: 'Words in the title' }).fill('no such title');
      await page.getByText('No run fits these filters.').waitFor();
      await page.getByRole('button', { name: /^Show all/ }).click();
      await until(() => total(page)).toBe('800 runs');

      // The other button has the menu of the row.
      await cells(page)
        .nth(2)
        .click({ button: 'right', position: { x: 400, y: 30 } });
      await page.getByRole('menuitem', { name: 'Read the transcript' }).waitFor();
      await page.keyboard.press('Escape');

      // Click, shift and ctrl.
      await cells(page)
        .nth(2)
        .click({ position: { x: 400, y: 30 } });
      await cells(page)
        .nth(5)
        .click({ position: { x: 400, y: 30 }, modifiers: ['Shift'] });
      await until(() => chosen(page).textContent()).toBe('4 runs selected');
      await cells(page)
        .nth(3)
        .click({ position: { x: 400, y: 30 }, modifiers: ['Control'] });
      await until(() => chosen(page).textContent()).toBe('3 runs selected');
      await cells(page).nth(0).getByRole('checkbox').check();
      await until(() => chosen(page).textContent()).toBe('4 runs selected');
      await page.getByRole('button', { name: 'Tags…' }).click();
      const tags = page.getByRole('dialog', { name: 'Tags of 4 runs' });
      await tags.getByRole('textbox').or(tags.getByRole('combobox')).fill('taxes, 2026');
      await page.keyboard.press('Enter');
      await tags.getByText('2026').waitFor();
      await looks(started, 'library-tags', 'dialog');
      await tags.getByRole('button', { name: 'Save' }).click();
      await until(() => cells(page).filter({ hasText: 'taxes' }).count()).toBe(4);
      await page.getByRole('button', { name: 'Pin', exact: true }).click();
      await page.getByText('4 runs were pinned.').waitFor();
      await until(() => cells(page).first().getByLabel('Pinned').count()).toBe(1);
      await looks(started, 'library-chosen');
      await page
        .getByRole('navigation')
        .getByRole('heading', { name: /^Pinned/ })
        .waitFor();
      await page.getByRole('button', { name: 'Clear the selection' }).click();

      // Two can be compared.
      await cells(page).nth(0).getByRole('checkbox').check();
      await cells(page).nth(1).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Compare', exact: true }).waitFor();
      await cells(page).nth(6).getByRole('checkbox').check();
      expect(await page.getByRole('button', { name: 'Compare', exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Clear the selection' }).click();

      // All that match, of which most were never loaded: one toast, one undo.
      await page.getByRole('searchbox', { name: 'Words in the title' }).fill('contracts');
      await until(() => total(page)).toBe('100 of 800 runs');
      await page.getByRole('checkbox', { name: 'Select all 100 runs' }).click();
      await until(() => chosen(page).textContent()).toBe('100 runs selected');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('100 runs moved to the trash.').waitFor();
      await until(() => journals(join(home.runs, 'trash')).length).toBe(100);
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('100 runs are back.').waitFor();
      await until(() => total(page)).toBe('100 of 800 runs');
      expect(hashes(home)).toEqual(before);
    });

    it('are worked with by keys alone', async () => {
      const home = populated(300);
      const { page } = await start({ home });
      await ready(page);
      await page.getByRole('button', { name: /^All runs/ }).focus();
      await page.keyboard.press('Enter');
      await cells(page).first().waitFor();
      await cells(page).first().focus();
      await page.keyboard.press('ArrowDown');
      await until(() => focused(page)).toBe('1');
      await page.keyboard.press('Space');
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await until(() => chosen(page).textContent()).toBe('3 runs selected');
      await page.keyboard.press('End');
      await until(() => focused(page)).toBe('299');
      await page.keyboard.press('Home');
      await until(() => focused(page)).toBe('0');
      await page.keyboard.press('Control+a');
      await until(() => chosen(page).textContent()).toBe('300 runs selected');
      await page.keyboard.press('Escape');
      await until(() => page.getByRole('toolbar').count()).toBe(0);
      await page.keyboard.press('F2');
      await page.keyboard.type('A name of my own');
      await page.keyboard.press('Enter');
      await line(page, 'A name of my own').waitFor();
      await until(() => focused(page)).toBe('0');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Pin' }).press('Enter');
      await until(() => line(page, 'A name of my own').getByLabel('Pinned').count()).toBe(1);
      await line(page, 'A name of my own').focus();
      await page.keyboard.press('Delete');
      await page.getByText('“A name of my own” was moved to the trash.').waitFor();
      await until(() => journals(home.runs).length).toBe(299);
      // Gone from the table too: else the row that is waited for below is the one that is still to go.
      await until(() => line(page, 'A name of my own').count()).toBe(0);
      await page.getByRole('button', { name: 'Undo' }).press('Enter');
      await line(page, 'A name of my own').waitFor();
      await line(page, 'A name of my own').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'A name of my own' }).waitFor();
    });

    it('that are in use stay while the others go, and say so', async () => {
      const home = populated(5);
      const started = await start({ home });
      const { page } = started;
      await ready(page);
      await startChat(started, 'wait 60', { folder: home.files });
      await toolRuns(page, 'wait');
      await page.getByRole('button', { name: /^All runs/ }).click();
      await until(() => total(page)).toBe('6 runs');
      await page.getByRole('checkbox', { name: 'Select all 6 runs' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('5 runs moved to the trash. 1 run is in use and stays.').waitFor();
      await until(() => total(page)).toBe('1 run');
      await until(() => chosen(page).textContent()).toBe('1 run selected');
      await page.getByRole('button', { name: 'Undo' }).click();
      await until(() => total(page)).toBe('6 runs');
      await line(page, 'wait 60').getByRole('button', { name: 'wait 60', exact: true }).click();
      await status(page, 'Running');
    });

    it('follow what another program does to the folder, a thousand files at a time', async () => {
      const home = populated(20);
      const { page } = await start({ home });
      await browse(page);
      // How long the page was away from its frames, at most.
      await page.evaluate(() => {
        const seen = window as unknown as { worst: number };
        seen.worst = 0;
        let last = performance.now();
        const look = (now: number) => {
          seen.worst = Math.max(seen.worst, now - last);
          last = now;
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      const at = (n: number) => join(home.runs, `${manyId(n)}.json`);
      for (let n = 1_000; n < 2_000; n++)
        writeFileSync(at(n), journalBytes(manyRecords(n, manyId(n))), { mode: 0o600 });
      await until(() => total(page)).toBe('1,020 runs');
      for (let n = 1_000; n < 2_000; n++) renameSync(at(n), at(n + 5_000));
      for (let n = 6_000; n < 6_500; n++) renameSync(at(n), join(home.path, `${n}.gone`));
      await until(() => total(page)).toBe('520 runs');
      await page.getByRole('searchbox', { name: 'Words in the title' }).fill('number 1999');
      await until(() => cells(page).count()).toBe(1);
      await page.getByRole('searchbox', { name: 'Words in the title' }).fill('number 1001');
      await page.getByText('No run fits these filters.').waitFor();
      expect(await page.evaluate(() => (window as unknown as { worst: number }).worst)).toBeLessThan(1_000);
    });

    it('show the columns that were chosen, also the next time, and fewer where there is less room', async () => {
      const home = populated(30);
      const started = await start({ home });
      const { page } = started;
      await browse(page);
      const columns = async (on: Page) =>
        (await on.getByRole('columnheader').allTextContents()).map((text) => text.trim()).filter(Boolean);
      await page.setViewportSize({ width: 1600, height: 800 });
      await until(() => columns(page)).toEqual([
        'Title',
        'State',
        'Model',
        'Store',
        'Steps',
        'Tokens',
        'Updated',
        'Created',
        'Actions',
      ]);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: /^Steps/ }).click();
      await page.getByRole('menuitemcheckbox', { name: /^Store/ }).click();
      await picture(page, 'library-columns');
      await page.keyboard.press('Escape');
      const wanted = ['Title', 'State', 'Model', 'Tokens', 'Updated', 'Created', 'Actions'];
      await until(() => columns(page)).toEqual(wanted);
      await page.setViewportSize({ width: 900, height: 600 });
      await until(() => columns(page)).toEqual(['Title', 'State', 'Updated', 'Actions']);
      await started.stop();
      const again = await started.restart({ size: { width: 1600, height: 800 } });
      await browse(again.page);
      await until(() => columns(again.page)).toEqual(wanted);
      expect(await rows(again.page).count()).toBeGreaterThan(5);
    });
  },
  doors(),
);

onEveryDoor(
  'a folder of another program',
  (start) => {
    it('is shown beside the own runs, with what can be done there and why the rest cannot', async () => {
      const home = populated(3);
      const theirs = join(home.path, 'fisk-runs');
      mkdirSync(theirs);
      for (let n = 50; n < 53; n++)
        writeFileSync(join(theirs, `${manyId(n)}.json`), journalBytes(manyRecords(n, manyId(n))));
      mkdirSync(home.config, { recursive: true });
      writeFileSync(
        join(home.config, 'stores.yaml'),
        JSON.stringify({ stores: [{ name: 'fisk', url: `file:${theirs}` }] }),
      );
      const { page } = await start({ home, size: { width: 1600, height: 900 } });
      await browse(page);
      await until(() => total(page)).toBe('6 runs');
      await filters(page)
        .getByRole('button', { name: /^Store/ })
        .click();
      await page.getByRole('dialog', { name: 'Store' }).getByRole('checkbox', { name: /fisk/ }).check();
      await page.keyboard.press('Escape');
      await until(() => total(page)).toBe('3 of 6 runs');
      await cells(page).first().hover();
      await cells(page).first().getByRole('button', { name: /^More/ }).click();
      await picture(page, 'library-foreign-menu');
      for (const name of [/^Rename/, /^Pin/, /^Tags/, /^Delete/]) {
        const item = page.getByRole('menuitem', { name });
        expect(await item.getAttribute('aria-disabled')).toBe('true');
        expect(await item.textContent()).toContain('only read here');
      }
      await page.getByRole('menuitem', { name: 'Continue here' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Select all 3 runs' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page
        .getByText(/^Nothing was changed\. 3 runs could not be changed: This folder was not made/)
        .waitFor();
      expect(readdirSync(theirs).length).toBe(3);
    });
  },
  doors(),
);

const USUAL: StoreView = {
  name: 'default',
  label: 'This computer',
  url: 'file:/home/ada/.local/state/holdfast/runs',
  kind: 'file',
  usual: true,
  state: 'ok',
  durability: 'disk',
  promise: 'On disk.',
  writable: true,
};

describe('a disk that fills up', () => {
  it('is told above everything, the worst first, until there is space again', async () => {
    const scene = makeScene();
    scene.prefs.theme = 'system';
    const app = await fakeApp(built('renderer') ?? '', scene);
    const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(app.link());
      await ready(page);
      const say = (space?: StoreView['space']) => {
        scene.stores = [{ ...USUAL, ...(space && { space }) }];
        app.emit('stores.changed', {});
      };
      say({ level: 'low', free: 640_000_000 });
      await page.getByRole('status').filter({ hasText: 'Space is getting low' }).waitFor();
      for (const [width, height, theme] of LOOKS) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
        await picture(page, `disk-low-${width}x${height}-${theme}`);
      }
      say({ level: 'critical', free: 61_000_000 });
      const alert = page.getByRole('alert');
      await until(() => alert.textContent()).toContain('Almost no space is left');
      await until(() => alert.textContent()).toContain('61 MB free');
      expect(await bad(page)).toEqual([]);
      for (const [width, height, theme] of LOOKS) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
        await picture(page, `disk-critical-${width}x${height}-${theme}`);
      }
      // Full while an answer arrives: said in its run, and nothing of the answer goes away.
      await rows(page).filter({ hasText: 'Rename photos' }).click();
      const soFar = conversation(page).getByText('Here is what I found so far');
      await soFar.waitFor();
      say({ level: 'full', free: 0 });
      const full = page.getByRole('alert').filter({ hasText: 'The disk of This computer is full.' });
      await full.getByText('The reply is shown as it arrives, but it is not saved.').waitFor();
      await full.getByText('Everything recorded before it is safe.').waitFor();
      expect(await soFar.isVisible()).toBe(true);
      expect(await conversation(page).getByText('Photos with the date in their').isVisible()).toBe(true);
      // Where nothing arrives, it speaks of what comes next.
      await rows(page).filter({ hasText: 'Summarise meeting' }).click();
      await full.getByText('New messages cannot be saved.').waitFor();
      say();
      await until(() => alert.count()).toBe(0);
    } finally {
      await browser.close();
      await app.close();
    }
  });
});
