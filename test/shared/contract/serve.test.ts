import { describe, expect, it } from 'vitest';
import { z } from '../../../src/shared/zod';
import { commands, type CommandName } from '../../../src/shared/contract/contract';
import type { Frame, Port } from '../../../src/shared/contract/frame';
import { memoryPair } from '../../../src/shared/contract/memory-port';
import { CALLS_AT_ONCE, serve, type Peer } from '../../../src/shared/contract/serve';
import { Failure } from '../../../src/shared/run/failure';
import { goodInputs, hostileInputs, notingHandlers } from '../../support/handlers';
import { until } from '../../support/wait';

type Reply = Extract<Frame, { kind: 'reply' }>;
const names = Object.keys(commands) as CommandName[];

function wired(answers: Parameters<typeof notingHandlers>[0] = {}) {
  const [main, window] = memoryPair();
  const { handlers, calls } = notingHandlers(answers);
  const bugs: unknown[] = [];
  const served = serve(handlers, main, { onBug: (error) => bugs.push(error) });
  const got: Frame[] = [];
  window.onFrame((frame) => got.push(frame as Frame));
  const replies = () => got.filter((frame): frame is Reply => frame.kind === 'reply');
  let sent = 0;
  const raw = async (frame: unknown): Promise<Reply> => {
    sent = replies().length + 1;
    window.send(frame as Frame);
    await until(() => replies().length >= sent);
    return replies()[sent - 1] as Reply;
  };
  return { served, window, calls, bugs, got, replies, raw };
}
const call = (number: number, name: string, input: unknown): Frame => ({
  kind: 'call',
  call: number,
  name,
  input,
});
const code = (reply: Reply) => (reply.ok ? 'accepted' : reply.failure.code);

describe('serve', () => {
  it('has a good input for every command, and lets it through', async () => {
    const { raw, calls } = wired();
    let number = 0;
    for (const name of names) await raw(call(++number, name, goodInputs[name]));
    expect(calls.map((each) => each.name)).toEqual(names);
  });

  it('lets no hostile input of any command through: 100% of the table', async ({ annotate }) => {
    const { raw, calls, bugs } = wired();
    let tried = 0;
    const accepted: string[] = [];
    const covered = new Set<string>();
    for (const name of names) {
      for (const [what, input] of hostileInputs(goodInputs[name])) {
        const reply = await raw(call(++tried, name, input));
        covered.add(name);
        if (code(reply) !== 'bad_request') accepted.push(`${name}: ${what} (${code(reply)})`);
      }
    }
    expect(accepted).toEqual([]);
    expect(calls).toEqual([]);
    expect(bugs).toEqual([]);
    expect(covered.size / names.length).toBe(1);
    await annotate(
      `hostile inputs: ${tried} over ${covered.size} of ${names.length} commands, ${calls.length} accepted`,
      'figures',
    );
  });

  it('would be caught if a schema of its table were open to more', () => {
    // The mutant: each command's input without its strictness. Every one of them must let a hostile input through.
    const blind = names.filter((name) => {
      const open = z.object(commands[name].input.shape as z.ZodRawShape);
      return !hostileInputs(goodInputs[name]).some(([, input]) => open.safeParse(input).success);
    });
    expect(blind).toEqual([]);
  });

  it('knows only the names of the table, not those that every object has', async () => {
    const { raw, calls } = wired();
    let number = 0;
    for (const name of [
      'constructor',
      '__proto__',
      'toString',
      'hasOwnProperty',
      'valueOf',
      '',
      'run',
      'app.hello ',
    ]) {
      expect(code(await raw(call(++number, name, {})))).toBe('unknown_command');
    }
    expect(calls).toEqual([]);
  });

  it('answers whatever is no call with call 0, and goes on', async () => {
    const { raw, calls } = wired({ 'prefs.get': () => ({ theme: 'dark', zoom: 1 }) });
    const odd: unknown[] = [
      null,
      1,
      'call',
      [],
      {},
      { kind: 'call' },
      { kind: 'call', call: 0, name: 'prefs.get', input: {} },
      { kind: 'call', call: -1, name: 'prefs.get', input: {} },
      { kind: 'call', call: 1.5, name: 'prefs.get', input: {} },
      { kind: 'call', call: '1', name: 'prefs.get', input: {} },
      { kind: 'call', call: 2 ** 60, name: 'prefs.get', input: {} },
      { kind: 'call', call: 1, name: ['prefs.get'], input: {} },
      { kind: 'call', call: 1, name: 'prefs.get', input: {}, more: 1 },
      { kind: 'reply', call: 1, ok: true, output: {} },
      { kind: 'event', n: 1, name: 'app.notice', payload: {} },
    ];
    for (const frame of odd) {
      const reply = await raw(frame);
      expect([reply.call, code(reply)]).toEqual([0, 'bad_request']);
    }
    expect(calls).toEqual([]);
    expect(await raw(call(7, 'prefs.get', {}))).toMatchObject({ call: 7, ok: true });
  });

  it('tells nothing of an error that is nobody’s Failure: no text, no stack, no path', async () => {
    const secret = 'secret at /home/me/x.ts';
    const { raw, bugs } = wired({
      'prefs.get': () => {
        throw new Error(secret);
      },
      'folder.recent': () => Promise.reject(secret),
      'folder.sample': () => {
        throw new Failure({ code: 'internal', message: secret });
      },
    });
    for (const [n, name] of ['prefs.get', 'folder.recent', 'folder.sample'].entries()) {
      const reply = await raw(call(n + 1, name, {}));
      expect(code(reply)).toBe('internal');
      expect(JSON.stringify(reply)).not.toContain('secret');
      expect(JSON.stringify(reply)).not.toContain('/home');
    }
    expect(bugs.length).toBe(3);
  });

  it('passes a Failure with its code, sentences and data, but not its cause', async () => {
    const { raw, bugs } = wired({
      'run.say': () => {
        throw new Failure(
          { code: 'locked', message: 'Busy.', kept: 'All.', todo: 'Wait.', data: { line: 3 } },
          { cause: new Error('inner') },
        );
      },
    });
    expect(await raw(call(1, 'run.say', { id: 'a', text: 'x' }))).toEqual({
      kind: 'reply',
      call: 1,
      ok: false,
      failure: { code: 'locked', message: 'Busy.', kept: 'All.', todo: 'Wait.', data: { line: 3 } },
    });
    expect(bugs).toEqual([]);
  });

  it('sends nothing that the table does not describe', async () => {
    const { raw, bugs } = wired({
      'prefs.get': () => ({ theme: 'dark', zoom: 1, apiKey: 'sk-1' }) as never,
      'folder.recent': () => ({ folders: 'none' }) as never,
    });
    expect(await raw(call(1, 'prefs.get', {}))).toMatchObject({ output: { theme: 'dark', zoom: 1 } });
    expect(JSON.stringify(await raw(call(2, 'prefs.get', {})))).not.toContain('sk-1');
    expect(code(await raw(call(3, 'folder.recent', {})))).toBe('internal');
    expect(bugs.length).toBe(1);
  });

  it('says too_large instead of nothing when an answer does not fit a frame', async () => {
    const { raw } = wired({ 'draft.get': () => ({ text: 'x'.repeat(9 * 1024 * 1024) }) });
    expect(code(await raw(call(1, 'draft.get', { key: 'k' })))).toBe('too_large');
  });

  it('answers each call exactly once, also when answers come in another order', async () => {
    const gates: (() => void)[] = [];
    const { window, replies } = wired({
      'prefs.get': () => new Promise((resolve) => gates.push(() => resolve({ theme: 'dark', zoom: 1 }))),
    });
    for (const n of [1, 2, 3]) window.send(call(n, 'prefs.get', {}));
    await until(() => gates.length === 3);
    window.send(call(2, 'prefs.get', {}));
    await until(() => replies().length === 1);
    expect(replies()[0]).toMatchObject({ call: 0, ok: false });
    gates.reverse().forEach((open) => open());
    await until(() => replies().length === 4);
    expect(
      replies()
        .slice(1)
        .map((reply) => reply.call),
    ).toEqual([3, 2, 1]);
  });

  it('refuses more than it can do at once as busy, and takes more when it is done', async () => {
    const gates: (() => void)[] = [];
    const { window, replies, raw } = wired({
      'prefs.get': () => new Promise((resolve) => gates.push(() => resolve({ theme: 'dark', zoom: 1 }))),
    });
    for (let n = 1; n <= CALLS_AT_ONCE + 1; n++) window.send(call(n, 'prefs.get', {}));
    await until(() => replies().length === 1);
    expect(code(replies()[0] as Reply)).toBe('busy');
    gates.forEach((open) => open());
    await until(() => replies().length === CALLS_AT_ONCE + 1);
    void raw(call(9_999, 'prefs.get', {}));
    await until(() => gates.length === CALLS_AT_ONCE + 1);
  });

  it('numbers events from 1 and leaves out what the table does not describe', async () => {
    const { served, got, bugs } = wired();
    served.emit('app.focus', { id: 'a' });
    served.emit('app.notice', { tone: 'loud', text: 'x' } as never);
    served.emit('app.focus', { id: 'b', secret: 1 } as never);
    await until(() => got.length === 2);
    expect(got).toEqual([
      { kind: 'event', n: 1, name: 'app.focus', payload: { id: 'a' } },
      { kind: 'event', n: 2, name: 'app.focus', payload: { id: 'b' } },
    ]);
    expect(bugs.length).toBe(1);
  });

  it('survives a window that leaves in the middle of a call', async () => {
    let peer: Peer | undefined;
    let open: () => void = () => undefined;
    const { window, bugs } = wired({
      'prefs.get': (_, who) => {
        peer = who;
        return new Promise((resolve) => (open = () => resolve({ theme: 'dark', zoom: 1 })));
      },
    });
    window.send(call(1, 'prefs.get', {}));
    await until(() => peer !== undefined);
    let gone = false;
    peer?.onClose(() => (gone = true));
    window.close();
    await until(() => gone);
    open();
    peer?.emit('app.focus', { id: '' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(bugs).toEqual([]);
  });

  it('never throws into the port, whatever it is given', () => {
    const listeners: ((frame: unknown) => void)[] = [];
    const port: Port = {
      send: () => false,
      onFrame: (listener) => void listeners.push(listener),
      onClose: () => undefined,
      close: () => undefined,
    };
    serve(notingHandlers().handlers, port);
    const trap = new Proxy({}, { ownKeys: () => [] });
    for (const frame of [undefined, null, Symbol('x'), trap, () => 1, new Map(), new Date()]) {
      expect(() => listeners[0]?.(frame)).not.toThrow();
    }
  });
});
