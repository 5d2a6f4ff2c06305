import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connect, reconnecting } from '../../../src/shared/contract/connect';
import { follow, type RunView } from '../../../src/shared/contract/follow';
import { memoryPair } from '../../../src/shared/contract/memory-port';
import { serve, type Peer } from '../../../src/shared/contract/serve';
import type { RunChange, RunHead } from '../../../src/shared/contract/views';
import { Failure } from '../../../src/shared/run/failure';
import { notingHandlers } from '../../support/handlers';
import { sampled } from '../../support/prerequisites';
import { until } from '../../support/wait';

const counters = {
  llm_calls: 0,
  tool_calls: 0,
  remote_tool_calls: 0,
  in_tokens: 0,
  out_tokens: 0,
  cache_read_tokens: 0,
  cache_create_tokens: 0,
};
const head = (lastSeq: number): RunHead => ({
  row: {
    id: 'a',
    title: 't',
    renamed: false,
    status: 'running',
    detail: '',
    store: 's',
    updated: '2026-01-01T00:00:00Z',
    pinned: false,
    tags: [],
    private: false,
    elsewhere: false,
  },
  mode: 'live',
  chat: true,
  pausing: false,
  queued: [],
  steps: { used: 0, cap: 0 },
  lastStep: 0,
  budget: { used: 0, cap: 0 },
  counters,
  lastSeq,
  items: lastSeq,
  durability: 'disk',
  bytes: 0,
  warnings: [],
});
const item = (seq: number): RunChange => ({
  type: 'items',
  seq,
  total: seq,
  items: [{ kind: 'prompt', key: `${seq}.0`, seq, text: `item ${seq}` }],
});

/** The other end: a run that grows, and that is told about with losses, repeats and bad timing. */
class Run {
  seq = 1;
  text = '';
  peer: Peer | undefined;
  watches = 0;
  view(): RunView {
    return {
      head: head(this.seq),
      ...(this.text && { stream: { iteration: this.seq, text: this.text, thinking: '' } }),
    };
  }
  send(after: number, change: RunChange) {
    this.peer?.emit('run.change', { id: 'a', after, change });
  }
  grow(tell = true) {
    this.seq += 1;
    this.text = '';
    if (tell) this.send(this.seq - 1, item(this.seq));
  }
  stream(piece: string, tell = true) {
    const from = this.text.length;
    this.text += piece;
    if (tell) this.send(this.seq, { type: 'stream', part: 'text', iteration: this.seq, from, text: piece });
  }
}

/** What a window would hold. */
class Held {
  seq = 0;
  text = '';
  snapshots = 0;
  failures: string[] = [];
  sink = {
    snapshot: (view: RunView) => {
      this.snapshots++;
      this.seq = view.head.lastSeq;
      this.text = view.stream?.text ?? '';
    },
    change: (change: RunChange) => {
      if (change.type === 'items') {
        expect(change.seq).toBe(this.seq + 1);
        this.seq = change.seq;
        this.text = '';
      }
      if (change.type === 'stream') {
        expect(change.from).toBeLessThanOrEqual(this.text.length);
        this.text = this.text.slice(0, change.from) + change.text;
      }
    },
    failed: (failure: Failure) => void this.failures.push(failure.code),
  };
}

function watched(run: Run, answers: Parameters<typeof notingHandlers>[0] = {}) {
  const [main, window] = memoryPair();
  serve(
    notingHandlers({
      'run.watch': (_, peer) => {
        run.peer = peer;
        run.watches++;
        return run.view();
      },
      ...answers,
    }).handlers,
    main,
  );
  const held = new Held();
  const client = connect(window);
  return { client, held, stop: follow(client, 'a', held.sink) };
}

describe('follow', () => {
  it('gives the snapshot and then each change once', async () => {
    const run = new Run();
    const { held } = watched(run);
    await until(() => held.snapshots === 1);
    for (let n = 0; n < 5; n++) run.grow();
    run.stream('Hello ');
    run.stream('you');
    await until(() => held.text === 'Hello you');
    expect([held.seq, held.snapshots]).toEqual([6, 1]);
  });

  it('ignores a seq it has seen, and asks again when one is missing', async () => {
    const run = new Run();
    const { held } = watched(run);
    await until(() => held.snapshots === 1);
    run.grow();
    run.send(1, item(2));
    run.send(0, item(1));
    run.grow();
    await until(() => held.seq === 3);
    expect(held.snapshots).toBe(1);
    run.grow(false);
    run.grow();
    await until(() => held.snapshots === 2);
    expect(held.seq).toBe(5);
  });

  it('asks again when a piece of the streamed text is missing', async () => {
    const run = new Run();
    const { held } = watched(run);
    await until(() => held.snapshots === 1);
    run.stream('one ');
    run.stream('two ', false);
    run.stream('three');
    await until(() => held.text === 'one two three');
    expect(held.snapshots).toBe(2);
  });

  it('keeps changes that overtake the snapshot', async () => {
    const run = new Run();
    let open: () => void = () => undefined;
    const { held } = watched(run, {
      'run.watch': (_, peer) => {
        run.peer = peer;
        const view = run.view();
        return new Promise((resolve) => (open = () => resolve(view)));
      },
    });
    await until(() => run.peer !== undefined);
    run.grow();
    run.grow();
    open();
    await until(() => held.seq === 3);
    expect(held.snapshots).toBe(1);
  });

  it('says why a run cannot be watched', async () => {
    const { held } = watched(new Run(), {
      'run.watch': () => {
        throw new Failure({ code: 'not_found', message: 'gone' });
      },
    });
    await until(() => held.failures.length === 1);
    expect(held.failures).toEqual(['not_found']);
  });

  it('watches again after a lost connection, without a loss', async () => {
    const run = new Run();
    const mains: { close(): void }[] = [];
    const handlers = notingHandlers({
      'run.watch': (_, peer) => {
        run.peer = peer;
        return run.view();
      },
    }).handlers;
    const client = reconnecting(
      async () => {
        const [main, window] = memoryPair();
        mains.push(main);
        serve(handlers, main);
        return window;
      },
      { schedule: (_, again) => (queueMicrotask(again), () => undefined) },
    );
    const held = new Held();
    follow(client, 'a', held.sink);
    await until(() => held.snapshots === 1);
    run.grow();
    mains.at(-1)?.close();
    run.grow();
    run.stream('while you were away');
    await until(() => held.snapshots === 2);
    run.stream(', and now');
    await until(() => held.text === 'while you were away, and now');
    expect(held.seq).toBe(3);
  });

  it('tells nothing after it was stopped', async () => {
    const run = new Run();
    const { held, stop, client } = watched(run, { 'prefs.get': () => ({ theme: 'dark', zoom: 1 }) });
    await until(() => held.snapshots === 1);
    stop();
    stop();
    run.grow();
    await client.call('prefs.get', {});
    expect(held.seq).toBe(1);
  });

  it('always ends with what is true, whatever is lost, doubled or late', async () => {
    const step = fc.constantFrom('grow', 'grow-lost', 'stream', 'stream-lost', 'double', 'old', 'pause');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = new Run();
        const { held, client, stop } = watched(run);
        for (const what of steps) {
          if (what === 'grow') run.grow();
          if (what === 'grow-lost') run.grow(false);
          if (what === 'stream') run.stream('abc');
          if (what === 'stream-lost') run.stream('xyz', false);
          if (what === 'double') run.send(run.seq - 1, item(run.seq));
          if (what === 'old') run.send(Math.max(0, run.seq - 3), item(Math.max(1, run.seq - 2)));
          if (what === 'pause') await Promise.resolve();
        }
        await until(() => held.snapshots > 0);
        // The next change always tells whether something is missing.
        run.grow();
        run.stream('end');
        await until(() => held.seq === run.seq && held.text === run.text, 2_000);
        stop();
        client.close();
      }),
      { numRuns: sampled(150, 5_000) },
    );
  });
});
