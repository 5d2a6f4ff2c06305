import { consumerOpts } from 'nats';
import type { JetStreamClient, JetStreamManager } from 'nats';
import { encodeRecord } from '../../src/shared/run/codec';
import { natsStore } from '../../src/main/journal/jetstream';
import { headersOf } from '../../src/main/journal/jetstream/put';
import type { RunStore } from '../../src/main/journal/journal';
import { callRecord, chatRecords, metaRecord, resultRecord } from '../support/journal-records';
import { everyNatsServer, NatsServer } from '../support/nats-server';

const APPENDS = 1_500;
const WARM_UP = 200;
const RECORDS = 10_000;
const RUNS = 10_000;
const LOADS = 7;

interface Figure {
  label: string;
  value: number;
  unit: string;
  aim?: string;
}

/**
 * What the store costs on a JetStream stream beside the bare client doing the least for the same bytes: one publish and
 * its acknowledgement, one ordered consumer, one filtered stream info and the gets. Always in turn, on one server.
 */
export async function bench() {
  const kind = everyNatsServer().at(-1)!;
  const server = await NatsServer.start(kind);
  try {
    const url = await server.addStream('RUNS');
    const { connection, manager } = await server.client();
    const store = await natsStore(url);
    const js = connection.jetstream();
    const figures = [
      ...(await appends(store, js)),
      ...(await loads(store, js)),
      ...(await lists(store, js, manager)),
    ];
    await store.close();
    await connection.close();
    return { name: `Runs on nats-server ${kind.version} (loopback, not synced)`, figures };
  } finally {
    await server.stop();
  }
}

async function appends(store: RunStore, js: JetStreamClient): Promise<Figure[]> {
  const journal = await store.create('bench', metaRecord('bench'));
  const text = 'x'.repeat(220);
  const times = { ours: [] as number[], bare: [] as number[], fenced: [] as number[] };
  let last = 0;
  for (let round = 0; round < WARM_UP + APPENDS; round++) {
    const seq = journal.lastSeq + 1;
    const record =
      seq % 2 === 0 ? callRecord(seq, [`call_${seq}`]) : resultRecord(seq, `call_${seq - 1}`, text);
    const body = encodeRecord(record);
    const steps: [keyof typeof times, () => Promise<unknown>][] = [
      ['ours', () => journal.append(record)],
      ['bare', () => js.publish(`runs.bare.${seq}`, body, { msgID: `bare-${seq}` })],
      [
        'fenced',
        async () => {
          const headers = headersOf({ id: `fenced-${seq}`, last, over: 'runs.fenced.>' });
          last = (await js.publish(`runs.fenced.${seq}`, body, { headers })).seq;
        },
      ],
    ];
    // Each comes first, second and third equally often.
    for (let n = 0; n < steps.length; n++) {
      const [name, step] = steps[(round + n) % steps.length]!;
      const begun = performance.now();
      await step();
      if (round >= WARM_UP) times[name].push(performance.now() - begun);
    }
  }
  await journal.close();
  const p50 = (name: keyof typeof times): number => quantile(times[name], 0.5);
  return [
    { label: 'append, p50', value: p50('ours') * 1000, unit: 'µs' },
    { label: 'bare publish and ack, p50', value: p50('bare') * 1000, unit: 'µs' },
    { label: 'bare publish behind the same fence, p50', value: p50('fenced') * 1000, unit: 'µs' },
    { label: 'append / bare, p50', value: p50('ours') / p50('bare'), unit: 'x', aim: '<= 1.15' },
    { label: 'append / bare behind the fence, p50', value: p50('ours') / p50('fenced'), unit: 'x' },
    { label: 'append, p99', value: quantile(times.ours, 0.99) * 1000, unit: 'µs' },
    { label: 'bare publish and ack, p99', value: quantile(times.bare, 0.99) * 1000, unit: 'µs' },
  ];
}

async function loads(store: RunStore, js: JetStreamClient): Promise<Figure[]> {
  const records = chatRecords('long', RECORDS);
  await store.import!('long', {
    lines: records.map((record) => Buffer.from(encodeRecord(record))),
    catalogue: {},
    texts: [],
  });
  const [reads, whole, bare]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < LOADS; round++) {
    bare.push(await timed(() => ordered(js, 'runs.long.>')));
    reads.push(await timed(() => store.bytes('long')));
    whole.push(await timed(() => store.load('long')));
  }
  const [r, w, b] = [reads, whole, bare].map((all) => quantile(all, 0.5)) as [number, number, number];
  return [
    { label: `bytes of ${RECORDS} records, p50`, value: r, unit: 'ms' },
    { label: 'bare ordered consumer, p50', value: b, unit: 'ms' },
    { label: 'bytes / bare, p50', value: r / b, unit: 'x', aim: '<= 1.5' },
    { label: 'load with decode, fold and notes, p50', value: w, unit: 'ms' },
    { label: 'load / bare, p50', value: w / b, unit: 'x', aim: '<= 1.5' },
  ];
}

/** Every message of a run through the client's own ordered consumer. */
async function ordered(js: JetStreamClient, subject: string): Promise<number> {
  const options = consumerOpts();
  options.orderedConsumer();
  options.deliverAll();
  const subscription = await js.subscribe(subject, options);
  let bytes = 0;
  for await (const message of subscription) {
    bytes += message.data.length;
    if (message.info.pending === 0) break;
  }
  return bytes;
}

async function lists(store: RunStore, js: JetStreamClient, manager: JetStreamManager): Promise<Figure[]> {
  const meta = Buffer.from(encodeRecord(metaRecord('row')));
  const last = Buffer.from(encodeRecord(resultRecord(3, 'call_2', 'x'.repeat(200))));
  for (let n = 0; n < RUNS; n += 500) {
    const batch = Array.from({ length: 500 }, (_, k) => `run-${n + k}`);
    await Promise.all(batch.map((id) => js.publish(`runs.${id}._meta`, meta)));
    await Promise.all(batch.map((id) => js.publish(`runs.${id}.3`, last)));
  }
  const [ours, bare]: [number[], number[]] = [[], []];
  let rows = 0;
  for (let round = 0; round < 3; round++) {
    bare.push(await timed(() => bareList(manager)));
    ours.push(await timed(async () => (rows = (await store.list()).length)));
  }
  const [a, b] = [quantile(ours, 0.5), quantile(bare, 0.5)];
  return [
    { label: `list of ${rows} runs, p50`, value: a, unit: 'ms' },
    { label: 'bare stream info and gets, p50', value: b, unit: 'ms' },
    { label: 'list / bare, p50', value: a / b, unit: 'x', aim: '<= 3' },
  ];
}

/** The subjects of all first records, then the first and last record of each, 256 at once. */
async function bareList(manager: JetStreamManager): Promise<number> {
  const info = await manager.streams.info('RUNS', { subjects_filter: 'runs.*._meta' });
  const metas = Object.keys(info.state.subjects ?? {});
  let next = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < metas.length; n = next++) {
      const run = metas[n]!.replace(/_meta$/, '>');
      await manager.streams.getMessage('RUNS', { last_by_subj: metas[n]! });
      await manager.streams.getMessage('RUNS', { last_by_subj: run });
    }
  };
  await Promise.all(Array.from({ length: 256 }, work));
  return metas.length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function quantile(values: number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}
