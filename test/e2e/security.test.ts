import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commands } from '../../src/shared/contract/contract';
import { goodInputs, hostileInputs } from '../support/handlers';
import { tryPolicy } from '../support/policy-attempts';
import { openSink } from '../support/sink';
import { makeHome, onEveryDoor, type Home, type Started } from './harness';
import { onOneStart } from './one-start';
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

/** What a hostile script would try in the name of the person, each with what came of it. */
async function everyTry(started: Started, id: string, stranger: string): Promise<Record<string, string>> {
  const { home, page } = started;
  await page.evaluate(HOSTILE_CLIENT);
  const results: Record<string, string> = {};
  const run = async (what: string, name: string, input: unknown) => {
    const asked = attack(started, name, input);
    // The person says no, where and when the question is put to them.
    const no = () => started.type('no');
    const saying =
      started.target === 'browser door' && name.startsWith('profiles.') ? setInterval(no, 150) : undefined;
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
    if (started.target === 'browser door' && folder === home.path) continue;
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
  const evil = { name: 'Evil', provider: 'openai', model: 'm', endpoint: `${stranger}/v1` };
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
    endpoint: `${stranger}/v1`,
    key_env: 'SOME_SECRET',
  });
  const options = { tools: true, thinking: true, redact: false, attachments: 'inline' };
  for (const folder of [
    '/',
    '/etc',
    join(home.path, '.ssh'),
    `${home.files}/../.ssh`,
    home.runs,
    home.config,
  ]) {
    await run(`export to ${folder.replace(home.path, '~')}`, 'export.start', {
      ids: [id],
      format: 'md',
      options,
      to: { folder, name: 'x' },
    });
  }
  await run('an export to a place that nobody chose', 'export.start', {
    ids: [id],
    format: 'md',
    options,
    to: { place: 'a'.repeat(24) },
  });
  await run('an export by a path', 'export.start', {
    ids: [id],
    format: 'md',
    options,
    to: { path: '/etc/x' },
  });
  await run('bytes for an import that nobody began', 'import.chunk', {
    job: 'a'.repeat(12),
    file: 0,
    offset: 0,
    data: 'YWJj',
  });
  await run('an import by a path', 'import.begin', { files: [{ path: '/etc/passwd', name: 'p', size: 1 }] });
  await run('a file of a job that is not there', 'moving.show', { job: '../../etc/passwd' });
  await run('a text beside a run, by a way out', 'run.kept', {
    id,
    name: '../../../../.ssh/id_ed25519',
    from: 0,
    limit: 99,
  });
  await run('a run that is a way out', 'run.items', { id: '../x', from: 0, limit: 1 });
  await run('a command that does not exist', 'shell.run', { command: 'id' });
  await run('a name that every object has', 'constructor', {});
  return results;
}

onOneStart('the page', (app, target) => {
  it('runs no text as code, loads nothing from elsewhere, and reports each try as a violation', async ({
    annotate,
  }) => {
    const { page } = app();
    const report = await tryPolicy(page, sink.url);
    expect(report.pwned).toBe(false);
    expect(report.refused.length).toBeGreaterThanOrEqual(28);
    expect(report.violations).toBeGreaterThanOrEqual(20);
    expect(sink.seen).toEqual([]);
    await annotate(
      `policy on the ${target}: ${report.refused.length} ways tried and refused, ${report.violations} violations, ${sink.seen.length} requests`,
      'figures',
    );
  });

  it('has no Node, no Electron, and only the one channel', async () => {
    const { page } = app();
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

  it('gets nothing accepted for any command with a hostile input, over the real channel', async ({
    annotate,
  }) => {
    const started = app();
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
    await annotate(
      `hostile inputs on the ${target}: ${cases.length} over ${covered} commands, ${codes.length} accepted`,
      'figures',
    );
  });
});

onEveryDoor('the page, beside a run that waits', (start, target) => {
  it('gives a hostile script inside it no effect that a person did not approve', async ({ annotate }) => {
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
    const results = await everyTry(started, id, sink.url);
    const drafted = await attack(started, 'draft.set', { key: '../../../out', text: 'x' });
    expect(drafted.ok).toBe(true);

    const accepted = Object.entries(results).filter(([, result]) => result === 'accepted');
    expect(accepted).toEqual([]);
    await annotate(
      `hostile script on the ${target}: ${Object.keys(results).length} tries, ${accepted.length} accepted`,
      'figures',
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
});

onEveryDoor(
  'the harness of the page',
  (start) => {
    it('catches a page without its policy', async () => {
      const { page } = await start();
      await page.route('**/*', async (route) => {
        // A form that goes through would take the page, and the report with it.
        if (route.request().url().endsWith('/form')) return route.fulfill({ status: 204 });
        const response = await route.fetch();
        const headers = { ...response.headers() };
        delete headers['content-security-policy'];
        await route.fulfill({ response, headers });
      });
      await page.reload();
      const report = await tryPolicy(page, sink.url);
      expect(report.pwned).toBe(true);
      expect(report.violations).toBe(0);
      expect(sink.seen.length).toBeGreaterThan(10);
    });

    it('catches a door that lets a page choose any folder', async () => {
      const started = await start({ home: guardedHome(), args: ['--folder', '/'] });
      await ready(started.page);
      await startChat(started, 'write out.txt: hello', { folder: started.home.files });
      await status(started.page, /Waiting for you/);
      const [file = ''] = readdirSync(started.home.runs).filter((name) => /^\w+\.json$/.test(name));
      const results = await everyTry(started, file.replace('.json', ''), sink.url);
      expect(results['run in /etc']).toBe('accepted');
      expect(results['look into /etc']).toBe('accepted');
    });
  },
  ['browser door'],
);
