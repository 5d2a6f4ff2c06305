import { events } from '../../../src/shared/contract/contract';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Attentions } from '../../../src/main/shell/electron/attention';
import { menuTemplate, type MenuAction } from '../../../src/main/shell/electron/menu';
import { fitPlace, MIN_SIZE } from '../../../src/main/shell/electron/place';
import { assetHandler, PRIVILEGES } from '../../../src/main/shell/electron/protocol';
import { runOf } from '../../../src/main/shell/named-run';
import { nameRuns, Quit, quitQuestion } from '../../../src/main/shell/electron/quit';
import { samePage } from '../../../src/main/shell/electron/security';
import { contentPolicy } from '../../../src/main/shell/policy';
import { until } from '../../support/wait';

describe('the app: scheme', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-scheme-'));
    await writeFile(join(root, 'index.html'), '<!doctype html>');
    await writeFile(join(root, 'app.js'), '1');
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('has no more privileges than a web page', () => {
    expect(PRIVILEGES).toEqual({
      scheme: 'app',
      privileges: { standard: true, secure: true, supportFetchAPI: true },
    });
    expect(Object.isFrozen(PRIVILEGES) && Object.isFrozen(PRIVILEGES.privileges)).toBe(true);
  });

  it('serves the page with its policy as a header, and nothing but its own', async () => {
    const handle = assetHandler(root);
    const page = await handle(new Request('app://bundle/'));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toBe(contentPolicy('none'));
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'none'");
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await (await handle(new Request('app://bundle/app.js?x#y'))).text()).toBe('1');
    for (const url of [
      'app://bundle/nothing.js',
      'app://bundle/..%2f..%2fetc/passwd',
      'app://other/index.html',
      'app://bundle:1/index.html',
      'http://bundle/index.html',
      'app://bundle/%00',
    ]) {
      const answer = await handle(new Request(url));
      expect([url, answer.status]).toEqual([url, 404]);
      expect(answer.headers.get('content-security-policy')).not.toBeNull();
    }
    expect((await handle(new Request('app://bundle/', { method: 'POST' }))).status).toBe(404);
  });

  it('knows its own page by scheme, host and path', () => {
    const page = 'app://bundle/index.html';
    expect(samePage(`${page}#part`, page)).toBe(true);
    for (const url of [
      'app://bundle/other.html',
      'app://bundle/index.html?x',
      'app://evil/index.html',
      'https://bundle/index.html',
      'javascript:1',
      'nonsense',
      '',
    ]) {
      expect(samePage(url, page), url).toBe(false);
    }
  });
});

describe('the place of the window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 };
  it('is a good size in the middle on a first start, and smaller on a small screen', () => {
    expect(fitPlace(undefined, [screen])).toEqual({ width: 1280, height: 800, maximized: false });
    expect(fitPlace('broken', [{ ...screen, width: 1024, height: 600 }])).toEqual({
      width: 1024,
      height: 600,
      maximized: false,
    });
  });
  it('is where it was, as long as a person could take hold of it there', () => {
    const place = { x: 100, y: 50, width: 900, height: 600, maximized: true };
    expect(fitPlace(place, [screen])).toEqual(place);
    const second = { x: 1920, y: 0, width: 1280, height: 1024 };
    expect(fitPlace({ ...place, x: 2000 }, [screen, second])).toMatchObject({ x: 2000, y: 50 });
    for (const away of [{ x: 5000 }, { y: -400 }, { y: 1075 }, { x: -850 }]) {
      expect(fitPlace({ ...place, ...away }, [screen])).toEqual({ width: 900, height: 600, maximized: true });
    }
  });
  it('is never too small or larger than its screen, whatever was remembered', () => {
    expect(fitPlace({ x: 0, y: 0, width: 5, height: 5, maximized: false }, [screen])).toMatchObject(MIN_SIZE);
    expect(fitPlace({ x: 0, y: 0, width: 9_999, height: 9_999, maximized: false }, [screen])).toMatchObject({
      width: 1920,
      height: 1080,
    });
    expect(fitPlace({ x: 1e9, y: 1.5, width: '1', height: null }, [screen]).width).toBe(1280);
  });
});

describe('quitting', () => {
  function quitting(titles: string[], answer: boolean) {
    const happened: string[] = [];
    const quit = new Quit({
      live: () => titles.map((title) => ({ title, private: false })),
      ask: async (asked) => {
        happened.push(`ask ${asked.map(({ title }) => title).join(', ')}`);
        return answer;
      },
      close: async () => void happened.push('close'),
      exit: () => void happened.push('exit'),
    });
    return { quit, happened };
  }
  it('names the runs that will pause, and pauses them before the end', async () => {
    const { quit, happened } = quitting(['A', 'B'], true);
    expect(quit.request()).toBe(false);
    expect(quit.request()).toBe(false);
    await until(() => happened.includes('exit'));
    expect(happened).toEqual(['ask A, B', 'close', 'exit']);
    expect(quit.request()).toBe(true);
  });
  it('goes on working when the person wants to, and can be asked again', async () => {
    const { quit, happened } = quitting(['A'], false);
    quit.request();
    await new Promise((resolve) => setImmediate(resolve));
    expect(happened).toEqual(['ask A']);
    quit.request();
    await until(() => happened.length === 2);
    expect(happened).toEqual(['ask A', 'ask A']);
  });
  it('asks nothing when nothing would pause, or when the system goes down', async () => {
    const idle = quitting([], false);
    idle.quit.request();
    await until(() => idle.happened.includes('exit'));
    expect(idle.happened).toEqual(['close', 'exit']);
    const down = quitting(['A'], false);
    await Promise.all([down.quit.now(), down.quit.now()]);
    expect(down.happened).toEqual(['close', 'exit']);
  });
  it('ends even when freeing things fails', async () => {
    let ended = 0;
    const quit = new Quit({
      live: () => [],
      ask: async () => true,
      close: () => Promise.reject(new Error('no')),
      exit: () => ended++,
    });
    await quit.now().catch(() => undefined);
    expect(ended).toBe(1);
  });
  it('says which runs go on later and which end for good', () => {
    const kept = { title: 'Trip', private: false };
    const hidden = { title: 'Gift', private: true };
    expect(quitQuestion([kept])).toEqual({
      message: 'One run will pause.',
      detail: '• Trip\n\nWhat they did is recorded; they go on when you resume them.',
    });
    expect(quitQuestion([hidden])).toEqual({
      message: 'One run will end.',
      detail: '• Gift (private)\n\nA private chat is written nowhere: it ends for good.',
    });
    const both = quitQuestion([kept, hidden]);
    expect(both.message).toBe('2 runs will pause or end.');
    expect(both.detail).toContain('go on when you resume them. A private chat is written nowhere');
  });
  it('shortens a long list of runs', () => {
    expect(nameRuns(['A', 'B'])).toBe('• A\n• B');
    expect(
      nameRuns(Array.from({ length: 30 }, (_, n) => `run ${n}`))
        .split('\n')
        .at(-1),
    ).toBe('• and 22 more');
  });
});

describe('a second start', () => {
  it('names a run of the usual store by its id and of any other by store and id, and nothing else', () => {
    expect(runOf(['holdfast', '--run', 'abc-1'])).toBe('abc-1');
    expect(runOf(['holdfast', '--run=abc-1', '--other'])).toBe('abc-1');
    expect(runOf(['holdfast', '--run=office.abc-1'])).toBe('office.abc-1');
    for (const words of [
      [],
      ['--run'],
      ['--run='],
      ['--run', '../x'],
      ['--run=a.b.c'],
      ['--run=.a'],
      ['--runs', 'a'],
    ])
      expect(runOf(words), words.join(' ')).toBe('');
  });
});

describe('attention', () => {
  it('is asked for only while nobody looks, counted by run, and over when somebody does', () => {
    let watched = true;
    const badges: number[] = [];
    const notes: { title: string; body: string; click(): void }[] = [];
    const opened: string[] = [];
    const attentions = new Attentions({
      watched: () => watched,
      badge: (count) => badges.push(count),
      notify: (title, body, click) => notes.push({ title, body, click }),
      open: (id) => opened.push(id),
    });
    const event = { id: 'a', title: 'Clean up', what: 'waiting', detail: 'write_file asks to run' } as const;
    attentions.tell(event);
    expect([badges, notes]).toEqual([[], []]);
    watched = false;
    attentions.tell(event);
    attentions.tell({ ...event, what: 'failed', detail: '' });
    attentions.tell({ ...event, id: 'b', what: 'finished', detail: '' });
    expect(badges).toEqual([1, 1, 2]);
    expect(notes.map(({ title }) => title)).toEqual(['Waiting for you', 'Failed', 'Finished']);
    expect(notes[0]?.body).toBe('Clean up\nwrite_file asks to run');
    notes[2]?.click();
    expect(opened).toEqual(['b']);
    attentions.seen();
    expect(badges.at(-1)).toBe(0);
  });
});

describe('the menu', () => {
  it.each([true, false])('reaches every action of the window, on macOS: %s', (mac) => {
    const acted: MenuAction[] = [];
    const visit = (items: ReturnType<typeof menuTemplate>): void => {
      for (const item of items) {
        if (Array.isArray(item.submenu)) visit(item.submenu);
        (item.click as (() => void) | undefined)?.();
      }
    };
    visit(menuTemplate(mac, (action) => acted.push(action)));
    expect(acted.toSorted()).toEqual(events['app.menu'].shape.action.options.toSorted());
  });
  it('gives no accelerator twice', () => {
    for (const mac of [true, false]) {
      const keys = JSON.stringify(menuTemplate(mac, () => undefined)).match(/"accelerator":"[^"]+"/g) ?? [];
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});
