import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JetStreamManager, NatsConnection, StreamConfig } from 'nats';
import { checkNats, natsStore } from '../../src/main/journal/jetstream';
import { judgeStream } from '../../src/main/journal/jetstream/config';
import type { ServerConfig } from '../../src/main/journal/jetstream/config';
import type { Failure } from '../../src/shared/run/failure';
import { answerRecord, metaRecord } from '../support/journal-records';
import { runNatsCommand } from '../support/nats-command';
import { everyNatsServer, goodStream, NatsServer } from '../support/nats-server';
import { failureOf } from '../support/wait';

type Config = Partial<StreamConfig> & Record<string, unknown>;

/** A wrong setting, what the message must name, and whether the stream can be mended. */
interface Wrong {
  what: string;
  config: Config;
  setting: string;
  says: RegExp;
  /** `edit`: one command mends it. `add`: another stream is needed. */
  mend: 'edit' | 'add';
  /** Servers that can have it. */
  since?: number;
}

const WRONG: Wrong[] = [
  {
    what: 'kept in memory',
    config: { storage: 'memory' as never },
    setting: 'storage',
    says: /memory/,
    mend: 'add',
  },
  {
    what: 'a work queue',
    config: { retention: 'workqueue' as never, discard_new_per_subject: true },
    setting: 'retention',
    says: /work queue/,
    mend: 'add',
  },
  {
    what: 'kept by interest',
    config: { retention: 'interest' as never },
    setting: 'retention',
    says: /interest/,
    mend: 'edit',
  },
  {
    what: 'many messages a subject',
    config: { max_msgs_per_subject: 5 },
    setting: 'messages per subject',
    says: /exactly one message/,
    mend: 'edit',
  },
  {
    what: 'any number of messages a subject',
    config: { max_msgs_per_subject: -1, discard_new_per_subject: false },
    setting: 'messages per subject',
    says: /exactly one message/,
    mend: 'edit',
  },
  {
    what: 'old records discarded',
    config: { discard: 'old' as never, discard_new_per_subject: false },
    setting: 'discard',
    says: /make room/,
    mend: 'edit',
  },
  {
    what: 'overwriting a subject',
    config: { discard_new_per_subject: false },
    setting: 'discard per subject',
    says: /replace the first/,
    mend: 'edit',
  },
  { what: 'a limited age', config: { max_age: 3_600e9 }, setting: 'age', says: /age/, mend: 'edit' },
  {
    what: 'tiny messages',
    config: { max_msg_size: 1_024 },
    setting: 'message size',
    says: /1024 bytes are too small.*4096/,
    mend: 'edit',
  },
  {
    what: 'no acknowledgements',
    config: { no_ack: true },
    setting: 'acknowledgement',
    says: /does not say/,
    mend: 'edit',
  },
  {
    what: 'no wildcard subject',
    config: { subjects: ['wrong.one', 'wrong.two'] },
    setting: 'subjects',
    says: /no wildcard/,
    mend: 'edit',
  },
  {
    what: 'two wildcard subjects',
    config: { subjects: ['wrong.a.>', 'wrong.b.>'] },
    setting: 'subjects',
    says: /2 wildcard subjects/,
    mend: 'edit',
  },
  {
    what: 'a wildcard in the middle',
    config: { subjects: ['wrong.*.x'] },
    setting: 'subjects',
    says: /not of the form/,
    mend: 'edit',
  },
  {
    what: 'a wildcard for one word',
    config: { subjects: ['wrong.*'] },
    setting: 'subjects',
    says: /not of the form/,
    mend: 'edit',
  },
  {
    what: 'a counter',
    config: {
      allow_msg_counter: true,
      max_msgs_per_subject: -1,
      discard: 'old' as never,
      discard_new_per_subject: false,
    },
    setting: 'counter',
    says: /counts/,
    mend: 'add',
    since: 12,
  },
  {
    what: 'renamed subjects',
    config: { subject_transform: { src: '>', dest: 'else.>' } },
    setting: 'transform',
    says: /rename/,
    mend: 'edit',
    since: 10,
  },
  {
    what: 'writes that come late',
    config: { persist_mode: 'async' },
    setting: 'persist mode',
    says: /before it wrote/,
    mend: 'add',
    since: 12,
  },
];

describe.each(everyNatsServer())('The stream on nats-server $version', (kind) => {
  let server: NatsServer;
  let connection: NatsConnection;
  let manager: JetStreamManager;
  const minor = Number(kind.version.split('.')[1]);
  beforeAll(async () => {
    server = await NatsServer.start(kind);
    ({ connection, manager } = await server.client());
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  const clear = async (): Promise<void> => {
    for await (const name of manager.streams.names()) await manager.streams.delete(name);
  };

  /** The store works on the stream of this name, as only a sound one lets it. */
  async function works(name: string): Promise<void> {
    const store = await natsStore(server.url(name));
    await (await store.create('run', metaRecord('run'))).close();
    expect((await store.load('run')).records).toHaveLength(1);
    await store.purge('run');
    await store.close();
  }

  it.each(WRONG.filter(({ since }) => (since ?? 0) <= minor))(
    'with $what is refused, and the command that is told mends it',
    async ({ config, setting, says, mend }) => {
      await clear();
      await manager.streams.add({ ...goodStream, name: 'WRONG', subjects: ['wrong.>'], ...config });
      const before = (await manager.streams.info('WRONG')).config;
      const failure = await failureOf(natsStore(server.url('WRONG')));
      expect(failure.code).toBe('store_config');
      expect(failure.message).toContain(setting);
      expect(failure.message).toMatch(says);
      expect((await manager.streams.info('WRONG')).config).toEqual(before);
      const command = String(failure.data?.command);
      expect(failure.todo).toContain(command);
      const editable = mend === 'edit' && !(setting === 'retention' && minor < 10);
      expect(command).toContain(` stream ${editable ? 'edit' : 'add'} `);
      await works(await runNatsCommand(connection, command));
    },
  );

  it('with everything wrong at once is mended by one command', async () => {
    await clear();
    await manager.streams.add({
      name: 'WRONG',
      subjects: ['wrong.a.>', 'wrong.b.>'],
      max_age: 60e9,
      max_msg_size: 100,
      no_ack: true,
    });
    const failure = await failureOf(natsStore(server.url('WRONG')));
    for (const setting of [
      'subjects',
      'messages per subject',
      'discard',
      'age',
      'message size',
      'acknowledgement',
    ])
      expect(failure.message).toContain(setting);
    await works(await runNatsCommand(connection, String(failure.data?.command)));
  });

  it('that is missing is never made; the command that is told makes one that passes', async () => {
    await clear();
    const failure = await failureOf(natsStore(server.url('MISSING')));
    expect([failure.code, failure.data?.stream]).toEqual(['store_config', 'MISSING']);
    const names = [];
    for await (const name of manager.streams.names()) names.push(name);
    expect(names).toEqual([]);
    await works(await runNatsCommand(connection, String(failure.data?.command)));
  });

  it('that forbids purging keeps runs for good, and says so', async () => {
    await clear();
    await manager.streams.add({ ...goodStream, name: 'KEEPS', subjects: ['keeps.>'], deny_purge: true });
    const store = await natsStore(server.url('KEEPS'));
    expect(store.supports.delete).toBe(false);
    expect(store.caution).toContain('deny_purge');
    await (await store.create('run', metaRecord('run'))).close();
    for (const call of [() => store.trash('run'), () => store.purge('run')]) {
      const failure = await failureOf(call());
      expect([failure.code, failure.message]).toEqual(['unsupported', expect.stringContaining('deny_purge')]);
    }
    await store.label('run', { title: 'a' });
    await store.label('run', { title: 'b' });
    const journal = await store.open('run');
    // Text that is replaced again and again would stay for ever.
    await journal.putSlip('partial', 'half an answer', 'durably');
    await journal.putSlip('queue', 'words that wait', 'durably');
    await journal.close();
    expect(await store.slip('run', 'partial')).toBeUndefined();
    expect((await store.slip('run', 'queue'))?.text).toBe('words that wait');
    expect((await store.load('run')).catalogue).toEqual({ title: 'b' });
    await store.close();
  });

  it('that is full says so, keeps what it has, and takes more once there is room', async () => {
    await clear();
    await manager.streams.add({ ...goodStream, name: 'FULL', subjects: ['full.>'], max_msgs: 4 });
    const store = await natsStore(server.url('FULL'));
    const journal = await store.create('run', metaRecord('run'));
    let failure: Failure | undefined;
    for (let seq = 2; failure === undefined; seq++)
      await journal.append(answerRecord(seq, 'x', seq)).catch((error: Failure) => (failure = error));
    expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'no_space']);
    expect(failure.todo).toContain('limits');
    const kept = (await store.load('run')).records.length;
    await journal.close();
    await manager.streams.update('FULL', { max_msgs: -1 } as Partial<StreamConfig>);
    const again = await store.open('run');
    expect(again.lastSeq).toBe(kept);
    await again.append(answerRecord(kept + 1, 'x', kept));
    await again.close();
    await store.close();
  });

  it('is told step by step in a test of the store', async () => {
    await clear();
    const outcomes = async (url: string) =>
      (await checkNats(url)).map(({ name, outcome }) => `${name} ${outcome}`);
    expect(await outcomes('http://x')).toEqual(['address failed']);
    expect(await outcomes('nats://127.0.0.1:1/RUNS')).toEqual(['connection failed']);
    expect(await outcomes(server.url('RUNS'))).toEqual(['connection ok', 'server ok', 'stream failed']);
    await server.addStream('RUNS');
    const old = minor < 11;
    const rest = [`fence ${old ? 'caution' : 'ok'}`, 'delete ok', 'durability caution'];
    expect(await outcomes(server.url('RUNS'))).toEqual([
      'connection ok',
      'server ok',
      'stream ok',
      'settings ok',
      'writing ok',
      ...rest,
    ]);
    await server.addStream('BAD', { max_age: 60e9, max_msg_size: 10 });
    const checks = await checkNats(server.url('BAD'));
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(3);
    const all = checks.filter(({ name }) => name === 'settings').at(-1);
    await works(await runNatsCommand(connection, all?.command ?? ''));
  });

  it('shows its replicas and what an acknowledgement means', async () => {
    await clear();
    const store = await natsStore(await server.addStream('RUNS'));
    expect(store.durability).toBe('acknowledged');
    expect(store.caution).toMatch(/One replica.*acknowledged by NATS.*sync_interval/);
    expect(store.caution).not.toMatch(/on disk/);
    await store.close();
  });
});

describe('The judgement of a stream', () => {
  const judged = (config: ServerConfig) =>
    judgeStream({ ...(goodStream as ServerConfig), name: 'X', subjects: ['x.>'], ...config }, '2.15.1');

  it('passes a sound one, with literal subjects beside the wildcard', () => {
    expect(judged({}).problems).toEqual([]);
    for (const [subjects, prefix] of [
      [['x.>'], 'x'],
      [['a.b.c.>'], 'a.b.c'],
      [['other', 'runs-2.>', 'an.other'], 'runs-2'],
    ] as const)
      expect(judged({ subjects: [...subjects] }).prefix).toBe(prefix);
  });

  it.each([
    [[]],
    [['>']],
    [['*.>']],
    [['a.*.>']],
    [['a.b']],
    [['a.>', 'b.*']],
    [['$x.>']],
    [['_x.>']],
    [['a.>b']],
  ])('finds no prefix in %j', (subjects) => {
    const { prefix, problems } = judged({ subjects });
    expect(prefix).toBeUndefined();
    expect(problems.map(({ setting }) => setting)).toContain('subjects');
  });

  it('refuses mirrors, sources and sealed streams, and warns of onlookers', () => {
    const settings = (config: ServerConfig) => judged(config).problems.map(({ setting }) => setting);
    expect(settings({ mirror: { name: 'Y' } as never })).toEqual(['mirror']);
    expect(settings({ sources: [{ name: 'Y' }] as never })).toEqual(['sources']);
    expect(settings({ sealed: true })).toEqual(['sealed']);
    expect(judged({ republish: { src: '>', dest: 'copy.>' } }).cautions.join()).toContain('copy.>');
    expect(judged({ max_consumers: 3 }).cautions.join()).toContain('3 consumers');
    expect(judged({ num_replicas: 3 }).cautions.join()).toContain('3 replicas');
  });
});
