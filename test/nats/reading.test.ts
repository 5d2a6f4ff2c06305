import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeRecord } from '../../src/shared/run/codec';
import { natsStore } from '../../src/main/journal/jetstream';
import type { RunStore } from '../../src/main/journal/journal';
import { chatRecords } from '../support/journal-records';
import { NatsProxy } from '../support/nats-proxy';
import { everyNatsServer, freePort, NatsServer } from '../support/nats-server';
import { failureOf } from '../support/wait';

const RECORDS = 3_000;

describe.each(everyNatsServer())('Reading from nats-server $version', (kind) => {
  let server: NatsServer;
  let store: RunStore;
  let monitor: number;
  beforeAll(async () => {
    monitor = await freePort();
    server = await NatsServer.start(kind, `http: "127.0.0.1:${monitor}"`);
    store = await natsStore(await server.addStream('RUNS'));
    const lines = chatRecords('long', RECORDS).map((record) => Buffer.from(encodeRecord(record)));
    await store.import!('long', { lines, catalogue: {}, texts: [] });
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  /** What the server says of the connections of the product. */
  async function connections(): Promise<{ out_bytes: number }[]> {
    const reply = await fetch(`http://127.0.0.1:${monitor}/connz`);
    const { connections: all } = (await reply.json()) as {
      connections: { name?: string; out_bytes: number }[];
    };
    return all.filter(({ name }) => name === 'holdfast');
  }

  /** A store behind a proxy that loses these messages on their way to the reader. */
  async function losing(deaf: (subject: string) => boolean): Promise<[RunStore, () => Promise<void>]> {
    const proxy = await NatsProxy.start(server.port, { deaf });
    const reader = await natsStore(proxy.url('RUNS'));
    return [
      reader,
      async () => {
        await reader.close();
        await proxy.stop();
      },
    ];
  }

  it.each([
    ['in the middle', 1_500],
    ['at the end', RECORDS],
  ])('begins again when a message %s does not arrive, and gives all of them', async (_where, seq) => {
    let lost = 0;
    const [reader, end] = await losing((subject) => subject === `runs.long.${seq}` && lost++ === 0);
    expect((await reader.load('long')).records).toHaveLength(RECORDS);
    expect(lost).toBe(2);
    await end();
  });

  it('fails when one never arrives, and gives no beginning of the run', async () => {
    const [reader, end] = await losing((subject) => subject === 'runs.long.1500');
    const calls = [() => reader.load('long'), () => reader.bytes('long'), () => reader.open('long')];
    for (const call of calls) expect((await failureOf(call())).code).toBe('store_unavailable');
    await end();
    expect((await store.load('long')).records).toHaveLength(RECORDS);
  });

  it('for a list takes no record between the first and the last of a run', async () => {
    const out = async () => (await connections())[0]!.out_bytes;
    const [before, whole] = [await out(), (await store.bytes('long')).length];
    const between = await out();
    expect(between - before).toBeGreaterThan(whole);
    expect(await store.list()).toHaveLength(1);
    // Older servers tell the names of all subjects.
    expect((await out()) - between).toBeLessThan(whole / 5);
  });

  it('and all else of several stores with one address goes over one connection', async () => {
    const more = await Promise.all([natsStore(server.url('RUNS')), natsStore(server.url('RUNS'))]);
    await more[0]!.list();
    expect(await connections()).toHaveLength(1);
    await Promise.all(more.map((one) => one.close()));
    expect(await connections()).toHaveLength(1);
  });
});
