import { mkdirSync, writeFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onEveryDoor, picture } from './harness';
import { onOneStart } from './one-start';
import {
  allow,
  chooseFolder,
  composer,
  conversation,
  doors,
  ready,
  rows,
  say,
  startChat,
  status,
  until,
} from './steps';

onOneStart('the first minute', (app, target) => {
  it('opens to a composer that works without a key, a form or a network', async () => {
    const { page } = app();
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByText('is a small program, not an AI').waitFor();
    await composer(page).fill('hello');
    await composer(page).press('Enter');
    await status(page, 'Your turn');
    await conversation(page).getByText('Ask me for').waitFor();
    expect(await rows(page).count()).toBe(1);
    await picture(page, `first-run-hello-${target.replace(' ', '-')}`);
  });

  it('works on real files of the person, asks before it changes one, and shows what it did', async () => {
    const started = app();
    const { page, home } = started;
    mkdirSync(join(home.files, 'letters'));
    writeFileSync(join(home.files, 'letters', 'bank.txt'), 'Dear bank,\nthe invoice 4711 is paid.\n');
    writeFileSync(join(home.files, 'todo.md'), '# To do\n\n- water the plants\n- call Ada\n');
    await startChat(started, 'Search for invoice, then list the files', { folder: home.files });
    await status(page, 'Your turn');
    await conversation(page).getByText('4711').first().waitFor();
    await picture(page, `first-run-files-${target.replace(' ', '-')}`);

    await say(page, 'write list.txt: plants and Ada');
    await status(page, 'Waiting for you');
    expect(existsSync(join(home.files, 'list.txt'))).toBe(false);
    // Enter in the composer is no approval, and neither is Enter on the button.
    await page.getByRole('button', { name: 'Allow once' }).focus();
    await page.keyboard.press('Enter');
    expect(existsSync(join(home.files, 'list.txt'))).toBe(false);
    await status(page, 'Waiting for you');
    await picture(page, `approval-${target.replace(' ', '-')}`);
    await allow(page);
    await status(page, 'Your turn');
    expect(readFileSync(join(home.files, 'list.txt'), 'utf8')).toBe('plants and Ada\n');

    await say(page, 'append list.txt: and the bank');
    await status(page, 'Waiting for you');
    await composer(page).fill('No, leave that file alone');
    // Neither of the two meanings is chosen by plain Enter: nothing is sent, queued or answered, and the words stay.
    await composer(page).press('Enter');
    await page.getByRole('button', { name: 'Send after this step' }).focus();
    await page.keyboard.press('Enter');
    await status(page, 'Waiting for you');
    expect(await composer(page).inputValue()).toBe('No, leave that file alone');
    expect(await page.getByRole('list', { name: /queued|waiting/i }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Don’t allow, and say this' }).click();
    await status(page, 'Your turn');
    expect(readFileSync(join(home.files, 'list.txt'), 'utf8')).toBe('plants and Ada\n');
    await page.locator('article[data-state="not_run"]').waitFor();
  });

  it('lets a folder be chosen, a sample be used, and none', async () => {
    const started = app();
    const { page, home } = started;
    const folder = join(home.files, 'taxes');
    mkdirSync(folder);
    await chooseFolder(started, folder);
    await page.getByRole('button', { name: /^Folder:/ }).click();
    await page.getByRole('menuitem', { name: /Sample folder/ }).click();
    await page.getByRole('button', { name: /Holdfast sample$/ }).click();
    // It is there once, as what is chosen, and not among the recent ones too.
    await page.getByRole('menuitemcheckbox', { name: /^Sample folder/, checked: true }).waitFor();
    expect(
      await page
        .getByRole('menu')
        .getByText(/sample/i)
        .count(),
    ).toBe(1);
    await page.getByRole('menuitem', { name: /No folder/ }).click();
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
  });
});

onEveryDoor(
  'the first minute in the window',
  (start) => {
    it('offers examples that work as they are', async () => {
      const { page } = await start();
      await ready(page);
      const examples = page.getByRole('region', { name: 'Examples' }).getByRole('button');
      const count = await examples.count();
      expect(count).toBeGreaterThanOrEqual(4);
      for (let at = 0; at < count; at++) {
        await examples.nth(at).click();
        await until(() => composer(page).inputValue()).not.toBe('');
        const text = await composer(page).inputValue();
        await composer(page).press('Enter');
        await conversation(page).waitFor();
        if (/write/i.test(text)) await allow(page);
        await status(page, 'Your turn');
        expect(await page.getByText('I did not understand').count()).toBe(0);
        await page.locator('article[data-state="ok"]').first().waitFor();
        expect(await page.locator('article[data-state="error"]').count()).toBe(0);
        await page.getByRole('button', { name: 'New chat' }).first().click();
      }
    });

    it('takes words with a refusal, and allows for the whole run when asked to', async () => {
      const started = await start();
      const { page, home } = started;
      await ready(page);
      await startChat(started, 'append log.txt: one', { folder: home.files });
      await status(page, 'Waiting for you');
      await page.getByRole('button', { name: 'Don’t allow…' }).click();
      await page.getByLabel('What should it do instead?').fill('Use another name');
      await page.getByRole('button', { name: 'Don’t allow', exact: true }).click();
      await status(page, 'Your turn');
      await conversation(page).getByText('Use another name').first().waitFor();
      await say(page, 'append log.txt: two');
      await allow(page, 'Allow for this run');
      await status(page, 'Your turn');
      await say(page, 'append log.txt: three');
      await conversation(page).getByText('append log.txt: three').waitFor();
      await status(page, 'Your turn');
      await until(() => readFileSync(join(home.files, 'log.txt'), 'utf8')).toBe('two\nthree\n');
    });
  },
  doors(),
);
