import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../src/shared/contract/contract';
import { built } from '../support/prerequisites';
import { goodInputs } from '../support/handlers';
import { HOSTILE_LINKS } from '../support/hostile-links';
import { onEveryDoor, type Home, type Started } from './harness';
import { onOneStart } from './one-start';
import { openRow, ready, startChat, status, toolRuns, until } from './steps';

type Recorded = { what: string; args: unknown[] };
const records = async (started: Started, what: string) =>
  ((await started.system('records')) as Recorded[])
    .filter((each) => each.what === what)
    .map((each) => each.args[0]);
const journal = (home: Home) => {
  const [name = ''] = readdirSync(home.runs).filter((file) => /^\w+\.json$/.test(file));
  return {
    id: name.replace('.json', ''),
    lines: readFileSync(join(home.runs, name), 'utf8').trimEnd().split('\n'),
  };
};
/** Sends a command as the page itself would, and gives the answer. */
const call = (started: Started, name: string, input: unknown) =>
  started.page.evaluate(
    ([command, value]) =>
      new Promise<{ ok: boolean; output?: unknown; failure?: { code: string } }>((resolve) => {
        const bridge = Reflect.get(window, 'holdfast') as {
          send(text: string): void;
          onFrame(listener: (text: string) => void): void;
        };
        const number = 5_000_000 + Math.floor(Math.random() * 1e6);
        bridge.onFrame((text) => {
          const frame = JSON.parse(text) as { call?: number; ok: boolean };
          if (frame.call === number) resolve(frame);
        });
        bridge.send(JSON.stringify({ kind: 'call', call: number, name: command, input: value }));
      }),
    [name, input] as const,
  );

onOneStart(
  'the Electron shell, as it is built',
  (app) => {
    it('sandboxes everything before it is ready, and makes its window with nothing but the preload', async () => {
      const started = app();
      expect(await started.system('sandboxed')).toBe(true);
      expect(await started.system('preferences')).toEqual({
        preload: built('preload/index.cjs'),
        spellcheck: false,
      });
      expect(await started.system('privileged')).toEqual([
        { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
      ]);
      const source = readFileSync(built('main/index.js') ?? '', 'utf8');
      for (const word of [
        'webSecurity',
        'allowRunningInsecureContent',
        'experimentalFeatures',
        'enableBlinkFeatures',
        'nodeIntegration',
        'contextIsolation:',
        'webviewTag',
        'bypassCSP',
        'ELECTRON_RENDERER_URL',
      ]) {
        expect(source, word).not.toContain(word);
      }
      expect(source.match(/new BrowserWindow\(/g)?.length).toBe(1);
      expect(source.match(/openExternal\(/g)?.length).toBe(1);
    });

    it('denies every permission but copying text from its own page, every device, screen, download and guest', async () => {
      const started = app();
      const names = [
        'media',
        'geolocation',
        'notifications',
        'midi',
        'midiSysex',
        'pointerLock',
        'fullscreen',
        'openExternal',
        'clipboard-read',
        'clipboard-sanitized-write',
        'display-capture',
        'mediaKeySystem',
        'idle-detection',
        'window-management',
        'speaker-selection',
        'storage-access',
        'top-level-storage-access',
        'fileSystem',
        'hid',
        'serial',
        'usb',
        'keyboardLock',
        'unknown',
        'deprecated-sync-clipboard-read',
        'local-fonts',
      ];
      type Verdict = { name: string; request: boolean; check: boolean };
      const own = (await started.system('permissions', {
        names,
        url: 'app://bundle/index.html',
      })) as Verdict[];
      expect(own.filter(({ request, check }) => request || check)).toEqual([
        { name: 'clipboard-sanitized-write', request: true, check: true },
      ]);
      for (const url of ['https://evil.example/', 'app://bundle.evil/', '']) {
        const foreign = (await started.system('permissions', { names, url })) as Verdict[];
        expect(
          foreign.filter(({ request, check }) => request || check),
          url,
        ).toEqual([]);
      }
      expect(await started.system('devices')).toBe(false);
      expect(await started.system('displayMedia')).toEqual({});
      expect(await started.system('download')).toBe(true);
      for (const [url, type, denied] of [
        ['blob:app://bundle/5b2f', 'text/plain', false],
        ['blob:app://bundle/5b2f', 'text/html', true],
        ['blob:https://example.com/5b2f', 'text/plain', true],
        ['blob:app://bundle.example.com/5b2f', 'text/plain', true],
        ['app://bundle/index.html', 'text/plain', true],
      ])
        expect([url, type, await started.system('download', { url, type })]).toEqual([url, type, denied]);
      expect(await started.system('webview')).toBe(true);
      const urls = [
        'app://bundle/index.html',
        'app://bundle/assets/x.js',
        'data:image/png;base64,',
        'devtools://devtools/x',
        'https://example.org/',
        'http://127.0.0.1:1/',
        'ws://127.0.0.1:1/',
        'wss://example.org/',
        'file:///etc/passwd',
        'app://evil/index.html',
        'app://bundle.evil/',
        'blob:https://evil.example/1',
        'ftp://example.org/',
        'chrome://settings',
      ];
      expect(await started.system('mayLoad', { urls })).toEqual(urls.map((_, index) => index < 4));
    });

    it('serves its own files and nothing else under its scheme, with the policy on everything', async () => {
      const started = app();
      type Answer = { status: number; headers: Record<string, string>; text: string };
      const page = (await started.system('fetch', { url: 'app://bundle/' })) as Answer;
      expect(page.status).toBe(200);
      expect(page.headers['content-security-policy']).toContain("connect-src 'none'");
      for (const url of [
        'app://bundle/../main/index.js',
        'app://bundle/..%2fmain%2findex.js',
        'app://bundle/%2e%2e/%2e%2e/package.json',
        'app://bundle/..%5c..%5cpackage.json',
        'app://bundle//etc/passwd',
        'app://bundle/index.html%00.js',
        'app://evil/index.html',
      ]) {
        const answer = (await started.system('fetch', { url })) as Answer;
        expect([url, answer.status, answer.text]).toEqual([url, 404, '']);
        expect(answer.headers['content-security-policy']).toBeDefined();
      }
    });

    it('reaches the window from its native menu', async () => {
      const started = app();
      expect(await started.system('menu', { label: 'Command palette' })).toBe(true);
      await started.page.getByRole('dialog').waitFor();
      await started.page.keyboard.press('Escape');
      await started.system('menu', { label: 'Keyboard shortcuts' });
      await started.page.getByRole('dialog').waitFor();
      const shape = JSON.stringify(await started.system('menuShape'));
      for (const role of ['quit', 'undo', 'copy', 'paste', 'togglefullscreen', 'windowMenu'])
        expect(shape).toContain(role);
    });

    it('stays on its page and in its one window, whatever the page tries', async () => {
      const started = app();
      const { page } = started;
      const url = page.url();
      const tries: (() => void)[] = [
        () => void (location.href = 'https://evil.example/'),
        () => location.assign('https://evil.example/'),
        () => location.replace('data:text/html,x'),
        () => void (location.href = 'file:///etc/passwd'),
        () => void (location.href = '/other.html'),
        () => void window.open('https://evil.example/'),
        () => void window.open('about:blank'),
        () => void window.open(location.href, 'named', 'popup'),
        () => {
          for (const target of ['_self', '_blank', '_top', 'x']) {
            const link = document.createElement('a');
            link.href = 'https://evil.example/';
            link.target = target;
            document.body.append(link);
            link.click();
            link.dispatchEvent(new MouseEvent('click', { button: 1, ctrlKey: true, bubbles: true }));
          }
        },
        () => {
          const meta = document.createElement('meta');
          meta.httpEquiv = 'refresh';
          meta.content = '0;url=https://evil.example/';
          document.head.append(meta);
        },
        () => {
          const form = document.createElement('form');
          form.action = 'https://evil.example/';
          document.body.append(form);
          form.submit();
        },
        () => {
          const frame = document.createElement('iframe');
          frame.src = 'https://evil.example/';
          document.body.append(frame);
        },
        () => void document.body.append(document.createElement('webview')),
      ];
      for (const attempt of tries) {
        await page.evaluate(attempt).catch(() => undefined);
        await page.waitForTimeout(150);
        expect(page.url(), attempt.toString()).toBe(url);
      }
      await until(() => page.context().pages().length).toBe(1);
      expect(await started.system('windows')).toBe(1);
      expect(await page.evaluate(() => document.querySelector('[data-composer]') !== null)).toBe(true);
      expect(await records(started, 'openExternal')).toEqual([]);
    });

    it('hears no foreign, missing or detached frame, and no other channel: every command, 0 accepted', async ({
      annotate,
    }) => {
      const started = app();
      expect(await started.system('ipcChannels')).toEqual(['holdfast:open', 'holdfast:frame']);
      const ours = { url: 'app://bundle/index.html', origin: 'app://bundle', parent: null, detached: false };
      const senders: Record<string, object> = {
        'null frame': { frame: null },
        'foreign page': { frame: { ...ours, url: 'https://evil.example/' } },
        'child frame': { frame: { ...ours, parent: { url: ours.url } } },
        'detached frame': { frame: { ...ours, detached: true } },
        'other window': { frame: ours, foreignWindow: true },
      };
      const page = await started.system('pageName');
      expect(page).toMatch(/^\d+-0\.\d+$/);
      let tried = 0;
      for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
        const input =
          name === 'run.start'
            ? { prompt: 'say hacked', chat: true, private: false, profile: 'Practice' }
            : goodInputs[name];
        for (const sender of Object.values(senders)) {
          const text = JSON.stringify({ kind: 'call', call: 900_000 + tried, name, input });
          // Even one who knew the name of the page would not be heard.
          await started.system('ipc', { channel: 'holdfast:frame', args: [page, text], ...sender });
          await started.system('ipc', { channel: 'holdfast:open', args: ['mine'], ...sender });
          tried += 2;
        }
      }
      // Had one of them been heard, this would be the answer to the second of two.
      const list = await call(started, 'library.page', { offset: 0, limit: 10 });
      expect(list).toMatchObject({ ok: true, output: { all: 0 } });
      expect(await records(started, 'sentToForeign')).toEqual([]);
      expect(await records(started, 'openExternal')).toEqual([]);
      await annotate(`built main process: ${tried} foreign messages, 0 accepted`, 'figures');
    });

    it('opens a link only after the person saw its host and clicked, and never a hostile one', async ({
      annotate,
    }) => {
      const started = app();
      const url = 'https://example.org/a?b=c#d';
      expect(await call(started, 'link.open', { url })).toMatchObject({ ok: true, output: { done: false } });
      expect(await records(started, 'openExternal')).toEqual([]);
      await started.system('answer', { kind: 'messageBox', value: 1 });
      expect(await call(started, 'link.open', { url })).toMatchObject({ ok: true, output: { done: true } });
      expect(await records(started, 'openExternal')).toEqual([url]);
      const asked = (await records(started, 'messageBox')) as {
        message: string;
        detail: string;
        defaultId: number;
      }[];
      expect(asked[0]).toMatchObject({
        message: 'Open example.org in your browser?',
        detail: url,
        defaultId: 0,
        cancelId: 0,
      });
      await started.system('answer', { kind: 'messageBox', value: HOSTILE_LINKS.map(() => 1) });
      for (const hostile of HOSTILE_LINKS) {
        const answer = await call(started, 'link.open', { url: hostile });
        expect(['forbidden', hostile.length > 4096 ? 'bad_request' : 'forbidden']).toContain(
          answer.failure?.code,
        );
      }
      expect(await records(started, 'openExternal')).toEqual([url]);
      await annotate(`opener: ${HOSTILE_LINKS.length} hostile addresses, 0 opened`, 'figures');
    });
  },
  ['stand-in'],
);

onEveryDoor(
  'the Electron shell, from its start to its end',
  (start) => {
    it('names the runs that will pause when it is quit, stays when asked to, and pauses them when not', async () => {
      const started = await start();
      await ready(started.page);
      await startChat(started, 'wait 60', { folder: started.home.files });
      await toolRuns(started.page, 'wait');
      await started.system('answer', { kind: 'messageBox', value: 0 });
      await started.system('closeWindow');
      await until(async () => (await records(started, 'messageBox')).length).toBe(1);
      expect((await records(started, 'messageBox'))[0]).toMatchObject({
        message: 'One run will pause.',
        buttons: ['Keep working', 'Pause and quit'],
      });
      expect(((await records(started, 'messageBox'))[0] as { detail: string }).detail).toContain('wait 60');
      await toolRuns(started.page, 'wait');
      await started.system('answer', { kind: 'messageBox', value: 1 });
      await started.system('menu', { label: 'quit' }).catch(() => undefined);
      await until(() => journal(started.home).lines.at(-1)).toContain('suspended');
      await until(() => isAlive(started.pid)).toBe(false);
    });

    it('pauses what runs and ends without a question on a signal', async () => {
      const started = await start();
      await ready(started.page);
      await startChat(started, 'wait 60', { folder: started.home.files });
      await toolRuns(started.page, 'wait');
      await started.stop();
      expect(journal(started.home).lines.at(-1)).toContain('suspended');
    });

    it('comes back where it was, in size and place, however it ended, and also without what it kept of that', async () => {
      const started = await start();
      await ready(started.page);
      const kept = join(started.home.state, 'window', 'window.json');
      const place = { x: 200, y: 120, width: 1000, height: 700 };
      await started.system('bounds', place);
      await started.system('quit').catch(() => undefined);
      await until(() => isAlive(started.pid)).toBe(false);
      expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({ ...place, maximized: false });
      await started.kill();
      const again = await started.restart();
      expect((await records(again, 'window'))[0]).toMatchObject(place);
      const other = { x: 100, y: 60, width: 900, height: 640 };
      await again.system('bounds', other);
      await again.stop();
      expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({ ...other, maximized: false });
      writeFileSync(kept, 'broken');
      await ready((await again.restart()).page);
    });

    it('tells of a run that waits while nobody looks: badge, notification, and a click that leads there', async () => {
      const started = await start();
      const { page, home } = started;
      await ready(page);
      await startChat(started, 'write out.txt: hello', { folder: home.files });
      await status(page, /Waiting for you/);
      expect(await records(started, 'notification')).toEqual([]);
      await started.system('look', { focused: false });
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await startChat(started, 'slowly write two.txt: hello', { folder: home.files });
      await until(async () => (await records(started, 'notification')).length).toBe(1);
      expect((await records(started, 'notification'))[0]).toMatchObject({ title: 'Waiting for you' });
      expect((await records(started, 'badge')).at(-1)).toBe(1);
      await openRow(page, /^write out/);
      await started.system('clickNotification', { index: 0 });
      await page.locator('main header h1').getByText('slowly write two.txt').waitFor();
      expect((await records(started, 'badge')).at(-1)).toBe(0);
    });

    it('loads its page again when it died, and goes on with the run that was under way', async () => {
      const started = await start();
      const { page } = started;
      await ready(page);
      await startChat(started, 'slowly long 300');
      await status(page, 'Running');
      const loaded = page.waitForEvent('load');
      await started.system('crash');
      await loaded;
      await ready(page);
      await openRow(page, 'slowly long 300');
      await status(page, 'Running');
    });
  },
  ['stand-in'],
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
