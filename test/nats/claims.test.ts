import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeRecord } from '../../src/shared/run/codec';
import type { SidecarEntry } from '../../src/shared/run/sidecar';
import { natsStore } from '../../src/main/journal/jetstream';
import { hasTailFence } from '../../src/main/journal/jetstream/server';
import type { Journal, RunStore } from '../../src/main/journal/journal';
import { callRecord, metaRecord, resultRecord, userRecord } from '../support/journal-records';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { sampled } from '../support/prerequisites';
import { failureOf } from '../support/wait';

const ROUNDS = sampled(15, 200);

type Answer = { open?: true; done?: string; dead?: string; failed?: string; reason?: string };

/** A writer in another process. */
class Holder {
  readonly #answers: Answer[] = [];
  #wake = (): void => undefined;

  private constructor(readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      this.#answers.push(JSON.parse(line) as Answer);
      this.#wake();
    });
  }

  static start(url: string, id: string): Holder {
    const script = join(import.meta.dirname, '..', 'support', 'nats-holder.ts');
    return new Holder(
      spawn(process.execPath, ['--import', 'tsx', script, url, id], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
  }

  /** The next answer that is not about a death, unless one is asked for. */
  async next(dead = false): Promise<Answer> {
    for (;;) {
      const at = this.#answers.findIndex((answer) => (answer.dead !== undefined) === dead);
      if (at >= 0) return this.#answers.splice(at, 1)[0]!;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  ask(what: string, tool?: string): Promise<Answer> {
    this.child.stdin!.write(`${JSON.stringify({ what, tool })}\n`);
    return this.next();
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await gone;
  }
}

const intent = (tool: string): SidecarEntry => ({
  kind: 'intent',
  at: '2026-07-20T09:08:07Z',
  tool_use_id: tool,
  tool: 'append_file',
  input_sha256: 'c'.repeat(64),
  changes: true,
});

describe.each(everyNatsServer())('Claims on nats-server $version', (kind) => {
  let server: NatsServer;
  let url: string;
  let store: RunStore;
  const holders: Holder[] = [];
  beforeAll(async () => {
    server = await NatsServer.start(kind);
    url = await server.addStream('RUNS');
    store = await natsStore(url);
  });
  afterEach(async () => {
    for (const holder of holders.splice(0)) {
      holder.child.kill('SIGCONT');
      await holder.end();
    }
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  /** A run that waits for two state-changing tools, and a process that has it open. */
  async function held(id: string): Promise<Holder> {
    const journal = await store.create(id, metaRecord(id));
    await journal.append(callRecord(2, ['one', 'two'], 0, 'append_file'));
    await journal.close();
    const holder = Holder.start(url, id);
    holders.push(holder);
    expect(await holder.next()).toEqual({ open: true });
    return holder;
  }

  const intents = async (journal: Pick<Journal, 'load'>): Promise<string[]> =>
    (await journal.load()).sidecar.flatMap((entry) => (entry.kind === 'intent' ? [entry.tool_use_id] : []));

  it('of a process that lives are respected', async () => {
    const holder = await held('lives');
    expect((await failureOf(store.open('lives'))).code).toBe('locked');
    expect((await failureOf(store.trash('lives'))).code).toBe('locked');
    expect((await failureOf(store.purge('lives'))).code).toBe('locked');
    expect(await store.writer('lives')).toBe('elsewhere');
    expect((await store.load('lives')).writer).toBe('elsewhere');
    expect((await store.list()).find((row) => row.id === 'lives')?.writer).toBe('elsewhere');
    expect(await holder.ask('append')).toEqual({ done: 'append' });
    holder.child.stdin!.write('{"what":"close"}\n');
    await new Promise((resolve) => holder.child.once('exit', resolve));
    expect(await store.writer('lives')).toBe('none');
    const next = await store.open('lives');
    expect(next.lastSeq).toBe(3);
    await next.close();
  });

  it('of a process that was killed block nobody, and what it was about to do is told', async () => {
    const holder = await held('killed');
    expect(await holder.ask('note', 'one')).toEqual({ done: 'note' });
    await holder.end();
    const begun = Date.now();
    const journal = await store.open('killed');
    expect(Date.now() - begun).toBeLessThan(4_000);
    const loaded = await journal.load();
    // An intent without a result in a bound sidecar: whoever resumes must ask about this tool, and only this one.
    expect(loaded.sidecarBound).toBe(true);
    expect(await intents(journal)).toEqual(['one']);
    expect(loaded.state.pending?.answered).toEqual([]);
    await journal.close();
  });

  it('of a frozen process are superseded: when it wakes it can neither note nor write', async () => {
    const holder = await held('frozen');
    expect(await holder.ask('note', 'one')).toEqual({ done: 'note' });
    holder.child.kill('SIGSTOP');
    const journal = await store.open('frozen');
    expect(await intents(journal)).toEqual(['one']);
    holder.child.kill('SIGCONT');
    // Nothing was noted or written from here yet: that it may not note is the claim's doing.
    expect(await holder.ask('note', 'two')).toMatchObject({ failed: 'journal_dead', reason: 'fenced' });
    expect(await holder.next(true)).toEqual({ dead: 'fenced' });
    expect(await holder.ask('append')).toMatchObject({ failed: 'journal_dead', reason: 'fenced' });
    await journal.append(resultRecord(3, 'one', 'asked, and answered'));
    expect((await store.load('frozen')).records).toHaveLength(3);
    expect(await intents(journal)).toEqual(['one']);
    await journal.close();
  });

  it('let exactly one of two resumers begin, whenever they come', async () => {
    const stores = await Promise.all(
      ['a', 'b'].map((who) => natsStore(url, { askMs: 0, auth: { inboxPrefix: `_INBOX.${who}` } })),
    );
    let [effects, both] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const id = `race-${round}`;
      const made = await store.create(id, metaRecord(id));
      await made.append(callRecord(2, ['one'], 0, 'append_file'));
      await made.close();
      // Neither asks whether the other lives, so both may get in; then the intent decides.
      const began = await Promise.all(
        stores.map(async (one, who) => {
          await new Promise((resolve) => setTimeout(resolve, who * (round % 5)));
          const journal = await one.open(id).catch(() => undefined);
          if (journal === undefined) return false;
          const pending = (await journal.load().catch(() => undefined))?.sidecar.some(
            (entry) => entry.kind === 'intent',
          );
          try {
            if (pending !== false) return false;
            await journal.note(intent('one'));
            return true;
          } catch {
            return false;
          } finally {
            await journal.close();
          }
        }),
      );
      effects += began.filter(Boolean).length;
      if (began.every(Boolean)) both += 1;
    }
    expect([effects, both]).toEqual([ROUNDS, 0]);
    await Promise.all(stores.map((one) => one.close()));
  });

  it('make unknown what another program may have done in a turn', async () => {
    const id = 'foreign';
    const journal = await store.create(id, metaRecord(id));
    await journal.append(callRecord(2, ['one', 'two'], 0, 'append_file'));
    await journal.note({ kind: 'config', at: '2026-07-20T09:08:07Z', profile: 'P' });
    await journal.close();
    expect((await store.load(id)).sidecarBound).toBe(true);
    // The reference resumes it: no notes, no headers of ours.
    await server.publish(`runs.${id}.3`, encodeRecord(resultRecord(3, 'one', 'done by another program')));
    const loaded = await store.load(id);
    expect([loaded.records.length, loaded.sidecarBound]).toEqual([3, false]);
    expect(loaded.sidecar.map((entry) => entry.kind)).toEqual(['bind', 'config']);
    const row = await store.summary(id);
    expect(row).toMatchObject({ health: 'ok', facts: { lastSeq: 3 } });
    const next = await store.open(id);
    await next.append(resultRecord(4, 'two', 'x'));
    await next.append(userRecord(5, 'on'));
    await next.close();
    expect((await store.summary(id)).counters?.tool_calls).toBe(2);
  });

  it('do not pile up where the server judges the last one', async () => {
    const id = 'tidy';
    await (await store.create(id, metaRecord(id))).close();
    for (let n = 0; n < 6; n++) await (await store.open(id)).close();
    const { manager, connection } = await server.client();
    const { state } = await manager.streams.info('RUNS', { subjects_filter: `runs._claim.${id}.>` });
    await connection.close();
    const count = Object.keys(state.subjects ?? {}).length;
    expect(count).toBe(hasTailFence(`${kind.version}.99`) ? 1 : 14);
  });
});
