import { describe, expect, it } from 'vitest';
import { natsStore } from '../../src/main/journal/jetstream';
import { everyNatsServer, freePort, goodStream, NatsServer } from '../support/nats-server';
import { shown, tally, writeUntil } from '../support/nats-writers';
import { sampled, soak } from '../support/prerequisites';
import { until } from '../support/wait';

const KILLS = sampled(3, 30);
const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Three servers of one cluster. */
async function cluster(kind: ReturnType<typeof everyNatsServer>[number]): Promise<NatsServer[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  return Promise.all(
    ports.map((port, n) =>
      NatsServer.start(
        kind,
        `server_name: "n${n}"\ncluster { name: c, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
      ),
    ),
  );
}

describe.each(everyNatsServer())('Three servers $version with three replicas', (kind) => {
  it(
    'lose, double and skip nothing when the leader of the stream is killed again and again',
    async ({ annotate }) => {
      const servers = await cluster(kind);
      const hosts = servers.map((server) => `127.0.0.1:${server.port}`).join(',');
      const url = `nats://${hosts}/RUNS`;
      try {
        // Answers only once the servers have found each other and chosen who leads.
        await until(() => hasStream(servers[0]!), 60_000);

        const stores = await Promise.all(
          ['a', 'b'].map((who) => natsStore(url, { ackMs: 2_000, auth: { inboxPrefix: `_INBOX.${who}` } })),
        );
        expect(stores[0]!.caution).toContain('3 replicas');
        let over = false;
        const writers = stores.map((store) => writeUntil(store, () => over));
        for (let n = 0; n < KILLS; n++) {
          await passes(700);
          // A server that is not the one just killed tells who leads.
          const leader = await leaderOf(servers);
          await leader.kill();
          await passes(1_000);
          await leader.run();
          await until(async () => (await currentOf(servers)) === 3, 60_000);
        }
        over = true;
        const written = await Promise.all(writers);
        const figures = await tally(stores[0]!, written);
        await annotate(
          shown(`nats ${kind.version}, three replicas, leader killed ${KILLS} times`, figures),
          'figures',
        );
        expect(figures).toMatchObject({ lost: 0, doubled: 0, gaps: 0, died: [] });
        expect((await stores[1]!.list()).map(({ health }) => health)).toEqual(['ok', 'ok']);
        await Promise.all(stores.map((store) => store.close()));
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    },
    soak ? 900_000 : 240_000,
  );
});

async function hasStream(server: NatsServer): Promise<boolean> {
  try {
    const { connection, manager } = await server.client();
    try {
      await manager.streams.add({ ...goodStream, name: 'RUNS', subjects: ['runs.>'], num_replicas: 3 });
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

async function streamCluster(servers: NatsServer[]) {
  for (const server of servers) {
    try {
      const { connection, manager } = await server.client();
      try {
        return (await manager.streams.info('RUNS')).cluster;
      } finally {
        await connection.close();
      }
    } catch {
      // That one is away, or has not joined again yet.
    }
  }
  return undefined;
}

async function leaderOf(servers: NatsServer[]): Promise<NatsServer> {
  let name: string | undefined;
  await until(async () => (name = (await streamCluster(servers))?.leader) !== undefined, 60_000);
  return servers[Number(name!.slice(1))]!;
}

/** Replicas that have all of the stream, the leader among them. */
async function currentOf(servers: NatsServer[]): Promise<number> {
  const found = await streamCluster(servers);
  if (found?.leader === undefined) return 0;
  return 1 + (found.replicas ?? []).filter(({ current }) => current).length;
}
