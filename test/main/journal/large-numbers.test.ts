import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planRepair } from '../../../src/main/library/repair';
import { fileStore } from '../../../src/main/journal/file';
import { proofOf } from '../../../src/main/journal/proof';
import { answerRecord, callRecord, metaRecord } from '../../support/journal-records';
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

const LARGE = ['9007199254740993', '9223372036854775807'];

/** A journal of another program, whose counts are beyond 2^53. */
const journal = (count: string): Buffer =>
  Buffer.from(
    journalBytes([metaRecord('one'), answerRecord(2, 'x'), callRecord(3, ['c'], 1, 'append_file')])
      .toString()
      .replaceAll('"in_tokens":10', `"in_tokens":${count}`)
      .replace('"max_tokens":2000000', `"max_tokens":${count}`),
  );

describe('Whole numbers beyond 2^53', () => {
  it.each(LARGE)('are read (%s), and nothing takes them for damage that may be cut', async (count) => {
    const bytes = journal(count);
    folder.put('one', bytes);
    const store = fileStore(folder.path);
    const loaded = await store.load('one');
    expect(loaded.records).toHaveLength(3);
    expect(loaded.state.counters.in_tokens).toBeCloseTo(2 * Number(count), -4);
    expect(loaded.warnings).toEqual([]);
    expect((await store.summary('one')).health).toBe('ok');
    expect(await planRepair(store, 'one')).toMatchObject({ kind: 'none' });
    expect(proofOf(loaded, loaded.sidecar)('c')).toBe('unproven');
    expect(Buffer.from(await store.bytes('one')).equals(bytes)).toBe(true);
  });

  it('as numbers of records are read too; nothing can be added behind them, and that is said', async () => {
    const ours = fileStore(folder.path);
    await (await ours.create('first', metaRecord('first'))).close();
    const text = journalBytes([metaRecord('one'), answerRecord(2, 'x'), answerRecord(3, 'y', 1)])
      .toString()
      .replace('"seq":2', '"seq":9007199254740992')
      .replace('"seq":3', '"seq":9007199254740993');
    folder.put('one', text);
    expect((await ours.load('one')).records).toHaveLength(3);
    expect((await ours.summary('one')).health).toBe('ok');
    expect((await failureOf(ours.open('one'))).code).toBe('unsupported');
    expect(folder.text('one.json')).toBe(text);
    expect(await ours.writer('one')).toBe('none');
  });
});
