import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome, onEveryDoor, picture, start as startOn } from './harness';
import {
  badge,
  composer,
  conversation,
  doors,
  openRow,
  ready,
  resumeButton,
  rows,
  say,
  startChat,
  status,
  toolRuns,
  until,
} from './steps';

const journals = (folder: string) =>
  readdirSync(folder).filter((file) => /^[a-zA-Z0-9][\w-]*\.json$/.test(file));

onEveryDoor(
  'runs',
  (start, target) => {
    const name = target.replace(' ', '-');

    it('are read-only and live in a second window while the first writes them', async () => {
      const first = await start();
      await ready(first.page);
      // A whole second Holdfast on the same store, as a second login or a forgotten server would be.
      const second = await startOn('browser door', { home: first.home });
      await ready(second.page);
      await startChat(first, 'wait 8', { folder: first.home.files });
      await toolRuns(first.page, 'wait');
      await openRow(second.page, 'wait 8');
      await status(second.page, 'Open elsewhere');
      await second.page.getByText('Another window or process writes this run').waitFor();
      expect(await composer(second.page).count()).toBe(0);
      await say(first.page, 'say this is seen from both sides');
      await picture(second.page, `runs-open-elsewhere-${name}`);
      await conversation(second.page)
        .getByText('this is seen from both sides')
        .first()
        .waitFor({ timeout: 60_000 });
      // The writer is at rest: now the other may go on, and the first sees it.
      await status(first.page, 'Your turn');
      await status(second.page, 'Your turn');
      await say(second.page, 'say and back again');
      await conversation(first.page).getByText('and back again').last().waitFor({ timeout: 60_000 });
      await second.kill();
    });

    it('that are damaged open to the damage, and what is whole can be read', async () => {
      const first = await start();
      await ready(first.page);
      await startChat(first, 'list the files', { folder: first.home.files });
      await status(first.page, 'Your turn');
      await first.stop();
      const file = join(first.home.runs, journals(first.home.runs)[0] ?? '');
      const lines = readFileSync(file, 'utf8').split('\n');
      lines[2] = '{"seq":3,"proto';
      writeFileSync(file, lines.join('\n'));
      const damaged = readFileSync(file);
      const again = await first.restart();
      const { page } = again;
      await ready(page);
      await rows(page).filter({ hasText: 'Damaged' }).first().click();
      await page.getByRole('heading', { name: 'This run is damaged' }).waitFor();
      await page
        .getByText(/line 3/)
        .first()
        .waitFor();
      await picture(page, `runs-damaged-${name}`);
      await page.getByRole('button', { name: 'Read what is whole' }).click();
      await conversation(page).getByText('list the files').waitFor();
      // Looking changed nothing.
      expect(readFileSync(file).equals(damaged)).toBe(true);
    });

    it('that end with the app are paused, and say so when it is back', async () => {
      const first = await start();
      await ready(first.page);
      await startChat(first, 'wait 60', { folder: first.home.files });
      await toolRuns(first.page, 'wait');
      await first.stop();
      const again = await first.restart();
      await ready(again.page);
      await openRow(again.page, 'wait 60');
      expect(await badge(again.page).textContent()).toContain('Paused');
      await resumeButton(again.page).waitFor();
    });

    it('are renamed, deleted and brought back', async () => {
      const started = await start();
      const { page } = started;
      await ready(page);
      await startChat(started, 'hello');
      await status(page, 'Your turn');
      await rows(page).first().focus();
      await page.keyboard.press('F2');
      await page.keyboard.type('A better name');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'A better name' }).waitFor();
      await rows(page).filter({ hasText: 'A better name' }).focus();
      await page.keyboard.press('Delete');
      await until(() => rows(page).count()).toBe(0);
      await until(() => journals(started.home.runs).length).toBe(0);
      await picture(page, `runs-deleted-${name}`);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until(() => rows(page).count()).toBe(1);
      await openRow(page, 'A better name');
      await conversation(page).getByText('Ask me for').waitFor();
    });

    it('are found by state and by the words of their title', async () => {
      const started = await start();
      const { page } = started;
      await ready(page);
      for (const text of [
        'hello',
        'say apples',
        'say pears',
        'fail with a wrong key',
        'say plums',
        'say figs',
        'help',
      ]) {
        await startChat(started, text);
        await status(page, /Your turn|Failed/);
      }
      await page.getByRole('searchbox', { name: 'Filter by title' }).fill('pears');
      await until(() => rows(page).count()).toBe(1);
      await page.getByRole('searchbox', { name: 'Filter by title' }).fill('nothing like it');
      await page.getByText('No title has these words.').waitFor();
      await page.getByRole('button', { name: /^Show all/ }).click();
      await until(() => rows(page).count()).toBe(7);
      await page.getByRole('button', { name: /^Needs you/ }).click();
      await until(() => rows(page).count()).toBe(1);
      await openRow(page, 'fail with');
    });

    it('show their records as they stand in the journal, and are searched to the last fold', async () => {
      const started = await start();
      const { page, home } = started;
      writeFileSync(join(home.files, 'long.txt'), `${'line\n'.repeat(30)}the needle is here\n`);
      await ready(page);
      await startChat(started, 'read long.txt', { folder: home.files });
      await status(page, 'Your turn');
      await page.getByRole('button', { name: 'Transcript' }).click();
      await page.getByRole('button', { name: 'Find', exact: true }).click();
      await page.keyboard.type('the needle');
      await page.getByText(/^1 of \d/).waitFor();
      await conversation(page).getByText('the needle is here').first().waitFor();
      expect(await page.evaluate(() => CSS.highlights.get('find-now')?.size)).toBe(1);
      await picture(page, `runs-find-${name}`);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /on disk, record/ }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('button', { name: 'Previous' }).click();
      const shown = await drawer.getByLabel('Record as JSON').textContent();
      const lines = readFileSync(join(home.runs, journals(home.runs)[0] ?? ''), 'utf8').split('\n');
      expect(lines).toContain(shown?.trim());
      await picture(page, `runs-inspector-${name}`);
    });

    it('that hold nothing whole are shown as never started', async () => {
      const home = makeHome();
      mkdirSync(home.runs, { recursive: true, mode: 0o700 });
      appendFileSync(join(home.runs, 'torn.json'), '{"seq":1,"protocol":"io', { mode: 0o600 });
      const { page } = await start({ home });
      await ready(page);
      await rows(page).filter({ hasText: 'Never started' }).first().click();
      await page.getByRole('heading', { name: 'This run never started' }).waitFor();
    });
  },
  doors(),
);
