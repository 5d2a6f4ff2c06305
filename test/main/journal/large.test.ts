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
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';

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
