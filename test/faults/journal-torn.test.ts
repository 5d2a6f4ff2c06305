import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeLine, encodeRecord } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import { nodeVfs } from '../../src/main/journal/file/vfs';
import type { Vfs } from '../../src/main/journal/file/vfs';
import { unsyncedVfs } from '../support/unsynced-vfs';
import { soak } from '../support/prerequisites';
import { answerRecord, chatRecords, metaRecord, userRecord } from '../support/journal-records';
import { journalBytes, ready, storeFolder } from '../support/store-folder';
import type { StoreFolder } from '../support/store-folder';

/**
 * A journal of forty records cut at every byte, as a crash can leave it: what was whole is recovered, what was cut is
 * kept, two appends follow, and everything is there when it is read again.
 */
const RECORDS = chatRecords('torn', 40, 'ü');
const BYTES = journalBytes(RECORDS);
/** Where each line ends, without its newline. */
const ENDS = RECORDS.map(encodeLine).reduce<number[]>(
  (ends, line) => [...ends, (ends.at(-1) ?? -1) + line.length],
  [],
);
const AT_ONCE = 6;

/** What is durable when is proved by journal-power; here the disk need not be waited for, except in the long run. */
const layer = soak ? nodeVfs : unsyncedVfs;

let folder: StoreFolder;
beforeAll(() => {
  folder = storeFolder();
  ready(folder.path);
});
afterAll(() => folder.remove());

/** What is wrong after a cut at this byte; nothing if all is well. */
async function complaint(cut: number, vfs: Vfs): Promise<string | undefined> {
  const id = `cut${cut}`;
  writeFileSync(folder.of(`${id}.json`), BYTES.subarray(0, cut), { mode: 0o600 });
  const whole = ENDS.filter((end) => end <= cut).length;
  const store = fileStore(folder.path, { vfs });
  try {
    if (whole === 0) {
      if ((await store.summary(id)).health !== 'new') return 'not shown as new';
      const journal = await store.create(id, metaRecord(id));
      await journal.append(answerRecord(2, 'a'));
      await journal.append(userRecord(3, 'b'));
      await journal.close();
      const loaded = await fileStore(folder.path).load(id);
      if (loaded.records.length !== 3 || loaded.warnings.length > 0) return 'not begun anew';
    } else {
      const journal = await store.open(id);
      if (journal.lastSeq !== whole) return `lastSeq ${journal.lastSeq}, not ${whole}`;
      const more = [userRecord(whole + 1, 'more'), answerRecord(whole + 2, 'and more', 99)];
      for (const record of more) await journal.append(record);
      await journal.close();
      const loaded = await fileStore(folder.path).load(id);
      const wanted = [...RECORDS.slice(0, whole), ...more].map(encodeRecord);
      if (JSON.stringify(loaded.records.map(encodeRecord)) !== JSON.stringify(wanted))
        return 'records differ';
    }
    const start = whole === 0 ? 0 : ENDS[whole - 1]! + 1;
    const tail = BYTES.subarray(Math.min(start, cut), cut);
    if (tail.length > 0 && !readFileSync(folder.of(`${id}.torn`)).equals(tail)) return 'cut bytes not kept';
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await store.close();
    for (const name of [`${id}.json`, `${id}.torn`]) rmSync(folder.of(name), { force: true });
  }
}

/** Complaints for all these cuts, a few at a time. */
async function complaints(cuts: number[], vfs: Vfs = layer): Promise<string[]> {
  const all: string[] = [];
  const queue = [...cuts];
  const work = async (): Promise<void> => {
    for (let cut = queue.shift(); cut !== undefined; cut = queue.shift()) {
      const one = await complaint(cut, vfs);
      if (one !== undefined) all.push(`byte ${cut}: ${one}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return all;
}

describe('A journal that is cut', () => {
  it('at any byte is recovered whole, takes two appends, and is whole again', async (context) => {
    const cuts = Array.from({ length: BYTES.length + 1 }, (_, cut) => cut);
    expect(await complaints(cuts)).toEqual([]);
    await context.annotate(
      `torn tail: ${cuts.length} cuts of a 40-record journal, 0 records lost`,
      'figures',
    );
  });

  it('would be lost without the cut or without the missing newline, and this test would see it', async () => {
    const uncut: Vfs = { ...unsyncedVfs, truncate: async () => undefined };
    const cuts = [ENDS[9]! + 30, ENDS[20]! + 2, ENDS[30]! + 100];
    expect(await complaints(cuts, uncut)).toHaveLength(cuts.length);
    const unended: Vfs = { ...unsyncedVfs, overwrite: async (_fd, data) => data.length };
    expect(await complaints([ENDS[9]!, ENDS[20]!], unended)).toHaveLength(2);
    const unkept: Vfs = {
      ...unsyncedVfs,
      write: async (fd, data) =>
        data[0] === 0x7b && data.at(-1) === 0x0a ? nodeVfs.write(fd, data) : data.length,
    };
    expect(await complaints([ENDS[9]! + 30], unkept)).toHaveLength(1);
  });
});
