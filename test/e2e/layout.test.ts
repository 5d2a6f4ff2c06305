import { chromium as playwright, type Browser, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp, type FakeApp } from '../support/fake-app';
import { layoutFaults } from '../support/layout';
import { longScene, UNBROKEN } from '../support/long-scene';
import { built, chromium } from '../support/prerequisites';
import { picture } from './harness';
import { conversation, ready, rows, settled, until } from './steps';

/** Geometry in a real browser, with texts that no layout likes: nothing is compared with a picture. */

/** To look at: both themes, with a picture of each view. */
const LOOK = process.env['HOLDFAST_LOOK'] !== undefined;
const SIZES = [
  { width: 1280, height: 800 },
  { width: 900, height: 600 },
] as const;

const at = (page: Page, hash: string) =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, hash);
const heading = (page: Page, name: string | RegExp) =>
  page.locator('main').getByRole('heading', { name }).first().waitFor();
const chat = async (page: Page, id: string, pane: string) => {
  await at(page, `#/run/${id}/${pane}`);
  await conversation(page).locator('[data-row]').first().waitFor();
};

const VIEWS: Record<string, (page: Page) => Promise<void>> = {
  new: (page) => at(page, '#/'),
  'usual-chat': (page) => chat(page, 'waiting', 'chat'),
  chat: (page) => chat(page, 'odd0', 'chat'),
  approval: (page) => chat(page, 'odd1', 'chat'),
  failed: (page) => chat(page, 'odd5', 'chat'),
  transcript: (page) => chat(page, 'odd0', 'transcript'),
  'pre-flight': async (page) => {
    await at(page, '#/run/odd0/resume');
    await heading(page, 'Before this run goes on');
  },
  library: async (page) => {
    await at(page, '#/runs');
    await page.locator('[data-browse-row]').first().waitFor();
  },
  search: async (page) => {
    await at(page, '#/search?words=report');
    await page.locator('[data-hit]').first().waitFor();
  },
  compare: async (page) => {
    await at(page, '#/compare/odd0/odd1');
    await page.getByRole('table').first().waitFor();
  },
  profiles: async (page) => {
    await at(page, '#/profiles?name=');
    await heading(page, 'Add a model');
  },
  service: async (page) => {
    await page.locator('section[aria-label="Add a model"]').getByRole('button').first().click();
    await page.getByRole('textbox').first().waitFor();
  },
  profile: async (page) => {
    await at(page, `#/profiles?name=${encodeURIComponent(UNBROKEN.slice(0, 80))}`);
    await heading(page, UNBROKEN.slice(0, 80));
  },
  'profile-work': async (page) => {
    await at(page, '#/profiles?name=Work');
    await heading(page, 'Work');
  },
  stores: async (page) => {
    await at(page, '#/stores');
    await page.getByRole('list', { name: 'Stores', exact: true }).waitFor();
  },
  store: async (page) => {
    await at(page, `#/stores?name=${UNBROKEN.slice(0, 40)}`);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('region', { name: 'What the test found' }).waitFor();
  },
  permissions: async (page) => {
    await at(page, '#/permissions');
    await page.getByRole('list', { name: 'Addresses' }).getByRole('button').first().waitFor();
  },
  trash: async (page) => {
    await at(page, '#/runs');
    for (const row of [4, 5]) {
      await page.locator(`[data-browse-row="${row}"]`).focus();
      await page.keyboard.press('Delete');
    }
    await at(page, '#/trash');
    await heading(page, 'Trash');
    await page.locator('[data-browse-row]').first().waitFor();
  },
  palette: async (page) => {
    await at(page, '#/');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
  },
  shortcuts: async (page) => {
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  },
  'folder-picker': async (page) => {
    await at(page, '#/');
    await page.getByRole('button', { name: /^(Choose a folder|Folder:)/ }).click();
    await page.getByRole('menuitem', { name: 'Choose a folder…' }).click();
    await page.getByRole('option').first().waitFor();
  },
  'folder-menu': async (page) => {
    await at(page, '#/');
    await page.getByRole('button', { name: /^(Choose a folder|Folder:)/ }).click();
    await page.getByRole('menuitem', { name: 'Choose a folder…' }).waitFor();
  },
  'run-menu': async (page) => {
    await at(page, '#/');
    await rows(page).nth(2).click({ button: 'right' });
    await page.getByRole('menuitem').first().waitFor();
  },
  export: async (page) => {
    await chat(page, 'odd2', 'chat');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    await page.getByRole('dialog').waitFor();
  },
  copy: async (page) => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Copy to another store…' }).click();
    await page.getByRole('dialog').waitFor();
  },
};

describe('the layout, with odd texts', () => {
  let app: FakeApp;
  let browser: Browser;
  beforeAll(async () => {
    app = await fakeApp(built('renderer') ?? '', longScene());
    browser = await playwright.launch({
      executablePath: chromium() ?? '',
      args: CHROMIUM_FLAGS,
      // A scroll bar takes its place, as it does on a person's screen.
      ignoreDefaultArgs: ['--hide-scrollbars'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const show = async (size: { width: number; height: number }, theme: 'light' | 'dark' = 'light') => {
    Object.assign(app.scene, longScene());
    app.scene.prefs = { theme, zoom: 1 };
    const page = await (
      await browser.newContext({ viewport: size, reducedMotion: 'reduce', bypassCSP: true })
    ).newPage();
    if (LOOK) page.setDefaultTimeout(9_000);
    await page.goto(app.link());
    await ready(page);
    return page;
  };

  for (const size of SIZES) {
    it(`is sound in every view at ${size.width} by ${size.height}`, { timeout: 300_000 }, async () => {
      const found: string[] = [];
      for (const theme of LOOK ? (['light', 'dark'] as const) : (['light'] as const)) {
        const page = await show(size, theme);
        for (const [name, go] of Object.entries(VIEWS)) {
          await go(page);
          await settled(page);
          if (LOOK) await picture(page, `layout-${name}-${size.width}-${theme}`);
          found.push(...(await page.evaluate(layoutFaults)).map((text) => `${name}: ${text}`));
          while ((await page.locator('dialog[open], [role="menu"]').count()) > 0)
            await page.keyboard.press('Escape');
        }
        await page.context().close();
      }
      expect(found).toEqual([]);
    });

    it(`breaks no number, keeps heads over cells and rows in sight at ${size.width} by ${size.height}`, async () => {
      const page = await show(size);
      // A table in an answer scrolls; a word or number in it is on one line.
      await chat(page, 'odd0', 'chat');
      const table = page.getByRole('region', { name: 'Table', exact: true }).last();
      await table.scrollIntoViewIfNeeded();
      expect(await table.evaluate((part) => part.scrollWidth - part.clientWidth)).toBeGreaterThan(0);
      expect(await table.evaluate(brokenWords)).toEqual([]);

      // The heads of the table of runs are over their cells, also far down.
      await VIEWS['library']?.(page);
      for (const key of ['Home', 'PageDown', 'End']) {
        await page.locator('[data-browse-row][tabindex="0"]').focus();
        await page.keyboard.press(key);
        await settled(page);
        expect(await page.evaluate(headsBesideCells)).toEqual([]);
      }

      // The row that keys act on is never under the heading that sticks above it.
      for (const [view, row] of [
        ['library', '[data-browse-row]'],
        ['search', '[data-hit]'],
        ['library', '[data-run-row]'],
      ] as const) {
        await VIEWS[view]?.(page);
        await page.locator(`${row}[tabindex="0"], ${row} [tabindex="0"]`).first().focus();
        await page.keyboard.press('Home');
        await until(() => page.evaluate(activeRow)).toBe('0');
        for (const key of [
          'End',
          'PageUp',
          'ArrowUp',
          'PageUp',
          'ArrowUp',
          'ArrowUp',
          'PageUp',
          'ArrowUp',
          'PageDown',
          'ArrowUp',
          'Home',
        ]) {
          const before = await page.evaluate(activeRow);
          await page.keyboard.press(key);
          // The list has moved there, and has done so.
          await until(() => page.evaluate(activeRow)).not.toBe(before);
          await settled(page);
          expect(await page.evaluate(activeHidden), `${row} after ${key}`).toBe('');
        }
      }
      await page.context().close();
    });
  }

  it('has messages beside its buttons, never over one', async () => {
    const page = await show(SIZES[1]);
    for (const size of [...SIZES, { width: 620, height: 560 }]) {
      await page.setViewportSize(size);
      for (const [name, go] of [
        ['new', VIEWS['new']],
        ['chat', VIEWS['approval']],
        ['profile', VIEWS['profile-work']],
        [
          'chosen',
          async (on: Page) => {
            await VIEWS['library']?.(on);
            await on.locator('[data-browse-row="2"]').focus();
            await on.keyboard.press('Space');
            await on.getByRole('toolbar', { name: 'Selected runs' }).waitFor();
          },
        ],
      ] as const) {
        await go?.(page);
        for (const tone of ['info', 'warn', 'bad', 'bad'] as const)
          app.emit('app.notice', { tone, text: `${tone === 'bad' ? UNBROKEN : 'Saved.'} ${name}` });
        await page.getByRole('status', { name: 'Messages' }).getByText(`Saved. ${name}`).first().waitFor();
        await settled(page);
        if (LOOK) await picture(page, `layout-messages-${name}-${size.width}`);
        const told = `${name} at ${size.width}`;
        expect(await page.evaluate(underMessages), told).toEqual([]);
        expect(await page.evaluate(layoutFaults), told).toEqual([]);
      }
    }
    await page.context().close();
  });
});

/** Words of a table that are on more than one line. */
const brokenWords = (table: Element): string[] => {
  const broken: string[] = [];
  const walker = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s-]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  return broken;
};

const headsBesideCells = (): string[] => {
  const edges = (part: Element) => {
    const { left, right } = part.getBoundingClientRect();
    return `${Math.round(left)} to ${Math.round(right)}`;
  };
  const heads = [...document.querySelectorAll('main [role="columnheader"]')].map(edges);
  return [...document.querySelectorAll('main [data-browse-row]')].flatMap((row) =>
    [...row.querySelectorAll(':scope > [role="gridcell"]')].flatMap((cell, n) =>
      edges(cell) === heads[n] ? [] : [`${cell.textContent.slice(0, 30)}: ${edges(cell)}, head ${heads[n]}`],
    ),
  );
};

/** The place of the row with the focus in its list. */
const activeRow = (): string => {
  const row = document.activeElement?.closest<HTMLElement>('[data-browse-row], [data-hit], [data-run-row]');
  return row?.dataset['browseRow'] ?? row?.dataset['hit'] ?? row?.dataset['runRow'] ?? '';
};

/** What covers the row with the focus, at its top, its middle or its bottom. */
const activeHidden = (): string => {
  const row = document.activeElement;
  if (!row) return 'nothing has the focus';
  const { left, width, top, bottom } = row.getBoundingClientRect();
  for (const y of [top + 3, (top + bottom) / 2, bottom - 3]) {
    const hit = document.elementFromPoint(left + width / 2, y);
    if (!hit || !(row.contains(hit) || hit.contains(row)))
      return hit?.textContent ?? 'the edge of the window';
  }
  return '';
};

const underMessages = (): string[] => {
  const toasts = [...document.querySelectorAll('[aria-label="Messages"] > *')];
  return [...document.querySelectorAll('button')].flatMap((button) => {
    if (button.closest('[aria-label="Messages"]')) return [];
    let { left, right, top, bottom } = button.getBoundingClientRect();
    for (let up = button.parentElement; up; up = up.parentElement) {
      if (getComputedStyle(up).overflowY === 'visible') continue;
      const around = up.getBoundingClientRect();
      [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
      [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
    }
    if (right - left < 1 || bottom - top < 1) return [];
    return toasts.some((one) => {
      const over = one.getBoundingClientRect();
      return over.left < right && over.right > left && over.top < bottom && over.bottom > top;
    })
      ? [button.textContent]
      : [];
  });
};
