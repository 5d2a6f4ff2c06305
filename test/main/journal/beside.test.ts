import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import { metaSha256 } from '../../../src/main/journal/sidecar';
import { encodeRecord } from '../../../src/shared/run/codec';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { answerRecord, chatRecords, metaRecord } from '../../support/journal-records';
import { faultyVfs } from '../../support/faulty-vfs';
import { storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

const config = (profile: string): SidecarEntry => ({ kind: 'config', at: 'now', profile });
const time = (seq: number): SidecarEntry => ({ kind: 'time', seq, at: 'now' });
const notes = (entries: SidecarEntry[]) => entries.filter((entry) => entry.kind !== 'bind');

async function withNotes(...entries: SidecarEntry[]) {
  const store = fileStore(folder.path);
  const journal = await store.create('one', metaRecord('one'));
  for (const entry of entries) await journal.note(entry);
  await journal.close();
  return store;
}

describe('The sidecar file', () => {
  it('begins with the hash of the meta line and is made only when there is something to say', async () => {
    const store = await withNotes();
    expect(folder.names()).toEqual(['one.json']);
    const journal = await store.open('one');
    await journal.note(config('P'));
    await journal.close();
    const [bind, ...rest] = folder.text('one.aux.jsonl').split('\n');
    expect(JSON.parse(bind!)).toMatchObject({
      kind: 'bind',
      meta_sha256: metaSha256(encodeRecord(metaRecord('one'))),
    });
    expect(rest).toEqual([expect.stringContaining(JSON.stringify(config('P')).slice(0, -1)), '']);
  });

  it('is bound anew by each writer, and reads as one', async () => {
    const store = await withNotes(config('a'));
    for (const name of ['b', 'c']) {
      const journal = await store.open('one');
      await journal.note(config(name));
      await journal.note(time(1));
      await journal.close();
    }
    const loaded = await store.load('one');
    expect(notes(loaded.sidecar)).toEqual([config('a'), config('b'), time(1), config('c'), time(1)]);
    expect(loaded.sidecarBound).toBe(true);
  });

  it.each([
    ['is gone', () => rmSync(folder.of('one.aux.jsonl')), 0],
    ['is empty', () => writeFileSync(folder.of('one.aux.jsonl'), ''), 0],
    [
      'is garbage',
      () => writeFileSync(folder.of('one.aux.jsonl'), '\0\0{"kind":"bind"}\nnull\n[]\n"x"\n'),
      0,
    ],
    [
      'is torn',
      () =>
        writeFileSync(folder.of('one.aux.jsonl'), readFileSync(folder.of('one.aux.jsonl')).subarray(0, -9)),
      1,
    ],
    [
      'has a line from a later version',
      () => appendFileSync(folder.of('one.aux.jsonl'), '{"kind":"hologram","x":1}\n'),
      2,
    ],
  ])('is not needed: when it %s the run opens, and takes notes again', async (_what, damage, left) => {
    const store = await withNotes(config('a'), config('b'));
    damage();
    const loaded = await store.load('one');
    expect([notes(loaded.sidecar).length, loaded.sidecarBound, loaded.warnings]).toEqual([
      left,
      left > 0,
      [],
    ]);
    const journal = await store.open('one');
    await journal.note(config('new'));
    await journal.append(answerRecord(2, 'x'));
    await journal.close();
    const after = await store.load('one');
    expect([notes(after.sidecar).at(-1), after.sidecarBound, after.records.length]).toEqual([
      config('new'),
      true,
      2,
    ]);
    expect(notes(after.sidecar)).toHaveLength(left + 1);
  });

  it('of another run under the same id is not ours, and ours may follow it', async () => {
    await withNotes(config('theirs'));
    folder.put('one', [metaRecord('one', 'another run under that name')]);
    const store = fileStore(folder.path);
    expect(await store.load('one')).toMatchObject({ sidecar: [], sidecarBound: false });
    const journal = await store.open('one');
    await journal.note(config('ours'));
    await journal.close();
    expect(notes((await store.load('one')).sidecar)).toEqual([config('ours')]);
  });

  it('is synced before a synced note resolves, and not for a lazy one', async () => {
    const vfs = faultyVfs();
    const journal = await fileStore(folder.path, { vfs }).create('one', metaRecord('one'));
    await journal.note(config('a'));
    vfs.plan({ at: 1, fault: 'EIO', lasting: true, only: ['sync'] });
    await journal.note(time(1));
    await journal.load();
    expect(vfs.failed).toEqual([]);
    expect((await failureOf(journal.note(config('b')))).code).toBe('io');
    vfs.plan(undefined);
    // It is over for notes, and only for notes: lazy ones are dropped, synced ones say so.
    await journal.note(time(2));
    expect((await failureOf(journal.note(config('c')))).code).toBe('io');
    await journal.append(answerRecord(2, 'the run goes on'));
    expect(journal.dead).toBeUndefined();
    await journal.close();
  });

  it('refuses a synced note whose bytes did not all get there', async () => {
    for (const fault of ['short', 'torn', 'ENOSPC'] as const) {
      const vfs = faultyVfs();
      const id = `run-${fault}`;
      const journal = await fileStore(folder.path, { vfs }).create(id, metaRecord(id));
      vfs.plan({ at: 1, fault, only: ['write'] });
      expect(['io', 'no_space']).toContain((await failureOf(journal.note(config('lost')))).code);
      vfs.plan(undefined);
      await journal.close();
      const again = await fileStore(folder.path).open(id);
      await again.note(config('kept'));
      await again.close();
      expect(notes((await fileStore(folder.path).load(id)).sidecar)).toEqual([config('kept')]);
    }
  });
});

describe('The catalogue file', () => {
  it('is one for the store, survives a torn line, and the next label is whole again', async () => {
    const store = fileStore(folder.path);
    for (const id of ['one', 'two']) await (await store.create(id, metaRecord(id))).close();
    await store.label('one', { title: 'One' });
    appendFileSync(folder.of('.catalogue.jsonl'), '\n{"id":"two","set":{"tit');
    await store.label('two', { pinned: true });
    appendFileSync(folder.of('.catalogue.jsonl'), 'garbage\n{"id":7}\n{"id":"one","set":{"title":8}}\n');
    const again = fileStore(folder.path);
    expect((await again.load('one')).catalogue).toEqual({ title: 'One' });
    expect((await again.load('two')).catalogue).toEqual({ pinned: true });
    expect((await store.load('two')).catalogue).toEqual({ pinned: true });
  });

  it('says nothing of a run that is not there, and takes no label for one', async () => {
    const store = fileStore(folder.path);
    expect((await failureOf(store.label('nobody', { title: 'x' }))).code).toBe('not_found');
  });

  it('is rewritten when it has grown, while others write to it, and no label is lost', async () => {
    const [a, b] = [fileStore(folder.path), fileStore(folder.path)];
    const ids = ['one', 'two', 'three'];
    for (const id of ids) await (await a.create(id, metaRecord(id))).close();
    const file = folder.of('.catalogue.jsonl');
    await a.label('three', { title: 'kept from the beginning' });
    const files = new Set([statSync(file).ino]);
    for (let round = 0; round < 120; round++) {
      await Promise.all([
        a.label('one', { title: `a${round} ${'x'.repeat(280)}` }),
        b.label('two', { title: `b${round} ${'y'.repeat(280)}` }),
        a.label('one', { tags: [`${round}`] }),
        b.label('two', { pinned: round % 2 === 0 }),
      ]);
      files.add(statSync(file).ino);
    }
    expect(files.size).toBeGreaterThan(1);
    expect(statSync(file).size).toBeLessThan(80_000);
    for (const store of [a, b, fileStore(folder.path)]) {
      expect((await store.load('one')).catalogue).toEqual({
        title: `a119 ${'x'.repeat(280)}`,
        tags: ['119'],
      });
      expect((await store.load('two')).catalogue).toEqual({
        title: `b119 ${'y'.repeat(280)}`,
        pinned: false,
      });
      expect((await store.load('three')).catalogue).toEqual({ title: 'kept from the beginning' });
    }
    expect(folder.names()).toEqual(['one.json', 'three.json', 'two.json']);
  });

  it('takes a label again that went to a file which was replaced meanwhile', async () => {
    const plain = fileStore(folder.path);
    await (await plain.create('one', metaRecord('one'))).close();
    await plain.label('one', { tags: ['a'] });
    const file = folder.of('.catalogue.jsonl');
    let replaced = false;
    const vfs: Vfs = {
      ...nodeVfs,
      open: async (path, flags, mode) => {
        const fd = await nodeVfs.open(path, flags, mode);
        if (path === file && !replaced) {
          replaced = true;
          copyFileSync(file, `${file}.new`);
          renameSync(`${file}.new`, file);
        }
        return fd;
      },
    };
    await fileStore(folder.path, { vfs }).label('one', { title: 'T' });
    expect((await plain.load('one')).catalogue).toEqual({ tags: ['a'], title: 'T' });
  });

  it('takes over what came in while it was rewritten', async () => {
    const plain = fileStore(folder.path);
    await (await plain.create('one', metaRecord('one'))).close();
    const file = folder.of('.catalogue.jsonl');
    const old = JSON.stringify({ id: 'one', set: { title: 'old '.repeat(60) } });
    writeFileSync(file, `${old}\n`.repeat(400));
    let renamed = 0;
    const vfs: Vfs = {
      ...nodeVfs,
      rename: async (from, to) => {
        if (to === file) {
          renamed += 1;
          appendFileSync(file, `\n${JSON.stringify({ id: 'one', set: { pinned: true } })}\n`);
        }
        await nodeVfs.rename(from, to);
      },
    };
    await fileStore(folder.path, { vfs }).label('one', { title: 'new' });
    expect([renamed, statSync(file).size < 1_000]).toEqual([1, true]);
    for (const store of [plain, fileStore(folder.path)])
      expect((await store.load('one')).catalogue).toEqual({ title: 'new', pinned: true });
  });

  it('that cannot be written says so, and one that cannot be read leaves the runs without titles', async () => {
    const vfs = faultyVfs();
    const store = fileStore(folder.path, { vfs });
    await (await store.create('one', metaRecord('one'))).close();
    await store.label('one', { title: 'T' });
    for (const fault of ['EIO', 'ENOSPC', 'short'] as const) {
      vfs.plan({ at: 1, fault, only: ['write'] });
      expect(['io', 'no_space']).toContain((await failureOf(store.label('one', { title: 'U' }))).code);
    }
    const reader = faultyVfs();
    reader.plan({ at: 1, fault: 'EIO', lasting: true, only: ['slurp'] });
    expect(await fileStore(folder.path, { vfs: reader }).load('one')).toMatchObject({
      catalogue: {},
      records: [{}],
    });
  });
});

describe('Kept texts', () => {
  it('are never overwritten, and half a text is never under a name that was given', async () => {
    const vfs = faultyVfs();
    const store = fileStore(folder.path, { vfs });
    const journal = await store.create('one', metaRecord('one'));
    const first = await journal.keep('call', 'first text');
    for (const fault of ['short', 'torn', 'EIO', 'ENOSPC'] as const) {
      vfs.plan({ at: 1, fault, only: ['write', 'syncAll'] });
      expect(['io', 'no_space']).toContain((await failureOf(journal.keep('call', 'second text'))).code);
      vfs.plan(undefined);
    }
    const second = await journal.keep('call', 'second text');
    expect([await store.kept('one', first), await store.kept('one', second)]).toEqual([
      'first text',
      'second text',
    ]);
    await journal.append(answerRecord(2, 'on'));
    await journal.close();
  });

  it('of a chat with many records change nothing in it', async () => {
    folder.put('one', chatRecords('one', 9));
    const before = readFileSync(folder.of('one.json'));
    const journal = await fileStore(folder.path).open('one');
    await journal.keep('call', 'x'.repeat(100_000));
    await journal.close();
    expect(readFileSync(folder.of('one.json')).equals(before)).toBe(true);
  });
});

describe('A slip', () => {
  const slip = (name: 'queue' | 'partial') => folder.of(`one.${name}`);
  async function withSlip(vfs: Vfs = nodeVfs) {
    const store = fileStore(folder.path, { vfs });
    const journal = await store.create('one', metaRecord('one'));
    await journal.putSlip('queue', 'the one before', 'durably');
    return { store, journal };
  }

  it('is the one before or the new one, wherever its writing fails, and what failed can be done again', async () => {
    for (let at = 1; ; at++) {
      const vfs = faultyVfs();
      const { store, journal } = await withSlip(vfs);
      vfs.plan({
        at,
        fault: at % 2 ? 'EIO' : 'torn',
        only: ['open', 'write', 'syncAll', 'rename', 'syncDirectory'],
      });
      const failed = await journal.putSlip('queue', 'the new one', 'durably').then(
        () => false,
        () => true,
      );
      const reached = vfs.failed.length > 0;
      vfs.plan(undefined);
      const found = await store.slip('one', 'queue');
      expect(found?.damaged).toBe(false);
      expect(failed ? ['the one before', 'the new one'] : ['the new one']).toContain(found?.text);
      await journal.putSlip('queue', 'again', 'durably');
      expect(await store.slip('one', 'queue')).toEqual({ text: 'again', damaged: false });
      await journal.append(answerRecord(2, 'records go on'));
      await journal.close();
      expect(folder.names()).toEqual(['one.json', 'one.queue']);
      await store.purge('one');
      if (!reached) return expect(at).toBeGreaterThan(4);
    }
  });

  it('tells when it was changed from outside, at every byte, and belongs to no other run of its id', async () => {
    const { store, journal } = await withSlip();
    await journal.close();
    const bytes = readFileSync(slip('queue'));
    for (let n = 0; n < bytes.length; n++) {
      const changed = Buffer.from(bytes);
      changed[n]! ^= 1;
      writeFileSync(slip('queue'), changed);
      expect((await store.slip('one', 'queue'))?.damaged).toBe(true);
      writeFileSync(slip('queue'), bytes.subarray(0, n));
      expect((await store.slip('one', 'queue'))?.damaged).toBe(true);
    }
    writeFileSync(slip('queue'), bytes);
    expect(await store.slip('one', 'queue')).toEqual({ text: 'the one before', damaged: false });
    folder.put('one', [metaRecord('one', 'another run under that name')]);
    expect(await store.slip('one', 'queue')).toBeUndefined();
  });

  it('that is a folder stops neither the run nor what does not need it', async () => {
    const { store, journal } = await withSlip();
    rmSync(slip('queue'));
    mkdirSync(slip('queue'));
    mkdirSync(slip('partial'));
    expect(await store.slip('one', 'queue')).toBeUndefined();
    await journal.putSlip('partial', 'comfort', 'lazily');
    expect((await failureOf(journal.putSlip('queue', 'words', 'durably'))).code).toBe('io');
    await journal.append(answerRecord(2, 'on'));
    await journal.close();
    expect((await store.load('one')).records).toHaveLength(2);
  });

  it('of a run that another process writes is not put', async () => {
    const { journal } = await withSlip();
    const other = fileStore(folder.path);
    // Of this process: through its journal.
    await other.putSlip('one', 'queue', 'by another handle');
    expect((await other.slip('one', 'queue'))?.text).toBe('by another handle');
    await journal.close();
    await other.putSlip('one', 'queue', undefined);
    expect(folder.names()).toEqual(['one.json']);
  });
});
