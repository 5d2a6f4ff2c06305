import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { fileStore } from '../../src/main/journal/file';
import { bad } from '../support/axe';
import { bring, bringRich, HOSTILE } from '../support/histories';
import { chatRecords, fingerprint, metaRecord, answerRecord } from '../support/journal-records';
import { makeHome, onEveryDoor, picture, PICTURES, type Home, type Started } from './harness';
import { openRow, ready, rows, status, until } from './steps';

/** A person's machine with one rich run, and folders to save in. */
async function homeWithRun(): Promise<Home & { downloads: string; bytes: Buffer }> {
  const home = makeHome();
  const downloads = join(home.path, 'Downloads');
  mkdirSync(downloads);
  return { ...home, downloads, bytes: await bringRich(fileStore(home.runs)) };
}

const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
async function more(page: Page, entry: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** The same view in both sizes and both colours. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [900, 600],
    [1280, 800],
  ] as const)
    for (const colorScheme of ['dark', 'light'] as const) {
      // Both sizes and both colours are looked at; nothing hangs on how they are paired.
      const checked = (width === 900) === (colorScheme === 'dark');
      if (!checked && !PICTURES) continue;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      if (checked)
        expect([name, width, colorScheme, await bad(page)]).toEqual([name, width, colorScheme, []]);
      await picture(page, `moving-${name}-${width}-${colorScheme}`);
    }
}

/** One look at a view that differs little from others. */
async function look(page: Page, name: string): Promise<void> {
  expect([name, await bad(page)]).toEqual([name, []]);
  await picture(page, `moving-${name}`);
}

/** Drops real files and folders onto the library, as a file manager does. */
async function drop(page: Page, files: string[], onHover?: () => Promise<void>): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver'] as const)
    await cdp.send('Input.dispatchDragEvent', { type, x: 100, y: 300, data });
  await onHover?.();
  await cdp.send('Input.dispatchDragEvent', { type: 'drop', x: 100, y: 300, data });
}

/** Files in a folder, hidden ones too. */
const all = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

onEveryDoor(
  'moving runs',
  (start) => {
    const open = async (home: Home): Promise<Started> => {
      const started = await start({ home, reducedMotion: 'reduce' });
      await ready(started.page);
      return started;
    };

    it('out: counted, never over a file, by keyboard, and back in by drag and drop', async () => {
      const home = await homeWithRun();
      const { page } = await open(home);
      await openRow(page, 'A <rich> run');
      await more(page, 'Export…');
      await dialog(page).getByRole('radio', { name: 'Markdown' }).waitFor();
      await until(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('A rich run');
      await pictures(page, 'export');
      // By keyboard only: to the last format but one, then on with Enter.
      await dialog(page).getByRole('radio', { name: 'Markdown' }).focus();
      for (const name of ['Web page', 'JSON', 'Journal']) {
        await page.keyboard.press('ArrowDown', { delay: 60 });
        await until(() => dialog(page).getByRole('radio', { name }).isChecked()).toBe(true);
      }
      await page.getByRole('textbox', { name: 'Name' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('1 run exported').waitFor();
      await pictures(page, 'exported');
      await button(page, 'Done').click();
      expect(readFileSync(join(home.downloads, 'A rich run.json'))).toEqual(home.bytes);

      // Asked for again: the name is taken, the next one is offered.
      await more(page, 'Export…');
      await dialog(page).getByText('Journal', { exact: true }).click();
      await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
      await dialog(page).getByText('There is a file of that name already').waitFor();
      await look(page, 'taken');
      await button(page, 'Save it as “A rich run (2)”').click();
      await page.getByText('1 run exported').waitFor();
      await button(page, 'Done').click();
      expect(readFileSync(join(home.downloads, 'A rich run.json'))).toEqual(home.bytes);
      expect(existsSync(join(home.downloads, 'A rich run (2).json'))).toBe(true);

      // Back in, with a folder and something that is no run.
      const folder = join(home.path, 'folder');
      mkdirSync(join(folder, 'inner'), { recursive: true });
      writeFileSync(join(folder, 'inner', 'deep.json'), home.bytes);
      writeFileSync(join(home.path, 'notes.json'), HOSTILE);
      await drop(
        page,
        [join(home.path, 'notes.json'), join(home.downloads, 'A rich run.json'), folder],
        async () => {
          await page.getByText('Drop runs here to import them').waitFor();
          await picture(page, 'moving-drop');
        },
      );
      await page.getByText('3 files,').waitFor();
      await pictures(page, 'import');
      await button(page, 'Import').click();
      await page.getByText('2 runs came in, 1 file did not').waitFor();
      const came = dialog(page).getByRole('list', { name: 'Files' });
      await until(() => came.locator('b').allTextContents()).toEqual([
        'notes.json',
        expect.stringMatching(/^Find /),
        expect.stringMatching(/^Find /),
      ]);
      await came.getByText('from A rich run.json').waitFor();
      await pictures(page, 'imported');
      await button(page, 'Done').click();
      await until(() => rows(page).count()).toBe(3);
      expect(readFileSync(join(home.runs, 'deep.json'))).toEqual(home.bytes);
      expect(readdirSync(join(home.state, 'moving'))).toEqual([]);
    });

    it('aside and apart: fork, comparison, continue here', async () => {
      const home = await homeWithRun();
      const foreign = join(home.path, 'fisk');
      mkdirSync(foreign);
      writeFileSync(join(foreign, 'theirs.json'), home.bytes);
      mkdirSync(home.config, { recursive: true });
      writeFileSync(
        join(home.config, 'stores.yaml'),
        JSON.stringify({ stores: [{ name: 'fisk', url: `file:${foreign}` }] }),
      );
      const { page } = await open(home);
      await openRow(page, 'A <rich> run');
      await more(page, 'Fork…');
      await dialog(page).getByRole('list', { name: 'Where the new run begins' }).waitFor();
      await pictures(page, 'fork');
      await dialog(page)
        .getByRole('button', { name: /record 5/ })
        .click();
      await button(page, 'Make the new run').click();
      await page.getByRole('heading', { level: 1, name: /\(fork\)/ }).waitFor();
      await page.getByText(/^Forked from “.+” up to record 5/).waitFor();
      await pictures(page, 'forked');
      await until(() => rows(page).count()).toBe(3);

      await more(page, 'Compare with…');
      await dialog(page).getByRole('searchbox', { name: 'Find a run' }).waitFor();
      await look(page, 'choose');
      await dialog(page)
        .getByRole('button', { name: /^A <rich> run (?!.*fork)/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Compare two runs' }).waitFor();
      await page.getByRole('heading', { name: 'What was asked' }).waitFor();
      await pictures(page, 'compare');
      // Hashes are short on the screen and whole on the clipboard.
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await button(page, 'Copy the whole hash').first().click();
      await button(page, 'Copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(fingerprint.system_hash);
      await button(page, 'Swap sides').click();
      await page.getByRole('region', { name: 'Run on the right' }).getByText('(fork)').waitFor();

      // A run of a folder that another program writes goes on as a copy.
      await rows(page).filter({ hasText: 'fisk' }).first().click();
      await button(page, 'Continue here').waitFor();
      await pictures(page, 'read-only');
      await button(page, 'Continue here').click();
      await until(() => rows(page).count()).toBe(4);
      expect(readFileSync(join(foreign, 'theirs.json'))).toEqual(home.bytes);
      expect(readdirSync(foreign)).toEqual(['theirs.json']);
    });

    it('back to health: the damage is shown, what is intact leaves, a repair cuts what was shown', async () => {
      const home = await homeWithRun();
      const at = home.bytes.indexOf('{"seq":9,');
      const hurt = Buffer.concat([
        home.bytes.subarray(0, at),
        Buffer.from('\u0000garbage\n'),
        home.bytes.subarray(at),
      ]);
      const file = join(home.runs, 'rich.json');
      writeFileSync(file, hurt);
      const { page } = await open(home);
      await openRow(page, 'A <rich> run');
      await page.getByRole('heading', { name: 'This run is damaged' }).waitFor();
      await look(page, 'damaged');
      await button(page, 'Export what is intact…').click();
      await dialog(page).getByText('Journal', { exact: true }).click();
      await dialog(page)
        .getByText(/^Everything before the damage/)
        .waitFor();
      await look(page, 'intact');
      await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByText('1 run exported').waitFor();
      await button(page, 'Done').click();
      expect(readFileSync(join(home.downloads, 'A rich run.json'))).toEqual(home.bytes.subarray(0, at));
      await button(page, 'Export what is intact…').click();
      await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByText('1 run exported').waitFor();
      await button(page, 'Done').click();
      expect(readFileSync(join(home.downloads, 'A rich run.md'), 'utf8')).toContain(
        'The journal is damaged here',
      );
      expect(readFileSync(file)).toEqual(hurt);
      await button(page, 'Repair…').click();
      await dialog(page)
        .getByText('Bytes that are cut off')
        .or(dialog(page).getByText('bytes that are cut off'))
        .first()
        .waitFor();
      await pictures(page, 'repair');
      expect(await button(page, 'Copy, then cut').isDisabled()).toBe(true);
      await dialog(page).getByRole('switch').focus();
      await page.keyboard.press('Space');
      await button(page, 'Copy, then cut').click();
      await dialog(page).waitFor({ state: 'detached' });
      await until(() => readFileSync(file).length).toBe(at);
      expect(readFileSync(join(home.runs, 'rich.backup'))).toEqual(hurt);
      await status(page, 'Interrupted');
      await page.getByText(/^Repaired .* are in rich.backup/).waitFor();
      await look(page, 'repaired');
    });

    it('is stopped or killed in the middle and leaves nothing half', async () => {
      const home = await homeWithRun();
      await bring(fileStore(home.runs), 'long', chatRecords('long', 20_000), {
        catalogue: { title: 'Long' },
      });
      let started = await open(home);
      const begin = async () => {
        const { page } = started;
        await openRow(page, 'Long');
        await more(page, 'Export…');
        await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
        await button(page, 'Stop').waitFor();
        await until(() => all(home.downloads).some((name) => name.endsWith('.part'))).toBe(true);
      };
      await begin();
      await picture(started.page, 'moving-exporting');
      // It goes on when its window part is closed, and can be had again.
      await dialog(started.page).getByRole('button', { name: 'Close', exact: true }).last().click();
      await button(started.page, 'Exporting 1 run').waitFor();
      await picture(started.page, 'moving-at-work');
      await button(started.page, 'Exporting 1 run').click();
      await button(started.page, 'Stop').click();
      await started.page.getByRole('heading', { name: 'Stopped' }).waitFor();
      await until(() => all(home.downloads)).toEqual([]);
      await button(started.page, 'Done').click();

      await begin();
      await started.kill();
      expect(all(home.downloads)).toHaveLength(1);
      started = await started.restart();
      await ready(started.page);
      await until(() => all(home.downloads)).toEqual([]);
      expect(readdirSync(join(home.state, 'moving'))).toEqual([]);

      // Killed while runs come in: some are there, each of them whole.
      const many = join(home.path, 'many');
      mkdirSync(many);
      const lines = (id: string) =>
        [metaRecord(id), ...Array.from({ length: 40 }, (_, n) => answerRecord(n + 2, 'x'.repeat(500), n))]
          .map((record) => JSON.stringify(record))
          .join('\n');
      for (let n = 0; n < 300; n++) writeFileSync(join(many, `come${n}.json`), `${lines(`come${n}`)}\n`);
      await drop(started.page, [many]);
      await started.page.getByText('300 files,').waitFor();
      await button(started.page, 'Import').click();
      const came = () => all(home.runs).filter((name) => name.startsWith('come') && name.endsWith('.json'));
      await until(() => came().length).toBeGreaterThan(2);
      await started.kill();
      const there = came();
      expect(there.length).toBeLessThan(300);
      for (const name of there)
        expect(readFileSync(join(home.runs, name), 'utf8')).toBe(readFileSync(join(many, name), 'utf8'));
      started = await started.restart();
      await ready(started.page);
      expect(readdirSync(join(home.state, 'moving'))).toEqual([]);
      expect(await rows(started.page).filter({ hasText: 'Damaged' }).count()).toBe(0);
    });
  },
  ['browser door'],
);

onEveryDoor(
  'moving runs where the system has dialogs',
  (start) => {
    it('saves where its dialog says, shows it in the file manager, and goes on when its window part is closed', async () => {
      const home = await homeWithRun();
      await bring(fileStore(home.runs), 'long', chatRecords('long', 6_000), { catalogue: { title: 'Long' } });
      const { page, system } = await start({ home, reducedMotion: 'reduce' });
      await ready(page);
      const started = { system, page };
      const answer = (value: string) => started.system('answer', { kind: 'saveDialog', value });
      const records = async (what: string) =>
        ((await started.system('records')) as { what: string; args: unknown[] }[]).filter(
          (one) => one.what === what,
        );

      await openRow(page, 'A <rich> run');
      await more(page, 'Export…');
      await answer('');
      await button(page, 'Choose where and export…').click();
      await until(() => button(page, 'Choose where and export…').isEnabled()).toBe(true);
      expect(all(home.downloads)).toEqual([]);
      // The dialog of the system asked before it gave a name that is taken.
      const file = join(home.downloads, 'mine.md');
      writeFileSync(file, 'old');
      await answer(file);
      await button(page, 'Choose where and export…').click();
      await page.getByText('1 run exported').waitFor();
      await look(page, 'system');
      await button(page, 'Show in folder').click();
      await until(async () => (await records('showItemInFolder'))[0]?.args).toEqual([file]);
      expect(readFileSync(file, 'utf8')).toMatch(/^# A .*rich.* run\n/);
      expect((await records('saveDialog')).length).toBe(2);
      await button(page, 'Done').click();

      await page.getByRole('button', { name: /^All runs/ }).click();
      await page.getByRole('checkbox', { name: 'Select A <rich> run' }).check();
      await page.getByRole('checkbox', { name: 'Select Long' }).check();
      await page
        .getByRole('toolbar', { name: 'Selected runs' })
        .getByRole('button', { name: /^Export/ })
        .click();
      await answer(join(home.downloads, 'all.zip'));
      await button(page, 'Choose where and export…').click();
      await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click();
      const toast = page.getByRole('status', { name: 'Messages' });
      await toast.getByText('2 runs exported.').waitFor();
      await picture(page, 'moving-toast');
      await toast.getByRole('button', { name: 'Details' }).click();
      await page.getByText('2 runs exported,').waitFor();
      await look(page, 'zipped');
      expect(all(home.downloads)).toEqual(['all.zip', 'mine.md']);
    });
  },
  ['stand-in'],
);
