import { afterEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { cleanUp, start, type Started } from './harness';
import { composer, conversation, openRow, ready, startChat, toolRuns, until } from './steps';

/** The process of the app goes, at once and with everything that it runs; its page stays open. */
async function killServer(app: Started): Promise<void> {
  process.kill(-app.pid, 'SIGKILL');
  await app.page.getByRole('status').filter({ hasText: 'Holdfast doesn’t answer' }).waitFor();
}

const portOf = (page: Page) => new URL(page.url()).port;
const links = (app: Started) => app.output().match(/http:\S+token=\S+/g) ?? [];

/** What still counts or turns on the page, for whoever looks. */
const turning = (page: Page) =>
  page.evaluate(
    () =>
      document
        .getAnimations()
        .filter(
          (one) => one.playState === 'running' && one.effect?.getComputedTiming().iterations === Infinity,
        ).length,
  );

describe('a page whose server was started again', () => {
  afterEach(cleanUp);

  it('stops its clocks, says so, and comes back to the same run: on the same port by a new link, on another by that link', async () => {
    const first = await start('browser door');
    const { page } = first;
    await ready(page);
    await startChat(first, 'wait 600', { folder: first.home.files });
    await toolRuns(page, 'wait');
    await conversation(page)
      .getByText(/^Running · \d+ s/)
      .waitFor();
    await composer(page).fill('half a thought');
    await killServer(first);

    // Nobody knows what the tool does now: no clock goes on, and nothing turns.
    const clock = conversation(page).getByText(/^Was running · \d+ s/);
    const stood = await clock.textContent();
    await until(() => turning(page)).toBe(0);
    const port = portOf(page);

    // On the same port: the page is turned away by the door itself, says why, and takes the new link of another tab.
    const second = await start('browser door', { home: first.home, args: ['--port', port] });
    await page.getByRole('status').filter({ hasText: 'no longer signed in to Holdfast' }).waitFor();
    await page.getByRole('button', { name: 'Open Holdfast again' }).waitFor();
    expect(await clock.textContent()).toBe(stood);
    expect(await turning(page)).toBe(0);
    second.type('');
    await until(() => links(second).length).toBe(2);
    const other = await page.context().newPage();
    await other.goto(links(second)[1] ?? '');
    await ready(other);
    await page.bringToFront();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByRole('status').filter({ hasText: 'no longer signed in' }).waitFor({ state: 'detached' });
    // The run is the one that was shown, as it is now: interrupted, with what was typed meanwhile.
    await page.locator('main header').getByText('Interrupted').first().waitFor();
    expect(await clock.count()).toBe(0);
    await until(
      async () => (await composer(page).count()) === 0 || (await composer(page).inputValue()),
    ).toMatch(/half a thought|true/);
    await other.close();

    // On another port the page cannot know of it; it says what leads there, and that link does.
    await killServer(second);
    await page
      .getByRole('status')
      .filter({ hasText: 'start it again and use the link that it prints' })
      .waitFor();
    const third = await start('browser door', { home: first.home });
    expect(portOf(third.page)).not.toBe(port);
    third.type('');
    await until(() => links(third).length).toBe(2);
    await page.goto(links(third)[1] ?? '');
    await ready(page);
    await openRow(page, 'wait 600');
    await page.locator('main header').getByText('Interrupted').first().waitFor();
  });
});
