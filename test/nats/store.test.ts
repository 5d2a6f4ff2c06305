import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NatsConnection } from 'nats';
import { encodeRecord } from '../../src/shared/run/codec';
import { RECORD_LIMIT } from '../../src/shared/run/read';
import { natsStore } from '../../src/main/journal/jetstream';
import type { RunStore, StoreChange } from '../../src/main/journal/journal';
import {
  answerRecord,
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { failureOf, until } from '../support/wait';

const MAX_PAYLOAD = 20_000;

describe.each(everyNatsServer())('A store on nats-server $version', (kind) => {
  let server: NatsServer;
  let url: string;
  let store: RunStore;
  let raw: NatsConnection;
  beforeAll(async () => {
    server = await NatsServer.start(kind, `max_payload: ${MAX_PAYLOAD}`);
    url = await server.addStream('RUNS');
    store = await natsStore(url);
  });
  // A fresh one for each test: some of them restart the server.
  beforeEach(async () => {
    raw = (await server.client()).connection;
  });
  afterEach(() => raw.close());
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  /** As another program writes: the bodies and nothing else. */
  async function foreign(id: string, ...records: ReturnType<typeof metaRecord>[]): Promise<void> {
    for (const record of records)
      await raw
        .jetstream()
        .publish(`runs.${id}.${record.seq === 1 ? '_meta' : record.seq}`, encodeRecord(record));
  }

  it('takes a record of exactly the largest size, and refuses a larger one before it is sent', async () => {
    const id = 'L'.repeat(128);
    const journal = await store.create(id, metaRecord(id));
    const most = journal.maxRecordBytes!;
    expect(most).toBeLessThan(MAX_PAYLOAD);
    const sized = (seq: number, bytes: number) => {
      const empty = Buffer.byteLength(encodeRecord(answerRecord(seq, '', seq)));
      return answerRecord(seq, 'x'.repeat(bytes - empty), seq);
    };
    await journal.append(sized(2, most));
    const failure = await failureOf(journal.append(sized(3, most + 1)));
    expect(failure).toMatchObject({ code: 'too_large', todo: expect.stringContaining('max_payload') });
    // The run ends at its last boundary: its end can still be written.
    expect(journal.dead).toBeUndefined();
    await journal.append(terminalRecord(3, 'error', failure.message));
    await journal.close();
    expect(await store.summary(id)).toMatchObject({ size: (await store.bytes(id)).length, health: 'ok' });
    expect((await failureOf(store.create('huge', metaRecord('huge', 'x'.repeat(MAX_PAYLOAD))))).code).toBe(
      'too_large',
    );
    expect((await failureOf(store.load('huge'))).code).toBe('not_found');
  });

  it('refuses a record of more than 64 MB where the server would take it, and the run goes on', async () => {
    const wide = await NatsServer.start(kind, `max_payload: 66MB\nmax_pending: 80MB`);
    try {
      const wideStore = await natsStore(await wide.addStream('RUNS'));
      try {
        const journal = await wideStore.create('r', metaRecord('r'));
        const before = Buffer.from(await wideStore.bytes('r'));
        expect(await failureOf(journal.append(userRecord(2, 'x'.repeat(RECORD_LIMIT))))).toMatchObject({
          code: 'too_large',
          message: expect.stringContaining('at most 64 MB'),
        });
        expect(before.equals(await wideStore.bytes('r'))).toBe(true);
        expect(journal.dead).toBeUndefined();
        await journal.append(terminalRecord(2, 'error', 'too large'));
        await journal.close();
      } finally {
        await wideStore.close();
      }
    } finally {
      await wide.stop();
    }
  });

  it('lists a run that another program wrote by its first and last record, and in full once it was read', async () => {
    await foreign('theirs', metaRecord('theirs'), callRecord(2, ['a', 'b']), resultRecord(3, 'a', 'x'));
    const row = await store.summary('theirs');
    expect(row).toMatchObject({
      health: 'ok',
      prompt: metaRecord('x').meta!.prompt,
      model: 'practice-1',
      facts: { lastSeq: 3, lastKind: 'tool_result', terminalIsLast: false },
    });
    expect(row.counters).toBeUndefined();
    await store.load('theirs');
    expect(await store.summary('theirs')).toMatchObject({
      counters: { llm_calls: 1, tool_calls: 1 },
      pendingTools: ['read_file'],
    });
    expect((await store.list()).find(({ id }) => id === 'theirs')).toEqual(await store.summary('theirs'));
    await foreign('theirs', terminalRecord(4, 'suspended'));
    expect(await store.summary('theirs')).toMatchObject({
      terminal: { reason: 'suspended' },
      facts: { terminalIsLast: true },
    });
  });

  it('shows a row without its header when a name makes that too long', async () => {
    const journal = await store.create('names', metaRecord('names'));
    const names = Array.from({ length: 60 }, (_, n) => `call_${n}`);
    await journal.append(callRecord(2, names, 0, `tool_${'ü'.repeat(30)}`));
    await journal.close();
    const row = await store.summary('names');
    expect(row).toMatchObject({ health: 'ok', hasPending: true });
    expect(row.pendingTools).toHaveLength(60);
  });

  it.each([
    ['is no JSON', '3', 'junk', 3],
    [
      'holds a second line',
      '3',
      `${encodeRecord(userRecord(3, 'a'))}\n${encodeRecord(answerRecord(4, 'b', 1))}`,
      3,
    ],
    ['stands on the subject of another', '7', encodeRecord(userRecord(3, 'a')), 3],
    ['is empty', '3', '', 3],
  ])('calls a run damaged whose message %s, with line and byte', async (_what, token, body, line) => {
    const id = `bad-${Math.random().toString(36).slice(2)}`;
    const records = [metaRecord(id), answerRecord(2, 'good')];
    await foreign(id, ...records);
    await raw.jetstream().publish(`runs.${id}.${token}`, body);
    const byte = records.reduce((sum, record) => sum + Buffer.byteLength(encodeRecord(record)) + 1, 0);
    for (const call of [store.load(id), store.open(id)]) {
      const failure = await failureOf(call);
      expect([failure.code, failure.data]).toEqual([
        'corrupt',
        expect.objectContaining({ line, byte, records: 2 }),
      ]);
    }
    expect(await store.summary(id)).toMatchObject({ health: 'damaged', prompt: records[0]!.meta!.prompt });
    await store.purge(id);
  });

  it.each([
    [0, 'The stream is as it was found; no record stands before the damage.', /backup/],
    [1, 'The record before it is readable.', /^Export/],
    [2, 'The 2 records before it are readable.', /^Export/],
  ])('says what is left of a damaged run with %i good records', async (good, kept, todo) => {
    const id = `left-${good}`;
    const records = [metaRecord(id), answerRecord(2, 'good')];
    if (good > 0) await foreign(id, ...records.slice(0, good));
    // A record that stands on the subject of another.
    await raw.jetstream().publish(`runs.${id}.9`, encodeRecord([...records, userRecord(3, 'x')][good]!));
    expect(await failureOf(store.load(id))).toMatchObject({
      code: 'corrupt',
      kept,
      todo: expect.stringMatching(todo) as string,
      data: { records: good },
    });
    await store.purge(id);
  });

  it('loses no label when two change labels at once', async () => {
    const other = await natsStore(url, { auth: { inboxPrefix: '_INBOX.other' } });
    await (await store.create('labels', metaRecord('labels'))).close();
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        store.label('labels', { title: `title ${round}` }),
        other.label('labels', { tags: [`tag ${round}`] }),
        other.label('labels', { pinned: round % 2 === 0 || undefined }),
      ]);
      expect((await store.load('labels')).catalogue).toMatchObject({
        title: `title ${round}`,
        tags: [`tag ${round}`],
      });
    }
    await other.close();
  });

  it('lets another machine follow a run live, record by record, also through an outage', async () => {
    const watcher = await natsStore(url, { auth: { inboxPrefix: '_INBOX.watcher' } });
    const changes: StoreChange[] = [];
    const stop = watcher.watch((change) => changes.push(change));
    const journal = await store.create('live', metaRecord('live'));
    await until(() => changes.some(({ id, what }) => id === 'live' && what === 'added'));
    const records = chatRecords('live', 8);
    for (const record of records.slice(1)) {
      changes.length = 0;
      const outage = record.seq === 5;
      if (outage) await server.kill();
      const appended = journal.append(record);
      if (outage) await server.run();
      await appended;
      await until(() => changes.some(({ id, what }) => id === 'live' && what === 'grown'));
      expect((await watcher.load('live')).facts.lastSeq).toBe(record.seq);
    }
    expect(await watcher.writer('live')).toBe('elsewhere');
    // That a tool began is told before it has a result; other notes are not worth a look.
    changes.length = 0;
    const at = '2026-07-20T09:08:07Z';
    const tool = { tool_use_id: 't', tool: 'wait', input_sha256: '', changes: false };
    await journal.note({ kind: 'config', at, profile: 'Practice' });
    await journal.note({ kind: 'intent', at, ...tool });
    await until(() => changes.length > 0);
    expect(changes).toEqual([{ id: 'live', what: 'grown' }]);
    expect((await watcher.load('live')).sidecar.some(({ kind }) => kind === 'intent')).toBe(true);
    changes.length = 0;
    await journal.close();
    await until(() => changes.some(({ id, what }) => id === 'live' && what === 'writer'));
    expect(await watcher.writer('live')).toBe('none');
    stop();
    await watcher.close();
  });

  it('sweeps the marks of deleted runs, and ends deletions that were cut short', async () => {
    const list = async (filter: string): Promise<number> => {
      const manager = await raw.jetstreamManager();
      const info = await manager.streams.info('RUNS', { subjects_filter: filter });
      return Object.keys(info.state.subjects ?? {}).length;
    };
    const mark = JSON.stringify({ labels: {}, hidden: { why: 'deleting', at: '2020-01-01T00:00:00Z' } });
    await raw.jetstream().publish('runs._cat.swept.1', mark);
    await foreign('half', metaRecord('half'), answerRecord(2, 'x'));
    await raw.jetstream().publish('runs._cat.half.1', mark);
    expect((await store.list()).some(({ id }) => id === 'half' || id === 'swept')).toBe(false);
    expect((await store.trashed()).some(({ id }) => id === 'half')).toBe(false);
    if (kind.version === '2.9') return;
    await until(async () => {
      await store.list();
      return (
        (await list('runs.half.>')) + (await list('runs._cat.half.>')) + (await list('runs._cat.swept.>')) ===
        0
      );
    });
    await (await store.create('half', metaRecord('half', 'anew'))).close();
    expect((await store.load('half')).state.prompt).toBe('anew');
  });

  it('answers that it cannot be read rather than look empty', async () => {
    const alone = await natsStore(url, { auth: { inboxPrefix: '_INBOX.alone' }, readPatienceMs: 300 });
    await server.kill();
    const failures = await Promise.all([alone.list(), alone.trashed(), alone.bytes('live')].map(failureOf));
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('store_unavailable'));
    await server.run();
    await until(() =>
      alone.list().then(
        (rows) => rows.length > 0,
        () => false,
      ),
    );
    await alone.close();
  });

  it('holds long runs to their exact count', async () => {
    const id = 'long';
    const records = chatRecords(id, 3_000);
    await store.import!(id, {
      lines: records.map((record) => Buffer.from(encodeRecord(record))),
      catalogue: {},
      texts: [],
    });
    const loaded = await store.load(id);
    expect([loaded.records.length, loaded.facts.lastSeq]).toEqual([3_000, 3_000]);
    // Somebody deletes a message in the middle: fewer is what the server counts, and it is told as a gap.
    const manager = await raw.jetstreamManager();
    const { seq } = await manager.streams.getMessage('RUNS', { last_by_subj: `runs.${id}.1500` });
    await manager.streams.deleteMessage('RUNS', seq);
    const holed = await store.load(id).catch((error: { code: string }) => error);
    if ('warnings' in holed) {
      expect(holed.records).toHaveLength(2_999);
      expect(holed.warnings.map(({ code }) => code)).toContain('seq_gap');
    } else expect(holed.code).toBe('corrupt');
  });
});
