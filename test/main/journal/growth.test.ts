import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import { PROTOCOL } from '../../../src/shared/run/record';
import type { RunRecord } from '../../../src/shared/run/record';
import {
  answerRecord,
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';

let folder: StoreFolder;
const stores: RunStore[] = [];
beforeEach(() => void (folder = storeFolder()));
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  folder.remove();
});

/** A store, and from which byte of which journal it read. */
function opened(): { store: RunStore; read: [string, number][] } {
  const read: [string, number][] = [];
  const slurp: Vfs['slurp'] = (path, limit, from = 0) => {
    if (path.endsWith('.json')) read.push([path.split('/').at(-1)!, from]);
    return nodeVfs.slurp(path, limit, from);
  };
  const store = fileStore(folder.path, { vfs: { ...nodeVfs, slurp } });
  stores.push(store);
  return { store, read };
}
const fresh = async () => (await opened().store.list())[0]!;
const append = (records: RunRecord[]) => appendFileSync(folder.of('run.json'), journalBytes(records));
const size = () => readFileSync(folder.of('run.json')).length;

/** A run with everything that a row counts: pending turns, warnings of each kind, a stop in the middle. */
const odd: RunRecord[] = [
  metaRecord('run', 'a prompt'),
  callRecord(2, ['a', 'b'], 0, 'write_file'),
  resultRecord(3, 'a', 'one'),
  resultRecord(4, 'a', 'again'),
  resultRecord(5, 'nobody', 'orphan'),
  userRecord(6, 'went on without b'),
  answerRecord(8, 'a gap before this', 1),
  terminalRecord(9, 'suspended'),
  userRecord(10, 'and further'),
  callRecord(11, ['c'], 2),
  {
    ...resultRecord(12, 'c', 'remote'),
    tool_result: { tool_use_id: 'c', remote: true, result: { tool_use_id: 'x', content: '' } },
  },
  answerRecord(13, 'done', 3),
  terminalRecord(14, 'completed'),
];

describe('A journal that grew', () => {
  it('is read from where its row ended, and gives the row that reading all of it gives', async () => {
    const records = chatRecords('run', 400);
    folder.put('run', records.slice(0, 399));
    const { store, read } = opened();
    await store.list();
    const before = size();
    append(records.slice(399));
    read.length = 0;
    const [row] = await store.list();
    expect(read).toEqual([['run.json', before - 1024]]);
    expect(row).toEqual(await fresh());
    expect(row?.facts?.lastSeq).toBe(400);
  });

  it('is so after every record and at every cut of the last line, whatever the records are', async () => {
    for (let n = 1; n < odd.length; n++) {
      const [before, next] = [journalBytes(odd.slice(0, n)), journalBytes(odd.slice(n, n + 1))];
      for (const cut of [0, 1, Math.floor(next.length / 2), next.length - 1]) {
        folder.put('run', Buffer.concat([before, next.subarray(0, cut)]));
        const { store } = opened();
        await store.list();
        appendFileSync(folder.of('run.json'), next.subarray(cut));
        expect([n, cut, (await store.list())[0]]).toEqual([n, cut, await fresh()]);
        append(odd.slice(n + 1));
        expect([n, cut, await store.summary('run')]).toEqual([n, cut, await fresh()]);
      }
    }
  });

  it('is so in the next process, from the rows that were saved', async () => {
    const records = chatRecords('run0', 60);
    for (let n = 0; n < 120; n++) folder.put(`run${n}`, chatRecords(`run${n}`, 59));
    const first = opened();
    await first.store.list();
    await first.store.close();
    const before = readFileSync(folder.of('run0.json')).length;
    appendFileSync(folder.of('run0.json'), journalBytes(records.slice(59)));
    const { store, read } = opened();
    const rows = await store.list();
    expect(read).toEqual([['run0.json', before - 1024]]);
    expect(rows.find(({ id }) => id === 'run0')?.facts?.lastSeq).toBe(60);
  });

  it('by more than is read in one go is read aside, from there as well', async () => {
    folder.put('run', chatRecords('run', 20));
    const { store, read } = opened();
    await store.list();
    append(chatRecords('run', 4_000, 'some words '.repeat(20)).slice(20));
    read.length = 0;
    const [row] = await store.list();
    expect(read).toHaveLength(1);
    expect(read[0]![1]).toBeGreaterThan(0);
    expect(row).toEqual(await fresh());
  });

  it('is read whole where it is not what it was, or is damaged', async () => {
    const bytes = journalBytes(chatRecords('run', 40));
    const changes: [string, () => void][] = [
      [
        'other bytes before the end',
        () => writeFileSync(folder.of('run.json'), journalBytes(chatRecords('run', 41, 'other words'))),
      ],
      [
        'other bytes of the same length before the end',
        () => {
          const text = bytes.toString();
          const at = text.lastIndexOf('"in_tokens":10');
          const other = `${text.slice(0, at)}"in_tokens":90${text.slice(at + '"in_tokens":10'.length)}`;
          writeFileSync(folder.of('run.json'), other);
          append(chatRecords('run', 41).slice(40));
        },
      ],
      ['shorter', () => truncateSync(folder.of('run.json'), bytes.lastIndexOf(0x0a, bytes.length - 2) + 1)],
      ['garbage in what came', () => appendFileSync(folder.of('run.json'), 'garbage\n{}\n')],
      ['a second beginning', () => append([{ ...metaRecord('run'), seq: 41 }])],
      ['a record of no kind', () => append([{ seq: 41, protocol: `${PROTOCOL.meta}x` }])],
      ['a bad last line', () => appendFileSync(folder.of('run.json'), 'garbage\n')],
    ];
    for (const [what, change] of changes) {
      folder.put('run', bytes);
      const { store, read } = opened();
      await store.list();
      read.length = 0;
      change();
      const [row] = await store.list();
      expect([what, row]).toEqual([what, await fresh()]);
      expect([what, read.at(-1)]).toEqual([what, ['run.json', 0]]);
    }
  });

  it('once it was damaged is read whole again, until it is mended', async () => {
    const records = chatRecords('run', 10);
    const whole = journalBytes(records);
    folder.put('run', Buffer.concat([whole, Buffer.from('garbage\n{}\n')]));
    const { store } = opened();
    expect((await store.list())[0]?.health).toBe('damaged');
    appendFileSync(folder.of('run.json'), 'more\n');
    expect((await store.list())[0]).toEqual(await fresh());
    folder.put('run', whole);
    expect((await store.list())[0]).toMatchObject({ health: 'ok', facts: { lastSeq: 10 } });
  });
});
