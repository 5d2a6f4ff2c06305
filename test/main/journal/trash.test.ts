import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { isFailure } from '../../../src/shared/run/failure';
import { chatRecords, metaRecord } from '../../support/journal-records';
import { faultyVfs } from '../../support/faulty-vfs';
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

const CHANGING = [
  'open',
  'write',
  'rename',
  'unlink',
  'mkdir',
  'removeTree',
  'syncDirectory',
  'readdir',
  'sync',
  'syncAll',
] as const;

/** A run with everything that can belong to one. */
async function full(store: RunStore, id: string): Promise<string> {
  const [meta, ...rest] = chatRecords(id, 5);
  const journal = await store.create(id, meta!);
  for (const record of rest) await journal.append(record);
  await journal.note({ kind: 'config', at: 'now', profile: 'P' });
  const name = await journal.keep('call', 'kept');
  await journal.putSlip('queue', 'words', 'durably');
  await journal.close();
  await store.label(id, { title: 'T' });
  return name;
}

/** Where the run is, by what a store says; it must be in exactly one place. */
async function whereabouts(store: RunStore, id: string): Promise<'here' | 'trash' | 'gone'> {
  const here = (await store.list()).some((row) => row.id === id);
  const trash = (await store.trashed()).some((row) => row.id === id);
  expect([here, trash]).not.toEqual([true, true]);
  return here ? 'here' : trash ? 'trash' : 'gone';
}

async function expectWhole(store: RunStore, id: string, name: string): Promise<void> {
  const loaded = await store.load(id);
  expect(Buffer.from(await store.bytes(id)).equals(journalBytes(chatRecords(id, 5)))).toBe(true);
  expect([loaded.sidecarBound, loaded.catalogue]).toEqual([true, { title: 'T' }]);
  expect(await store.kept(id, name)).toBe('kept');
  expect(await store.slip(id, 'queue')).toEqual({ text: 'words', damaged: false });
}

describe('The trash', () => {
  it('takes every file of the run and none of another, whose name begins alike', async () => {
    const store = fileStore(folder.path);
    await full(store, 'run');
    await full(store, 'run-1');
    await full(store, 'run1');
    folder.put('run', Buffer.concat([journalBytes(chatRecords('run', 5)), Buffer.from('torn')]));
    await (await store.open('run')).close();
    await store.trash('run');
    expect(readdirSync(folder.of('trash')).sort()).toEqual([
      'run.aux.jsonl',
      'run.files',
      'run.json',
      'run.queue',
      'run.torn',
    ]);
    expect(folder.names().filter((name) => name.startsWith('run.'))).toEqual([]);
    for (const id of ['run-1', 'run1']) expect((await store.load(id)).records).toHaveLength(5);
    await store.purge('run');
    expect(readdirSync(folder.of('trash'))).toEqual([]);
  });

  it('does not take a run while one of that name is in it', async () => {
    const store = fileStore(folder.path);
    await full(store, 'one');
    await store.trash('one');
    await (await store.create('one', metaRecord('one', 'second'))).close();
    expect((await failureOf(store.trash('one'))).code).toBe('exists');
    expect((await store.load('one')).state.prompt).toBe('second');
    expect((await store.trashed())[0]!.prompt).toBe(metaRecord('one').meta!.prompt);
  });

  it.each(['trash', 'restore', 'purge'] as const)(
    'never leaves a run in two places or none, wherever %s fails',
    async (step) => {
      for (let at = 1; ; at++) {
        const id = `run${at}`;
        const plain = fileStore(folder.path);
        const name = await full(plain, id);
        if (step === 'restore') await plain.trash(id);
        const vfs = faultyVfs();
        const faulty = fileStore(folder.path, { vfs });
        vfs.plan({ at, fault: 'EIO', only: CHANGING });
        let failed = false;
        try {
          await faulty[step](id);
        } catch (error) {
          if (!isFailure(error)) throw error;
          failed = true;
        }
        const reached = vfs.failed.length > 0;
        vfs.plan(undefined);

        const place = await whereabouts(plain, id);
        if (step !== 'purge') {
          // What was begun can be finished, and the run is whole again.
          if (place === 'trash') await plain.restore(id);
          await expectWhole(plain, id, name);
          await plain.trash(id);
          await plain.restore(id);
          await expectWhole(plain, id, name);
        } else if (place !== 'gone') await plain.purge(id);
        else expect(existsSync(folder.of(`${id}.json`))).toBe(false);
        if (!failed && step === 'purge') expect(place).toBe('gone');
        if (!reached) {
          expect(at).toBeGreaterThan(4);
          return;
        }
      }
    },
  );

  it('frees the run when a step fails, so that it can be tried again', async () => {
    const vfs = faultyVfs();
    const store = fileStore(folder.path, { vfs });
    await full(store, 'one');
    vfs.plan({ at: 1, fault: 'EIO', only: ['rename'] });
    expect((await failureOf(store.trash('one'))).code).toBe('io');
    vfs.plan(undefined);
    expect(await store.writer('one')).toBe('none');
    await store.trash('one');
    expect((await store.trashed()).map((row) => row.id)).toEqual(['one']);
  });
});
