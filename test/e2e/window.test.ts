import { chromium as playwright, type Browser } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, describe } from 'vitest';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp, type FakeApp } from '../support/fake-app';
import { built, chromium } from '../support/prerequisites';
import { makeScene, row } from '../support/scenes';
import { onEveryDoor, picture } from './harness';
import { composer, conversation, doors, ready, rows, startChat, status, until } from './steps';
import { axeProblems, open, outside, slidingTexts, VIEWS } from './views';

const SOAK = process.env['HOLDFAST_SOAK'] !== undefined;
const SIZES = { '1280x800': { width: 1280, height: 800 }, '900x600': { width: 900, height: 600 } };

describe('every view', () => {
  let app: FakeApp;
  let browser: Browser;
  beforeAll(async () => {
    const root = built('renderer');
    if (root === undefined) throw new Error('The app is not built: npm run build');
    app = await fakeApp(root, makeScene());
    browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
  });
  // Whatever a test did to it, the next one has the whole scene.
  beforeEach(() => void Object.assign(app.scene, makeScene()));
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const show = async (size: keyof typeof SIZES, theme: 'light' | 'dark') => {
    app.scene.prefs = { theme, zoom: 1 };
    const context = await browser.newContext({
      viewport: SIZES[size],
      reducedMotion: 'reduce',
      bypassCSP: true,
    });
    const page = await context.newPage();
    await page.goto(app.link());
    await ready(page);
    return page;
  };

  // Contrast depends on the theme and layout on the size; two looks show both, and the others come with the long lane.
  const looks = [
    { theme: 'light', size: '1280x800' },
    { theme: 'dark', size: '900x600' },
    { theme: 'light', size: '900x600' },
    { theme: 'dark', size: '1280x800' },
  ] as const;
  for (const { theme, size } of SOAK ? looks : looks.slice(0, 2)) {
    it(`is clean for axe and has nothing cut off: ${theme}, ${size}`, async () => {
      const problems: string[] = [];
      const page = await show(size, theme);
      for (const [name, go] of VIEWS) {
        await page.goto(new URL('/', page.url()).href);
        await ready(page);
        await go(page);
        problems.push(
          ...(await axeProblems(page, theme === 'light' || SOAK ? 'all' : 'look')).map(
            (text) => `${name}: ${text}`,
          ),
        );
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wide > 0) problems.push(`${name}: ${wide} pixels wider than the window`);
        for (const width of theme === 'light' ? [780, 700] : []) {
          await page.setViewportSize({ width, height: 600 });
          // Where there is no place for the library beside it, a button stands for it.
          if (width < 768)
            await page.locator('[aria-label="Show the library"]').waitFor({ state: 'attached' });
          problems.push(...(await outside(page)).map((text) => `${name} at ${width}: ${text} is outside`));
        }
        await page.setViewportSize(SIZES[size]);
        problems.push(...(await slidingTexts(page)).map((text) => `${name}: ${text} can be moved sideways`));
        await picture(page, `${name}-${size}-${theme}`);
      }
      expect(problems).toEqual([]);
    });
  }

  it('fits at twice its size, on a 4K screen, and in a window half as wide', async () => {
    for (const [name, size, zoom] of [
      ['zoom-200', { width: 1280, height: 800 }, 2],
      ['4k', { width: 3840, height: 2160 }, 1],
      ['narrow', { width: 520, height: 700 }, 1],
    ] as const) {
      app.scene.prefs = { theme: 'light', zoom };
      const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(app.link());
      await composer(page).waitFor();
      const menu = page.getByRole('button', { name: 'Show the library' });
      if (name !== '4k') {
        await menu.click();
        await page.getByRole('dialog', { name: 'Library' }).waitFor();
        await picture(page, `${name}-library`);
      }
      await page.locator('[data-run-row]').filter({ hasText: 'Summarise meeting' }).first().click();
      await conversation(page).locator('[data-row]').first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
      const column = await conversation(page).locator('[data-row]').first().locator('> *').boundingBox();
      expect(column?.width ?? 0).toBeLessThanOrEqual(768 * zoom);
      await picture(page, name);
    }
  });

  it('shows ten thousand runs with as few nodes as ten, from the first to the last', async () => {
    app.scene.rows = Array.from({ length: 10_000 }, (_, n) =>
      row(`r${n}`, `Run number ${n}`, 'finished', '3 steps', n * 37),
    );
    const page = await show('1280x800', 'light');
    const count = () => page.evaluate(() => document.querySelectorAll('nav *').length);
    const at = await count();
    await rows(page).first().focus();
    await page.keyboard.press('End');
    await rows(page).filter({ hasText: 'Run number 9999' }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-run-row') ?? '');
    await until(focused).toBe('9999');
    await page.keyboard.press('PageUp');
    await until(focused).toBe('9989');
    expect(await count()).toBeLessThan(at * 2 + 100);
    await page.keyboard.press('Home');
    await until(focused).toBe('0');
    // The list is asked for in pages, and only where somebody looks.
    const asked = app.scene.calls.filter((call) => call.name === 'library.page').length;
    expect(asked).toBeLessThan(40);
  });

  it('begins a list with other words at its top, and never empties it in between', async () => {
    app.scene.rows = Array.from({ length: 10_000 }, (_, n) =>
      row(`r${n}`, `Run number ${n}`, 'finished', '3 steps', n * 37),
    );
    const page = await show('1280x800', 'light');
    for (const [list, field] of [
      [rows(page), 'Filter by title'],
      [page.locator('[data-browse-row]'), 'Words in the title'],
    ] as const) {
      if (field === 'Words in the title') await page.getByRole('button', { name: 'All runs' }).click();
      const words = page.getByRole('searchbox', { name: field });
      await list.first().focus();
      await page.keyboard.press('End');
      await list.filter({ hasText: 'Run number 9999' }).waitFor();
      await words.pressSequentially('num');
      await until(() => list.first().textContent()).toContain('Run number 0');
      expect(await list.first().evaluate((at) => at.closest('[data-virtuoso-scroller]')?.scrollTop)).toBe(0);
      await page.evaluate(() => {
        const least = () => {
          const now = document.querySelectorAll('[data-run-row], main [data-browse-row]').length;
          Object.assign(window, { least: Math.min((window as { least?: number }).least ?? now, now) });
        };
        new MutationObserver(least).observe(document.body, { childList: true, subtree: true });
      });
      await words.pressSequentially('ber 7');
      await until(() => list.first().textContent()).toContain('Run number 7');
      expect(await page.evaluate(() => (window as { least?: number }).least)).toBeGreaterThan(5);
      await words.fill('');
    }
  });

  it('keeps the keyboard on its run while others come in: Delete never hits the one that moved there', async () => {
    const at = (n: number) => row(`r${n}`, `Run number ${n}`, 'finished', '3 steps', 10 + n * 37);
    app.scene.rows = Array.from({ length: 8 }, (_, n) => at(n));
    const page = await show('1280x800', 'light');
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.closest('[data-run-row], [data-browse-row]')?.textContent ?? '',
      );
    const deleted = () =>
      app.scene.calls
        .filter(({ name }) => name === 'runs.trash' || name === 'run.trash')
        .map(({ input }) => input);
    const comesIn = async (n: number) => {
      app.scene.rows = [row(`new${n}`, `Newcomer ${n}`, 'finished', '1 step', 9 - n), ...app.scene.rows];
      app.emit('library.changed', { ids: [] });
      await page.getByText(`Newcomer ${n}`).first().waitFor();
    };
    for (const [n, list] of [rows(page), page.locator('[data-browse-row]')].entries()) {
      if (n === 1) await page.getByRole('button', { name: 'All runs' }).click();
      await list.filter({ hasText: 'Run number 2' }).focus();
      await comesIn(n * 2);
      await until(focused).toContain('Run number 2');
      app.scene.calls.length = 0;
      await page.keyboard.press('Delete');
      await until(deleted).toMatchObject([{ ids: ['r2'] }]);
      // The one in its place has the keyboard then, and keeps it as well.
      await until(focused).toContain('Run number 3');
      await comesIn(n * 2 + 1);
      await until(focused).toContain('Run number 3');
      // A menu that is open belongs to its run, wherever that moves.
      if (n === 0) await page.getByRole('button', { name: 'More for Run number 3' }).click();
      else await list.filter({ hasText: 'Run number 3' }).click({ button: 'right' });
      await page.getByRole('menuitem', { name: /Delete/ }).waitFor();
      await comesIn(n * 2 + 10);
      app.scene.calls.length = 0;
      await page.getByRole('menuitem', { name: /Delete/ }).click();
      await until(deleted).toMatchObject([{ ids: ['r3'] }]);
      app.scene.rows = Array.from({ length: 8 }, (_, n) => at(n));
    }
  });

  it('makes a profile of a model server on this computer with one click', async () => {
    const page = await show('1280x800', 'light');
    await page
      .getByText('Ollama runs on this computer')
      .or(page.getByText('runs on this computer'))
      .first()
      .waitFor();
    app.scene.calls.length = 0;
    await page.getByRole('button', { name: 'Use it' }).click();
    await until(() => app.scene.calls.filter((call) => call.name === 'profiles.save')).toMatchObject([
      {
        input: {
          profile: { provider: 'openai', model: 'llama3.2:3b', endpoint: 'http://127.0.0.1:11434/v1' },
        },
      },
    ]);
  });

  it('lets no folder be used while the list still shows the one before', async () => {
    const page = await show('1280x800', 'light');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('menuitem', { name: 'Choose a folder…' }).click();
    const use = page.getByRole('button', { name: 'Use this folder' });
    await page.getByRole('option', { name: 'Documents', exact: true }).dblclick();
    const inside = page.getByRole('textbox', { name: 'Path' });
    await until(() => inside.inputValue()).toMatch(/Documents$/);
    await until(() => use.isEnabled()).toBe(true);
    app.scene.slow = 1_000;
    const path = page.getByRole('textbox', { name: 'Path' });
    const other = (await path.inputValue()).replace('Documents', 'Finance');
    await path.fill(other);
    await page.getByRole('button', { name: 'Go' }).click();
    // Pressed at once: it is the folder that was asked for, however long that takes.
    await use.click();
    await page.getByRole('button', { name: /^Folder: .*Finance$/ }).waitFor();
  });

  it('shows where a link leads before anything is opened', async () => {
    const page = await show('1280x800', 'light');
    await open(page, 'Summarise meeting notes');
    await page.getByRole('link', { name: /the handbook/ }).click();
    await until(() => app.scene.calls.filter((call) => call.name === 'link.open').length).toBeGreaterThan(0);
    const card = page.getByRole('dialog', { name: 'Open this outside Holdfast?' });
    await card.getByText('docs.example.org', { exact: true }).waitFor();
    await picture(page, 'link-card');
    await card.getByRole('button', { name: 'Cancel' }).click();
    await until(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('moves nothing for people who asked for stillness', async () => {
    const page = await show('1280x800', 'light');
    await open(page, 'Rename photos');
    const moving = await page.evaluate(
      () =>
        document.getAnimations().filter((one) => {
          const { duration, iterations } = one.effect?.getComputedTiming() ?? {};
          return Number(duration) > 1 || iterations === Infinity;
        }).length,
    );
    expect(moving).toBe(0);
  });
});

onEveryDoor(
  'the keyboard alone',
  (start) => {
    it('starts a chat, allows a tool, reads, finds, renames and goes back', async () => {
      const started = await start();
      const { page } = started;
      await ready(page);
      // The field has the focus from the start; the folder is one Tab away.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('[role="menuitem"]:focus').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.locator('[role="menuitem"]:focus').filter({ hasText: 'Sample folder' }).waitFor();
      await page.keyboard.press('Enter');
      await until(() =>
        page
          .getByRole('button', { name: /^Folder:/ })
          .evaluateAll(([button]) => button !== undefined && button === document.activeElement),
      ).toBe(true);
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.type('write key.txt: by hand');
      await page.keyboard.press('Enter');
      await status(page, 'Waiting for you');
      // Nothing took the focus: it is still where the person writes.
      expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
      await page.keyboard.press('F6');
      await page.keyboard.press('F6');
      const allow = page.getByRole('button', { name: 'Allow once' });
      for (let presses = 0; presses < 40; presses++) {
        if (await allow.evaluate((button) => button === document.activeElement)) break;
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await status(page, 'Waiting for you');
      await page.keyboard.press('Space');
      await status(page, 'Your turn');
      await page.keyboard.press('Control+f');
      await page.keyboard.type('key.txt');
      await page.getByText(/^1 of/).waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('new chat');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'What should it work on?' }).waitFor();
      await page.keyboard.type('hello');
      await page.keyboard.press('Enter');
      await status(page, 'Your turn');

      // The library, once it has both: it has the row that had the keyboard last; arrows, F2, Delete and back.
      await until(() => rows(page).count()).toBe(2);
      await page.keyboard.press('F6');
      await page.keyboard.press('Home');
      await until(() =>
        rows(page)
          .first()
          .evaluate((row) => row === document.activeElement),
      ).toBe(true);
      await page.keyboard.press('ArrowDown');
      await until(() =>
        rows(page)
          .nth(1)
          .evaluate((row) => row === document.activeElement),
      ).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /write key\.txt/ }).waitFor();
      await page.keyboard.press('Control+/');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await until(() => page.getByRole('dialog').count()).toBe(0);
    });

    it('hears finished answers and questions, and never single words', async () => {
      // Slow enough that the answer is still under way when its chat is shown.
      const started = await start({ env: { HOLDFAST_PRACTICE_DELAY: '60' } });
      const { page } = started;
      await ready(page);
      await page.evaluate(() => {
        const region = document.querySelector('[aria-label="Announcements"]');
        const heard: string[] = [];
        Object.assign(window, { heard });
        if (region) {
          new MutationObserver(() => heard.push(region.textContent ?? '')).observe(region, {
            childList: true,
            characterData: true,
            subtree: true,
          });
        }
      });
      await startChat(started, 'long 40 lines');
      await status(page, 'Your turn');
      await until(() => page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([
        'Answer finished.',
      ]);
    });
  },
  doors(),
);

onEveryDoor(
  'the look',
  (start) => {
    it('keeps theme and zoom, and follows the system when told to', async () => {
      const first = await start({ colorScheme: 'dark' });
      const { page } = first;
      await ready(page);
      const theme = () => page.evaluate(() => document.documentElement.dataset['theme']);
      expect(await theme()).toBe('dark');
      await page.emulateMedia({ colorScheme: 'light' });
      await until(theme).toBe('light');
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Dark' }).click();
      await until(theme).toBe('dark');
      await page.keyboard.press('Control+=');
      await page.keyboard.press('Control+=');
      const size = () => page.evaluate(() => window.getComputedStyle(document.documentElement).fontSize);
      await until(size).toBe('20px');
      await first.stop();
      const again = await first.restart({ colorScheme: 'light' });
      await ready(again.page);
      await until(() => again.page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
      await until(() =>
        again.page.evaluate(() => window.getComputedStyle(document.documentElement).fontSize),
      ).toBe('20px');
    });
  },
  doors(),
);
