import { describe, expect, it } from 'vitest';
import { natsStore } from '../../src/main/journal/jetstream';
import type { NatsOptions } from '../../src/main/journal/jetstream';
import { answerRecord, metaRecord, userRecord } from '../support/journal-records';
import { NatsProxy } from '../support/nats-proxy';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { shown, tally, writeUntil } from '../support/nats-writers';
import type { Tally } from '../support/nats-writers';
import { sampled, soak } from '../support/prerequisites';
import { failureOf, until } from '../support/wait';

const KILLS = sampled(10, 100);
const WRITERS = 4;

/** Numbers that look random and are the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) / 4_294_967_296;
}

const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Writers, half of them behind a proxy that loses some of their acknowledgements, while the server is killed or frozen
 * again and again at times that are as good as random.
 */
async function underFire(server: NatsServer, options: NatsOptions, kills: number): Promise<Tally> {
  const random = randomFrom(20_260_720);
  const url = await server.addStream('RUNS', { duplicate_window: 2_000_000_000 });
  let acks = 0;
  const proxy = await NatsProxy.start(server.port, { drop: () => (acks += 1) % 40 === 0 });
  let over = false;
  // Connections of their own, as four processes would have them.
  const stores = await Promise.all(
    Array.from({ length: WRITERS }, (_, n) =>
      natsStore(n % 2 === 0 ? url : proxy.url('RUNS'), {
        ackMs: 1_000,
        ...options,
        auth: { inboxPrefix: `_INBOX.w${n}` },
      }),
    ),
  );
  const writers = stores.map((store) => writeUntil(store, () => over));
  for (let n = 0; n < kills; n++) {
    await passes(20 + random() * 400);
    if (random() < 0.6) {
      await server.kill();
      await passes(random() * 300);
      await server.run();
    } else {
      server.freeze();
      await passes(random() * 1_500);
      server.thaw();
    }
  }
  await passes(300);
  over = true;
  const written = await Promise.all(writers);
  const reader = await natsStore(url);
  const figures = await tally(reader, written);
  await Promise.all([...stores, reader].map((store) => store.close()));
  await proxy.stop();
  return figures;
}

async function withServer<T>(
  kind: ReturnType<typeof everyNatsServer>[number],
  work: (server: NatsServer) => Promise<T>,
): Promise<T> {
  const server = await NatsServer.start(kind);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

describe.each(everyNatsServer())('A nats-server $version that is killed and frozen', (kind) => {
  it(
    'loses, doubles and skips nothing that was acknowledged',
    async ({ annotate }) => {
      const figures = await withServer(kind, (server) => underFire(server, {}, KILLS));
      await annotate(shown(`nats ${kind.version}, ${KILLS} kills, ${WRITERS} writers`, figures), 'figures');
      expect(figures).toMatchObject({ lost: 0, doubled: 0, gaps: 0, died: [] });
      expect(figures.adopted).toBeGreaterThan(0);
      expect(figures.acknowledged).toBeGreaterThan(KILLS * 20);
    },
    soak ? 1_200_000 : 120_000,
  );

  it('is waited for: the same append goes on when it is back', async () => {
    await withServer(kind, async (server) => {
      const states: string[] = [];
      const store = await natsStore(await server.addStream('RUNS'), {
        onState: (state) => states.push(state),
      });
      const journal = await store.create('waits', metaRecord('waits'));
      await server.kill();
      await until(() => states.includes('reconnecting'));
      const pending = journal.append(answerRecord(2, 'through the outage'));
      await server.run();
      await pending;
      expect(states).toEqual(['reconnecting', 'connected']);
      expect((await store.load('waits')).records).toHaveLength(2);
      await journal.close();
      await store.close();
    });
  });

  it('ends a run at its last boundary when it stays away, and the run opens once it is back', async () => {
    await withServer(kind, async (server) => {
      let state = 'connected';
      const store = await natsStore(await server.addStream('RUNS'), {
        patienceMs: 400,
        readPatienceMs: 400,
        ackMs: 200,
        askMs: 100,
        onState: (now) => (state = now),
      });
      const journal = await store.create('ends', metaRecord('ends'));
      await journal.append(answerRecord(2, 'kept'));
      await server.kill();
      const failure = await failureOf(journal.append(userRecord(3, 'lost')));
      expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'store_unavailable']);
      expect(journal.dead).toMatchObject({ code: 'store_unavailable', todo: expect.any(String) });
      expect((await failureOf(journal.append(userRecord(3, 'lost')))).code).toBe('journal_dead');
      const reads = [store.list(), store.load('ends'), store.summary('ends'), store.writer('ends')];
      for (const { code } of await Promise.all(reads.map(failureOf))) expect(code).toBe('store_unavailable');
      await server.run();
      await until(() => state === 'connected');
      const again = await store.open('ends');
      expect((await again.load()).records.length).toBeGreaterThanOrEqual(2);
      await again.append(userRecord(again.lastSeq + 1, 'goes on'));
      await Promise.all([journal.close(), again.close()]);
      await store.close();
    });
  });

  it('does not hold up closing while it is away or frozen', async () => {
    await withServer(kind, async (server) => {
      const url = await server.addStream('RUNS');
      for (const away of [() => server.kill(), async () => server.freeze()]) {
        const store = await natsStore(url);
        const id = `close-${Math.random().toString(36).slice(2)}`;
        const journal = await store.create(id, metaRecord(id));
        await journal.note({ kind: 'time', seq: 1, at: new Date().toISOString() });
        const stop = store.watch(() => undefined);
        await away();
        const begun = Date.now();
        await store.close();
        expect(Date.now() - begun).toBeLessThan(5_000);
        stop();
        server.thaw();
        await server.restart();
      }
    });
  });

  it('that lost its last moments is found out: nothing is written over the hole', async () => {
    await withServer(kind, async (server) => {
      const store = await natsStore(await server.addStream('RUNS'));
      const journal = await store.create('hole', metaRecord('hole'));
      await journal.append(answerRecord(2, 'kept'));
      const { connection, manager } = await server.client();
      for (const seq of [3, 4]) await journal.append(userRecord(seq, 'will be lost'));
      // As after a power cut: acknowledged records are gone when the server is back.
      for (const seq of [4, 3]) {
        const { seq: at } = await manager.streams.getMessage('RUNS', { last_by_subj: `runs.hole.${seq}` });
        await manager.streams.deleteMessage('RUNS', at);
      }
      await connection.close();
      await server.restart();
      const failure = await failureOf(journal.append(answerRecord(5, 'over the hole', 1)));
      expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'fenced']);
      expect((await store.load('hole')).records).toHaveLength(2);
      await journal.close();
      await store.close();
    });
  });
});

describe.each(everyNatsServer())('Acknowledgements of nats-server $version that get lost', (kind) => {
  const dropping = async (
    options: NatsOptions,
    config: Parameters<NatsServer['addStream']>[1],
    every: number,
    records: number,
  ): Promise<{ figures: Tally; dropped: number }> =>
    withServer(kind, async (server) => {
      const url = await server.addStream('RUNS', config);
      const proxy = await NatsProxy.start(server.port, { drop: ({ seq }) => seq > 2 && seq % every === 0 });
      const store = await natsStore(proxy.url('RUNS'), { ackMs: 250, ...options });
      let n = 0;
      const written = await writeUntil(store, () => n++ >= records);
      const reader = await natsStore(url);
      const figures = await tally(reader, [written]);
      await Promise.all([store.close(), reader.close()]);
      const { dropped } = proxy;
      await proxy.stop();
      return { figures, dropped };
    });

  it('are found in the stream, and the run goes on', async ({ annotate }) => {
    const { figures, dropped } = await dropping({}, {}, 4, sampled(40, 400));
    await annotate(shown(`nats ${kind.version}, every 4th acknowledgement dropped`, figures), 'figures');
    expect(figures).toMatchObject({ lost: 0, doubled: 0, gaps: 0, died: [] });
    expect(figures.adopted).toBeGreaterThan(5);
    expect(dropped).toBeGreaterThan(5);
  });

  it('are found also after the server forgot the message ids', async () => {
    const { figures } = await dropping({ ackMs: 500 }, { duplicate_window: 100_000_000 }, 4, 16);
    expect(figures).toMatchObject({ lost: 0, doubled: 0, gaps: 0, died: [] });
    expect(figures.adopted).toBeGreaterThan(2);
  });

  it.each([
    ['wrong last sequence', 400, 10164],
    ['duplicate message id is in process', 409, 10158],
    ['too many requests', 429, 10167],
  ])('are found where the leader of a cluster says “%s” instead', async (description, code, err_code) => {
    await withServer(kind, async (server) => {
      await server.addStream('RUNS');
      let answers = 0;
      const error = JSON.stringify({ error: { code, err_code, description }, stream: 'RUNS', seq: 0 });
      const proxy = await NatsProxy.start(server.port, {
        instead: () => ((answers += 1) % 4 === 0 ? error : undefined),
      });
      const store = await natsStore(proxy.url('RUNS'));
      const written = await writeUntil(store, () => answers >= 30);
      const figures = await tally(store, [written]);
      await store.close();
      await proxy.stop();
      expect(figures).toMatchObject({ lost: 0, doubled: 0, gaps: 0, died: [] });
      expect(figures.adopted).toBeGreaterThan(3);
    });
  });

  it('kill a writer that does not read back (the harness sees it)', async () => {
    const { figures } = await dropping({ readBack: false }, { duplicate_window: 100_000_000 }, 4, 40);
    expect(figures.died).toHaveLength(1);
    expect(figures.died[0]).toMatch(/^fenced/);
    expect(figures.adopted).toBe(0);
  });
});
