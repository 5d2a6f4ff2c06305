import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JetStreamManager, NatsConnection, StreamConfig } from 'nats';
import { encodeRecord } from '../../src/shared/run/codec';
import { natsStore } from '../../src/main/journal/jetstream';
import type { RunStore } from '../../src/main/journal/journal';
import { answerRecord, chatRecords, metaRecord, userRecord } from '../support/journal-records';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { failureOf, until } from '../support/wait';

describe.each(everyNatsServer())('What others do meanwhile on nats-server $version', (kind) => {
  let server: NatsServer;
  let store: RunStore;
  let connection: NatsConnection;
  let manager: JetStreamManager;
  beforeAll(async () => {
    server = await NatsServer.start(kind);
    store = await natsStore(await server.addStream('RUNS'));
    ({ connection, manager } = await server.client());
  });
  afterAll(async () => {
    await store.close();
    await connection.close();
    await server.stop();
  });

  const put = (subject: string, body: string) => connection.jetstream().publish(subject, body);
  const count = async (filter: string): Promise<number> =>
    Object.keys((await manager.streams.info('RUNS', { subjects_filter: filter })).state.subjects ?? {})
      .length;

  it('a run that is deleted while it is read is read whole, or is not there', async () => {
    const lines = chatRecords('read', 3).map((record) => encodeRecord(record));
    const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    let [read, gone] = [0, 0];
    for (let round = 0; round < 80; round++) {
      const id = `read-${round}`;
      await Promise.all(lines.map((line, n) => put(`runs.${id}.${n === 0 ? '_meta' : n + 1}`, line)));
      const reading = store.bytes(id).then(
        (bytes) => (read += Buffer.from(bytes).equals(whole) ? 1 : Number.NaN),
        ({ code }: { code: string }) => (gone += code === 'not_found' ? 1 : Number.NaN),
      );
      for (let n = 0; n < round % 8; n++) await connection.flush();
      await manager.streams.purge('RUNS', { filter: `runs.${id}.>` });
      await reading;
    }
    expect(read + gone).toBe(80);
    expect(Math.min(read, gone)).toBeGreaterThan(0);
  });

  it('runs that are deleted together are all told of, although each purge meets what was not sent yet', async () => {
    const url = await server.addStream('GONE');
    const [here, there] = [await natsStore(url), await natsStore(url)];
    try {
      const ids = Array.from({ length: 300 }, (_, n) => `gone-${n}`);
      const all = ids.map(async (id) => (await there.create(id, metaRecord(id))).close());
      await Promise.all(all);
      const told = new Set<string>();
      const stop = here.watch(({ id, what }) => what === 'removed' && told.add(id));
      await Promise.all(ids.map((id) => there.purge(id)));
      await until(() => told.size === ids.length);
      stop();
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
  });

  it('a run that is made anew under the name of a deleted one stays, although the mark of that one is long over', async () => {
    if (kind.version === '2.9') return;
    const old = { labels: {}, hidden: { why: 'deleting', at: '2020-01-01T00:00:00Z' } };
    await put('runs._cat.anew.1', JSON.stringify(old));
    // Its writer was cut off before it took the mark away. Whoever lists has a clock that is far ahead.
    await put('runs.anew._meta', encodeRecord(metaRecord('anew')));
    await put('runs.anew.2', encodeRecord(answerRecord(2, 'kept')));
    await until(async () => (await store.list()).some(({ id }) => id === 'anew'));
    expect((await store.load('anew')).records).toHaveLength(2);
    expect(await count('runs.anew.>')).toBe(2);
  });

  it('a stream that takes less than before refuses a record in words that fit, and the run goes on when it takes more', async () => {
    const journal = await store.create('less', metaRecord('less'));
    const most = (max_msg_size: number) =>
      manager.streams.update('RUNS', { max_msg_size } as Partial<StreamConfig>);
    await most(200);
    const failure = await failureOf(journal.append(answerRecord(2, 'x'.repeat(300))));
    expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'too_large']);
    expect(failure.message).not.toContain('1048576');
    expect(failure.todo).toContain('max_msg_size');
    await journal.close();
    await most(-1);
    const again = await store.open('less');
    await again.append(answerRecord(2, 'x'.repeat(300)));
    await again.append(userRecord(3, 'on'));
    await again.close();
    expect((await store.load('less')).records).toHaveLength(3);
  });
});
