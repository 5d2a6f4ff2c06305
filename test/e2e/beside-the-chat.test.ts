import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Page } from 'playwright';
import { onOneStart } from './one-start';
import { composer, conversation, doors, rows, startChat, status, until } from './steps';

/** Pastes; whether the field takes the text as a browser puts it in. */
const paste = (page: Page, text: string): Promise<boolean> =>
  composer(page).evaluate((field, added) => {
    const data = new DataTransfer();
    data.setData('text/plain', added);
    return field.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  }, text);

const names = (page: Page): Promise<string[]> => page.getByRole('menuitem').allTextContents();

/** The entries of the menu that opens; it is closed again. */
async function entries(page: Page, open: () => Promise<void>): Promise<string[]> {
  await open();
  await page.getByRole('menu').waitFor();
  const found = await names(page);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  return found;
}

onOneStart(
  'beside the chat',
  (app) => {
    it('a paste that is too long is told and can be saved, and none of it is cut', async () => {
      const { page } = app();
      await composer(page).fill('Before');
      const long = `${'line of words\r\n'.repeat(75_000)}the end`;
      expect(await paste(page, long)).toBe(false);
      const told = page
        .getByRole('alert')
        .filter({ hasText: 'A message can have up to 1,000,000 characters' });
      await told.getByText('1,125,007 characters').waitFor();
      expect(await composer(page).inputValue()).toBe('Before');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        told.getByRole('button', { name: 'Save as a file' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('pasted-text.txt');
      expect(readFileSync(await file.path(), 'utf8')).toBe(long);
      await told.getByRole('button', { name: 'Dismiss' }).click();
      await told.waitFor({ state: 'detached' });

      // What just fits goes in; what comes another way than by a paste is not cut either.
      expect(await paste(page, 'y'.repeat(1_000_000 - 'Before'.length))).toBe(true);
      expect(await told.count()).toBe(0);
      expect(await paste(page, 'y'.repeat(1_000_001 - 'Before'.length))).toBe(false);
      await told.getByText('999,995 characters').waitFor();
      await told.getByRole('button', { name: 'Dismiss' }).click();
      await composer(page).evaluate((field) => {
        const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {};
        set?.call(field, `Before${`${'z'.repeat(99)}\n`.repeat(10_000)}`);
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      });
      await told.getByText('1,000,000 characters').first().waitFor();
      expect(await composer(page).inputValue()).toBe('Before');
      await composer(page).fill('');
    });

    it('a file over a chat is told that attachments are not available, over the library it is imported', async () => {
      const { page, home } = app();
      const path = join(home.path, 'picture.png');
      writeFileSync(path, 'no picture');
      const cdp = await page.context().newCDPSession(page);
      const drag = (type: 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel', x: number) =>
        cdp.send('Input.dispatchDragEvent', {
          type,
          x,
          y: 300,
          data: { items: [], files: [path], dragOperationsMask: 1 },
        });
      await drag('dragEnter', 600);
      await drag('dragOver', 600);
      await page.getByText('To import runs, drop them on the library.').waitFor();
      await drag('drop', 600);
      const toast = page.getByText('Attachments aren’t available yet. Your chat has not changed.');
      await toast.waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await composer(page).inputValue()).toBe('');
      // Whoever meant an import is one press away from it.
      await page.getByRole('button', { name: 'Import as runs…' }).click();
      await page.getByRole('dialog').getByText('picture.png').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();

      await drag('dragEnter', 100);
      await drag('dragOver', 100);
      await page.getByText('Drop runs here to import them').waitFor();
      await drag('drop', 100);
      await page.getByRole('dialog').getByText('picture.png').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
    });

    it('rows and messages have the menu of their button on a right click and by keyboard', async () => {
      const { page } = app();
      await startChat(app(), 'say menu');
      await status(page, 'Your turn');
      const row = rows(page).first();
      const more = page.getByRole('button', { name: /^More for/ }).first();
      const usual = await entries(page, async () => {
        await row.hover();
        await more.click();
      });
      expect(usual).toEqual(expect.arrayContaining(['Read the transcript', 'Export…']));
      expect(await entries(page, () => row.click({ button: 'right' }))).toEqual(usual);
      for (const key of ['Shift+F10', 'ContextMenu']) {
        await row.focus();
        expect(await entries(page, () => page.keyboard.press(key))).toEqual(usual);
        await until(() => row.evaluate((it) => it === document.activeElement)).toBe(true);
      }

      const said = conversation(page).locator('[data-kind="prompt"]').first();
      const record = said.getByRole('button', { name: /^Record/ });
      const own = await entries(page, () => record.press('Enter'));
      expect(own[0]).toBe('Copy the message');
      expect(await entries(page, () => said.getByText('say menu').click({ button: 'right' }))).toEqual(own);
      await record.focus();
      expect(await entries(page, () => page.keyboard.press('Shift+F10'))).toEqual(own);

      // An entry does the same from here: the title becomes a field, which has the focus.
      await row.click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      const field = page.getByRole('textbox', { name: 'Title' });
      await until(() => field.evaluate((it) => it === document.activeElement)).toBe(true);
      await field.fill('Another title');
      await field.press('Enter');
      await rows(page).filter({ hasText: 'Another title' }).waitFor();
    });
  },
  doors(),
);
