import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDesk, Shown, type Desk } from '../support/app';
import { workbench } from '../support/cli';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { failureOf, until } from '../support/wait';

describe.each(everyNatsServer())('stores in the app, on nats-server $version', (kind) => {
  let server: NatsServer;
  let desk: Desk;
  let other: Desk | undefined;
  beforeEach(async () => {
    server = await NatsServer.start(kind);
    desk = makeDesk({ answers: [true, true, true], leaveMs: 500 });
  });
  afterEach(async () => {
    await other?.close();
    other = undefined;
    await desk.close();
    await server.stop();
  });

  const team = () => ({ name: 'team', url: server.url('RUNS') });
  const state = async (of: Desk) =>
    (await of.window().call('stores.list', {})).stores.find((store) => store.name === 'team')?.state;
  const add = async (of: Desk) => {
    await of.window().call('stores.save', { store: team() });
    await until(async () => (await state(of)) === 'ok', 20_000);
  };
  const start = async (of: Desk, prompt: string) => {
    const client = of.window();
    const { id } = await client.call('run.start', {
      prompt,
      chat: true,
      private: false,
      profile: 'Practice',
      store: 'team',
    });
    return { client, id, shown: new Shown(client, id) };
  };

  it('closes soon while a store is away, and the run goes on from its last record', async () => {
    await server.addStream('RUNS');
    await add(desk);
    const client = desk.window();
    const { id } = await client.call('run.start', {
      prompt: 'write out.txt: hello',
      chat: true,
      private: false,
      profile: 'Practice',
      folder: desk.folder,
      store: 'team',
    });
    await new Shown(client, id).status('waiting', 20_000);
    await server.kill();
    const before = Date.now();
    await desk.app.close();
    // Its writers wait a minute for a server that comes back.
    expect(Date.now() - before).toBeLessThan(20_000);
    await server.restart();
    other = makeDesk({ home: desk.home, answers: [true] });
    await until(async () => other !== undefined && (await state(other)) === 'ok', 20_000);
    const view = await other.window().call('run.preflight', { id });
    expect(view).toMatchObject({ ok: true, pending: [{ tool: 'write_file', fate: 'ask' }], unknown: [] });
  });

  it('are tested check by check, each wrong setting with its command, before and after the stream is there', async () => {
    const client = desk.window();
    const missing = await client.call('stores.test', { store: team() });
    const last = missing.checks.at(-1);
    expect(missing.checks.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'connection ok',
      expect.stringMatching(/^server/),
      'stream failed',
    ]);
    expect(last?.command).toMatch(/^nats --server=.* stream add RUNS .*--discard-per-subject/);
    await server.addStream('RUNS', { max_age: 3_600_000_000_000 });
    const wrong = await client.call('stores.test', { store: team() });
    const failed = wrong.checks.filter((check) => check.outcome === 'failed');
    expect(failed).toEqual([expect.objectContaining({ name: 'settings' })]);
    expect(failed[0]?.command).toContain('stream edit RUNS --max-age');
    // Saved all the same, it says why it is not used, with the command.
    await client.call('stores.save', { store: team() });
    await until(async () => (await state(desk)) === 'unreachable');
    const { stores } = await client.call('stores.list', {});
    expect(stores[1]?.reason).toMatchObject({ code: 'store_config' });
    expect(stores[1]?.reason?.data?.['command']).toContain('stream edit RUNS');
  });

  it('keep a chat on the stream, tell what acknowledged means, and copy it over and back with the same bytes', async () => {
    await server.addStream('RUNS');
    await add(desk);
    const { client, id, shown } = await start(desk, 'hello on the stream');
    await shown.status('your_turn');
    expect(shown.head?.durability).toBe('acknowledged');
    const { stores } = await client.call('stores.list', {});
    expect(stores[1]?.promise).toMatch(/^Acknowledged by NATS.*sync_interval.*replicas/s);
    expect(`${stores[1]?.promise} ${stores[1]?.caution}`).not.toMatch(/on disk/i);
    const bare = id.slice('team.'.length);
    const down = await client.call('run.copy', { id, to: 'default' });
    const file = readFileSync(join(desk.home, 'runs', `${bare}.json`));
    expect(down).toMatchObject({ id: bare, bytes: file.length });
    expect((await failureOf(client.call('run.copy', { id: bare, to: 'team' }))).code).toBe('exists');
    await client.call('run.say', { id: bare, text: 'and on in the folder' });
    await until(async () => {
      const { rows } = await client.call('library.page', { offset: 0, limit: 9, stores: ['default'] });
      return rows[0]?.status === 'your_turn' && (rows[0].counters?.llm_calls ?? 0) > 1;
    });
    expect((await client.call('run.preflight', { id })).id).toBe(id);
  });

  it('show a run that another machine writes, live in the list and in the conversation', async () => {
    await server.addStream('RUNS');
    other = makeDesk({ answers: [true] });
    await add(desk);
    await add(other);
    const writing = await start(desk, 'wait 2 seconds');
    const reader = other.window();
    const listed = async () =>
      (await reader.call('library.page', { offset: 0, limit: 9 })).rows.find((row) => row.id === writing.id);
    await until(async () => (await listed()) !== undefined);
    const seen = new Shown(reader, writing.id);
    await until(() => seen.head !== undefined);
    await until(() => seen.head?.row.status === 'your_turn', 20_000);
    await writing.shown.status('your_turn');
    // The state is told first, and the texts are fetched then.
    await until(() => seen.texts().length === writing.shown.texts().length);
    expect(seen.texts()).toEqual(writing.shown.texts());
    await writing.client.call('run.say', { id: writing.id, text: 'do you read me?' });
    await until(() => seen.texts().includes('do you read me?'), 20_000);
    await until(
      () => seen.texts().length > 0 && seen.texts().length === writing.shown.texts().length,
      20_000,
    );
    await writing.client.call('run.rename', { id: writing.id, title: 'From over there' });
    await until(async () => (await listed())?.title === 'From over there');
  });

  it('say that the server is away, let the run wait, and go on when it is back', async () => {
    await server.addStream('RUNS');
    await add(desk);
    const { client, id, shown } = await start(desk, 'hello');
    await shown.status('your_turn');
    let told = 0;
    client.on('stores.changed', () => told++);
    await server.kill();
    await until(async () => (await state(desk)) === 'unreachable', 20_000);
    expect(told).toBeGreaterThan(0);
    const away = await client.call('library.page', { offset: 0, limit: 9 });
    expect(away.rows.map((row) => row.id)).toEqual([id]);
    expect(away.stores[1]).toMatchObject({ state: 'unreachable', count: 1 });
    await server.run();
    await until(async () => (await state(desk)) === 'ok', 20_000);
    await client.call('run.say', { id, text: 'are you back?' });
    await until(() => shown.texts().includes('are you back?'), 20_000);
    await until(() => shown.head?.row.status === 'your_turn', 20_000);
  });

  it('are opened by themselves once the server is there', async () => {
    await server.addStream('RUNS');
    await server.kill();
    await desk.window().call('stores.save', { store: team() });
    await until(async () => (await state(desk)) === 'unreachable', 20_000);
    await server.run();
    await until(async () => (await state(desk)) === 'ok', 30_000);
    const { shown } = await start(desk, 'hello');
    await shown.status('your_turn');
  });

  it('log in with what the file only refers to, and say so where that is not accepted', async () => {
    const guarded = await NatsServer.start(
      kind,
      'accounts { A { jetstream: enabled, users: [{user: ada, password: "hush-hush"}, {user: op, password: op}] } }\nno_auth_user: op',
    );
    await guarded.addStream('RUNS');
    const store = {
      name: 'team',
      url: guarded.url('RUNS'),
      auth: { user: 'ada', password_env: 'TEAM_PASSWORD' },
    };
    const wrong = makeDesk({ answers: [true], env: { TEAM_PASSWORD: 'guessed' } });
    const right = makeDesk({ answers: [true], env: { TEAM_PASSWORD: 'hush-hush' } });
    try {
      const { checks } = await wrong.window().call('stores.test', { store });
      expect(checks).toEqual([expect.objectContaining({ name: 'connection', outcome: 'failed' })]);
      expect(checks[0]?.text).toContain('does not accept these credentials');
      await right.window().call('stores.save', { store });
      await until(async () => (await state(right)) === 'ok', 20_000);
      const { shown } = await start(right, 'hello');
      await shown.status('your_turn');
      const file = readFileSync(join(right.home, 'config', 'stores.yaml'), 'utf8');
      expect(file).toContain('TEAM_PASSWORD');
      const told = JSON.stringify([checks, await right.window().call('stores.list', {})]);
      for (const text of [file, told]) expect(text).not.toMatch(/hush|guessed/);
    } finally {
      await wrong.close();
      await right.close();
      await guarded.stop();
    }
  });

  it('tell whoever runs a command that the server is away, and that it is back', async () => {
    await server.addStream('RUNS');
    const bench = workbench();
    const prompt = ['run', 'append log.txt: once after 0.5', '--id', 'away', '--store', server.url('RUNS')];
    const ran = bench.run([...prompt, '--folder', bench.folder, '--allow', 'append_file']);
    await until(() => existsSync(join(bench.folder, 'log.txt')));
    await server.kill();
    await new Promise((resolve) => setTimeout(resolve, 600));
    await server.run();
    const { exit, stderr } = await ran;
    expect(stderr).toMatch(/NATS server is away; waiting for it\n[^]*NATS server is back\n/);
    expect([exit, readFileSync(join(bench.folder, 'log.txt'), 'utf8')]).toEqual([0, 'once\n']);
  });

  it('are copied between by the command, by address and by name, with the same bytes', async () => {
    await server.addStream('RUNS');
    const bench = workbench();
    writeFileSync(
      join(bench.runs, '..', 'stores.yaml'),
      `stores:\n  - name: team\n    url: ${server.url('RUNS')}\n`,
    );
    await bench.run(['run', 'count the files', '--id', 'one', '--folder', bench.folder]);
    const there = await bench.run(['copy', 'one', '--to', server.url('RUNS')]);
    expect([there.exit, there.stdout]).toEqual([0, 'one\n']);
    const back = await bench.run(['copy', 'one', '--from', 'team', '--as', 'two']);
    expect([back.exit, back.stdout]).toEqual([0, 'two\n']);
    const file = (id: string) => readFileSync(join(bench.runs, `${id}.json`));
    expect(file('two').equals(file('one'))).toBe(true);
    expect((await bench.run(['copy', 'one', '--to', 'team'])).stderr).toMatch(/already|exists/);
  });
});
