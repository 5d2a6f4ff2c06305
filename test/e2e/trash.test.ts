import { join } from 'node:path';
import type { Locator } from 'playwright';
import { expect, it } from 'vitest';
import { onEveryDoor } from './harness';
import { doors, until } from './steps';
import { browse, cells, chosen, focused, journals, looks, populated } from './table-steps';

onEveryDoor(
  'runs in the trash',
  (start) => {
    it('are brought back one by one, and deleted for good only when somebody said so', async () => {
      const home = populated(8);
      const started = await start({ home });
      const { page } = started;
      await browse(page);
      await page.getByRole('checkbox', { name: 'Select all 8 runs' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await until(() => journals(join(home.runs, 'trash')).length).toBe(8);
      await page.getByRole('button', { name: /^Trash/ }).click();
      const items = cells(page).filter({ hasText: 'deleted' });
      await until(() => items.count()).toBe(8);
      await looks(started, 'library-trash');
      await items
        .first()
        .getByRole('button', { name: /^Restore/ })
        .click();
      await page.getByText('1 run is back.').waitFor();
      await until(() => journals(home.runs).length).toBe(1);
      const answer = async (button: Locator, word: string, yes: boolean) => {
        if (started.target === 'stand-in')
          await started.system('answer', { kind: 'messageBox', value: yes ? 1 : 0 });
        await button.click();
        if (started.target !== 'browser door') return;
        await until(() => started.output()).toContain(word);
        started.type(yes ? 'yes' : 'no');
      };
      await answer(
        items.first().getByRole('button', { name: /^Delete for good/ }),
        'Delete 1 run for good?',
        false,
      );
      await page.getByText('You did not agree to delete this for good.').waitFor();
      expect(journals(join(home.runs, 'trash')).length).toBe(7);
      await answer(page.getByRole('button', { name: 'Empty the trash…' }), 'Delete 7 runs for good?', true);
      await page.getByText('7 runs were deleted for good.').waitFor();
      await page.getByText('The trash is empty.').waitFor();
      expect(journals(join(home.runs, 'trash'))).toEqual([]);
      expect(journals(home.runs).length).toBe(1);
      await looks(started, 'library-trash-empty');
    });

    it('are chosen by mouse and by keys, to bring several back or delete several for good', async () => {
      const home = populated(8);
      const trash = join(home.runs, 'trash');
      const started = await start({ home });
      const { page } = started;
      await browse(page);
      await page.getByRole('checkbox', { name: 'Select all 8 runs' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await until(() => journals(trash).length).toBe(8);
      await page.getByRole('button', { name: /^Trash/ }).click();
      const grid = page.getByRole('grid', { name: 'Deleted runs' });
      const items = grid.locator('[data-browse-row]');
      const bar = page.getByRole('toolbar', { name: 'Selected runs' });
      await until(() => items.count()).toBe(8);

      // By mouse: boxes, a press on a row, a range, all and none.
      await items.nth(0).getByRole('checkbox').check();
      await items.nth(2).getByRole('checkbox').check();
      await until(() => chosen(page).textContent()).toBe('2 runs selected');
      await items.nth(1).locator('p').first().click();
      await until(() => chosen(page).textContent()).toBe('1 run selected');
      await items.nth(5).click({ modifiers: ['Shift'] });
      await until(() => chosen(page).textContent()).toBe('5 runs selected');
      await page.getByRole('checkbox', { name: 'Select all 8 runs' }).click();
      await until(() => chosen(page).textContent()).toBe('8 runs selected');
      await page.getByRole('checkbox', { name: 'Select none' }).click();
      await bar.waitFor({ state: 'detached' });
      await items.nth(0).getByRole('checkbox').check();
      await items.nth(2).getByRole('checkbox').check();
      await looks(started, 'library-trash-chosen');
      const back = await items.nth(2).getByRole('checkbox').getAttribute('aria-label');
      await bar.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('2 runs are back.').waitFor();
      await until(() => items.count()).toBe(6);
      expect(journals(home.runs).length).toBe(2);
      expect(await page.getByRole('checkbox', { name: back ?? '' }).count()).toBe(0);
      await bar.waitFor({ state: 'detached' });
      // The keyboard stays in the list that the button was about.
      await until(() => focused(page)).not.toBe('');

      // By keys: the same with Space, Shift and the arrows, Escape, everything at once.
      await page.keyboard.press('Home');
      await until(() => focused(page)).toBe('0');
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await until(() => chosen(page).textContent()).toBe('3 runs selected');
      await page.keyboard.press('Space');
      await until(() => chosen(page).textContent()).toBe('2 runs selected');
      await page.keyboard.press('Control+a');
      await until(() => chosen(page).textContent()).toBe('6 runs selected');
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
      await page.keyboard.press('End');
      await until(() => focused(page)).toBe('5');
      await page.keyboard.press('Shift+ArrowUp');
      await until(() => chosen(page).textContent()).toBe('2 runs selected');
      // For good only when somebody said so, outside of the page; until then they stay chosen.
      for (const yes of [false, true]) {
        if (started.target === 'stand-in')
          await started.system('answer', { kind: 'messageBox', value: yes ? 1 : 0 });
        await page.keyboard.press('Delete');
        if (started.target === 'browser door') {
          await until(() => started.output().split('Delete 2 runs for good?').length).toBe(yes ? 3 : 2);
          // A busy window hears of the answer and of the rows that went in one go.
          const busy = page.evaluate(() => {
            const end = Date.now() + 700;
            while (Date.now() < end);
          });
          started.type(yes ? 'yes' : 'no');
          await busy;
        }
        await page
          .getByText(yes ? '2 runs were deleted for good.' : 'You did not agree to delete this for good.')
          .waitFor();
        await until(() => journals(trash).length).toBe(yes ? 4 : 6);
        if (yes) continue;
        expect(await chosen(page).textContent()).toBe('2 runs selected');
        // The keyboard is back in the list once the question has gone.
        await until(() => page.locator('iframe[title="Question"]').count()).toBe(0);
        await until(() => focused(page)).toBe('4');
      }
      await until(() => items.count()).toBe(4);
      await bar.waitFor({ state: 'detached' });
      expect(journals(home.runs).length).toBe(2);
      await until(() => focused(page)).toBe('3');
    });
  },
  doors(),
);
