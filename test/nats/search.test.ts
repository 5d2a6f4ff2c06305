import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerIndex } from '../../src/main/library/search/worker-index';
import { loginOf } from '../../src/main/journal/login';
import { makeDesk, Shown, type Desk } from '../support/app';
import { builtParts } from '../support/built-parts';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { until } from '../support/wait';

const USERS =
  'accounts { A { jetstream: enabled, users: [{user: ada, password: "hush-hush"}, {user: op, password: op}] } }\nno_auth_user: op';

describe.each(everyNatsServer())('search over a stream, on nats-server $version', (kind) => {
  let server: NatsServer;
  let desk: Desk;
  beforeEach(async () => {
    server = await NatsServer.start(kind, USERS);
    await server.addStream('RUNS');
    const built = new URL('search.js', await builtParts('search'));
    const env = { TEAM_PASSWORD: 'hush-hush' };
    desk = makeDesk({
      answers: [true],
      env,
      // As the window has it: in processes, each of which logs in by itself.
      indexOf: (entry, store, onProgress) => {
        const login = entry ? loginOf(entry, env) : {};
        return new WorkerIndex(built, { store: store.url, login, cache: `${desk.home}/cache` }, onProgress);
      },
    });
  });
  afterEach(async () => {
    await desk.close();
    await server.stop();
  });

  it('finds what is said there with its own login, follows it, forgets what is deleted, and says when it is away', async () => {
    const client = desk.window();
    const auth = { user: 'ada', password_env: 'TEAM_PASSWORD' };
    await client.call('stores.save', { store: { name: 'team', url: server.url('RUNS'), auth } });
    await until(async () => (await client.call('stores.list', {})).stores[1]?.state === 'ok', 20_000);
    const { id } = await client.call('run.start', {
      prompt: 'say the heron stands in the reeds',
      chat: true,
      private: false,
      profile: 'Practice',
      store: 'team',
    });
    const shown = await new Shown(client, id).status('your_turn');
    const find = (words: string) => client.call('search.find', { words, limit: 20 });
    await until(async () => (await find('heron reeds')).hits.length >= 2, 20_000);
    expect((await find('heron reeds')).hits[0]).toMatchObject({ run: id, store: 'team', part: 'answer' });
    await client.call('run.say', { id, text: 'say a kingfisher came' });
    await shown.status('your_turn');
    await until(async () => (await find('kingfisher')).hits.length >= 2, 20_000);
    await client.call('run.trash', { id });
    await until(async () => (await find('heron')).hits.length === 0, 20_000);
    await client.call('run.restore', { id });
    await until(async () => (await find('heron')).hits.length >= 2, 20_000);

    await server.kill();
    await until(async () => (await find('heron')).failed.length === 1, 20_000);
    expect((await find('heron')).failed).toMatchObject([
      { store: 'team', failure: { code: 'store_unavailable' } },
    ]);
    await server.run();
    await until(async () => (await find('heron')).hits.length >= 2, 30_000);
    expect(desk.bugs).toEqual([]);
  });
});
