import { chromium as playwright, type Browser, type Locator, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp, type FakeApp } from '../support/fake-app';
import { built, chromium } from '../support/prerequisites';
import { chatItems, head, makeScene } from '../support/scenes';
import { composer, conversation, ready, rows, until } from './steps';

/** Small promises of the window that pictures and axe do not see. */
describe('the window', () => {
  let app: FakeApp;
  let browser: Browser;
  beforeAll(async () => {
    const root = built('renderer');
    if (root === undefined) throw new Error('The app is not built: npm run build');
    app = await fakeApp(root, makeScene());
    browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const show = async (look: { reducedMotion?: 'reduce' } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...look });
    const page = await context.newPage();
    await page.goto(app.link());
    await ready(page);
    return page;
  };
  let held: Page | undefined;
  /** The one page that most of these share, begun anew. */
  const anew = async () => {
    held ??= await show({ reducedMotion: 'reduce' });
    await held.goto(new URL('/', held.url()).href);
    await ready(held);
    return held;
  };
  const open = async (page: Page, title: string) => {
    await rows(page).filter({ hasText: title }).first().click();
    await page.locator('main header h1').filter({ hasText: title }).waitFor();
  };

  const PLACES: [string, (page: Page) => Promise<unknown>][] = [
    ['new chat', async () => undefined],
    ['a run that waits', (page) => open(page, 'Clean up downloads')],
    ['the pre-flight', (page) => open(page, 'Quarterly report')],
    ['the profiles', (page) => page.keyboard.press('Control+,')],
  ];
  it.each(PLACES)('shows where the keyboard is, at each of its stops: %s', async (_name, go) => {
    const page = await anew();
    await go(page);
    await page.waitForTimeout(300);
    const stops = new Set<string>();
    const unseen: string[] = [];
    let again = 0;
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(focusedLook);
      if (stop === undefined) continue;
      // Once around, all of it: what comes in meanwhile may bring one stop again.
      if (stops.has(stop.path) && ++again > 4) break;
      stops.add(stop.path);
      if (stop.with === stop.without) unseen.push(stop.path);
    }
    expect(unseen).toEqual([]);
    expect(stops.size).toBeGreaterThan(8);
  });

  it('moves for people who did not ask for stillness, and only for them', async () => {
    const moving = (page: Page) =>
      page.evaluate(
        () =>
          document
            .getAnimations()
            .filter(
              (one) => one.effect?.getComputedTiming().iterations === Infinity && one.playState === 'running',
            ).length,
      );
    const lively = await show();
    await open(lively, 'Rename photos');
    await until(() => moving(lively)).toBeGreaterThan(0);
    await lively.context().close();
    const still = await show({ reducedMotion: 'reduce' });
    await open(still, 'Rename photos');
    await conversation(still).locator('[data-row]').first().waitFor();
    await until(() => moving(still)).toBe(0);
    await still.context().close();
  });

  it('tells steps, tokens, cache and budget of a run, and where its last record is', async () => {
    const page = await anew();
    await open(page, 'Summarise meeting notes');
    const main = page.getByRole('main');
    await main.getByText('4 of 50 steps for this message').waitFor();
    await main.getByText(/22\.3k in · 1\.1k out · 9\.8k cached/).waitFor();
    await main.getByText(/12\s%.* budget/).waitFor();
    await main.getByRole('button', { name: 'on disk, record 11' }).waitFor();
    const run = app.scene.runs.get('yours');
    if (!run) throw new Error('no such scene');
    for (const [durability, word] of [
      ['acknowledged', 'acknowledged by NATS, record 12'],
      ['memory', 'in memory only, record 12'],
    ] as const) {
      app.change('yours', 11, { type: 'head', head: { ...run.head, durability, lastSeq: 12 } });
      await main.getByRole('button', { name: word }).waitFor();
    }
  });

  it('shows a long result in part, whole when asked, and in part again', async () => {
    const page = await anew();
    await open(page, 'Summarise meeting notes');
    const card = page.locator('article').filter({ hasText: 'file_stats' }).first();
    const result = card.getByLabel('Result of file_stats');
    if (!(await result.isVisible())) await card.getByRole('button').first().click();
    await result.getByText('file-1.bin').waitFor();
    expect(await result.getByText('file-16.bin').count()).toBe(0);
    await card.getByRole('button', { name: 'Show all 16 lines' }).click();
    await result.getByText('file-16.bin').waitFor();
    await card.getByRole('button', { name: 'Show less' }).click();
    await until(() => result.getByText('file-16.bin').count()).toBe(0);
  });

  it('folds thinking and the input of a tool, and shows both exactly as they are', async () => {
    const page = await anew();
    await open(page, 'Summarise meeting notes');
    const thought = conversation(page).getByText('Moving changes things, so it has to be asked for.');
    const fold = conversation(page)
      .getByRole('button', { name: /Thinking|thought/i })
      .first();
    expect(await fold.getAttribute('aria-expanded')).toBe('false');
    expect(await thought.isVisible()).toBe(false);
    await fold.click();
    await thought.waitFor();
    const card = page.getByRole('article', { name: 'file_stats: Done' });
    await card.getByText('0.3 s', { exact: true }).waitFor();
    await page.getByRole('article', { name: 'read_file: Failed' }).getByText('Failed · 0.1 s').waitFor();
    const input = card.getByLabel('Exact input');
    if (!(await input.isVisible())) await card.getByRole('button', { expanded: false }).first().click();
    await until(() => input.textContent()).toBe('{"path":".","min_size":"100MB"}');
  });

  it('offers a profile that matches before force', async () => {
    const page = await anew();
    await open(page, 'Quarterly report');
    const force = page.getByRole('button', { name: /^Force resume/ });
    await force.waitFor();
    const names = await force.locator('..').getByRole('button').allTextContents();
    expect(names.slice(0, 3)).toEqual([
      'Use “Practice (May)”, which matches',
      'Force resume with these changes',
      'Cancel',
    ]);
  });

  it('loads what colours code and sets math only where there is code and math', async () => {
    const page = await anew();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.reload();
    await ready(page);
    await open(page, 'Trip planning');
    await page.getByRole('heading', { name: 'Before this run goes on' }).waitFor();
    const before = loaded.filter((path) => /katex|python/i.test(path));
    expect(before).toEqual([]);
    await open(page, 'Summarise meeting notes');
    await conversation(page).locator('.katex').first().waitFor();
    await until(() => loaded.filter((path) => /katex.*\.js$/i.test(path)).length).toBe(1);
    await until(() => loaded.filter((path) => /python.*\.js$/i.test(path)).length).toBe(1);
    // Words of a language have colours of their own.
    const code = conversation(page).locator('pre').filter({ hasText: 'from pathlib' }).first();
    await until(() =>
      code.evaluate(
        (element) =>
          new Set([...element.querySelectorAll('span')].map((span) => window.getComputedStyle(span).color))
            .size,
      ),
    ).toBeGreaterThan(2);
  });

  it('opens a link in a page that knows nothing of this one, once it was shown and clicked', async () => {
    const page = await show();
    const visited: string[] = [];
    await page.context().route('https://docs.example.org/**', (route) => {
      visited.push(`${route.request().url()} ${route.request().headers()['referer'] ?? ''}`);
      return route.fulfill({ contentType: 'text/html', body: '<title>The handbook</title>' });
    });
    await open(page, 'Summarise meeting notes');
    const link = page.getByRole('link', { name: /the handbook/ });
    await link.click({ button: 'middle' });
    await link.click({ modifiers: ['Control'] });
    const card = page.getByRole('dialog', { name: 'Open this outside Holdfast?' });
    await card.waitFor();
    await page.waitForTimeout(300);
    expect([visited, page.context().pages().length]).toEqual([[], 1]);
    const popup = page.context().waitForEvent('page');
    await card.getByRole('button', { name: 'Open in a new tab' }).click();
    const other = await popup;
    await other.waitForLoadState();
    expect(await other.evaluate(() => window.opener === null)).toBe(true);
    expect(visited).toEqual(['https://docs.example.org/archive ']);
    await page.context().close();
  });

  it('offers to ask again where the reply is empty, as long as nothing follows it', async () => {
    const run = app.scene.runs.get('yours');
    if (!run) throw new Error('no such scene');
    const of = { ...run.head, mode: 'still' as const };
    const empty = { kind: 'empty' as const, key: '11.empty', seq: 11, iteration: 5 };
    app.scene.runs.set('yours', { ...run, head: of, items: [...chatItems, empty] });
    const page = await anew();
    await open(page, 'Summarise meeting notes');
    const reply = conversation(page).locator('[data-row]').filter({ hasText: 'The model’s reply is empty.' });
    const button = reply.getByRole('button', { name: 'Ask again' });
    await button.click();
    await until(() => app.scene.calls.filter(({ name }) => name === 'run.again')).toEqual([
      { name: 'run.again', input: { id: 'yours' } },
    ]);
    const next = { kind: 'text' as const, key: '12.0', seq: 12, iteration: 6, text: 'Here it is.' };
    app.change('yours', 11, { type: 'items', seq: 12, items: [next], total: chatItems.length + 2 });
    await conversation(page).getByText('Here it is.').waitFor();
    await until(() => button.count()).toBe(0);
    await reply.waitFor();
    app.scene.runs.set('yours', run);
  });

  it('cuts no text that is too long for its field, and says so', async () => {
    const page = await anew();
    await open(page, 'Quarterly report');
    await page.getByRole('radio', { name: 'Say what happened' }).first().click();
    const field = page.getByRole('textbox', { name: 'What happened' });
    await field.fill('I looked: ');
    await pasteInto(field, 'x'.repeat(100_001));
    const told = page
      .getByRole('alert')
      .filter({ hasText: 'A description can have up to 100,000 characters' });
    await told.getByText('has 100,001 characters').waitFor();
    await told.getByRole('button', { name: 'Save as a file' }).waitFor();
    expect(await field.inputValue()).toBe('I looked: ');
    await told.getByRole('button', { name: 'Dismiss' }).click();
    await told.waitFor({ state: 'detached' });
    const filter = page.getByRole('searchbox', { name: 'Filter by title' });
    await pasteInto(filter, 'w'.repeat(201));
    await page
      .getByText('A filter can have up to 200 characters, so Holdfast did not add your text')
      .waitFor();
    expect(await filter.inputValue()).toBe('');
  });

  it('lets go of what is far in one huge list, table and code block, and finds, scrolls and copies all of it', async () => {
    const run = app.scene.runs.get('yours');
    if (!run) throw new Error('no such scene');
    const lines = (count: number, line: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => line(n));
    const text = [
      ...lines(900, (n) => `${n + 3}. item ${n + 3} with **bold** and \`code\``),
      '\n| n | name |\n|---|---|',
      ...lines(
        1_000,
        (n) => `| ${n} | ${n === 200 ? 'one that is much wider than all others' : `row ${n}`} |`,
      ),
      '\n```ts',
      ...lines(1_800, (n) => `const a${n} = ${n};`),
      '```\n\nThe very end.',
    ].join('\n');
    const answer = { kind: 'text' as const, key: '2.0', seq: 2, iteration: 1, text };
    app.scene.runs.set('yours', { ...run, items: [...chatItems.slice(0, 1), answer] });
    const page = await anew();
    await open(page, 'Summarise meeting notes');
    const region = conversation(page);
    await region.getByText('The very end.').waitFor();
    const elements = () => region.locator('*').count();
    const seen = (words: string) => region.getByText(words, { exact: true }).first().isVisible();
    const scrollTo = async (part: number) => {
      await region.evaluate((element, part) => {
        element.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
        element.scrollTop = element.scrollHeight * part;
      }, part);
    };
    const most = [await elements()];
    for (const part of [0.8, 0.5, 0.2, 0]) {
      await scrollTo(part);
      // Whatever is there now has words: nothing that is seen is a gap.
      await until(() => region.evaluate(wordsInTheMiddle)).toMatch(/item|row|const|one that/);
      most.push(await elements());
    }
    expect(Math.max(...most)).toBeLessThan(4_500);
    await until(() => seen('item 3 with bold and code')).toBe(true);
    expect(await region.getByRole('list').count()).toBe(1);
    expect(await region.getByRole('table').count()).toBe(1);
    // The number of an item is its own, wherever its part begins.
    const numbers = await region.locator('ol').evaluateAll((parts) =>
      parts.flatMap((part) => {
        const words = part.querySelector('li')?.textContent ?? '';
        return words === ''
          ? []
          : [[(part as HTMLOListElement).start, Number(/item (\d+)/.exec(words)?.[1])]];
      }),
    );
    expect(numbers.length).toBeGreaterThan(1);
    for (const [number, own] of numbers) expect(number).toBe(own);

    await page.keyboard.press('Control+f');
    const found = page.getByRole('searchbox', { name: 'Find in this run' });
    await found.fill('const a1799');
    await until(() => region.evaluate(() => CSS.highlights.get('find-now')?.size ?? 0)).toBeGreaterThan(0);
    await found.press('Escape');
    const copied = await page.evaluate(async () => {
      const row = [...document.querySelectorAll('[data-row]')].at(-1);
      if (row) getSelection()?.selectAllChildren(row);
      for (let tries = 0; tries < 100 && !String(getSelection()).includes('item 700 '); tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      return String(getSelection());
    });
    for (const words of ['item 3 with', 'item 700 with', 'row 449', 'a900 = 900', 'The very end.'])
      expect(copied).toContain(words);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await until(elements).toBeLessThan(4_500);
    app.scene.runs.set('yours', run);
  });

  it('says a question to those who listen, politely and once, and leaves the focus where it was', async () => {
    const page = await anew();
    await open(page, 'Rename photos');
    const run = app.scene.runs.get('running');
    if (!run) throw new Error('no such scene');
    await composer(page).focus();
    const region = page.getByRole('status', { name: 'Announcements' });
    expect(await region.getAttribute('aria-live')).toBe('polite');
    expect(await region.textContent()).toBe('');
    const asking = {
      ...run.head,
      phase: 'waiting' as const,
      approval: { hash: 'q', toolUseId: 'call_1', tool: 'write_file', input: '{}', line: 'write names.txt' },
    };
    for (const used of [5, 6]) {
      app.change('running', run.head.lastSeq, {
        type: 'head',
        head: { ...asking, steps: { used, cap: 50 } },
      });
      await page.getByText(`${used} of 50 steps for this message`, { exact: true }).waitFor();
      expect(await region.textContent()).toBe('Waiting for you: write_file asks to run. write names.txt');
      if (used === 5)
        await region.evaluate((element) => element.firstElementChild?.setAttribute('data-heard', ''));
    }
    // It is the very node that was heard first: the second head said nothing new.
    expect(await region.locator('[data-heard]').count()).toBe(1);
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it('parses closed blocks of a streaming answer once, whatever comes behind them', async () => {
    const run = app.scene.runs.get('running');
    if (!run) throw new Error('no such scene');
    const begun = '# One\n\nA closed paragraph.\n\n- a\n- b\n\n```js\nlet a = 1;\n```\n\n';
    app.scene.runs.set('running', {
      items: chatItems.slice(0, 1),
      head: head(run.head.row, { mode: 'live', phase: 'calling', items: 1, lastSeq: 1 }),
      stream: { iteration: 1, text: begun, thinking: '' },
    });
    const page = await anew();
    await open(page, 'Rename photos');
    const tail = page.locator('[data-tail]');
    await tail.getByText('A closed paragraph.').waitFor();
    await page.waitForTimeout(800);
    // Everything that reads markdown, from the parser to the marks of hidden characters, looks through it with this.
    await page.evaluate(() => {
      const read: string[] = [];
      Object.assign(window, { read });
      const { exec } = RegExp.prototype;
      RegExp.prototype.exec = function (text) {
        if (text.includes('closed paragraph') || text.includes('Paragraph 3 ')) read.push(text);
        return exec.call(this, text);
      };
    });
    let from = begun.length;
    for (let line = 0; line < 60; line++) {
      const text = `Paragraph ${line} with **words**.\n\n`;
      app.change('running', 1, { type: 'stream', part: 'text', iteration: 1, from, text });
      from += text.length;
      if (line % 10 === 9) await tail.getByText(`Paragraph ${line} with`).waitFor();
    }
    const read = await page.evaluate(() => (window as unknown as { read: string[] }).read);
    expect(read.filter((text) => text.includes('closed paragraph'))).toEqual([]);
    // One that was open when we began to look is read, but not for as long as the answer grows.
    const reads = read.filter((text) => text.includes('Paragraph 3')).length;
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(100);
  });
});

/** What is read in the middle of a region. Runs in the page. */
function wordsInTheMiddle(region: Element): string {
  const box = region.getBoundingClientRect();
  const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return at?.closest('li,tr,[data-part]')?.textContent ?? '';
}

/** Pastes as a person does; what nothing prevents goes in where the cursor is. */
const pasteInto = (field: Locator, text: string) =>
  field.evaluate((element: HTMLInputElement | HTMLTextAreaElement, text) => {
    element.focus();
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    if (element.dispatchEvent(event)) document.execCommand('insertText', false, text);
  }, text);

/** How what has the focus looks with it and without it, and where it is. Runs in the page. */
function focusedLook(): { path: string; with: string; without: string } | undefined {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return undefined;
  const parts: string[] = [];
  for (let node: Element | null = element; node && node !== document.body; node = node.parentElement)
    parts.unshift(`${node.tagName}:${[...(node.parentElement?.children ?? [])].indexOf(node)}`);
  const look = () => {
    const seen: string[] = [];
    let node: Element | null = element;
    for (let depth = 0; node && depth < 4; depth++, node = node.parentElement) {
      const style = window.getComputedStyle(node);
      const outline = style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`;
      seen.push([outline, style.boxShadow, style.borderColor].join(' '));
    }
    return seen.join(' | ');
  };
  const focused = look();
  element.blur();
  const blurred = look();
  element.focus();
  const name = element.getAttribute('aria-label') ?? element.textContent?.slice(0, 30) ?? '';
  return { path: `${parts.join('/')} ${name}`, with: focused, without: blurred };
}
