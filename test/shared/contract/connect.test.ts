import { describe, expect, it } from 'vitest';
import { connect, reconnecting, type Client } from '../../../src/shared/contract/connect';
import type { Frame, Port } from '../../../src/shared/contract/frame';
import { memoryPair } from '../../../src/shared/contract/memory-port';
import { serve, type Served } from '../../../src/shared/contract/serve';
import { Failure } from '../../../src/shared/run/failure';
import { notingHandlers } from '../../support/handlers';
import { failureOf, until } from '../../support/wait';

const prefs = { theme: 'dark', zoom: 1 } as const;

describe('connect', () => {
  it('gives each call its own answer', async () => {
    const [main, window] = memoryPair();
    serve(notingHandlers({ 'draft.get': ({ key }) => ({ text: `draft of ${key}` }) }).handlers, main);
    const client = connect(window);
    const answers = await Promise.all(['a', 'b', 'c'].map((key) => client.call('draft.get', { key })));
    expect(answers.map((answer) => answer.text)).toEqual(['draft of a', 'draft of b', 'draft of c']);
  });

  it('rejects with a Failure that keeps code, sentences and data', async () => {
    const [main, window] = memoryPair();
    const info = { code: 'locked', message: 'm', kept: 'k', todo: 't', data: { seq: 4 } } as const;
    serve(
      notingHandlers({
        'run.pause': () => {
          throw new Failure(info);
        },
      }).handlers,
      main,
    );
    const failure = await failureOf(connect(window).call('run.pause', { id: 'a' }));
    expect(failure.toJSON()).toEqual(info);
  });

  it('rejects what is open with `disconnected` when the port closes, and everything after it', async () => {
    const [main, window] = memoryPair();
    serve(notingHandlers({ 'run.say': () => new Promise(() => undefined) }).handlers, main);
    const client = connect(window);
    const open = failureOf(client.call('run.say', { id: 'a', text: 'x' }));
    await Promise.resolve();
    main.close();
    expect((await open).code).toBe('disconnected');
    expect(client.status).toBe('closed');
    expect((await failureOf(client.call('prefs.get', {}))).code).toBe('disconnected');
  });

  it('refuses what is too large before it is sent', async () => {
    const [main, window] = memoryPair();
    const { handlers, calls } = notingHandlers();
    serve(handlers, main);
    const failure = await failureOf(
      connect(window).call('draft.set', { key: 'k', text: 'x'.repeat(9 * 1024 * 1024) }),
    );
    expect(failure.code).toBe('too_large');
    expect(calls).toEqual([]);
  });

  it('ignores frames that make no sense', async () => {
    const [main, window] = memoryPair();
    const client = connect(window);
    const heard: unknown[] = [];
    client.on('app.focus', (payload) => heard.push(payload));
    for (const frame of [
      null,
      1,
      {},
      { kind: 'reply', call: 99, ok: true },
      { kind: 'event', name: 'app.focus' },
    ]) {
      main.send(frame as unknown as Frame);
    }
    main.send({ kind: 'event', n: 1, name: 'app.focus', payload: { id: 'x' } });
    await until(() => heard.length > 0);
    expect(heard).toEqual([{ id: 'x' }]);
  });

  it('asks for everything again when an event is missing, and hears none twice', async () => {
    const [main, window] = memoryPair();
    const client = connect(window);
    const heard: number[] = [];
    let resyncs = 0;
    client.on('app.focus', ({ id }) => heard.push(Number(id)));
    client.onResync(() => resyncs++);
    for (const n of [1, 2, 2, 5, 4, 6]) {
      main.send({ kind: 'event', n, name: 'app.focus', payload: { id: String(n) } });
    }
    await until(() => heard.includes(6));
    expect(heard).toEqual([1, 2, 5, 6]);
    expect(resyncs).toBe(1);
  });

  it('keeps telling the other listeners when one throws', async () => {
    const [main, window] = memoryPair();
    const client = connect(window);
    const heard: string[] = [];
    const thrown = new Promise((resolve) => process.once('unhandledRejection', resolve));
    client.on('app.focus', () => {
      throw new Error('mine');
    });
    client.on('app.focus', ({ id }) => heard.push(id));
    main.send({ kind: 'event', n: 1, name: 'app.focus', payload: { id: 'x' } });
    await until(() => heard.length === 1);
    expect(await thrown).toMatchObject({ message: 'mine' });
  });
});

/** A line that can be cut and comes back when it is told to. */
function cuttable(answers: Parameters<typeof notingHandlers>[0]) {
  const { handlers, calls } = notingHandlers(answers);
  const lines: { main: Port; served: Served }[] = [];
  const timers: (() => void)[] = [];
  let reachable = true;
  const client: Client = reconnecting(
    async () => {
      if (!reachable) throw new Error('refused');
      const [main, window] = memoryPair();
      lines.push({ main, served: serve(handlers, main) });
      return window;
    },
    {
      schedule: (_, run) => {
        timers.push(run);
        return () => void timers.splice(timers.indexOf(run), 1);
      },
    },
  );
  return {
    client,
    calls,
    lines,
    cut: () => lines.at(-1)?.main.close(),
    block: (value: boolean) => (reachable = !value),
    tick: () => timers.splice(0).forEach((run) => run()),
    timers,
  };
}

describe('reconnecting', () => {
  it('makes calls wait for the first connection', async () => {
    const { client } = cuttable({ 'prefs.get': () => prefs });
    expect(client.status).toBe('lost');
    expect(await client.call('prefs.get', {})).toEqual(prefs);
    expect(client.status).toBe('open');
  });

  it('repeats lost questions on the next connection, and never repeats lost deeds', async () => {
    let answers = false;
    const hang = <T>(value: T) => (answers ? value : new Promise<T>(() => undefined));
    const line = cuttable({ 'prefs.get': () => hang(prefs), 'run.say': () => hang({ done: true }) });
    await until(() => line.client.status === 'open');
    const question = line.client.call('prefs.get', {});
    const deed = failureOf(line.client.call('run.say', { id: 'a', text: 'x' }));
    await until(() => line.calls.length === 2);
    answers = true;
    line.cut();
    expect((await deed).code).toBe('disconnected');
    expect(line.client.status).toBe('lost');
    await until(() => line.timers.length > 0);
    line.tick();
    expect(await question).toEqual(prefs);
    expect(line.calls.map((call) => call.name)).toEqual(['prefs.get', 'run.say', 'prefs.get']);
  });

  it('tells that everything must be asked again, once per new connection, and counts events anew', async () => {
    const line = cuttable({});
    await until(() => line.client.status === 'open');
    let resyncs = 0;
    const heard: string[] = [];
    line.client.onResync(() => resyncs++);
    line.client.on('app.focus', ({ id }) => heard.push(id));
    line.lines[0]?.served.emit('app.focus', { id: 'one' });
    await until(() => heard.length === 1);
    line.cut();
    await until(() => line.timers.length > 0);
    line.tick();
    await until(() => line.client.status === 'open');
    line.lines[1]?.served.emit('app.focus', { id: 'two' });
    await until(() => heard.length === 2);
    expect(heard).toEqual(['one', 'two']);
    expect(resyncs).toBe(1);
  });

  it('keeps trying while nobody answers, and stops when it is told that it may not come in', async () => {
    const line = cuttable({ 'prefs.get': () => prefs });
    await until(() => line.client.status === 'open');
    line.block(true);
    line.cut();
    for (let n = 0; n < 5; n++) {
      await until(() => line.timers.length > 0);
      line.tick();
    }
    const waiting = line.client.call('prefs.get', {});
    line.block(false);
    await until(() => line.timers.length > 0);
    line.tick();
    expect(await waiting).toEqual(prefs);

    const refused = reconnecting(() => Promise.reject(new Failure({ code: 'forbidden', message: 'no' })), {
      schedule: () => () => undefined,
    });
    await until(() => refused.status === 'closed');
    expect((await failureOf(refused.call('prefs.get', {}))).code).toBe('disconnected');
  });

  it('does not come back after it was closed', async () => {
    const line = cuttable({ 'run.say': () => new Promise(() => undefined) });
    await until(() => line.client.status === 'open');
    const deed = failureOf(line.client.call('run.say', { id: 'a', text: 'x' }));
    line.client.close();
    expect((await deed).code).toBe('disconnected');
    await new Promise((resolve) => setImmediate(resolve));
    expect(line.timers).toEqual([]);
    expect(line.client.status).toBe('closed');
  });
});
