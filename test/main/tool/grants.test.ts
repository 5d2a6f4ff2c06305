import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedTo, folderOf } from '../../../src/main/settings/own-folders';
import { inAddress, Surroundings } from '../../../src/main/settings/surroundings';
import { folderId, isSameFolder } from '../../../src/main/tool/identity';
import { builtInTools } from '../../../src/main/tool/registry';
import { tempFolder } from '../../support/folder';

const CANARY = 'canary-4711';
const tools = builtInTools('practice').filter((tool) => tool.def.name !== 'wait');
const idOf = (folder: string) => folderId(statSync(folder, { bigint: true }));
const use = async (name: string, input: object, context: object) => {
  const tool = tools.find(({ def }) => def.name === name) ?? expect.fail(name);
  const signal = new AbortController().signal;
  return tool.run(input, { folder: undefined, signal, ...context });
};
/** One call of every tool, on a file that is there. */
const calls = (path: string): [string, object][] => [
  ['list_files', { path: '.' }],
  ['read_file', { path }],
  ['search_text', { query: 'canary' }],
  ['file_stats', { path }],
  ['write_file', { path, content: 'x' }],
  ['append_file', { path, text: 'x' }],
];

describe('the folder of a run', () => {
  it.each(['the folder', 'a folder above it'])(
    'is left alone when a link or another folder takes the place of %s',
    async (what) => {
      for (const kind of ['link', 'folder']) {
        const outer = tempFolder({ 'above/work/a.txt': 'mine', 'other/work/a.txt': CANARY });
        const folder = join(outer, 'above', 'work');
        const folderIdWas = idOf(folder);
        const swapped = what === 'the folder' ? folder : join(outer, 'above');
        const other = what === 'the folder' ? join(outer, 'other', 'work') : join(outer, 'other');
        renameSync(swapped, `${swapped}-moved`);
        if (kind === 'link') symlinkSync(other, swapped);
        else renameSync(other, swapped);
        for (const [name, input] of calls('a.txt')) {
          const told = await use(name, input, { folder, folderId: folderIdWas });
          expect([told.is_error, told.content.includes(CANARY)], `${kind} ${name}`).toEqual([true, false]);
        }
        expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(CANARY);
      }
    },
  );

  it('is the same one after the devices were numbered anew, and another one with another time of birth', () => {
    expect(isSameFolder('1:5:100', '2:5:100')).toBe(true);
    expect(isSameFolder('1:5:100', '2:5:101')).toBe(false);
    expect(isSameFolder('1:5:100', '1:6:100')).toBe(false);
    expect(isSameFolder('1:5:0', '2:5:0')).toBe(false);
  });
});

describe('what tools may not touch', () => {
  it('is every folder with runs, whether or not a list names it, and whatever stands below it', async () => {
    const outer = tempFolder({
      'work/a.txt': 'mine',
      'work/old-runs/.holdfast-store': '',
      'work/old-runs/r.json': CANARY,
      'work/old-runs/trash/t.json': CANARY,
    });
    const closed = closedTo([]);
    const work = join(outer, 'work');
    for (const path of ['old-runs/r.json', 'old-runs/trash/t.json', 'old-runs/new.json'])
      for (const [name, input] of calls(path).slice(1)) {
        const told = await use(name, input, { folder: work, closed });
        expect(told.content, `${name} ${path}`).not.toContain(CANARY);
        if (name !== 'search_text') expect(told.is_error, `${name} ${path}`).toBe(true);
      }
    expect(existsSync(join(work, 'old-runs/new.json'))).toBe(false);
    // Nor does a run work inside of one.
    for (const folder of [join(work, 'old-runs'), join(work, 'old-runs/trash')])
      expect((await use('list_files', {}, { folder, closed })).is_error).toBe(true);
  });

  it('is what the list of stores names: folders in each way to write them, and files with logins', async () => {
    const outer = tempFolder({
      'work/runs of a friend/r.json': CANARY,
      'work/a.creds': `-----BEGIN NATS USER JWT-----\neyJ${'x'.repeat(40)}\n${CANARY}-------------\n`,
      'work/ok.txt': 'mine',
      'stores.yaml': '',
    });
    const work = join(outer, 'work');
    writeFileSync(
      join(outer, 'stores.yaml'),
      JSON.stringify({
        stores: [
          { name: 'friend', url: `file:${join(work, 'runs of a friend')}` },
          { name: 'nats', url: 'nats://localhost:4222/RUNS', auth: { creds: join(work, 'a.creds') } },
        ],
      }),
    );
    const around = new Surroundings(
      {},
      { profiles: join(outer, 'none.yaml'), stores: join(outer, 'stores.yaml') },
    );
    await around.refresh();
    const closed = closedTo(around.places());
    for (const path of ['runs of a friend/r.json', 'a.creds'])
      for (const [name, input] of calls(path).slice(1)) {
        const told = await use(name, input, { folder: work, closed });
        expect(told.content, `${name} ${path}`).not.toContain(CANARY);
        if (name !== 'search_text') expect(told.is_error, `${name} ${path}`).toBe(true);
      }
    expect((await use('read_file', { path: 'ok.txt' }, { folder: work, closed })).content).toBe('mine');
    expect(folderOf('file:///a%20b/c')).toBe('/a b/c');
    expect([folderOf('nats://x/Y'), folderOf(undefined)]).toEqual([undefined, undefined]);
  });

  it('is known from the start with its values: keys of all profiles, logins of all stores', async () => {
    const outer = tempFolder({
      'a.creds': `-----BEGIN X-----\nSEEDLINE${'Q'.repeat(30)}\n------END X------\n`,
    });
    mkdirSync(join(outer, 'config'));
    const profiles = join(outer, 'config', 'profiles.yaml');
    const stores = join(outer, 'config', 'stores.yaml');
    const one = { provider: 'openai', model: 'm', endpoint: 'https://x.example/v1', system_prompt: '' };
    writeFileSync(profiles, JSON.stringify({ profiles: [{ ...one, name: 'A', key_env: 'MY_KEY' }] }));
    const nats = (name: string, auth: object) => ({ name, url: 'nats://localhost:4222/RUNS', auth });
    writeFileSync(
      stores,
      JSON.stringify({
        stores: [
          nats('a', { user: 'u', password_env: 'NATS_PASS' }),
          nats('b', { token_env: 'NATS_TOKEN' }),
          nats('c', { creds: join(outer, 'a.creds') }),
        ],
      }),
    );
    const env = { MY_KEY: 'key-of-a-profile', NATS_PASS: 'the-password', NATS_TOKEN: 'the-token-1' };
    const around = new Surroundings(env, { profiles, stores });
    await around.refresh();
    expect([...around.secrets()].sort()).toEqual(
      ['key-of-a-profile', 'the-password', 'the-token-1', `SEEDLINE${'Q'.repeat(30)}`].sort(),
    );
    // A file that breaks takes nothing away.
    writeFileSync(stores, '{');
    await around.refresh();
    expect(around.secrets()).toContain('the-token-1');
    expect(inAddress('nats://me:p%40ss@host:4222/S')).toEqual(['p%40ss', 'p@ss']);
    expect(inAddress('nats://tokentoken@host/S')).toEqual(['tokentoken']);
    expect(inAddress('nats://host/S')).toEqual([]);
  });
});
