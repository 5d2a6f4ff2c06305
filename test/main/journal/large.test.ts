import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import { readRun, summaryOf } from '../../../src/main/journal/read';
import { encodeLine } from '../../../src/shared/run/codec';
import {
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { RECORD_LIMIT } from '../../../src/shared/run/read';
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

/** The real file layer, and the most bytes that were read at once. */
function measured(): { vfs: Vfs; most: () => number } {
  let most = 0;
  const read: Vfs['read'] = (fd, buffer, position) => {
    most = Math.max(most, buffer.length);
    return nodeVfs.read(fd, buffer, position);
  };
  return { vfs: { ...nodeVfs, read }, most: () => most };
}

describe('the row of a large journal', () => {
  const chat = chatRecords('r', 2_000, 'some words '.repeat(200));
  const bytes = journalBytes(chat);
  const lines = chat.map(encodeLine);
  const huge = [metaRecord('r'), userRecord(2, 'x'.repeat(5_000_000)), ...chat.slice(2)];
  const open = [...chat, userRecord(2_001, 'go on'), callRecord(2_002, ['one', 'two'], 9_999)];

  it.each<[string, Uint8Array, boolean]>([
    ['whole', bytes, true],
    ['torn', bytes.subarray(0, bytes.length - 40), true],
    ['with an end', journalBytes([...chat, terminalRecord(2_001, 'suspended')]), true],
    ['with an open turn', journalBytes([...open, resultRecord(2_003, 'one', 'done')]), true],
    ['with a line of megabytes', journalBytes(huge), false],
    ['without its last newline', bytes.subarray(0, bytes.length - 1), false],
    ['damaged inside', Buffer.concat(lines.toSpliced(1_000, 0, Buffer.from('no record\n'))), false],
    ['with records that do not follow', Buffer.concat([...lines, ...lines.slice(5)]), false],
    ['with a last line that is no record', Buffer.concat([...lines, Buffer.from('no record\n')]), false],
  ])('is what the whole tells, and never holds it: %s', async (_, bytes, small) => {
    folder.put('r', Buffer.from(bytes));
    const { vfs, most } = measured();
    const store = fileStore(folder.path, { vfs });
    try {
      const [row] = await store.list();
      const { updated, catalogue, durability, writer } = row ?? (await store.summary('r'));
      expect(row).toMatchObject(
        summaryOf(readRun(bytes), { id: 'r', updated, catalogue, durability, writer }),
      );
      if (small) expect(most()).toBeLessThan(bytes.length / 3);
    } finally {
      await store.close();
    }
  });
});

describe('a record of more than 64 MB', () => {
  it('is refused before anything is written, and the run goes on without it', async () => {
    const store = fileStore(folder.path);
    try {
      const journal = await store.create('r', metaRecord('r'));
      await journal.append(userRecord(2, 'hello'));
      const before = Buffer.from(await store.bytes('r'));
      expect(await failureOf(journal.append(userRecord(3, 'x'.repeat(RECORD_LIMIT))))).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining('at most 64 MB'),
      });
      expect(before.equals(await store.bytes('r'))).toBe(true);
      expect(journal.dead).toBeUndefined();
      await journal.append(terminalRecord(3, 'error', 'too large'));
      await journal.close();
      expect((await store.load('r')).records.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    } finally {
      await store.close();
    }
  });

  it('is refused as the first of a run, which is then not there', async () => {
    const store = fileStore(folder.path);
    try {
      const meta = metaRecord('r', 'x'.repeat(RECORD_LIMIT));
      expect((await failureOf(store.create('r', meta))).code).toBe('too_large');
      expect(await store.list()).toEqual([]);
    } finally {
      await store.close();
    }
  });
});
