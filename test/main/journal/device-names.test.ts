import { renameSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyRun } from '../../../src/main/journal/copy';
import { fileStore } from '../../../src/main/journal/file';
import { memoryStore } from '../../../src/main/journal/memory';
import { profile } from '../../../src/main/settings/profile';
import { loadProfiles, saveProfile } from '../../../src/main/settings/profiles';
import { loadStores, saveStore } from '../../../src/main/settings/stores';
import { isDeviceName, isNewRunId } from '../../../src/shared/run/names';
import { tempFolder } from '../../support/folder';
import { answerRecord, metaRecord } from '../../support/journal-records';
import { failureOf } from '../../support/wait';

const mixed = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((up) => [...word].map((c, n) => (up[n] ? c.toUpperCase() : c)).join(''));
const device = fc
  .constantFrom('con', 'prn', 'aux', 'nul', ...[...'0123456789'].flatMap((n) => [`com${n}`, `lpt${n}`]))
  .chain(mixed);

describe('names that Windows keeps for devices', () => {
  it('are known in any case, with any ending', () => {
    fc.assert(
      fc.property(device, fc.constantFrom('', '.json', '.tar.gz', ' .txt', ' ', '.'), (name, ending) => {
        expect(isDeviceName(name + ending)).toBe(true);
        expect(isNewRunId(name)).toBe(false);
        for (const other of [`${name}x`, `x${name}`, `${name}-1`, `${name}_`])
          expect(isDeviceName(other)).toBe(false);
      }),
    );
  });

  it('are not given to a new run, also as a copy; a run that has one is opened and copied under another', async () => {
    const folder = tempFolder();
    const store = fileStore(folder);
    expect((await failureOf(store.create('aux', metaRecord('aux')))).code).toBe('invalid_id');
    await (await store.create('old', metaRecord('old'))).close();
    renameSync(join(folder, 'old.json'), join(folder, 'aux.json'));
    expect((await store.load('aux')).records).toHaveLength(1);
    const journal = await store.open('aux');
    await journal.append(answerRecord(2, 'Here.'));
    await journal.close();
    const to = memoryStore();
    expect(await failureOf(copyRun(store, to, 'aux'))).toMatchObject({
      code: 'invalid_id',
      todo: 'Choose another name.',
    });
    expect((await copyRun(store, to, 'aux', { as: 'spare' })).as).toBe('spare');
    await store.trash('aux');
    await store.restore('aux');
    expect((await store.load('aux')).records).toHaveLength(2);
    await store.close();
  });

  it('are not given to a new store or profile, nor by renaming; those in the files are read and changed', async () => {
    const path = join(tempFolder(), 'config', 'stores.yaml');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'stores:\n  - name: nul\n    url: file:/old\n');
    expect((await loadStores(path)).stores).toHaveLength(1);
    await saveStore({ name: 'nul', url: 'file:/new' }, 'nul', path);
    expect((await loadStores(path)).stores).toEqual([{ name: 'nul', url: 'file:/new' }]);
    expect((await failureOf(saveStore({ name: 'Com1', url: 'file:/c' }, undefined, path))).code).toBe(
      'bad_request',
    );
    expect((await failureOf(saveStore({ name: 'aux', url: 'file:/c' }, 'nul', path))).code).toBe(
      'bad_request',
    );

    const profiles = join(tempFolder(), 'profiles.yaml');
    const one = (name: string) => profile.parse({ name, provider: 'practice', model: 'practice-1' });
    writeFileSync(profiles, 'profiles:\n  - name: con\n    provider: practice\n    model: practice-1\n');
    await saveProfile({ ...one('con'), system_prompt: 'Be short.' }, 'con', profiles);
    expect((await loadProfiles(profiles)).profiles.at(-1)).toMatchObject({ name: 'con' });
    expect((await failureOf(saveProfile(one('PRN.old'), 'con', profiles))).code).toBe('bad_request');
    expect((await failureOf(saveProfile(one('lpt1'), undefined, profiles))).code).toBe('bad_request');
  });
});
