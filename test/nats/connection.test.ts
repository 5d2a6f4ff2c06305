import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { credsAuthenticator, nkeyAuthenticator } from 'nats';
import type { ConnectionOptions } from 'nats';
import { checkNats, natsStore } from '../../src/main/journal/jetstream';
import type { NatsAuth } from '../../src/main/journal/jetstream';
import { parseAddress } from '../../src/main/journal/jetstream/address';
import type { NatsStore } from '../../src/main/journal/jetstream/store';
import { openStore } from '../../src/main/journal/registry';
import { fixture } from '../support/fold-cases';
import { tempFolder } from '../support/folder';
import { answerRecord, metaRecord, userRecord } from '../support/journal-records';
import { newUserSeed, operatorMode } from '../support/nats-jwt';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { failureOf, until } from '../support/wait';

describe('The address of a stream', () => {
  it.each([
    ['nats://host/RUNS', ['host:4222'], 'RUNS', {}],
    ['nats://a:1,b:2,[::1]:3/my-runs', ['a:1', 'b:2', '[::1]:3'], 'my-runs', {}],
    ['nats://me:s%40crt@host/R', ['host:4222'], 'R', { user: 'me', password: 's@crt' }],
    ['nats://t0ken@host/R', ['host:4222'], 'R', { token: 't0ken' }],
    [
      'nats://h/R?creds=/a/b.creds&inbox_prefix=_INBOX.me',
      ['h:4222'],
      'R',
      { creds: '/a/b.creds', inboxPrefix: '_INBOX.me' },
    ],
    ['tls://a,b:1/R', ['a:4222', 'b:1'], 'R', { tls: {} }],
    ['nats://h/R?tls=true', ['h:4222'], 'R', { tls: {} }],
    [
      'nats://h/R?tls=first&tls_ca=/ca&tls_cert=/c&tls_key=/k',
      ['h:4222'],
      'R',
      { tls: { handshakeFirst: true, ca: '/ca', cert: '/c', key: '/k' } },
    ],
    ['nats://h/R?nkey=/seed&domain=hub', ['h:4222'], 'R', { nkey: '/seed', domain: 'hub' }],
  ] as const)('%s is understood', (url, servers, stream, auth) => {
    expect(parseAddress(url)).toMatchObject({ servers, stream });
    expect(parseAddress(url).auth).toEqual(auth);
  });

  it('is shown without anything secret, and can be opened again in that form', () => {
    const url = 'nats://me:hunter2@a:1,b:2/R?token=t0ken&creds=/home/me/x.creds&domain=hub';
    expect(parseAddress(url).shown).toBe('nats://a:1,b:2/R?domain=hub');
    expect(parseAddress(parseAddress(url).shown).stream).toBe('R');
    expect(parseAddress('tls://me:hunter2@a/R').shown).toBe('tls://a:4222/R');
  });

  it.each([
    'nats://',
    'nats://host',
    'nats://host/',
    'nats://host/a.b',
    'nats://host/a b',
    'nats://host/a*',
    'nats://host/a/b',
    'nats:///RUNS',
    'nats://a b/RUNS',
    'nats://host:99999/RUNS',
    'nats://host:x/RUNS',
    'nats://host/RUNS?colour=red',
    'nats://host/%ZZ',
    'http://host/RUNS',
    'nats://me:hunter2@host',
  ])('%s is refused with what an address looks like, and no secret', (url) => {
    try {
      parseAddress(url);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: 'store_config',
        todo: expect.stringContaining('nats://host:4222/STREAM'),
      });
      expect(JSON.stringify(error)).not.toContain('hunter2');
    }
  });
});

describe.each(everyNatsServer())('A connection to nats-server $version', (kind) => {
  let server: NatsServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  /** A server with these lines that the operator reaches with `login`. */
  async function guarded(lines: string, login: ConnectionOptions): Promise<string> {
    server = await NatsServer.start(kind, lines);
    server.login = login;
    return server.addStream('RUNS');
  }

  /** Writes and reads a run, again after the server was restarted: who reconnects must prove itself again. */
  async function works(url: string, auth: NatsAuth = {}): Promise<void> {
    const store = await natsStore(url, { auth });
    const journal = await store.create('run', metaRecord('run'));
    await server!.restart();
    await journal.append(answerRecord(2, 'after the restart'));
    await journal.close();
    expect((await store.load('run')).records).toHaveLength(2);
    expect(store.url).toBe(server!.url('RUNS'));
    await store.close();
  }

  const refused = async (url: string, auth: NatsAuth = {}): Promise<void> => {
    const failure = await failureOf(natsStore(url, { auth }));
    expect([failure.code, failure.message]).toEqual(['store_config', expect.stringContaining('credentials')]);
  };

  it('proves itself with user and password', async () => {
    const login = { user: 'me', pass: 's3cret' };
    const url = await guarded('authorization { users: [{ user: me, password: s3cret }] }', login);
    await refused(url);
    await refused(url, { user: 'me', password: 'wrong' });
    await works(url.replace('//', '//me:s3cret@'));
  });

  it('proves itself with a token', async () => {
    const url = await guarded('authorization { token: "t0ken" }', { token: 't0ken' });
    await refused(url, { token: 'wrong' });
    await works(url, { token: 't0ken' });
  });

  it('proves itself with an nkey', async () => {
    const { seed, publicKey } = newUserSeed();
    const url = await guarded(`authorization { users: [{ nkey: ${publicKey} }] }`, {
      authenticator: nkeyAuthenticator(Buffer.from(seed)),
    });
    const folder = tempFolder({ good: `# mine\n${seed}\n`, other: newUserSeed().seed, empty: 'nothing' });
    await refused(url, { nkey: `${folder}/other` });
    expect((await failureOf(natsStore(url, { auth: { nkey: `${folder}/empty` } }))).message).toContain(
      'seed',
    );
    expect((await failureOf(natsStore(url, { auth: { nkey: `${folder}/none` } }))).message).toContain(
      'cannot be read',
    );
    await works(`${url}?nkey=${folder}/good`);
  });

  it('proves itself with a credentials file of an account', async () => {
    const { config, creds } = operatorMode();
    const url = await guarded(config, { authenticator: credsAuthenticator(Buffer.from(creds)) });
    const folder = tempFolder({ 'user.creds': creds });
    await refused(url);
    await works(url, { creds: `${folder}/user.creds` });
  });

  it('uses TLS with an authority and a certificate of its own', async () => {
    const file = (name: string): string => fixture(`tls/${name}.pem`);
    const tls = `cert_file: "${file('server')}", key_file: "${file('server-key')}", ca_file: "${file('ca')}", verify: true`;
    const login = { tls: { caFile: file('ca'), certFile: file('client'), keyFile: file('client-key') } };
    const url = await guarded(`tls { ${tls} }`, login);
    expect((await failureOf(natsStore(`${url}?tls=true`))).code).toBe('store_unavailable');
    await works(url, { tls: { ca: file('ca'), cert: file('client'), key: file('client-key') } });
  });

  it('needs no more than its own inboxes, the subjects of the stream, and JetStream, also in a domain', async () => {
    server = await NatsServer.start(
      kind,
      [
        'authorization { users: [',
        '  { user: op, password: op },',
        '  { user: me, password: me, permissions: {',
        '    publish: ["$JS.API.>", "$JS.FC.>", "runs.>", "_INBOX.me.>"],',
        '    subscribe: ["_INBOX.me.>", "runs.>"], allow_responses: true } },',
        '] }',
      ].join('\n'),
      'domain: hub',
    );
    server.login = { user: 'op', pass: 'op' };
    const url = await server.addStream('RUNS');
    const me = { user: 'me', password: 'me', inboxPrefix: '_INBOX.me', domain: 'hub' };
    const store = await natsStore(url, { auth: me });
    const seen: string[] = [];
    const stop = store.watch(({ what }) => seen.push(what));
    const journal = await store.create('run', metaRecord('run'));
    await until(() => seen.includes('added'));
    const name = await journal.keep('call', 'x'.repeat(3_000_000));
    await journal.note({ kind: 'config', at: '2026-07-20T09:08:07Z', profile: 'P' });
    const other = await natsStore(url, { auth: { user: 'op', password: 'op' } });
    expect((await failureOf(other.open('run'))).code).toBe('locked');
    await journal.close();
    expect((await store.load('run')).sidecarBound).toBe(true);
    expect(await store.kept('run', name)).toHaveLength(3_000_000);
    expect(await store.list()).toHaveLength(1);
    await store.purge('run');
    stop();
    await Promise.all([store.close(), other.close()]);
    const elsewhere = await failureOf(natsStore(url, { auth: { ...me, domain: 'elsewhere' } }));
    expect([elsewhere.code, elsewhere.data?.subject]).toEqual([
      'store_config',
      '$JS.elsewhere.API.STREAM.INFO.RUNS',
    ]);
  });

  it('says at once what its account may not do, and waits for no outage that there is not', async () => {
    const rights = {
      reader: 'publish: ["$JS.API.>", "$JS.FC.>"], subscribe: [">"]',
      writer: 'publish: { allow: [">"], deny: ["$JS.API.CONSUMER.>"] }, subscribe: [">"]',
      blind: 'publish: ["runs.>"], subscribe: [">"]',
      deaf: 'publish: [">"], subscribe: ["elsewhere"]',
      keeper: 'publish: { allow: [">"], deny: ["$JS.API.STREAM.PURGE.>"] }, subscribe: [">"]',
    };
    const users = Object.entries(rights).map(
      ([name, its]) => `{ user: ${name}, password: p, permissions: { ${its} } }`,
    );
    const url = await guarded(`authorization { users: [{ user: op, password: p }, ${users.join(', ')}] }`, {
      user: 'op',
      pass: 'p',
    });
    const as = (user: string) => natsStore(url, { auth: { user, password: 'p' } });
    const op = await as('op');
    await (await op.create('run', metaRecord('run'))).close();
    const begun = Date.now();
    const writing = async (user: string) =>
      (await checkNats(url, { auth: { user, password: 'p' } })).find(({ name }) => name === 'writing');
    expect(await writing('op')).toMatchObject({ outcome: 'ok' });
    expect(await writing('reader')).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining('"runs._claim.test.0"'),
    });
    const forbidden = async (call: Promise<unknown>, subject: string): Promise<void> =>
      expect(await failureOf(call)).toMatchObject({
        code: 'store_config',
        message: expect.stringContaining(`"${subject}`),
        todo: expect.stringContaining('$JS.API.>'),
      });
    const [reader, writer, keeper] = await Promise.all(['reader', 'writer', 'keeper'].map(as));
    expect((await reader!.load('run')).records).toHaveLength(1);
    await forbidden(reader!.create('new', metaRecord('new')), 'runs.new._meta');
    await forbidden(reader!.open('run'), 'runs._claim.run.');
    await forbidden(reader!.label('run', { title: 'x' }), 'runs._cat.run.');
    await forbidden(writer!.load('run'), '$JS.API.CONSUMER.');
    await forbidden(keeper!.purge('run'), '$JS.API.STREAM.PURGE.RUNS');
    await forbidden(as('blind'), '$JS.API.STREAM.INFO.RUNS');
    await forbidden(as('deaf'), '_INBOX.');
    expect(Date.now() - begun).toBeLessThan(9_000);
    await Promise.all([op, reader!, writer!, keeper!].map((store) => store.close()));
  });

  it('is built anew when the client gives it up, and whoever writes and watches goes on', async () => {
    const states: string[] = [];
    const url = await guarded('', {});
    const store = (await natsStore(url, { onState: (state) => states.push(state) })) as NatsStore;
    const seen: string[] = [];
    store.watch(({ id, what }) => seen.push(`${id} ${what}`));
    const journal = await store.create('run', metaRecord('run'));
    await store.ground.link.connection.close();
    await until(() => states.includes('reconnecting'));
    await journal.append(answerRecord(2, 'goes on'));
    expect(states).toEqual(['reconnecting', 'connected']);
    seen.length = 0;
    await journal.append(userRecord(3, 'is heard'));
    await until(() => seen.includes('run grown'));
    await journal.close();
    expect((await store.load('run')).records).toHaveLength(3);
    await store.close();
  });

  it('finds a server of its list that is there, and proves itself with what its file holds by now', async () => {
    const [before, after] = [newUserSeed(), newUserSeed()];
    const folder = tempFolder({ seed: before.seed });
    const allowed = (key: string) => `authorization { users: [{ nkey: ${key} }] }`;
    const url = await guarded(allowed(before.publicKey), {
      authenticator: nkeyAuthenticator(Buffer.from(before.seed)),
    });
    const store = await natsStore(`${url.replace('//', '//127.0.0.1:1,')}?nkey=${folder}/seed`);
    const journal = await store.create('run', metaRecord('run'));
    await server!.kill();
    await server!.run(allowed(after.publicKey));
    const pending = journal.append(answerRecord(2, 'with the new seed'));
    writeFileSync(`${folder}/seed`, after.seed);
    await pending;
    await journal.close();
    expect((await store.load('run')).records).toHaveLength(2);
    await store.close();
  });

  it('says so where there is no JetStream for its account', async () => {
    const url = await guarded(
      'accounts { A { users: [{ user: a, password: p }] }, B { jetstream: enabled, users: [{ user: b, password: p }] } }',
      { user: 'b', pass: 'p' },
    );
    const failure = await failureOf(natsStore(url, { auth: { user: 'a', password: 'p' } }));
    expect([failure.code, failure.message]).toEqual(['store_config', expect.stringContaining('JetStream')]);
    expect(failure.todo).toContain('Enable JetStream');
  });

  it('is one for all stores with the same address, and ends with the last of them', async () => {
    const url = await guarded('', {});
    const { connection } = await server!.client();
    await connection.close();
    const stores = await Promise.all([natsStore(url), natsStore(url), openStore(url)]);
    const alone = await natsStore(url, { auth: { inboxPrefix: '_INBOX.alone' } });
    await (await stores[0]!.create('shared', metaRecord('shared'))).close();
    await stores[0]!.close();
    await stores[0]!.close();
    expect((await stores[1]!.load('shared')).records).toHaveLength(1);
    await stores[1]!.close();
    expect((await stores[2]!.load('shared')).records).toHaveLength(1);
    await stores[2]!.close();
    expect((await failureOf(stores[2]!.load('shared'))).code).toBe('store_unavailable');
    expect((await alone.load('shared')).records).toHaveLength(1);
    await alone.close();
  });
});
