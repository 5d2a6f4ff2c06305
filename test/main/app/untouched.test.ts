import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { makeDesk, type Desk } from '../../support/app';
import { tempFolder } from '../../support/folder';
import { chatRecords, metaRecord } from '../../support/journal-records';
import { manyId, manyRecords } from '../../support/many-runs';
import { journalBytes, ready } from '../../support/store-folder';
import { until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

const NORMAL = 130;
const whole = journalBytes(chatRecords('x', 6));
/** Journals that are not what they should be: each is worth keeping all the same. */
const ODD: [string, Uint8Array][] = [
  ['damaged', Buffer.concat([whole, Buffer.from('garbage\n'), whole])],
  ['torn', whole.subarray(0, whole.length - 7)],
  ['badline', Buffer.concat([whole, Buffer.from('{"seq":7,"protocol":\n')])],
  ['unborn', Buffer.from('{"seq":1,"proto')],
  ['empty', Buffer.alloc(0)],
  ['newer', Buffer.from(whole.toString().replace('"version":3', '"version":4'))],
];

/** A home as months of use leave it. */
async function populated(): Promise<string> {
  const home = tempFolder();
  const runs = join(home, 'runs');
  ready(runs);
  for (let n = 0; n < NORMAL; n++)
    writeFileSync(join(runs, `${manyId(n)}.json`), journalBytes(manyRecords(n, manyId(n))), { mode: 0o600 });
  for (const [id, bytes] of ODD) writeFileSync(join(runs, `${id}.json`), bytes, { mode: 0o600 });
  const store = fileStore(runs);
  for (let n = 0; n < 6; n++)
    await store.label(manyId(n), { title: `Mine ${n}`, pinned: true, tags: ['kept'] });
  await store.list();
  for (let n = NORMAL - 6; n < NORMAL; n++) await store.trash(manyId(n));
  await store.close();
  mkdirSync(join(home, 'config'));
  mkdirSync(join(home, 'archive'), { mode: 0o700 });
  writeFileSync(join(home, 'archive', '.holdfast-store'), '');
  writeFileSync(join(home, 'archive', 'far.json'), journalBytes([metaRecord('far')]));
  writeFileSync(
    join(home, 'config', 'stores.yaml'),
    `stores:\n  - name: archive\n    url: "file:${join(home, 'archive')}"\n`,
  );
  return home;
}

function hashes(home: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const folder of ['runs', 'runs/trash', 'archive'])
    for (const name of readdirSync(join(home, folder)))
      if (/^[a-zA-Z0-9][\w-]*\.json$/.test(name))
        all[`${folder}/${name}`] = createHash('sha256')
          .update(readFileSync(join(home, folder, name)))
          .digest('hex');
  return all;
}

/** Starts Holdfast, looks at everything that there is, and ends it. */
async function use(
  home: string,
  more: (client: ReturnType<Desk['window']>) => Promise<void>,
  version = '1.0.0',
) {
  desk = makeDesk({ home, version });
  const client = desk.window();
  const page = () => client.call('library.page', { offset: 0, limit: 200, facets: true });
  await until(async () => (await page()).total >= NORMAL - 6 + ODD.length);
  const { rows } = await page();
  for (const row of rows.filter((_, n) => n % 12 === 0 || ODD.some(([id]) => id === rows[n]?.id))) {
    // A run that cannot be opened says why; that is an answer too.
    await client.call('run.watch', { id: row.id }).catch(() => undefined);
    await client.call('run.items', { id: row.id, from: 0, limit: 50 }).catch(() => undefined);
    await client.call('run.preflight', { id: row.id }).catch(() => undefined);
    await client.call('run.unwatch', { id: row.id });
  }
  await client.call('search.find', { words: 'answer', limit: 20 });
  await client.call('library.trash', { offset: 0, limit: 50 });
  await client.call('profiles.list', {});
  await client.call('stores.list', {});
  await more(client);
  expect(desk.bugs).toEqual([]);
  await desk.close();
  desk = undefined;
}

const nothing = async () => undefined;
const garbage = '\u0000\u0001{{{: not\n\t- anything: [';

describe('no journal is touched', () => {
  it('by anything that happens to what stands beside it', async () => {
    const home = await populated();
    const before = hashes(home);
    expect(Object.keys(before).length).toBe(NORMAL + ODD.length + 1);
    const of = (...names: string[]) => join(home, ...names);
    const steps: [string, () => void, Parameters<typeof use>[1]?, string?][] = [
      ['a first look', () => undefined],
      [
        'settings that change',
        () => undefined,
        async (client) => {
          const profile = { name: 'Mine', provider: 'practice', model: 'practice-1' } as const;
          await client.call('profiles.save', { profile });
          await client.call('profiles.save', { profile: { ...profile, name: 'Other' }, was: 'Mine' });
          await client.call('profiles.remove', { name: 'Other' });
          await client.call('prefs.set', { theme: 'dark', zoom: 2, profile: 'Mine', columns: ['title'] });
          await client.call('draft.set', { key: 'new', text: 'half a thought' });
        },
      ],
      [
        'a store that is taken out of the list',
        () => undefined,
        async (client) => {
          await client.call('stores.remove', { name: 'archive' });
        },
      ],
      ['no profiles', () => rmSync(of('config', 'profiles.yaml'), { force: true })],
      ['no settings at all', () => rmSync(of('config'), { recursive: true })],
      [
        'broken settings',
        () => {
          mkdirSync(of('config'), { recursive: true });
          for (const name of ['profiles.yaml', 'stores.yaml']) writeFileSync(of('config', name), garbage);
        },
        async (client) => {
          const profile = { name: 'Mine', provider: 'practice', model: 'practice-1' } as const;
          await expect(client.call('profiles.save', { profile })).rejects.toMatchObject({
            code: 'settings_broken',
          });
        },
      ],
      [
        'settings that are folders',
        () => {
          for (const name of ['profiles.yaml', 'stores.yaml']) {
            rmSync(of('config', name));
            mkdirSync(of('config', name));
          }
        },
      ],
      [
        'broken state',
        () => {
          for (const name of readdirSync(of('state')))
            if (name.endsWith('.json')) writeFileSync(of('state', name), garbage);
        },
      ],
      ['no state', () => rmSync(of('state'), { recursive: true })],
      [
        'a broken catalogue',
        () => writeFileSync(of('runs', '.catalogue.jsonl'), `${garbage}\n{"id":7}\n{"id":"x","set":9}\n`),
        async (client) => {
          const { done } = await client.call('runs.label', { ids: [manyId(3)], add: ['again'] });
          expect(done).toEqual([manyId(3)]);
        },
      ],
      ['no catalogue', () => rmSync(of('runs', '.catalogue.jsonl'))],
      ['a broken cache of the list', () => writeFileSync(of('runs', '.list-cache.jsonl'), garbage)],
      [
        'a cache of the list by another version',
        () => writeFileSync(of('runs', '.list-cache.jsonl'), '{"holdfast":"list","version":99}\n{}\n'),
      ],
      ['no cache of the list', () => rmSync(of('runs', '.list-cache.jsonl'), { force: true })],
      [
        'a broken index',
        () => {
          const files = readdirSync(of('cache'), { recursive: true, withFileTypes: true }).filter((one) =>
            one.isFile(),
          );
          expect(files.length).toBeGreaterThan(0);
          for (const { parentPath, name } of files) writeFileSync(join(parentPath, name), garbage);
        },
      ],
      ['no index', () => rmSync(of('cache'), { recursive: true, force: true })],
      ['a newer version', () => undefined, nothing, '99.0.0'],
      ['an older version after it', () => undefined, nothing, '0.0.1'],
    ];
    for (const [what, change, more = nothing, version] of steps) {
      change();
      await use(home, more, version);
      expect([what, hashes(home)]).toEqual([what, before]);
    }
  });
});
