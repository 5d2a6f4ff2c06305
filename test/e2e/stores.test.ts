import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Page } from 'playwright';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { bad } from '../support/axe';
import { cleanUp, makeHome, picture, start, type Started } from './harness';
import { conversation, openRow, ready, rows, say, startChat, status, toolRuns, until } from './steps';

// The newest server; the app's parts run on every one in test/nats.
const kind = everyNatsServer().at(-1)!;
const TOKEN = 'token-for-these-tests-9876';

describe('stores in the window', () => {
  let server: NatsServer;
  beforeEach(async () => {
    server = await NatsServer.start(kind);
  });
  afterEach(async () => {
    await cleanUp();
    await server.stop();
  });

  const openStores = async (page: Page) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Stores' }).click();
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor();
  };
  /** A home whose file of stores has the stream already. */
  const homeWithTeam = () => {
    const home = makeHome();
    mkdirSync(home.config, { recursive: true });
    writeFileSync(
      join(home.config, 'stores.yaml'),
      `stores:\n  - name: team\n    url: ${server.url('RUNS')}\n`,
    );
    return home;
  };
  const keepIn = async (page: Page, label: string) => {
    await page.getByRole('button', { name: /^Kept in:/ }).click();
    await page.getByRole('menuitemcheckbox', { name: new RegExp(`^${label}`) }).click();
    await page.getByRole('button', { name: `Kept in: ${label}` }).waitFor();
  };
  const teamIsReady = (page: Page) =>
    until(() =>
      page
        .getByRole('list', { name: 'Stores', exact: true })
        .getByRole('button', { name: /^team/ })
        .textContent(),
    ).toBe('teamNATS stream');

  it('are added with a test of each check, allowed outside the page, and hold chats that can be copied both ways', async () => {
    const app = await start('browser door');
    const { page } = app;
    await ready(page);
    await openStores(page);
    await page.getByRole('button', { name: 'Add a store' }).click();
    const form = page.getByRole('form', { name: 'New store' });
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('A store needs a name.').waitFor();
    await form.getByLabel('Name', { exact: true }).fill('team');
    await form.getByLabel('Servers').fill(`127.0.0.1:${server.port}`);
    await form.getByLabel('Stream', { exact: true }).fill('RUNS');

    // Nobody allowed this server yet: the question is where the app was started.
    await form.getByRole('button', { name: 'Test' }).click();
    await until(app.output).toMatch(/Let Holdfast talk to the NATS server at 127\.0\.0\.1/);
    app.type('no');
    await form.getByText(/You did not allow nats:/).waitFor();
    await form.getByRole('button', { name: 'Test' }).click();
    await until(() => app.output().split('Let Holdfast talk to the NATS server').length).toBe(3);
    app.type('yes');
    const found = page.getByRole('region', { name: 'What the test found' });
    await found.getByText('This store cannot be used yet.').waitFor();
    await until(() => found.getByLabel('Command that mends it').textContent()).toMatch(
      /^nats --server=nats:\/\/127\.0\.0\.1:\d+ stream add RUNS /,
    );
    await picture(page, 'stores-missing');

    await server.addStream('RUNS', { max_age: 3_600_000_000_000 });
    await form.getByRole('button', { name: 'Test' }).click();
    await until(() => found.getByLabel('Command that mends it').textContent()).toContain(
      'stream edit RUNS --max-age=0s',
    );
    await until(() => bad(page)).toEqual([]);
    const { connection, manager } = await server.client();
    await manager.streams.update('RUNS', { max_age: 0 });
    await connection.close();
    await form.getByRole('button', { name: 'Test' }).click();
    await found.getByText('This store can be used.').waitFor();
    await picture(page, 'stores-good');
    await form.getByRole('button', { name: 'Add store' }).click();
    await teamIsReady(page);
    await page
      .getByText(/sync_interval/)
      .first()
      .waitFor();
    await until(() => bad(page)).toEqual([]);
    expect(readFileSync(join(app.home.config, 'stores.yaml'), 'utf8')).toContain(server.address);

    // A token is entered once, never comes back into the page, and is saved where the person agrees.
    const locked = await NatsServer.start(kind, `authorization { token: "${TOKEN}" }`);
    onTestFinished(() => locked.stop());
    locked.login = { token: TOKEN };
    await locked.addStream('RUNS');
    await page.getByRole('button', { name: 'Add a store' }).click();
    await form.getByLabel('Name', { exact: true }).fill('locked');
    await form.getByLabel('Servers').fill(`127.0.0.1:${locked.port}`);
    await form.getByLabel('Stream', { exact: true }).fill('RUNS');
    await form.getByLabel('With', { exact: true }).selectOption('token');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Enter the token, or name the variable that has it.').waitFor();
    await form.getByLabel('Token', { exact: true }).fill(TOKEN);
    await form.getByLabel('Token', { exact: true }).press('Enter');
    await form.getByRole('group', { name: 'Token' }).getByText('9876').waitFor();
    await picture(page, 'stores-token');
    const before = app.output().length;
    await form.getByRole('button', { name: 'Test' }).click();
    await until(() => app.output().slice(before)).toContain('Let Holdfast talk to the NATS server');
    app.type('yes');
    await found.getByText('This store can be used.').waitFor();
    await form.getByRole('button', { name: 'Add store' }).click();
    await page.getByRole('button', { name: 'Save in this file' }).click();
    const edited = page.getByRole('form', { name: 'Store locked' });
    await edited.getByRole('group', { name: 'Token' }).getByText('9876').waitFor();
    expect(await edited.getByLabel('With', { exact: true }).inputValue()).toBe('token');
    expect(await page.content()).not.toContain(TOKEN);
    expect(app.output() + readFileSync(join(app.home.config, 'stores.yaml'), 'utf8')).not.toContain(TOKEN);
    expect(readFileSync(join(app.home.config, 'keys.json'), 'utf8')).toContain('9876');
    await edited.getByRole('button', { name: 'Remove from the list' }).click();
    await edited.waitFor({ state: 'detached' });

    // A chat on the stream.
    await page.getByRole('button', { name: 'New chat' }).first().click();
    await keepIn(page, 'team');
    await startChat(app, 'Hello stream');
    await status(page, 'Your turn');
    await page.getByText(/acknowledged by NATS, record/).waitFor();
    await until(() => rows(page).first().textContent()).toContain('team');

    // Over to this computer, and back after a deletion there is nothing in the way.
    await page.locator('main').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy to another store…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy to another store' });
    await dialog.getByRole('button', { name: /This computer/ }).click();
    await dialog.getByText(/compared byte for byte/).waitFor();
    await until(() => bad(page)).toEqual([]);
    await picture(page, 'stores-copied');
    await dialog.getByRole('button', { name: 'Open the copy' }).click();
    await page.getByText(/on disk, record/).waitFor();
    await until(() => rows(page).count()).toBe(2);
    await page.locator('main').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy to another store…' }).click();
    await dialog.getByRole('button', { name: /^team/ }).click();
    await dialog
      .getByText(/already/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Close' }).first().click();

    // The list by store.
    await page.getByRole('button', { name: 'Store: All stores' }).click();
    await page.getByRole('menuitemcheckbox', { name: /^team/ }).click();
    await until(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Store: team' }).click();
    await page.getByRole('menuitemcheckbox', { name: /^All stores/ }).click();
    await until(() => rows(page).count()).toBe(2);
  });

  it('show what another machine writes, live in list, chat and transcript', async () => {
    await server.addStream('RUNS');
    const writer = await start('browser door', { home: homeWithTeam() });
    const reader = await start('browser door', { home: homeWithTeam() });
    await Promise.all([ready(writer.page), ready(reader.page)]);
    await keepIn(writer.page, 'team');
    await startChat(writer, 'Wait 12 seconds');
    await toolRuns(writer.page, 'wait');
    await until(() => rows(reader.page).count()).toBe(1);
    await openRow(reader.page, 'Wait 12 seconds');
    await status(reader.page, 'Open elsewhere');
    await picture(reader.page, 'stores-elsewhere');
    await status(writer.page, 'Your turn');
    await status(reader.page, 'Your turn');
    await say(writer.page, 'Hello to the other machine');
    await conversation(reader.page).getByText('Hello to the other machine').first().waitFor();
    await reader.page.getByRole('button', { name: 'Transcript' }).click();
    await say(writer.page, 'And to its transcript');
    await conversation(reader.page).getByText('And to its transcript').first().waitFor();
  });

  it('say that the server is away while a run waits for it, and the run goes on when it is back', async () => {
    await server.addStream('RUNS');
    const app = await start('browser door', { home: homeWithTeam() });
    const { page } = app;
    await ready(page);
    await keepIn(page, 'team');
    await startChat(app, 'Wait 12 seconds');
    await toolRuns(page, 'wait');
    await server.kill();
    await page.locator('main').getByText('team is not reached.').waitFor();
    await page.getByRole('list', { name: 'Stores that are not reached' }).getByText('team').waitFor();
    await until(() => bad(page, 'nav[aria-label="Library"]')).toEqual([]);
    await picture(page, 'stores-away');
    await page.setViewportSize({ width: 900, height: 600 });
    await picture(page, 'stores-away-900');
    await page.setViewportSize({ width: 1280, height: 800 });
    await server.run();
    await status(page, 'Your turn');
    await until(() => page.locator('main').getByText('team is not reached.').count()).toBe(0);
    await say(page, 'Still there?');
    await conversation(page).getByText('I did not understand that').waitFor();
    await status(page, 'Your turn');
    // One that is away when the app starts.
    await server.kill();
    const again = await app.stop().then(() => app.restart());
    await again.page.getByRole('list', { name: 'Stores that are not reached' }).getByText('team').waitFor();
    await server.run();
    await openRow(again.page, 'Wait 12 seconds');
    await conversation(again.page).getByText('Still there?').first().waitFor();
  });

  it('look right in both themes, wide and narrow', async () => {
    await server.addStream('RUNS', { max_age: 3_600_000_000_000, no_ack: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      const app: Started = await start('browser door', { home: homeWithTeam(), colorScheme });
      const { page } = app;
      await ready(page);
      await openStores(page);
      await page
        .getByRole('list', { name: 'Stores', exact: true })
        .getByRole('button', { name: /^team/ })
        .click();
      await page.getByRole('region', { name: 'How it stands' }).getByText('Cannot be used').waitFor();
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByRole('region', { name: 'What the test found' }).waitFor();
      await picture(page, `stores-${colorScheme}-1280`);
      await until(() => bad(page)).toEqual([]);
      await page.setViewportSize({ width: 900, height: 600 });
      await picture(page, `stores-${colorScheme}-900`);
      await page.getByRole('button', { name: 'Add a store' }).click();
      await page.getByLabel('With', { exact: true }).selectOption('user');
      await page.getByRole('switch', { name: 'TLS' }).click();
      await picture(page, `stores-${colorScheme}-new-900`);
      await until(() => bad(page)).toEqual([]);
      await app.stop();
    }
  });
});
