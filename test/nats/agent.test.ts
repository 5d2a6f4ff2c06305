import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preflight } from '../../src/main/agent';
import { copyRun } from '../../src/main/journal/copy';
import { natsStore } from '../../src/main/journal/jetstream';
import type { NatsOptions } from '../../src/main/journal/jetstream';
import type { RunStore } from '../../src/main/journal/journal';
import { memoryStore } from '../../src/main/journal/memory';
import { recordSha256 } from '../../src/main/journal/proof';
import { noteOwn, records, resume, run, scene, start, testTool } from '../support/agent';
import { crashed } from '../support/crash';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { sampled } from '../support/prerequisites';
import { scriptedModel } from '../support/scripted-model';
import { failureOf } from '../support/wait';

const ROUNDS = sampled(6, 60);

/** A run of two tools, one of them changing, cut back to where both still wait. */
async function pending(keepIntents: boolean): Promise<RunStore> {
  const tools = [testTool('look'), testTool('change', () => ({ content: 'changed' }), { changes: true })];
  const model = scriptedModel([{ tools: [{ name: 'look' }, { name: 'change' }] }, { text: 'end' }]);
  const before = scene(model, tools, { store: memoryStore() });
  await run(before, { allow: ['change'] });
  return crashed(before.store, 'r', { seq: 2, keep: (entry) => keepIntents || entry.kind !== 'intent' });
}

/** Notes of a copy prove nothing of its turns; these say that they have seen the open one. */
async function seen(store: RunStore, id: string): Promise<void> {
  const journal = await store.open(id);
  const turn = (await journal.load()).records.findLast(({ assistant }) => assistant)!;
  await noteOwn(journal, { kind: 'turn', at: 'now', run: id, seq: turn.seq, sha256: recordSha256(turn) });
  await journal.close();
}

describe.each(everyNatsServer())('An agent’s run on nats-server $version', (kind) => {
  let server: NatsServer;
  let url: string;
  let stores: RunStore[];
  beforeAll(async () => {
    server = await NatsServer.start(kind);
    url = await server.addStream('RUNS');
    stores = await machines({});
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  /** Two stores with a connection each, as two machines have them. */
  const machines = (options: NatsOptions): Promise<RunStore[]> =>
    Promise.all(
      ['one', 'two'].map((who) =>
        natsStore(url, { ...options, auth: { inboxPrefix: `_INBOX.${who}${options.askMs ?? ''}` } }),
      ),
    );

  it('is the same record by record as in memory, and acknowledged by NATS', async () => {
    const steps = [{ tools: [{ name: 'look' }] }, { text: 'the end' }];
    const here = scene(scriptedModel(steps), [testTool('look')]);
    const there = scene(scriptedModel(steps), [testTool('look')], { store: stores[0]! });
    await run(here);
    const watched = await run(there);
    expect(watched.outcome).toEqual({ reason: 'completed' });
    expect(await records(stores[1]!)).toEqual(await records(here.store));
    const told = watched.events.flatMap((event) => (event.type === 'record' ? [event.durability] : []));
    expect(new Set(told)).toEqual(new Set(['acknowledged']));
    await stores[0]!.purge('r');
  });

  it.each([
    ['of two machines that ask each other', {}],
    ['of two that cannot hear each other', { askMs: 0 }],
  ] as const)('is taken up by one %s, and its tool runs once', async (_how, options) => {
    const pair = await machines(options);
    for (let round = 0; round < ROUNDS; round++) {
      const id = `twice-${options === undefined ? '' : Object.keys(options).length}-${round}`;
      await copyRun(await pending(false), pair[0]!, 'r', { as: id });
      await seen(pair[0]!, id);
      let effects = 0;
      const change = () => {
        effects += 1;
        return { content: 'changed' };
      };
      const tries = await Promise.allSettled(
        pair.map(async (store, who) => {
          const tools = [testTool('look'), testTool('change', change, { changes: true })];
          const { session } = await resume(
            scene(scriptedModel([{ text: `after, by ${who}` }]), tools, { store }),
            { id, allow: ['change'] },
          );
          return session.settled();
        }),
      );
      const ended = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.reason] : []));
      expect(effects, `round ${round}: ${JSON.stringify(tries)}`).toBe(1);
      expect(ended.filter((reason) => reason === 'completed').length).toBeLessThanOrEqual(1);
      const { records: all, warnings } = await pair[0]!.load(id);
      expect(all.filter((record) => record.tool_result?.tool_use_id === 'call_1_2')).toHaveLength(1);
      expect(warnings.map(({ code }) => code)).not.toContain('double_result');
    }
    await Promise.all(pair.map((store) => store.close()));
  });

  it('asks about a tool that was begun elsewhere and has no result', async () => {
    await copyRun(await pending(true), stores[0]!, 'r', { as: 'begun' });
    const it_ = scene(
      scriptedModel([{ text: 'after' }]),
      [testTool('look'), testTool('change', undefined, { changes: true })],
      { store: stores[1]! },
    );
    const before = await preflight(it_.parts, {
      store: it_.store,
      id: 'begun',
      profile: it_.profile,
      approvals: 'ask',
    });
    expect(before.pending.map(({ tool, fate }) => [tool, fate])).toEqual([
      ['look', 'run'],
      ['change', 'unknown'],
    ]);
    expect((await failureOf(resume(it_, { id: 'begun', allow: ['change'] }))).code).toBe('unknown_outcome');
    const again = await resume(it_, { id: 'begun', unknownDefault: 'skip', allow: ['change'] });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
  });

  it('asks about a call that began, whatever is taken away of its notes or changed in them', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const tool = testTool('change', () => held.then(() => ({ content: 'changed' })), { changes: true });
    const it_ = scene(
      scriptedModel([{ tools: [{ name: 'change' }, { name: 'change' }] }, { text: 'end' }]),
      [tool],
      { store: stores[0]! },
    );
    const watched = await start(it_, { id: 'aged', allow: ['change'] });
    await watched.event('tool_started');
    const fates = async () => {
      const allow = ['change'];
      const options = {
        store: stores[1]!,
        id: 'aged',
        profile: it_.profile,
        approvals: 'ask' as const,
        allow,
      };
      return (await preflight(it_.parts, options)).pending.map(({ fate }) => fate);
    };
    // As a kill at this moment would leave it: the second call never began, and the notes prove that.
    await expect.poll(fates).toEqual(['unknown', 'run']);
    const { connection, manager } = await server.client();
    const last = () =>
      manager.streams
        .getMessage('RUNS', { last_by_subj: 'runs._aux.aged.>' })
        .catch(() => ({ seq: 0, subject: '', data: new Uint8Array() }));
    const { seq, subject, data } = await last();
    await manager.streams.deleteMessage('RUNS', seq);
    expect(await fates()).toEqual(['unknown', 'unknown']);
    const flipped = Buffer.from(data);
    flipped[flipped.length >> 1]! ^= 1;
    await server.publish(subject, flipped.toString('utf8'));
    expect(await fates()).toEqual(['unknown', 'unknown']);
    let taken = 0;
    for (let note = await last(); note.seq > 0; note = await last()) {
      await manager.streams.deleteMessage('RUNS', note.seq);
      expect(await fates()).toEqual(['unknown', 'unknown']);
      taken++;
    }
    expect(taken).toBeGreaterThan(1);
    await connection.close();
    release();
    await watched.session.close();
    await stores[0]!.purge('aged');
  });

  it('waits through a restart of the server in the middle of a tool, and goes on', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const tool = testTool(
      'change',
      async () => {
        await held;
        return { content: 'changed' };
      },
      { changes: true },
    );
    const it_ = scene(scriptedModel([{ tools: [{ name: 'change' }] }, { text: 'end' }]), [tool], {
      store: stores[0]!,
    });
    const watched = await start(it_, { id: 'restart', allow: ['change'] });
    await watched.event('tool_started');
    await server.kill();
    release();
    await server.run();
    expect(await watched.session.settled()).toEqual({ reason: 'completed' });
    expect(await records(stores[0]!, 'restart')).toHaveLength(5);
  });

  it('clips a long result to what the server takes, and keeps the whole text aside', async () => {
    const text = 'long '.repeat(600_000);
    const it_ = scene(
      scriptedModel([{ tools: [{ name: 'look' }] }, { text: 'end' }]),
      [testTool('look', () => ({ content: text }))],
      { store: stores[0]! },
    );
    const watched = await run(it_, { id: 'clipped' });
    expect(watched.outcome).toEqual({ reason: 'completed' });
    const { records: all, sidecar } = await stores[1]!.load('clipped');
    const content = all.find((record) => record.tool_result)?.tool_result?.result.content ?? '';
    expect(content.length).toBeLessThan(1_048_576);
    const clip = sidecar.find((entry) => entry.kind === 'clip');
    expect(clip?.kind === 'clip' && (await stores[1]!.kept('clipped', clip.file))).toBe(text);
  });

  it('ends at its last boundary when an answer of the model is too large for the server', async () => {
    const it_ = scene(scriptedModel([{ text: 'x'.repeat(1_200_000) }]), [], { store: stores[0]! });
    const watched = await run(it_, { id: 'too-large' });
    expect(watched.outcome).toMatchObject({
      reason: 'error',
      failure: { todo: expect.stringContaining('max_payload') },
    });
    expect((await stores[1]!.load('too-large')).records.at(-1)?.seq).toBeLessThanOrEqual(2);
    expect((await stores[1]!.summary('too-large')).health).toBe('ok');
  });
});
