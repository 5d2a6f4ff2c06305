import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { FileStat, Vfs } from '../../../src/main/journal/file/vfs';
import { answerRecord, chatRecords, metaRecord } from '../../support/journal-records';
import { snapshotOf, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** The real file layer, with some of it told otherwise. */
const vfsWith = (changes: Partial<Vfs>): Vfs => ({ ...nodeVfs, ...changes });

describe('The folder of a file store', () => {
  it('is made when the first run is, for its owner only, with everything in it', async () => {
    const store = fileStore(folder.path);
    expect(await store.list()).toEqual([]);
    expect(await store.trashed()).toEqual([]);
    expect((await failureOf(store.load('x'))).code).toBe('not_found');
    expect((await failureOf(store.trash('x'))).code).toBe('not_found');
    expect(() => lstatSync(folder.path)).toThrow('ENOENT');

    const journal = await store.create('one', metaRecord('one'));
    await journal.note({ kind: 'config', at: 'now', profile: 'P' });
    await journal.keep('call', 'text');
    expect(mode(folder.path)).toBe('700');
    for (const name of ['one.json', 'one.aux.jsonl', 'one.lock', '.holdfast-store'])
      expect([name, mode(folder.of(name))]).toEqual([name, '600']);
    expect(mode(folder.of('one.files'))).toBe('700');
    expect(mode(folder.of('one.files', readdirSync(folder.of('one.files'))[0]!))).toBe('600');
    await journal.close();
    await store.label('one', { title: 'T' });
    await store.trash('one');
    expect([mode(folder.of('.catalogue.jsonl')), mode(folder.of('trash'))]).toEqual(['600', '700']);
  });

  it('holds nothing but the journal once a run is at rest, so no lock is left lying about', async () => {
    const store = fileStore(folder.path);
    await (await store.create('one', metaRecord('one'))).close();
    await (await store.open('one')).close();
    expect(folder.names()).toEqual(['one.json']);
  });

  it('is never the working directory, and never a relative path', () => {
    for (const path of [process.cwd(), 'runs', '.', './x', '../x'])
      expect(() => fileStore(path)).toThrow(expect.objectContaining({ code: 'store_config' }));
  });

  it('is closed to others when it was open to them', async () => {
    folder.put('one', [metaRecord('one')]);
    chmodSync(folder.path, 0o755);
    await (await fileStore(folder.path).open('one')).close();
    expect(mode(folder.path)).toBe('700');
  });

  it('is refused with the reason where it cannot be closed', async () => {
    folder.put('one', [metaRecord('one')]);
    chmodSync(folder.path, 0o755);
    const stuck = fileStore(folder.path, { vfs: vfsWith({ chmod: async () => undefined }) });
    const failure = await failureOf(stuck.open('one'));
    expect([failure.code, failure.data]).toEqual(['store_unsafe', { mode: '755' }]);
    expect((await failureOf(stuck.create('two', metaRecord('two')))).code).toBe('store_unsafe');
    expect((await stuck.load('one')).records).toHaveLength(1);

    const foreign = (stat: FileStat | undefined): FileStat | undefined =>
      stat && Object.assign(Object.create(Object.getPrototypeOf(stat)), stat, { uid: stat.uid + 1n });
    const another = fileStore(folder.path, {
      vfs: vfsWith({ lstat: (path) => foreign(nodeVfs.lstat(path)) }),
    });
    expect((await failureOf(another.open('one'))).code).toBe('store_unsafe');
  });

  it('may be reached by a link, and then is the same store', async () => {
    const store = fileStore(folder.path);
    const journal = await store.create('one', metaRecord('one'));
    const link = join(folder.path, '..', 'link');
    symlinkSync(folder.path, link);
    const linked = fileStore(link);
    expect(await linked.writer('one')).toBe('here');
    expect((await failureOf(linked.open('one'))).code).toBe('locked');
    await journal.close();
  });

  it('that cannot be read says so, rather than look empty', async () => {
    writeFileSync(folder.path, 'a file where the folder should be');
    const store = fileStore(folder.path);
    for (const call of [
      () => store.list(),
      () => store.trashed(),
      () => store.load('x'),
      () => store.create('x', metaRecord('x')),
    ])
      expect((await failureOf(call())).code).toBe('store_unavailable');
    expect(store.supports.write).toBe(false);

    expect(store.caution).toBeUndefined();

    rmSync(folder.path);
    folder.put('one', [metaRecord('one')]);
    const denied: Vfs['readdirNow'] = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    };
    const failure = await failureOf(fileStore(folder.path, { vfs: vfsWith({ readdirNow: denied }) }).list());
    expect([failure.code, failure.message.includes('EACCES')]).toEqual(['store_unavailable', true]);
  });
});

describe('A folder that cannot be made', () => {
  it('behind a link that leads nowhere, as to a missing disk, is not taken for one without runs', async () => {
    symlinkSync(join(folder.path, '..', 'missing'), folder.path);
    for (const path of [folder.path, join(folder.path, 'holdfast', 'runs')]) {
      const store = fileStore(path);
      for (const call of [
        () => store.list(),
        () => store.load('x'),
        () => store.create('x', metaRecord('x')),
      ])
        expect((await failureOf(call())).code).toBe('store_unavailable');
    }
    mkdirSync(join(folder.path, '..', 'missing'));
    expect(await fileStore(join(folder.path, 'runs')).list()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'fails where a file system denies folders in its own way, and does not try for ever',
    async () => {
      const store = fileStore('/proc/holdfast/runs');
      expect((await failureOf(store.create('x', metaRecord('x')))).code).toBe('io');
    },
  );
});

describe('A folder that Holdfast did not make', () => {
  beforeEach(() => {
    mkdirSync(folder.path, { mode: 0o755 });
    writeFileSync(folder.of('theirs.json'), Buffer.concat(chatRecords('theirs', 5).map(encode)));
    writeFileSync(folder.of('torn.json'), Buffer.concat(chatRecords('torn', 5).map(encode)).subarray(0, -9));
    writeFileSync(folder.of('theirs.lock'), '');
  });
  const encode = (record: Parameters<typeof JSON.stringify>[0]) => Buffer.from(`${JSON.stringify(record)}\n`);

  it('is read, and nothing in it is ever altered', async () => {
    const before = snapshotOf(folder.path);
    const store = fileStore(folder.path);
    expect([store.supports.write, store.supports.delete]).toEqual([false, false]);
    expect(store.caution).toMatch(/not made by Holdfast/);
    expect((await store.load('theirs')).records).toHaveLength(5);
    expect((await store.load('torn')).warnings.map((warning) => warning.code)).toContain('torn_tail');
    expect((await store.list()).map((row) => [row.id, row.health]).sort()).toEqual([
      ['theirs', 'ok'],
      ['torn', 'ok'],
    ]);
    expect(await store.writer('theirs')).toBe('unknown');
    expect(await store.writer('torn')).toBe('none');
    const calls = [
      () => store.create('new', metaRecord('new')),
      () => store.open('theirs'),
      () => store.trash('theirs'),
      () => store.purge('theirs'),
      () => store.label('theirs', { title: 'x' }),
    ];
    for (const call of calls) {
      const failure = await failureOf(call());
      expect(failure.code).toBe('store_read_only');
      expect(failure.todo).toMatch(/your own store/);
    }
    await store.close();
    expect(snapshotOf(folder.path)).toEqual(before);
  });

  it('becomes ours only while it is empty', async () => {
    rmSync(folder.path, { recursive: true });
    mkdirSync(folder.path, { mode: 0o777 });
    writeFileSync(folder.of('.DS_Store'), '');
    const store = fileStore(folder.path);
    expect([store.supports.write, store.caution]).toEqual([true, undefined]);
    await (await store.create('one', metaRecord('one'))).close();
    expect(mode(folder.path)).toBe('700');
    expect(statSync(folder.of('.holdfast-store')).isFile()).toBe(true);
    expect(fileStore(folder.path).supports.write).toBe(true);
  });
});

describe('What stands under a journal’s name but is none', () => {
  it('is not followed, read or written, and shown as what it is', async () => {
    const target = join(folder.path, '..', 'target.json');
    folder.put('good', chatRecords('good', 3));
    writeFileSync(target, Buffer.from(`${JSON.stringify(metaRecord('target'))}\n`));
    symlinkSync(target, folder.of('link.json'));
    symlinkSync(folder.of('nowhere'), folder.of('dangling.json'));
    mkdirSync(folder.of('folder.json'));
    const before = snapshotOf(join(folder.path, '..'));
    const store = fileStore(folder.path);
    for (const id of ['link', 'dangling', 'folder']) {
      for (const call of [
        () => store.load(id),
        () => store.open(id),
        () => store.bytes(id),
        () => store.create(id, metaRecord(id)),
      ])
        expect([id, (await failureOf(call())).code]).toEqual([id, 'store_unsafe']);
    }
    const rows = new Map((await store.list()).map((row) => [row.id, row]));
    expect([...rows.keys()].sort()).toEqual(['dangling', 'folder', 'good', 'link']);
    for (const id of ['link', 'dangling', 'folder'])
      expect([rows.get(id)?.health, rows.get(id)?.failure?.code]).toEqual(['damaged', 'store_unsafe']);
    expect(rows.get('good')?.health).toBe('ok');
    expect(snapshotOf(join(folder.path, '..'))).toEqual(before);
  });

  it('does not lead a sidecar, a kept text or the catalogue out of the folder', async () => {
    folder.put('one', [metaRecord('one')]);
    const outside = join(folder.path, '..', 'outside');
    writeFileSync(outside, 'untouched');
    symlinkSync(outside, folder.of('one.aux.jsonl'));
    symlinkSync(outside, folder.of('.catalogue.jsonl'));
    const store = fileStore(folder.path);
    const journal = await store.open('one');
    expect((await failureOf(journal.note({ kind: 'config', at: 'now' }))).code).toBe('store_unsafe');
    expect((await failureOf(store.label('one', { title: 'x' }))).code).toBe('store_unsafe');
    await journal.append(answerRecord(2, 'the journal itself goes on'));
    expect((await store.load('one')).records).toHaveLength(2);
    await journal.close();
    expect(readFileSync(outside, 'utf8')).toBe('untouched');
  });
});
