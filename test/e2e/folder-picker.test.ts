import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onOneStart } from './one-start';
import { until } from './steps';

onOneStart(
  'the folder picker',
  (app) => {
    it('selects with one click, opens with two, once; takes paths with ~ in every state; and leads into the sample folder and out', async () => {
      const { page, home } = app();
      // Opening twice would lead one deeper.
      mkdirSync(join(home.files, 'Papers', 'Papers', 'Papers'), { recursive: true });
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('menuitem', { name: 'Choose a folder…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
      const path = dialog.getByRole('textbox', { name: 'Path' });
      const papers = dialog.getByRole('option', { name: 'Papers', exact: true });
      const at = async (folder: string) => {
        await until(() => path.inputValue()).toBe(folder);
        await dialog.locator('[aria-busy="false"]').waitFor();
        expect(await path.inputValue()).toBe(folder);
      };
      const go = async (typed: string) => {
        await path.fill(typed);
        await path.press('Enter');
      };
      const problem = dialog.getByRole('region', { name: 'What went wrong' });
      await at(home.path);

      await papers.click();
      expect(await papers.getAttribute('aria-selected')).toBe('true');
      expect(await path.inputValue()).toBe(home.path);
      // With a row selected, too, a path is where one goes.
      await go('~/Papers/Papers');
      await at(join(home.files, 'Papers'));
      await go('~');
      await at(home.path);
      await papers.dblclick();
      await at(home.files);
      await papers.dblclick();
      await at(join(home.files, 'Papers'));

      // After an error the field is what it was before: typed words stay, and the next path is taken.
      for (const wrong of ['~/nowhere', '~/nowhere/else', '/nowhere']) {
        await go(wrong);
        await problem.waitFor();
        expect(await path.inputValue()).toBe(wrong);
        await path.pressSequentially('x');
        expect(await path.inputValue()).toBe(`${wrong}x`);
        await go('~/Papers/');
        await problem.waitFor({ state: 'detached' });
        await at(home.files);
      }

      await dialog.getByRole('button', { name: 'Sample folder' }).click();
      await until(() => path.inputValue()).toMatch(/sample$/i);
      await dialog.getByRole('button', { name: 'Folder above' }).click();
      await until(() => path.inputValue()).not.toMatch(/sample$/i);
      await dialog.getByRole('button', { name: 'Home' }).click();
      await at(home.path);
    });
  },
  ['browser door'],
);
