import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headers } from 'nats';
import type { MsgHdrs, NatsConnection } from 'nats';
import { encodeRecord } from '../../src/shared/run/codec';
import type { RunRecord } from '../../src/shared/run/record';
import { natsStore } from '../../src/main/journal/jetstream';
import type { NatsOptions } from '../../src/main/journal/jetstream';
import type { Journal, RunStore } from '../../src/main/journal/journal';
import { headersOf } from '../../src/main/journal/jetstream/put';
import { hasTailFence } from '../../src/main/journal/jetstream/server';
import { HEADER } from '../../src/main/journal/jetstream/subjects';
import { answerRecord, chatRecords, metaRecord, userRecord } from '../support/journal-records';
import { NatsProxy } from '../support/nats-proxy';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { failureOf } from '../support/wait';

it('The tail fence is used exactly on the servers that judge it', () => {
  const judged = [
    '2.11.11',
    '2.11.20',
    '2.12.2',
    '2.12.10',
    '2.13.0',
    '2.15.1',
    'v2.14.3',
    '3.0.0',
    '2.15.0-RC.1',
  ];
  const not = ['2.9.10', '2.10.29', '2.11.0', '2.11.10', '2.12.0', '2.12.1', '1.4.1', '', 'dev'];
  expect(judged.filter((version) => !hasTailFence(version))).toEqual([]);
  expect(not.filter((version) => hasTailFence(version))).toEqual([]);
});

describe.each(everyNatsServer())('The fence on nats-server $version', (kind) => {
  let server: NatsServer;
  let url: string;
  let store: RunStore;
  let raw: NatsConnection;
  const fenced = hasTailFence(`${kind.version}.99`);
  beforeAll(async () => {
    server = await NatsServer.start(kind);
    url = await server.addStream('RUNS');
    store = await natsStore(url);
    raw = (await server.client()).connection;
  });
  afterAll(async () => {
    await raw.close();
    await store.close();
    await server.stop();
  });

  /** Error code of the server's answer; 0: stored. */
  async function tryPut(subject: string, lines: MsgHdrs, body = 'x'): Promise<number> {
    const reply = await raw.request(subject, body, { headers: lines, timeout: 5_000 });
    return reply.json<{ error?: { err_code: number } }>().error?.err_code ?? 0;
  }
  const lines = (...pairs: [string, string][]) => {
    const made = headers();
    for (const [name, value] of pairs) made.append(name, value);
    return made;
  };

  it('has the plain header first, which decides whether it bites', () => {
    const text = headersOf({
      id: 'n-3',
      last: 7,
      over: 'runs.a.>',
      headers: { [HEADER.row]: '[1]' },
    }).toString();
    const [plain, over] = [text.indexOf(`${HEADER.expect}: 7`), text.indexOf(`${HEADER.over}: runs.a.>`)];
    expect(plain).toBeGreaterThan(0);
    expect(over).toBeGreaterThan(plain);
  });

  it('refuses a writer whose end is not the run’s end, and takes one whose end is', async () => {
    const journal = await store.create('bites', metaRecord('bites'));
    await journal.append(answerRecord(2, 'two'));
    const { manager, connection } = await server.client();
    const tail = (await manager.streams.getMessage('RUNS', { last_by_subj: 'runs.bites.>' })).seq;
    await connection.close();
    let n = 0;
    const put = (last: number) => headersOf({ id: `other-${n++}`, last, over: 'runs.bites.>' });
    if (fenced) {
      // Free subjects both: only the end of the run can be what refuses the first.
      expect(await tryPut('runs.bites.3', put(tail - 1))).toBe(10071);
      expect(await tryPut('runs.bites.3', put(tail))).toBe(0);
    } else {
      expect(await tryPut('runs.bites.2', headersOf({ id: 'other-2', last: 0 }))).toBe(10071);
      expect(
        await tryPut('runs.bites.3', headersOf({ id: 'other-3', last: 0 }), encodeRecord(userRecord(3, 'x'))),
      ).toBe(0);
      // What the reference sends: this server takes it for an expectation of the subject itself and refuses all of it.
      expect(await tryPut('runs.bites.4', put(tail + 1))).toBe(10071);
      // And in the other order it would let everything through.
      expect(await tryPut('runs.bites.4', lines([HEADER.over, 'runs.bites.>'], [HEADER.expect, '99']))).toBe(
        0,
      );
    }
    const failure = await failureOf(journal.append(userRecord(3, 'mine')));
    expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'fenced']);
    await journal.close();
  });

  it('keeps a purged run from being appended to, or shows what came after and lets it be deleted', async () => {
    const id = 'purged';
    const journal = await store.create(id, metaRecord(id));
    await journal.append(answerRecord(2, 'two'));
    const { manager, connection } = await server.client();
    const tail = (await manager.streams.getMessage('RUNS', { last_by_subj: `runs.${id}.>` })).seq;
    await connection.close();
    await journal.close();
    await store.purge(id);
    // A writer that was cut off all the while and heard of nothing.
    const late = fenced
      ? headersOf({ id: 'late-3', last: tail, over: `runs.${id}.>` })
      : headersOf({ id: 'late-3', last: 0 });
    const code = await tryPut(`runs.${id}.3`, late, encodeRecord(userRecord(3, 'late')));
    expect(code).toBe(fenced ? 10071 : 0);
    const row = (await store.list()).find((one) => one.id === id);
    if (fenced) expect(row).toBeUndefined();
    else {
      expect(row).toMatchObject({ health: 'damaged', failure: { code: 'no_meta' } });
      expect((await failureOf(store.load(id))).code).toBe('not_found');
      const failure = await failureOf(store.create(id, metaRecord(id)));
      expect([failure.code, failure.message]).toEqual([
        'exists',
        expect.stringContaining('without a beginning'),
      ]);
      await store.purge(id);
    }
    expect((await store.list()).some((one) => one.id === id)).toBe(false);
    await (await store.create(id, metaRecord(id, 'anew'))).close();
    expect((await store.load(id)).state.prompt).toBe('anew');
  });

  it('kills the journal of a run that is purged by somebody else', async () => {
    const own = await natsStore(url, { auth: { inboxPrefix: '_INBOX.own' }, askMs: 0 });
    const other = await natsStore(url, { askMs: 0 });
    const journal = await own.create('gone', metaRecord('gone'));
    const dead = new Promise((resolve) => journal.onDead(resolve));
    await other.purge('gone');
    expect(await dead).toMatchObject({ code: 'fenced' });
    expect((await failureOf(journal.append(answerRecord(2, 'late')))).code).toBe('journal_dead');
    expect((await other.list()).some((row) => row.id === 'gone')).toBe(false);
    await Promise.all([own.close(), other.close()]);
  });

  it('falls back to single records where the leader turns out to be older than the server at hand', async () => {
    if (fenced) return;
    const proxy = await NatsProxy.start(server.port, { version: '2.99.0' });
    const mixed = await natsStore(proxy.url('RUNS'), { auth: { inboxPrefix: '_INBOX.mixed' } });
    const records = chatRecords('mixed', 9);
    const journal = await mixed.create('mixed', records[0]!);
    for (const record of records.slice(1)) await journal.append(record);
    await journal.close();
    expect((await mixed.load('mixed')).records).toHaveLength(9);
    await mixed.close();
    await proxy.stop();
  });

  describe('alone, on a stream that would take anything', () => {
    /** Two writers that never hear of each other; how many records came out twice. */
    async function interleaved(
      name: string,
      options: NatsOptions,
    ): Promise<{ wrong: number; records: number }> {
      const open = await server.addStream(name, { discard_new_per_subject: false, max_msgs_per_subject: -1 });
      const proxy = await NatsProxy.start(server.port, { deaf: (subject) => subject.includes('._claim.') });
      const [a, b] = await Promise.all(
        [proxy.url(name), open].map((address, who) =>
          natsStore(address, { askMs: 0, judge: false, ...options, auth: { inboxPrefix: `_INBOX.${who}` } }),
        ),
      );
      const id = 'both';
      const records = chatRecords(id, 60);
      const first = await a!.create(id, records[0]!);
      const second = await b!.open(id);
      const write = async (journal: Journal, who: string): Promise<void> => {
        for (const record of records.slice(1)) {
          const own: RunRecord =
            record.user === undefined ? record : userRecord(record.seq, `${who} ${record.seq}`);
          try {
            await journal.append(own);
          } catch {
            return;
          }
        }
      };
      await Promise.all([write(first, 'a'), write(second, 'b')]);
      const { manager, connection } = await server.client();
      const info = await manager.streams.info(name, { subjects_filter: `${name.toLowerCase()}.${id}.>` });
      const counts = Object.values(info.state.subjects ?? {});
      await connection.close();
      await Promise.all([first.close(), second.close()]);
      await Promise.all([a!.close(), b!.close()]);
      await proxy.stop();
      return { wrong: counts.filter((count) => count > 1).length, records: counts.length };
    }

    it('lets no two writers mix', async () => {
      const { wrong, records } = await interleaved('STRICT', {});
      expect(wrong).toBe(0);
      expect(records).toBeGreaterThan(1);
    });

    it('is what keeps them apart: without it they mix (the harness sees it)', async () => {
      const { wrong } = await interleaved('LOOSE', { fence: false });
      expect(wrong).toBeGreaterThan(0);
    });
  });
});
