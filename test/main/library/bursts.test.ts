import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { Library } from '../../../src/main/library/library';
import { answerRecord, chatRecords } from '../../support/journal-records';
import { journalBytes, storeFolder, type StoreFolder } from '../../support/store-folder';
import { until } from '../../support/wait';

let folder: StoreFolder;
let store: RunStore;
let library: Library;
let told: string[][];
beforeEach(() => {
  folder = storeFolder();
  folder.put('seed', chatRecords('seed', 4));
  store = fileStore(folder.path, { watch: { debounceMs: 20 } });
  told = [];
  library = new Library({
    live: () => new Map(),
    onChange: (ids) => told.push(ids),
    onStoreChange: () => undefined,
  });
  library.add('', 'Here', store);
});
afterEach(async () => {
  library.close();
  await store.close();
  folder.remove();
});

const all = async () => {
  const { keys } = await library.keys({ offset: 0, limit: 20_000 });
  return keys.toSorted();
};
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `run${from + n}`);
const path = (id: string) => folder.of(`${id}.json`);
/** What the list must have: the journals of the folder, as somebody sees them who looks for the first time. */
const fresh = async () => {
  const other = fileStore(folder.path);
  const rows = await other.list();
  await other.close();
  return rows;
};

/** Milliseconds that this process was at work: what others on the machine do is not counted. */
const worked = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The longest that nobody else got a turn while `work` was done, and all of it; ms of work. */
async function holdUp(work: () => Promise<void>): Promise<{ longest: number; whole: number }> {
  let longest = 0;
  let over = false;
  let last = worked();
  const look = () => {
    const now = worked();
    longest = Math.max(longest, now - last);
    last = now;
    if (!over) setImmediate(look);
  };
  const start = worked();
  setImmediate(look);
  await work();
  over = true;
  return { longest, whole: worked() - start };
}

describe('a thousand files that change at once', () => {
  it('are listed right, whatever happens to them, and hold up nobody', async () => {
    expect(await all()).toEqual(['seed']);
    const long = chatRecords('x', 80, 'some words '.repeat(10));
    const bytes = journalBytes(long);
    const ids = names(0, 1_000);

    for (const id of ids) writeFileSync(path(id), bytes);
    const added = await holdUp(async () => {
      await until(async () => (await all()).length === 1_001);
    });
    // Reading them takes its time, in slices: the longest is a small part of the whole.
    expect(added.longest).toBeLessThan(added.whole / 3);

    for (const id of ids) renameSync(path(id), path(`moved-${id}`));
    const moved = ids.map((id) => `moved-${id}`);
    await until(async () => (await all()).includes('moved-run999') && !(await all()).includes('run999'));
    await until(async () => (await all()).length === 1_001);
    expect(await all()).toEqual([...moved, 'seed'].toSorted());

    for (const id of moved.slice(0, 500)) rmSync(path(id));
    for (const id of moved.slice(500)) appendFileSync(path(id), journalBytes([answerRecord(81, 'more', 99)]));
    await until(async () => {
      const { rows, total } = await library.page({ offset: 0, limit: 1_000 });
      return total === 501 && rows.filter((row) => row.steps === 100).length === 500;
    });
    const rows = await fresh();
    expect(await all()).toEqual(rows.map(({ id }) => id).toSorted());
    // Gathered: a window is not asked to look a thousand times.
    expect(told.length).toBeLessThan(300);
  });

  it('get their labels at once, and each shows them', async () => {
    const ids = names(0, 1_000);
    for (const id of ids) folder.put(id, chatRecords(id, 4));
    await until(async () => (await all()).length === 1_001);
    const lines = ids.map(
      (id, n) => `\n${JSON.stringify({ id, set: { tags: [`t${n % 7}`], pinned: n % 100 === 0 } })}\n`,
    );
    appendFileSync(folder.of('.catalogue.jsonl'), lines.join(''), { mode: 0o600 });
    await until(async () => (await library.page({ offset: 0, limit: 1 })).pinned === 10);
    await until(async () => {
      const { facets } = await library.page({ offset: 0, limit: 1 });
      return facets.tags.reduce((sum, { count }) => sum + count, 0) === 1_000;
    });
  });
});
