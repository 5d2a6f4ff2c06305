import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome, onEveryDoor, picture } from './harness';
import { composer, doors, practice, ready, startChat, status, until, writeProfiles } from './steps';

onEveryDoor(
  'profiles',
  (start, target) => {
    const name = target.replace(' ', '-');

    it('are copied, edited, checked, used, removed and brought back', async () => {
      const started = await start();
      const { page, home } = started;
      const file = () => readFileSync(join(home.config, 'profiles.yaml'), 'utf8');
      await ready(page);
      await page.keyboard.press('Control+,');
      await page.getByText('Comes with Holdfast and stays as it is').waitFor();
      await page.getByRole('button', { name: 'Make a copy' }).click();
      const form = page.getByRole('form', { name: 'New profile' });
      await form.getByLabel('Name', { exact: true }).fill('Practice');
      await form.getByLabel('Steps').fill('0');
      await form.getByRole('button', { name: 'Add profile' }).click();
      await form.getByText('Another profile has this name.').waitFor();
      await form.getByText('A whole number from 1 to 10,000.').waitFor();
      await form.getByLabel('Name', { exact: true }).fill('Mine');
      await form.getByLabel('Steps').fill('7');
      await form.getByLabel('System prompt').fill('Be brief.');
      await form.getByRole('button', { name: 'Add profile' }).click();
      await page.getByRole('heading', { level: 2, name: 'Mine' }).waitFor();
      expect(file()).toContain('Be brief.');
      await picture(page, `profiles-saved-${name}`);
      // The default, and a file for somebody else, which comes back under a free name.
      await page.getByRole('button', { name: 'Make default' }).click();
      await page.getByText('Default for new chats').waitFor();
      await until(file).toContain('default: Mine');
      const [shared] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export…' }).click(),
      ]);
      await page.getByLabel('File of profiles').setInputFiles(await shared.path());
      const report = page.getByRole('dialog', { name: 'Import profiles' });
      await report.getByText('Mine 2').waitFor();
      await picture(page, `profiles-imported-${name}`);
      await report.getByRole('button', { name: 'Close' }).click();
      expect(file()).toContain('name: Mine 2');
      await page.getByRole('button', { name: /^Mine 2/ }).click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await until(file).not.toContain('Mine 2');
      await page.getByRole('button', { name: /^Mine 2/ }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await page.getByRole('button', { name: 'Profile: Mine', exact: true }).waitFor();
      await startChat(started, 'hello');
      await status(page, 'Your turn');
      await page
        .getByText(/of 7 steps/)
        .first()
        .waitFor();
      // The model in the header: another one of this kind of service is looked at first, and nothing is lost by Cancel.
      await composer(page).fill('not sent yet');
      await page.getByRole('button', { name: 'Model: Mine' }).click();
      await picture(page, `model-menu-${name}`);
      await page.getByRole('menuitem', { name: 'Practice' }).click();
      await page.getByText('The run may take more steps.').waitFor();
      await page.getByText('What you typed stays in the message field of this chat.').waitFor();
      await picture(page, `model-change-${name}`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await until(() => composer(page).inputValue()).toBe('not sent yet');
      await page.getByRole('button', { name: 'Model: Mine' }).click();
      await page.getByRole('menuitem', { name: 'Practice' }).click();
      await page.getByRole('button', { name: /^Force resume/ }).click();
      await page.getByRole('button', { name: 'Model: Practice' }).waitFor();
      await until(() => composer(page).inputValue()).toBe('not sent yet');
      await composer(page).press('Enter');
      await page.getByText(/Resumed by force, \d settings changed/).waitFor();
      await status(page, 'Your turn');
      await page.getByRole('button', { name: 'Model: Practice' }).click();
      await page.getByRole('menuitem', { name: 'Manage models…' }).click();
      await page.getByRole('button', { name: /^Mine/ }).click();
      // Changes are not gone with another click, a key, or Back.
      const mine = page.getByRole('form', { name: 'Profile Mine' });
      await mine.getByLabel('Steps').fill('9');
      await page.getByRole('button', { name: /^Practice/ }).click();
      await page.getByText('Your changes to the profile “Mine” aren’t saved.').waitFor();
      await picture(page, `unsaved-${name}`);
      await page.keyboard.press('Escape');
      await until(() => mine.getByLabel('Steps').inputValue()).toBe('9');
      await page.goBack();
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await until(() => mine.getByLabel('Steps').inputValue()).toBe('9');
      await page.getByRole('button', { name: /^Practice/ }).click();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await page.getByText('Comes with Holdfast and stays as it is').waitFor();
      await page.getByRole('button', { name: /^Mine/ }).click();
      await until(() => mine.getByLabel('Steps').inputValue()).toBe('7');
      await page.getByRole('button', { name: 'Remove' }).click();
      await until(file).not.toContain('Mine');
      // What was said of the other profile may still be there, with an Undo of its own.
      await page
        .getByRole('status', { name: 'Messages' })
        .locator('> div', { hasText: '“Mine” was removed' })
        .getByRole('button', { name: 'Undo' })
        .click();
      await until(file).toContain('Mine');
    });

    it('show problems where they are, offer only possible tools, and take no key in a wrong field', async () => {
      const started = await start({ size: { width: 900, height: 600 } });
      const { page } = started;
      await ready(page);
      await page.keyboard.press('Control+,');
      await page.getByRole('button', { name: 'Make a copy' }).click();
      const form = page.getByRole('form', { name: 'New profile' });
      const name = form.getByLabel('Name', { exact: true });
      const model = form.getByLabel('Model', { exact: true });
      await form.getByRole('switch', { name: 'wait' }).waitFor();
      await name.fill('');
      await model.fill('');
      await form.getByRole('button', { name: 'Add profile' }).click();
      // The first wrong field is in sight and has the cursor; the button says which others there are.
      await until(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
      const wrong = form.getByRole('group', { name: 'Fields that need attention' });
      await wrong.getByRole('button', { name: 'Model' }).click();
      expect(await model.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(await model.evaluate((field) => field.getBoundingClientRect().top)).toBeGreaterThan(0);
      // A key that lands here goes no further than this field.
      await name.fill('sk-ant-0123456789abcdefABCDEF');
      await form.getByText(/That looks like a key/).waitFor();
      expect(await name.inputValue()).toBe('');
      await model.fill('some-model');
      await name.fill('Copied');
      await wrong.waitFor({ state: 'detached' });
      // What only the Practice model can be given is not offered to others.
      await form.getByLabel('Provider').selectOption('openai');
      await form.getByText(/wait: not available with this provider/).waitFor();
      expect(await form.getByRole('switch', { name: 'wait' }).count()).toBe(0);
      await form.getByLabel('Endpoint').fill('http://127.0.0.1:9/v1');
      await form.getByRole('button', { name: 'Add profile' }).click();
      await page.getByRole('heading', { level: 2, name: 'Copied' }).waitFor();
      expect(readFileSync(join(started.home.config, 'profiles.yaml'), 'utf8')).not.toContain('wait');
      // A profile without its key offers to enter it, in the field for it.
      const saved = page.getByRole('form', { name: 'Profile Copied' });
      await saved.getByLabel('Provider').selectOption('anthropic');
      await saved.getByLabel('Endpoint').fill('');
      await saved.getByRole('button', { name: 'Save', exact: true }).click();
      await saved.getByText(/It cannot be used yet/).waitFor();
      await saved.getByRole('button', { name: 'Enter key…' }).click();
      const key = saved.getByLabel('Key', { exact: true });
      await until(() => key.evaluate((field) => field === document.activeElement)).toBe(true);
    });

    it('in a broken file are told, left as they are, and nothing else stops', async () => {
      const home = makeHome();
      mkdirSync(home.config, { recursive: true });
      const broken = 'profiles:\n  - name: [oops\n';
      writeFileSync(join(home.config, 'profiles.yaml'), broken);
      const started = await start({ home });
      const { page } = started;
      await ready(page);
      // Said where a chat begins, in plain words, with a way to where it is said what to do.
      const note = page.getByRole('region', { name: 'What went wrong' });
      await note.getByText('line 2, column 16: a list that begins with "[" is not closed').waitFor();
      await note.getByText(/^The file is as it was, and so is every run/).waitFor();
      await picture(page, `new-chat-broken-${name}`);
      await note.getByRole('button', { name: 'Open Models and keys' }).click();
      await page.getByRole('heading', { name: 'Models and keys', level: 1 }).waitFor();
      await note.getByText(/^The file is as it was, and so is every run/).waitFor();
      expect(await note.getByText(/Flow sequence/).isVisible()).toBe(false);
      await note.getByText('Details').click();
      await note.getByText(/Flow sequence/).waitFor();
      await picture(page, `profiles-broken-${name}`);
      await startChat(started, 'hello');
      await status(page, 'Your turn');
      expect(readFileSync(join(home.config, 'profiles.yaml'), 'utf8')).toBe(broken);
      // Mended outside, it is looked at again when the person says so.
      await page.keyboard.press('Control+,');
      writeProfiles(home, [practice('Mended')]);
      await note.getByRole('button', { name: 'Look again' }).click();
      await note.waitFor({ state: 'detached' });
      await page.getByRole('list', { name: 'Models and keys' }).getByText('Mended').waitFor();
    });
  },
  doors(),
);

onEveryDoor(
  'a lost connection',
  (start) => {
    it('is told, and keeps what was typed', async () => {
      const started = await start();
      const { page } = started;
      await ready(page);
      await composer(page).fill('typed before');
      process.kill(started.pid, 'SIGKILL');
      await page.getByText(/Holdfast doesn’t answer; trying again/).waitFor();
      expect(await composer(page).inputValue()).toBe('typed before');
      expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
      await picture(page, 'connection-lost');
    });
  },
  ['browser door'],
);
