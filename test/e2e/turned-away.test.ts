import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onEveryDoor } from './harness';
import { composer, ready, until } from './steps';

onEveryDoor(
  'a page that may not come in any more',
  (start) => {
    it('says how to come back and tries no more; its link brings the draft back', async () => {
      const started = await start();
      const { page } = started;
      let tries = 0;
      // The line in the hand of the test: cut, and from then on refused by the door itself for want of the cookie.
      let cut: () => Promise<void> = async () => undefined;
      await page.routeWebSocket('**/ws', (line) => {
        tries += 1;
        const server = line.connectToServer();
        cut = async () => {
          await server.close();
          await line.close();
        };
      });
      await page.reload();
      await ready(page);
      await composer(page).fill('half a thought');
      const drafts = join(started.home.state, 'drafts');
      await until(
        () => existsSync(drafts) && readdirSync(drafts).some((name) => name.endsWith('.json')),
      ).toBe(true);
      expect(tries).toBe(1);
      await page.context().clearCookies();
      await cut();
      await page
        .getByRole('status')
        .filter({ hasText: 'This page is no longer signed in to Holdfast' })
        .waitFor();
      const tried = tries;
      // Longer than the longest wait between two tries, and looking at the window again asks for one at once.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await page.evaluate(() => window.dispatchEvent(new Event('online')));
      await page.waitForTimeout(5_000);
      expect(tries).toBe(tried);
      expect(tries).toBeLessThanOrEqual(3);
      expect(await composer(page).inputValue()).toBe('half a thought');

      // A new link that another tab opened lets this page in, too, with all that was typed meanwhile.
      await composer(page).fill('half a thought, and more');
      await page.getByRole('button', { name: 'Open Holdfast again' }).click();
      await page.getByText('Opening a new tab').waitFor();
      started.type('');
      await until(() => started.output().match(/http:\S+token=\S+/g)?.length ?? 0).toBe(2);
      const other = await page.context().newPage();
      await other.goto(started.output().match(/http:\S+token=\S+/g)?.[1] ?? '');
      await ready(other);
      await page.bringToFront();
      await page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await page
        .getByRole('status')
        .filter({ hasText: 'no longer signed in' })
        .waitFor({ state: 'detached' });
      expect(await composer(page).inputValue()).toBe('half a thought, and more');
      await until(() =>
        readdirSync(drafts).some((name) => readFileSync(join(drafts, name), 'utf8').includes('and more')),
      ).toBe(true);
    });
  },
  ['browser door'],
);
