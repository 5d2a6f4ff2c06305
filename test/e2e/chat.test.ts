import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onEveryDoor, picture } from './harness';
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

onEveryDoor(
  'a chat',
  (start, target) => {
    const name = target.replace(' ', '-');

    it('streams, keeps the end in view, and stops when told', async () => {
      const started = await start({ env: { HOLDFAST_PRACTICE_SLOW: '10' } });
      const { page } = started;
      await ready(page);
      await startChat(started, 'slowly, long 4000 lines');
      await status(page, 'Running');
      const scroller = conversation(page);
      const gap = () =>
        scroller.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
      await until(() =>
        scroller.evaluate((element) => element.scrollHeight - element.clientHeight),
      ).toBeGreaterThan(300);
      await until(gap).toBeLessThan(60);
      await picture(page, `chat-streaming-${name}`);
      // Who scrolls away stays where they are.
      await scroller.evaluate((element) => element.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 })));
      await scroller.evaluate((element) => element.scrollTo(0, 0));
      const height = await scroller.evaluate((element) => element.scrollHeight);
      await until(() => scroller.evaluate((element) => element.scrollHeight)).toBeGreaterThan(height + 100);
      expect(await scroller.evaluate((element) => element.scrollTop)).toBeLessThan(20);
      await page.getByRole('button', { name: 'To the end' }).click();
      await until(gap).toBeLessThan(60);
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await until(() => badge(page).textContent()).not.toContain('Running');
    });

    it('pauses at a boundary, says so, and goes on after a look', async () => {
      const started = await start();
      const { page, home } = started;
      await ready(page);
      await startChat(started, 'wait 5, then list the files', { folder: home.files });
      await toolRuns(page, 'wait');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByRole('button', { name: 'Pausing…' }).waitFor();
      await status(page, 'Paused');
      await page.getByRole('button', { name: 'Look and resume…' }).click();
      await page.getByRole('heading', { name: 'Before this run goes on' }).waitFor();
      await resumeButton(page).click();
      await status(page, 'Your turn');
      await picture(page, `chat-paused-and-resumed-${name}`);
    });

    it('queues what is said meanwhile, and gives it back', async () => {
      const started = await start();
      const { page, home } = started;
      await ready(page);
      await startChat(started, 'wait 8', { folder: home.files });
      await toolRuns(page, 'wait');
      await say(page, 'list the files');
      await say(page, 'and this I regret');
      const queue = page.getByRole('list', { name: 'Waiting messages' });
      await until(() => queue.getByRole('listitem').count()).toBe(2);
      await picture(page, `chat-queue-${name}`);
      await queue.getByRole('listitem').nth(1).getByRole('button', { name: 'Edit' }).click();
      await until(() => composer(page).inputValue()).toBe('and this I regret');
      await composer(page).fill('');
      await status(page, 'Your turn');
      await conversation(page).getByText('list the files', { exact: true }).waitFor();
      await until(() => queue.count()).toBe(0);
    });

    it('keeps what was typed and not sent, for each run and for the next, through kill -9', async () => {
      const first = await start();
      await ready(first.page);
      await startChat(first, 'hello');
      await status(first.page, 'Your turn');
      await composer(first.page).fill('half a thought about ');
      await first.page.getByRole('button', { name: 'New chat' }).first().click();
      await composer(first.page).fill('a new thing');
      // What stands under its own name: a kill may come before that which is being written has it.
      const drafts = join(first.home.state, 'drafts');
      const kept = () =>
        readdirSync(drafts)
          .filter((name) => name.endsWith('.json'))
          .map((name) => readFileSync(join(drafts, name), 'utf8'))
          .join();
      await until(kept).toContain('half a thought about ');
      await until(kept).toContain('a new thing');
      await first.kill();
      const again = await first.restart();
      await ready(again.page);
      await until(() => composer(again.page).inputValue()).toBe('a new thing');
      await openRow(again.page, 'hello');
      await until(() => composer(again.page).inputValue()).toBe('half a thought about ');
    });

    it('that is private leaves nothing on the disk', async () => {
      const started = await start();
      const { page, home } = started;
      await ready(page);
      // Typed before the choice, and kept by then: the choice takes it back.
      await composer(page).fill('xyzzy is what I think of');
      await until(() => JSON.stringify(deep(home.state))).toContain('xyzzy');
      await page.getByRole('button', { name: 'Private' }).click();
      await until(() => JSON.stringify(deep(home.state))).not.toContain('xyzzy');
      await composer(page).pressSequentially(' and more', { delay: 60 });
      await startChat(started, 'say the secret word is xyzzy');
      await status(page, 'Your turn');
      await conversation(page).getByText('the secret word is xyzzy').last().waitFor();
      await composer(page).pressSequentially('xyzzy again', { delay: 60 });
      await page.getByText('in memory only').waitFor();
      await picture(page, `chat-private-${name}`);
      expect(JSON.stringify(deep(home.path))).not.toContain('xyzzy');
      await rows(page).first().focus();
      await page.keyboard.press('Delete');
      await until(() => rows(page).count()).toBe(0);
      await page.getByRole('heading', { name: 'What should it work on?' }).waitFor();
    });

    it('survives a reload in the middle of a stream without a gap', async () => {
      const started = await start({ env: { HOLDFAST_PRACTICE_SLOW: '25' } });
      const { page } = started;
      await ready(page);
      await startChat(started, 'slowly, long 60 lines');
      await status(page, 'Running');
      await until(() => conversation(page).innerText()).toMatch(/\d+/);
      await page.reload();
      await ready(page);
      await openRow(page, 'slowly, long 60 lines');
      await status(page, 'Running');
      await until(async () => (await conversation(page).innerText()).length).toBeGreaterThan(40);
      await status(page, 'Your turn');
      await page.getByRole('button', { name: 'Transcript' }).click();
      const live = await conversation(page).innerText();
      await page.reload();
      await ready(page);
      await openRow(page, 'slowly, long 60 lines');
      await page.getByRole('button', { name: 'Transcript' }).click();
      await until(() => conversation(page).innerText()).toBe(live);
    });

    it('shows why a run failed, what was kept, and goes on from there', async () => {
      const started = await start();
      const { page } = started;
      await ready(page);
      await startChat(started, 'fail with a wrong key');
      await status(page, 'Failed');
      await page.getByText('failed because you asked it to').first().waitFor();
      await picture(page, `chat-failed-${name}`);
    });
  },
  doors(),
);

/** Every text below a folder, and of a file itself. */
function deep(path: string): string[] {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind?.isDirectory()) return readdirSync(path).flatMap((name) => deep(join(path, name)));
  return kind?.isFile() ? [readFileSync(path, 'latin1')] : [];
}
