import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import type { FileStoreOptions } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import { encodeLine } from '../../../src/shared/run/codec';
import { answerRecord, chatRecords, metaRecord } from '../../support/journal-records';
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { until } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(async () => {
  // Rows are saved in the background.
  await Promise.all(stores.splice(0).map((store) => store.close()));
  folder.remove();
});

const stores: RunStore[] = [];
function opened(path: string, options?: FileStoreOptions): RunStore {
  const store = fileStore(path, options);
  stores.push(store);
  return store;
}

/** The real file layer, which notes the journals that are read. */
function counting(): { vfs: Vfs; read: string[] } {
  const read: string[] = [];
  const slurp: Vfs['slurp'] = (path, limit, from) => {
    read.push(path.split('/').at(-1)!);
    return nodeVfs.slurp(path, limit, from);
  };
  return { vfs: { ...nodeVfs, slurp }, read };
}
const byId = <T extends { id: string }>(rows: T[]): T[] => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
const journals = (names: string[]): string[] => names.filter((name) => name.endsWith('.json'));

describe('The list of a folder', () => {
  it('has one row for each journal, skips what is no run, and hides no damage', async () => {
    for (let n = 0; n < 49; n++) folder.put(`run${n}`, chatRecords(`run${n}`, 3 + (n % 5)));
    const bytes = readFileSync(folder.of('run7.json'));
    folder.put('bad', Buffer.concat([bytes, Buffer.from('{{{\n'), bytes.subarray(0, 100)]));
    for (const name of [
      'no id.json',
      '.hidden.json',
      '-x.json',
      `${'a'.repeat(129)}.json`,
      'run1.txt',
      'a.b.json',
      'run1.json~',
      'run1.jsonl',
    ])
      writeFileSync(folder.of(name), bytes);
    mkdirSync(folder.of('trash'));
    writeFileSync(folder.of('trash', 'gone.json'), bytes);
    const store = opened(folder.path);
    const rows = await store.list();
    expect(rows).toHaveLength(50);
    const bad = rows.filter((row) => row.health !== 'ok');
    expect(bad.map((row) => row.id)).toEqual(['bad']);
    expect(bad[0]!.failure).toMatchObject({
      code: 'corrupt',
      data: { line: 6, byte: bytes.length, records: 5 },
    });
    expect((await store.trashed()).map((row) => row.id)).toEqual(['gone']);
  });

  it('reads a journal again only when its file changed', async () => {
    for (const id of ['a', 'b', 'c']) folder.put(id, chatRecords(id, 4));
    const { vfs, read } = counting();
    const store = opened(folder.path, { vfs });
    await store.list();
    expect(journals(read).sort()).toEqual(['a.json', 'b.json', 'c.json']);
    read.length = 0;
    const rows = await store.list();
    expect(journals(read)).toEqual([]);
    expect(rows).toHaveLength(3);

    appendFileSync(folder.of('b.json'), encodeLine(chatRecords('b', 5)[4]!));
    utimesSync(folder.of('c.json'), 1, 1);
    rmSync(folder.of('a.json'));
    const after = byId(await store.list());
    expect(journals(read).sort()).toEqual(['b.json', 'c.json']);
    expect(after.map((row) => [row.id, row.facts?.lastSeq])).toEqual([
      ['b', 5],
      ['c', 4],
    ]);
    expect(after[1]!.updated).toEqual(new Date(1_000));
  });

  it('notices a journal that was put in the place of another with the same size and time', async () => {
    folder.put('a', [metaRecord('a', 'first')]);
    utimesSync(folder.of('a.json'), 5, 5);
    const store = opened(folder.path);
    expect((await store.list())[0]!.prompt).toBe('first');
    rmSync(folder.of('a.json'));
    folder.put('keeps-the-inode-busy', [metaRecord('x')]);
    folder.put('a', [metaRecord('a', 'other')]);
    utimesSync(folder.of('a.json'), 5, 5);
    expect((await store.list()).find((row) => row.id === 'a')!.prompt).toBe('other');
  });

  it('shows a run that cannot be read, and the others', async () => {
    for (const id of ['a', 'b', 'c']) folder.put(id, chatRecords(id, 4));
    const slurp: Vfs['slurp'] = (path, limit) => {
      if (path.endsWith('b.json')) throw Object.assign(new Error('no'), { code: 'EIO' });
      return nodeVfs.slurp(path, limit);
    };
    const rows = byId(await opened(folder.path, { vfs: { ...nodeVfs, slurp } }).list());
    expect(rows.map((row) => [row.id, row.health, row.failure?.code])).toEqual([
      ['a', 'ok', undefined],
      ['b', 'damaged', 'io'],
      ['c', 'ok', undefined],
    ]);
    expect(Date.now() - rows[1]!.updated.getTime()).toBeLessThan(60_000);
  });

  it('asks who writes only where a run would read as interrupted', async () => {
    const asked: string[] = [];
    for (const id of ['pending', 'answered']) {
      folder.put(id, chatRecords(id, id === 'pending' ? 2 : 4));
      mkdirSync(folder.of(`${id}.lock.d`));
    }
    const lstat: Vfs['look'] = (path) => {
      asked.push(path);
      return nodeVfs.look(path);
    };
    const store = opened(folder.path, { vfs: { ...nodeVfs, look: lstat }, locking: { kernel: false } });
    const rows = byId(await store.list());
    expect(rows.map((row) => [row.id, row.writer])).toEqual([
      ['answered', 'none'],
      ['pending', 'elsewhere'],
    ]);
  });

  it('reads large journals aside, and gives the same row', async () => {
    const records = chatRecords('large', 4_000, 'some words '.repeat(12));
    folder.put('large', records);
    folder.put('small', chatRecords('small', 4));
    const { vfs, read } = counting();
    const store = opened(folder.path, { vfs });
    const rows = byId(await store.list());
    expect(rows[0]).toMatchObject({
      id: 'large',
      health: 'ok',
      facts: { lastSeq: 4_000 },
      size: journalBytes(records).length,
    });
    read.length = 0;
    expect(byId(await store.list())).toEqual(rows);
    expect(journals(read)).toEqual([]);
  });

  it('lets others in while it reads', async () => {
    for (let n = 0; n < 300; n++) folder.put(`run${n}`, chatRecords(`run${n}`, 40));
    let [turns, over] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await opened(folder.path).list();
    over = true;
    expect(turns).toBeGreaterThan(2);
  });
});

describe('Rows across a restart', () => {
  const saved = () => folder.of('.list-cache.jsonl');
  async function savedList() {
    for (let n = 0; n < 150; n++) folder.put(`run${n}`, chatRecords(`run${n}`, 2 + (n % 6)));
    folder.put('new', '');
    folder.put('bad', '{"seq":1}\n{}\n');
    const store = opened(folder.path);
    const rows = byId(await store.list());
    await store.close();
    expect(existsSync(saved())).toBe(true);
    return rows;
  }

  it('are the same, without reading a journal', async () => {
    const rows = await savedList();
    const { vfs, read } = counting();
    expect(byId(await opened(folder.path, { vfs }).list())).toEqual(rows);
    expect(journals(read)).toEqual([]);
  });

  it('follow what changed meanwhile', async () => {
    await savedList();
    folder.put('run3', chatRecords('run3', 9));
    rmSync(folder.of('run4.json'));
    folder.put('later', [metaRecord('later')]);
    const { vfs, read } = counting();
    const rows = new Map((await opened(folder.path, { vfs }).list()).map((row) => [row.id, row]));
    expect(journals(read).sort()).toEqual(['later.json', 'run3.json']);
    expect([rows.get('run3')?.facts?.lastSeq, rows.has('run4'), rows.get('later')?.health]).toEqual([
      9,
      false,
      'ok',
    ]);
  });

  it.each([
    ['torn', () => writeFileSync(saved(), readFileSync(saved()).subarray(0, 5_000))],
    ['garbage', () => writeFileSync(saved(), 'x'.repeat(500))],
    [
      'a little wrong',
      () =>
        writeFileSync(saved(), readFileSync(saved(), 'utf8').replace(/"llm_calls":\d+/, '"llm_calls":77')),
    ],
    [
      'of another shape',
      () =>
        writeFileSync(saved(), readFileSync(saved(), 'utf8').replace(/"updated":\d+/g, '"updated":"soon"')),
    ],
    [
      'of another version',
      () => writeFileSync(saved(), readFileSync(saved(), 'utf8').replace('"version":', '"version":9')),
    ],
    [
      'full of other things',
      () =>
        writeFileSync(
          saved(),
          `${readFileSync(saved(), 'utf8').split('\n')[0]}\nnull\n7\n{}\n{"bare":{}}\n{"bare":{"id":"run1"},"stat":{}}\n`,
        ),
    ],
  ])('are made anew where what was saved is %s', async (_what, damage) => {
    const rows = await savedList();
    damage();
    expect(byId(await opened(folder.path).list())).toEqual(rows);
  });

  it('do not outlive a run that was deleted for good', async () => {
    await savedList();
    folder.put('secret', [metaRecord('secret', 'a prompt that nobody may find again')]);
    const store = opened(folder.path);
    await store.list();
    for (let n = 0; n < 150; n++) folder.put(`run${n}`, chatRecords(`run${n}`, 3));
    await store.list();
    await store.close();
    expect(readFileSync(saved(), 'utf8')).toContain('nobody may find again');
    await store.purge('secret');
    for (const name of ['.list-cache.jsonl', 'secret.json']) expect(existsSync(folder.of(name))).toBe(false);
  });

  it('are not saved in a folder that is not ours, nor where saving fails', async () => {
    mkdirSync(folder.path);
    for (let n = 0; n < 150; n++) writeFileSync(folder.of(`run${n}.json`), encodeLine(metaRecord(`run${n}`)));
    const foreign = opened(folder.path);
    expect(await foreign.list()).toHaveLength(150);
    await foreign.close();
    expect(existsSync(saved())).toBe(false);

    writeFileSync(folder.of('.holdfast-store'), '');
    const write: Vfs['write'] = async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const full = opened(folder.path, { vfs: { ...nodeVfs, write } });
    expect(await full.list()).toHaveLength(150);
    await full.close();
    expect(folder.names().filter((name) => !name.endsWith('.json'))).toEqual([]);
    expect(existsSync(`${saved()}.tmp`)).toBe(false);
  });
});

describe('Watching a folder', () => {
  /** Calls of one watch, with the store that made it. */
  function watched(pollMs?: number) {
    const store = opened(folder.path, {
      watch: { debounceMs: 5, ...(pollMs !== undefined && { pollMs }) },
    });
    const seen: string[] = [];
    const stop = store.watch(({ id, what }) => seen.push(`${what} ${id}`));
    return { store, seen, stop };
  }

  it('begins before the folder exists', async () => {
    const { store, seen, stop } = watched();
    await (await store.create('one', metaRecord('one'))).close();
    await until(() => seen.includes('added one'));
    await (await opened(folder.path).create('two', metaRecord('two'))).close();
    await until(() => seen.includes('added two'));
    stop();
  });

  it('tells no news of what was there before', async () => {
    for (let n = 0; n < 20; n++) folder.put(`run${n}`, chatRecords(`run${n}`, 3));
    const { seen, stop } = watched();
    folder.put('marker', [metaRecord('marker')]);
    await until(() => seen.includes('added marker'));
    expect(seen.filter((one) => !one.endsWith('marker'))).toEqual([]);
    stop();
  });

  it('misses nothing in a burst, and gathers it', async () => {
    folder.put('seed', [metaRecord('seed')]);
    const { seen, stop } = watched();
    for (let n = 0; n < 500; n++) folder.put(`run${n}`, [metaRecord(`run${n}`)]);
    for (let n = 0; n < 2_000; n++) appendFileSync(folder.of('seed.json'), encodeLine(answerRecord(2, 'x')));
    for (let n = 0; n < 500; n += 2) rmSync(folder.of(`run${n}.json`));
    await until(
      () => seen.includes('grown seed') && [1, 251, 499].every((n) => seen.includes(`added run${n}`)),
    );
    await until(() =>
      Array.from({ length: 250 }, (_, n) => `run${n * 2 + 1}`).every((id) => seen.includes(`added ${id}`)),
    );
    expect(seen.filter((one) => one === 'grown seed').length).toBeLessThan(200);
    stop();
  });

  it('goes on after the folder was taken away and another put in its place', async () => {
    folder.put('old', [metaRecord('old')]);
    const { seen, stop } = watched(20);
    rmSync(folder.path, { recursive: true });
    await until(() => seen.includes('removed old'));
    folder.put('new', [metaRecord('new')]);
    await until(() => seen.includes('added new'));
    seen.length = 0;
    folder.put('newer', [metaRecord('newer')]);
    await until(() => seen.includes('added newer'));
    stop();
  });

  it('tells once for each label that changed, and of nobody else’s', async () => {
    for (const id of ['a', 'b', 'c']) folder.put(id, [metaRecord(id)]);
    const other = opened(folder.path);
    await other.label('a', { title: 'A' });
    await other.label('b', { title: 'B' });
    const { seen, stop } = watched();
    await other.label('b', { title: 'B2' });
    await until(() => seen.includes('catalogue b'));
    expect(seen.filter((one) => one.startsWith('catalogue'))).toEqual(['catalogue b']);
    stop();
  });
});
