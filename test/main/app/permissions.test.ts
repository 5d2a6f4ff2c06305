import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeDesk, startChat, type Desk, type DeskOptions } from '../../support/app';
import { failureOf } from '../../support/wait';

let made: Desk[] = [];
afterEach(async () => {
  for (const each of made) await each.close();
  made = [];
});
const open = (options: DeskOptions = {}) => {
  const desk = makeDesk({ askFolders: true, ...options });
  made.push(desk);
  return { desk, client: desk.window() };
};
const remote = {
  name: 'Remote',
  provider: 'openai',
  model: 'm',
  endpoint: 'https://models.example/v1',
  key_env: 'SOME_KEY',
} as const;

describe('permission for a folder', () => {
  it('is asked for once, remembered by the next start, and covers what is inside', async () => {
    const { desk, client } = open({ answers: [true] });
    mkdirSync(join(desk.folder, 'inner'));
    expect(await client.call('folder.use', { path: desk.folder })).toEqual({ folder: desk.folder });
    expect(desk.asked.questions).toMatchObject([
      { message: 'Let runs work in “papers”?', detail: expect.stringContaining(`Folder: ${desk.folder}`) },
    ]);
    await startChat(client, 'say hi', { folder: desk.folder });
    await client.call('folder.use', { path: join(desk.folder, 'inner') });
    expect(desk.asked.questions.length).toBe(1);
    await desk.app.close();
    const again = open({ home: desk.home });
    await startChat(again.client, 'say hi', { folder: desk.folder });
    expect(again.desk.asked.questions).toEqual([]);
  });

  it('that the person does not give is no permission, whoever asks', async () => {
    const { desk, client } = open();
    expect(await failureOf(client.call('folder.use', { path: desk.folder }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await failureOf(startChat(client, 'x', { folder: desk.folder }))).toMatchObject({
      code: 'forbidden',
    });
    expect(desk.asked.questions.length).toBe(2);
    expect((await client.call('permissions.list', {})).folders).toEqual([]);
    expect(await client.call('library.page', { offset: 0, limit: 5 })).toMatchObject({ total: 0 });
  });

  it('can be taken back: the next run asks again, also one that worked there before', async () => {
    const { desk, client } = open({ answers: [true] });
    let changed = 0;
    client.on('permissions.changed', () => changed++);
    const { id, shown } = await startChat(client, 'say hi', { folder: desk.folder });
    await shown.status('your_turn');
    expect((await client.call('permissions.list', {})).folders).toEqual([
      { path: desk.folder, sample: false },
    ]);
    await client.call('permissions.revoke', { what: 'folder', target: desk.folder });
    expect((await client.call('permissions.list', {})).folders).toEqual([]);
    expect(changed).toBe(2);
    await desk.app.close();
    const again = open({ home: desk.home });
    expect((await failureOf(again.client.call('run.say', { id, text: 'list the files' }))).code).toBe(
      'forbidden',
    );
    expect((await failureOf(startChat(again.client, 'x', { folder: desk.folder }))).code).toBe('forbidden');
    expect(again.desk.asked.questions.length).toBe(2);
  });
});

describe('permission for an address', () => {
  it('is remembered by the next start, listed, and asked for again once it was taken back', async () => {
    const { desk, client } = open({ answers: [true], env: { SOME_KEY: 'k' } });
    await client.call('profiles.save', { profile: remote });
    await client.call('profiles.remove', { name: 'Remote' });
    await desk.app.close();
    const again = open({ home: desk.home, env: { SOME_KEY: 'k' } });
    await again.client.call('profiles.save', { profile: remote });
    expect(again.desk.asked.questions).toEqual([]);
    const [address] = (await again.client.call('permissions.list', {})).addresses;
    expect(address).toMatchObject({
      origin: 'https://models.example',
      key: 'SOME_KEY',
      profiles: ['Remote'],
    });
    await again.client.call('permissions.revoke', { what: 'address', target: address?.id ?? '' });
    expect((await again.client.call('permissions.list', {})).addresses).toEqual([]);
    // The profile is still in the file, and is used by nothing until the person agrees again.
    expect((await failureOf(startChat(again.client, 'x', { profile: 'Remote' }))).code).toBe('forbidden');
    expect(again.desk.asked.questions.map(({ message }) => message)).toEqual([
      'Let Holdfast talk to models.example?',
    ]);
    expect(readFileSync(join(desk.home, 'state', 'addresses.json'), 'utf8')).not.toContain('"k"');
  });

  it('is of no use for another key, and nothing unknown can be taken back', async () => {
    const { desk, client } = open({ answers: [true] });
    await client.call('profiles.save', { profile: remote });
    const other = { ...remote, name: 'Other', key_env: 'OTHER_KEY' };
    expect((await failureOf(client.call('profiles.save', { profile: other }))).code).toBe('forbidden');
    expect(desk.asked.questions.length).toBe(2);
    expect(await client.call('permissions.revoke', { what: 'address', target: 'x' })).toEqual({
      done: false,
    });
    expect(await client.call('permissions.revoke', { what: 'folder', target: '/etc' })).toEqual({
      done: false,
    });
  });
});

describe('permission for an address with an entered key', () => {
  const mine = {
    name: 'Mine',
    provider: 'openai',
    model: 'm',
    endpoint: 'https://models.example/v1',
  } as const;
  const [FIRST, SECOND] = ['sk-first-0123456789-abcd', 'sk-second-0123456789-efgh'];
  const save = async ({ client }: ReturnType<typeof open>, value: string, name: string) => {
    const { id } = await client.call('keys.hold', {
      kind: 'key',
      service: 'https://models.example',
      value,
    });
    await client.call('profiles.save', { profile: { ...mine, name }, key: { id, keep: 'session' } });
  };

  it('is for that very key: another one asks, also after a restart, and neither is written down', async () => {
    const first = open({ answers: [true, false] });
    await save(first, FIRST, 'Mine');
    expect((await failureOf(save(first, SECOND, 'Other'))).code).toBe('forbidden');
    expect(first.desk.asked.questions.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('which ends in abcd'),
      expect.stringContaining('which ends in efgh'),
    ]);
    await first.desk.app.close();
    const again = open({ home: first.desk.home });
    await save(again, FIRST, 'Mine');
    expect(again.desk.asked.questions).toEqual([]);
    expect((await failureOf(save(again, SECOND, 'Other'))).code).toBe('forbidden');
    const kept = readFileSync(join(first.desk.home, 'state', 'addresses.json'), 'utf8');
    expect(kept).toContain('"account"');
    for (const key of [FIRST, SECOND]) {
      expect(kept).not.toContain(key);
      expect(kept).not.toContain(createHash('sha256').update(key).digest('base64url').slice(0, 12));
    }
  });

  it('is taken back for every key at once; one that is allowed again gives the others no leave', async () => {
    const at = open({ answers: [true, true, true] });
    await save(at, FIRST, 'Mine');
    await save(at, SECOND, 'Other');
    const { addresses } = await at.client.call('permissions.list', {});
    expect(addresses).toMatchObject([{ entered: true, profiles: ['Mine', 'Other'] }]);
    await at.client.call('permissions.revoke', { what: 'address', target: addresses[0]?.id ?? '' });
    expect((await at.client.call('permissions.list', {})).addresses).toEqual([
      expect.not.objectContaining({ entered: true }),
    ]);
    await save(at, FIRST, 'Mine');
    expect((await failureOf(startChat(at.client, 'x', { profile: 'Other' }))).code).toBe('forbidden');
    expect(at.desk.asked.questions).toHaveLength(4);
  });

  it('that an earlier version wrote down without its key asks once more', async () => {
    const first = open();
    mkdirSync(join(first.desk.home, 'state'), { recursive: true });
    writeFileSync(
      join(first.desk.home, 'state', 'addresses.json'),
      JSON.stringify({ allowed: [{ origin: 'https://models.example', key: '(entered)' }] }),
    );
    const again = open({ home: first.desk.home, answers: [true] });
    await save(again, FIRST, 'Mine');
    expect(again.desk.asked.questions).toHaveLength(1);
  });
});

describe('the picker of folders', () => {
  it('begins at home, takes ~, and has a way out of everything that it shows', async () => {
    const { desk, client } = open();
    mkdirSync(join(desk.folder, 'inner'));
    const list = (path: string) => client.call('folder.list', { path });
    const home = await list('');
    expect(home.folders).toContain('papers');
    expect(home.parent).toBeUndefined();
    expect((await list('~')).path).toBe(home.path);
    expect((await list(' ~/papers/inner ')).path).toBe(join(desk.folder, 'inner'));
    expect((await list('~/papers/inner')).parent).toBe(desk.folder);
    const { folder: sample } = await client.call('folder.sample', {});
    const inSample = await list(sample);
    expect(inSample.path).toBe(sample);
    expect((await list(inSample.parent ?? '')).path).toBe(home.path);
    for (const path of ['~/.ssh', '~root', '~/..', '/etc', 'papers', '~\u0000'])
      expect((await failureOf(list(path))).code, path).toMatch(/^(forbidden|not_found)$/);
    // And everything is still as it was.
    expect((await list('~/papers')).parent).toBe(home.path);
  });

  it('leads home out of a folder that the server was started with', async () => {
    const outer = open();
    const { client } = open({ roots: [outer.desk.folder] });
    const listed = await client.call('folder.list', { path: outer.desk.folder });
    expect(listed.parent).toBe((await client.call('folder.list', { path: '' })).path);
  });
});
