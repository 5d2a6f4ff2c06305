import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdfast } from '../../../src/main/cli/program';
import { openNamed } from '../../../src/main/journal/named';
import { childEnvironment } from '../../../src/main/model/keys';
import { agentParts } from '../../../src/main/parts';
import { loadProfiles, profileNamed } from '../../../src/main/settings/profiles';
import { FileSecrets, noSeal } from '../../../src/main/settings/secrets/file-secrets';
import { Keyring } from '../../../src/main/settings/secrets/keyring';
import { loadStores } from '../../../src/main/settings/stores';
import { connect } from '../../../src/shared/contract/connect';
import { memoryPair } from '../../../src/shared/contract/memory-port';
import { makeDesk, startChat } from '../../support/app';
import { testScreen } from '../../support/screen';
import { chatEvents, sendJson, sendStream, testServer } from '../../support/stream-server';
import { failureOf } from '../../support/wait';

/** With characters that JSON, addresses and base64 each write in another way. */
const CANARIES = {
  entered: 'sk-entered"9f/3+c==&Canary-One',
  environment: 'sk-environ"7a/2+b==&Canary-Two',
  password: 'nats hush"5d/1+e==&Canary Three',
  variable: 'nats-variable"3b/8+f==&Canary-4',
};

const ENVIRONMENT = { OPENROUTER_API_KEY: CANARIES.environment, TEAM_PASSWORD: CANARIES.variable };

/** As it is, in JSON once and twice, in an address, and in base64 of both alphabets. */
function forms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(secret),
    encodeURI(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}

/** `place: canary` for each that is found. */
function found(places: ReadonlyMap<string, string>): string[] {
  return [...places].flatMap(([place, text]) =>
    Object.entries(CANARIES)
      .filter(([, secret]) => forms(secret).some((form) => text.includes(form)))
      .map(([name]) => `${place}: ${name}`),
  );
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The place that a file of a home folder belongs to; undefined: the vault itself, and the person's own file. */
function placeOf(path: string): string | undefined {
  if (/^(config\/keys\.json|papers\/secrets\.txt)$/.test(path)) return undefined;
  if (path.startsWith('runs/.trash') || path.includes('/trash/')) return 'trash';
  if (path.startsWith('runs/')) return path.endsWith('.json') ? 'journals' : 'notes beside journals';
  if (path === 'config/profiles.yaml') return 'profiles';
  if (path === 'config/stores.yaml') return 'stores';
  if (path.startsWith('config/')) return 'earlier versions';
  if (path === 'state/addresses.json') return 'permissions';
  if (path.startsWith('state/')) return 'drafts and state';
  if (path.startsWith('cache/')) return 'search index';
  if (path.startsWith('out/')) return `export ${path.split('.').at(-1)}`;
  return 'other files';
}

/** Plants the canaries wherever one can be entered, uses them, and gives everything that was written, sent and shown. */
async function drive() {
  const places = new Map<string, string>();
  const add = (place: string, text: string) => places.set(place, `${places.get(place) ?? ''}${text}\n`);
  const { entered, password } = CANARIES;
  const env = ENVIRONMENT;
  let calls = 0;
  const seen = new Set<string>();
  const service = await testServer(async (request, response) => {
    const key = String(request.headers['authorization']).replace('Bearer ', '');
    seen.add(key);
    // A service that quotes the key in its refusal, in all forms, then asks for a file that holds them all.
    if (request.method === 'GET' || ++calls <= 2)
      return sendJson(response, 401, { error: { type: 'auth', message: `No: ${forms(key).join(' and ')}` } });
    const say = (delta: object, finish: string | null) =>
      JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const call = { name: 'read_file', arguments: '{"path":"secrets.txt"}' };
    const events = !JSON.stringify(request.body).includes('tool_call_id')
      ? [
          say(
            { role: 'assistant', tool_calls: [{ index: 0, id: 'a', type: 'function', function: call }] },
            null,
          ),
          say({}, 'tool_calls'),
        ]
      : [say({ role: 'assistant', content: 'Read.' }, null), say({}, 'stop')];
    return sendStream(response, chatEvents(events));
  });
  const desk = makeDesk({ answers: Array.from({ length: 20 }, () => true), env, leaveMs: 200 });
  writeFileSync(join(desk.folder, 'secrets.txt'), Object.values(CANARIES).flatMap(forms).join('\n'));
  const [main, page] = memoryPair();
  const client = connect({
    ...page,
    onFrame: (listener) => page.onFrame((frame) => (add('window', JSON.stringify(frame)), listener(frame))),
  });
  desk.app.connect(main);
  const failed = async (work: Promise<unknown>) => {
    const failure = await failureOf(work);
    add(
      'failures',
      `${JSON.stringify(failure.toJSON())} ${failure.message} ${failure.stack} ${String(failure.cause)}`,
    );
  };
  const at = { provider: 'openai' as const, model: 'm', endpoint: service.origin, tools: ['read_file'] };
  const hold = (kind: 'key' | 'password', value: string, where: string) =>
    client.call('keys.hold', { kind, service: where, value });
  const key = await hold('key', entered, service.origin);
  await failed(
    client.call('profiles.models', { ...{ provider: at.provider, endpoint: at.endpoint }, key: key.id }),
  );
  await failed(
    client.call('profiles.save', {
      profile: { ...at, name: 'Pasted', endpoint: `${service.origin}/?key=${encodeURIComponent(entered)}` },
    }),
  );
  await client.call('profiles.save', {
    profile: { ...at, name: 'Entered' },
    key: { id: key.id, keep: 'disk' },
  });
  await client.call('profiles.save', {
    profile: { ...at, name: 'Environment', key_env: 'OPENROUTER_API_KEY' },
  });
  const server = '127.0.0.1:9';
  const login = await hold('password', password, server);
  const team = { name: 'team', url: `nats://${server}/RUNS`, auth: { user: 'ada' } };
  await client.call('stores.save', { store: team, secret: { id: login.id, keep: 'disk' } });
  await client.call('stores.save', {
    store: { ...team, name: 'other', auth: { user: 'ada', password_env: 'TEAM_PASSWORD' } },
  });
  for (const store of [
    team,
    { ...team, name: 'other', auth: { user: 'ada', password_env: 'TEAM_PASSWORD' } },
  ])
    add('tests of stores', JSON.stringify(await client.call('stores.test', { store })));
  await client.call('keys.list', {});
  const ids: string[] = [];
  for (const profile of ['Entered', 'Environment', 'Entered', 'Environment']) {
    const { id, shown } = await startChat(client, 'Read the file.', { profile, folder: desk.folder });
    await shown.status(ids.length < 2 ? 'failed' : 'your_turn');
    ids.push(id);
    if (ids.length === 2) await client.call('run.trash', { id });
  }
  const run = ids.at(-1)!;
  await client.call('draft.set', { key: run, text: 'half a thought' });
  add('questions', JSON.stringify(desk.asked));
  add(
    'bugs',
    desk.bugs
      .map((bug) => (bug instanceof Error ? `${bug.stack} ${JSON.stringify(bug)}` : String(bug)))
      .join(),
  );

  const config = join(desk.home, 'config');
  const screen = testScreen([]);
  const keysFile = join(config, 'keys.json');
  const keyring = new Keyring(new FileSecrets(keysFile, noSeal));
  await keyring.warm();
  const profiles = () => loadProfiles(join(config, 'profiles.yaml'));
  const command = (...words: string[]) =>
    holdfast([...words, '--store', `file:${join(desk.home, 'runs')}`], {
      screen,
      version: '0',
      parts: async () => agentParts(env, keyring),
      store: (word) => openNamed(word, { path: join(config, 'stores.yaml') }),
      keys: async () => ({ keyring, file: keysFile, env }),
      profiles,
      profile: (name) => profileNamed(name, join(config, 'profiles.yaml')),
    });
  for (const ending of ['md', 'html', 'json', 'zip'])
    await command('export', run, '--out', join(desk.home, 'out', basename(`run.${ending}`)));
  await command('show', run);
  await command('ls');
  await command('search', 'Read');
  await command('preflight', run);
  await command('fork', run);
  await holdfast(['keys'], {
    screen,
    keys: async () => ({ keyring, file: keysFile, env }),
    profiles,
  } as never);
  add('terminal: results', screen.stdout);
  add('terminal: messages', screen.stderr);
  const { stores } = await loadStores(join(config, 'stores.yaml'));
  const logins = stores.flatMap(({ auth = {} }) =>
    auth.password_env ? [{ key_env: auth.password_env }] : [],
  );
  add('children', JSON.stringify(childEnvironment(env, [...(await profiles()).profiles, ...logins])));
  add('process.env', JSON.stringify(process.env));
  add('arguments', [...process.argv, ...process.execArgv].join(' '));
  for (const path of filesIn(desk.home)) {
    const place = placeOf(relative(desk.home, path).replaceAll('\\', '/'));
    if (place !== undefined && statSync(path).size > 0)
      add(place, `${path}\n${readFileSync(path, 'latin1')}`);
  }
  client.close();
  await desk.close();
  await service.stop();
  return { places, seen };
}

describe('a secret that is entered anywhere', () => {
  it('is in none of the places that are written, sent or shown, in no form', async () => {
    const { places, seen } = await drive();
    // The keys were really used.
    expect([...seen].sort()).toEqual([CANARIES.entered, CANARIES.environment].sort());
    expect(found(places)).toEqual([]);
    expect(places.size).toBeGreaterThanOrEqual(20);
    expect(places.get('journals')).toContain('[secret]');
    // The scan sees what a child would get without the filter, and what a service says of a key it was sent.
    const leaks = new Map([['children', JSON.stringify(ENVIRONMENT)]]);
    expect(found(leaks)).toEqual(['children: environment', 'children: variable']);
    for (const form of forms(CANARIES.entered))
      expect(found(new Map([['error text', `{"message":"Refused: ${form}."}`]]))).toEqual([
        'error text: entered',
      ]);
  }, 90_000);
});
