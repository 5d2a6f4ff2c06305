import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkedStore,
  loadStores,
  removeStore,
  saveStore,
  storeNamed,
} from '../../../src/main/settings/stores';
import { loginOf } from '../../../src/main/journal/login';
import type { StoreEntry } from '../../../src/shared/contract/stores';
import { tempFolder } from '../../support/folder';
import { failureOf } from '../../support/wait';

const team: StoreEntry = {
  name: 'team',
  url: 'nats://nats.example.org:4222/RUNS',
  auth: { user: 'ada', password_env: 'TEAM_PASSWORD', tls: { ca: '/etc/ca.pem' } },
  domain: 'hub',
  inbox_prefix: '_INBOX_ada',
};
const file = () => join(tempFolder(), 'config', 'stores.yaml');

describe('the file of stores', () => {
  it('need not exist, and holds what was saved, for its owner only', async () => {
    const path = file();
    expect(await loadStores(path)).toEqual({ stores: [], path });
    await saveStore(team, undefined, path);
    await saveStore({ name: 'archive', url: 'file:/mnt/archive/' }, undefined, path);
    expect((await loadStores(path)).stores).toEqual([team, { name: 'archive', url: 'file:/mnt/archive' }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await storeNamed('team', path)).toEqual(team);
    expect(await storeNamed('default', path)).toBeUndefined();
    expect((await failureOf(storeNamed('other', path))).todo).toContain('default, team, archive');
  });

  it('keeps comments and the other entries when one is edited, renamed and removed', async () => {
    const path = file();
    await saveStore(team, undefined, path);
    writeFileSync(path, `# ours\n${readFileSync(path, 'utf8')}`);
    await saveStore({ name: 'a', url: 'file:/a' }, undefined, path);
    await saveStore({ ...team, name: 'crew' }, 'team', path);
    await removeStore('a', path);
    expect(readFileSync(path, 'utf8')).toMatch(/^# ours\n/);
    expect((await loadStores(path)).stores).toEqual([{ ...team, name: 'crew' }]);
    expect((await failureOf(removeStore('a', path))).code).toBe('store_unknown');
    expect((await failureOf(saveStore(team, 'a', path))).code).toBe('store_unknown');
  });

  it('loses no edit of two at once', async () => {
    const path = file();
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => saveStore({ name, url: `file:/${name}` }, undefined, path)),
    );
    expect((await loadStores(path)).stores.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    ['stores: [', /line 1/],
    ['stores: 7', /stores/],
    ['store: []', /store/],
    ['stores:\n  - name: team\n    url: nats://ada:secret@host/RUNS\n', /address holds only/],
    ['stores:\n  - name: team\n    url: nats://host/RUNS\n    auth: {password: secret}\n', /auth/],
    ['stores:\n  - name: Default\n    url: file:/a\n', /usual store/],
    ['stores:\n  - {name: a, url: "file:/a"}\n  - {name: A, url: "file:/b"}\n', /twice/],
  ])('tells what is wrong with %j, and is never written over', async (text, what) => {
    const path = join(tempFolder(), 'stores.yaml');
    writeFileSync(path, text);
    const { stores, problem } = await loadStores(path);
    expect(stores).toEqual([]);
    expect(problem?.code).toBe('settings_broken');
    expect(problem?.message).toMatch(what);
    expect(JSON.stringify(problem)).not.toContain('secret');
    expect((await failureOf(saveStore(team, undefined, path))).code).toBe('settings_broken');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each<[string, Partial<StoreEntry>]>([
    ['a relative folder', { url: 'file:runs' }],
    ['a host in a file address', { url: 'file://host/runs' }],
    ['another kind', { url: 'https://host/x' }],
    ['a password in the address', { url: 'nats://a:b@host/RUNS' }],
    ['a token in the address', { url: 'nats://tok@host/RUNS' }],
    ['an option in the address', { url: 'nats://host/RUNS?password=x' }],
    ['a folder with a login', { url: 'file:/a', auth: { user: 'x' } }],
    ['a password without a user', { auth: { password_env: 'P' } }],
    ['two ways to log in', { auth: { token_env: 'T', creds: '/a.creds' } }],
    ['a relative creds file', { auth: { creds: 'a.creds' } }],
    ['the usual name', { name: 'default' }],
  ])('refuses %s', (_what, change) => {
    expect(() => checkedStore({ name: 'x', url: 'nats://host/RUNS', ...change })).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });

  it('takes secrets out of their variables only when a store is opened, and names a variable that is not set', () => {
    expect(loginOf(team, { TEAM_PASSWORD: 'hush' })).toEqual({
      user: 'ada',
      password: 'hush',
      tls: { ca: '/etc/ca.pem' },
      domain: 'hub',
      inboxPrefix: '_INBOX_ada',
    });
    expect(() => loginOf(team, {})).toThrow(/TEAM_PASSWORD is not set/);
  });
});
