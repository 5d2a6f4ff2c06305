import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { expect, it } from 'vitest';
import { fileStore } from '../../src/main/journal/file';
import { bringRich } from '../support/histories';
import { putManyRuns } from '../support/many-runs';
import { makeHome, onEveryDoor } from './harness';
import { conversation, ready, until } from './steps';

/** Stops of the Tab key within which everything must be reached. */
const STOPS = 120;

/** Presses Tab until the focus is on something, as somebody does who has no mouse. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  const there = () =>
    target
      .first()
      .evaluate((element) => element === document.activeElement)
      .catch(() => false);
  for (let stop = 0; stop < STOPS; stop++) {
    if (await there()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key did not come to ${String(target)}.`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** A command by its name, from the palette. */
async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type(name);
  await page.getByRole('option', { name, selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const dialog = (page: Page) => page.getByRole('dialog');
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const total = (page: Page) => page.locator('main header [role="status"]').first();

onEveryDoor(
  'a person without a mouse',
  (start) => {
    it('opens the library, searches, filters, reads, finds, folds, exports, imports, compares, forks, deletes and undoes', async () => {
      const home = makeHome();
      const downloads = join(home.path, 'Downloads');
      mkdirSync(downloads);
      putManyRuns(home.runs, 20);
      const bytes = await bringRich(fileStore(home.runs));
      const { page } = await start({ home, reducedMotion: 'reduce' });
      await ready(page);
      const mice: string[] = [];
      await page.exposeFunction('mouse', (kind: string) => void mice.push(kind));
      await page.evaluate(() => {
        const told = window as unknown as { mouse(kind: string): void };
        for (const kind of ['mousedown', 'touchstart', 'wheel'])
          window.addEventListener(kind, () => told.mouse(kind), true);
      });
      const journals = () =>
        readdirSync(home.runs).filter((name) => /^[a-zA-Z0-9][\w-]*\.json$/.test(name)).length;

      // The library.
      await command(page, 'All runs');
      await title(page, 'All runs').waitFor();
      await until(() => total(page).textContent()).toBe('21 runs');

      // Search, and back from it.
      await page.keyboard.press('Control+Shift+F');
      await page.getByRole('textbox', { name: 'Search all text' }).waitFor();
      await page.keyboard.type('four ticks');
      await until(() => page.locator('[data-hit]').count()).toBe(1);
      await page.keyboard.press('ArrowDown');
      await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-hit'))).toBe('0');
      await page.keyboard.press('Escape');
      await title(page, 'All runs').waitFor();

      // Filter by state, then by words, and open what is left.
      await press(
        page,
        page.getByRole('search', { name: 'Filter the runs' }).getByRole('button', { name: /^State/ }),
      );
      await press(page, page.getByRole('checkbox', { name: /^Interrupted/ }), 'Space');
      await until(() => total(page).textContent()).toMatch(/^\d of 21 runs$/);
      await page.keyboard.press('Escape');
      await tabTo(page, page.getByRole('searchbox', { name: 'Words in the title' }));
      await page.keyboard.type('rich');
      await until(() => total(page).textContent()).toBe('1 of 21 runs');
      await page.keyboard.press('ArrowDown');
      await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-browse-row'))).toBe(
        '0',
      );
      await page.keyboard.press('Enter');
      await title(page, 'A <rich> run').waitFor();

      // Find, fold.
      await press(page, button(page, 'Transcript'));
      await page.getByRole('toolbar', { name: 'Reading' }).waitFor();
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find in this run' }).waitFor();
      await page.keyboard.type('let me think');
      await page.getByText('1 of 1', { exact: true }).waitFor();
      const thought = conversation(page).getByText('Let me think');
      await thought.waitFor();
      await page.keyboard.press('Escape');
      await until(() => conversation(page).evaluate((list) => list === document.activeElement)).toBe(true);
      await until(() => thought.count()).toBe(0);
      await conversation(page)
        .getByRole('button', { name: /^Thinking\s*2 lines$/ })
        .waitFor();
      await press(page, button(page, 'Unfold thinking'));
      await thought.waitFor();
      await page.keyboard.press('Enter');
      await until(() => thought.count()).toBe(0);
      await press(page, button(page, 'Unfold tool output'));
      await press(page, button(page, 'Show the whole'));
      await conversation(page).getByText('the whole text').waitFor();
      await page.keyboard.press('F8');
      await conversation(page).getByText('no such file').waitFor();

      // Out and back in.
      await command(page, 'Export this run');
      await tabTo(page, dialog(page).getByRole('radio', { name: 'Markdown' }));
      for (const name of ['Web page', 'JSON', 'Journal']) {
        await page.keyboard.press('ArrowDown', { delay: 60 });
        await until(() => dialog(page).getByRole('radio', { name }).isChecked()).toBe(true);
      }
      await press(page, dialog(page).getByRole('button', { name: 'Export', exact: true }));
      await page.getByText('1 run exported').waitFor();
      await press(page, button(page, 'Done'));
      const file = join(downloads, 'A rich run.json');
      expect(readFileSync(file)).toEqual(bytes);
      await command(page, 'Import runs');
      const chooser = page.waitForEvent('filechooser');
      await press(page, button(page, 'Choose files…'));
      await (await chooser).setFiles(file);
      await page.getByText('1 file,').waitFor();
      await press(page, dialog(page).getByRole('button', { name: 'Import', exact: true }));
      await page.getByText('1 run came in').waitFor();
      await press(page, button(page, 'Open it'));
      await title(page, 'Find').waitFor();
      expect(journals()).toBe(22);

      // Beside the one that it was exported from.
      await command(page, 'Compare this run with another');
      await page.getByRole('searchbox', { name: 'Find a run' }).waitFor();
      await page.keyboard.type('rich');
      await until(() => dialog(page).getByRole('list', { name: 'Runs' }).getByRole('button').count()).toBe(1);
      await press(page, dialog(page).getByRole('list', { name: 'Runs' }).getByRole('button'));
      await title(page, 'Compare two runs').waitFor();
      const right = page.getByRole('region', { name: 'Run on the right' });
      await press(page, right.getByRole('button', { name: 'A <rich> run' }));
      await title(page, 'A <rich> run').waitFor();

      // Another run from the beginning of this one.
      await command(page, 'Fork this run');
      await press(page, dialog(page).getByRole('button', { name: /record 5/ }));
      await press(page, button(page, 'Make the new run'));
      await title(page, /\(fork\)/).waitFor();
      await page.getByText(/^Forked from “.+” up to record 5/).waitFor();
      expect(journals()).toBe(23);

      // Gone, and back.
      await press(page, page.getByRole('main').getByRole('button', { name: 'More', exact: true }));
      const onItem = () => page.evaluate(() => document.activeElement?.textContent);
      await until(onItem).toMatch(/^Find in this run/);
      await page.keyboard.press('End');
      await until(onItem).toMatch(/^Delete/);
      await page.keyboard.press('Enter');
      await page.getByText('was moved to the trash.').waitFor();
      await until(journals).toBe(22);
      await press(page, button(page, 'Undo'));
      await page.getByText('is back.').waitFor();
      await until(journals).toBe(23);
      expect(readFileSync(join(home.runs, 'rich.json'))).toEqual(bytes);
      expect(mice).toEqual([]);
    });
  },
  ['browser door'],
);
