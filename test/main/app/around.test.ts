import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InlineReader } from '../../../src/main/app/read/inline-reader';
import { toolWords } from '../../../src/main/app/read/tool-words';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { bindEntry, encodeEntries, metaSha256 } from '../../../src/main/journal/sidecar';
import type { TranscriptItem } from '../../../src/shared/contract/items';
import { encodeLine } from '../../../src/shared/run/codec';
import type { RunRecord } from '../../../src/shared/run/record';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import {
  answerRecord,
  callRecord,
  chatRecords,
  fingerprint,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { sampled } from '../../support/prerequisites';
import { builtInTools } from '../../../src/main/tool/registry';

const tools = toolWords(builtInTools('practice'));
const SOAK = process.env.HOLDFAST_SOAK === '1';
const SMALL = { long: 0, ending: 2, piece: 5_000, end: 1_000 };

let home: string;
let store: RunStore;
let made = 0;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-around-'));
  store = fileStore(home);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function put(records: readonly RunRecord[], notes: SidecarEntry[] = [], damage = false): string {
  const id = `r${++made}`;
  const lines = records.map(encodeLine);
  const bytes = Buffer.concat(damage ? lines.toSpliced(lines.length >> 1, 0, Buffer.from('no\n')) : lines);
  writeFileSync(join(home, `${id}.json`), bytes, { mode: 0o600 });
  if (notes.length > 0) {
    const meta = bytes.subarray(0, bytes.indexOf(10));
    const said = encodeEntries([bindEntry(metaSha256(meta)), ...notes]).lines;
    writeFileSync(join(home, `${id}.aux.jsonl`), said.join(''), { mode: 0o600 });
  }
  return id;
}

/** A turn: how many tools it asks for, which of their results comes first, how long they are, how it ends. */
const turn = fc.record({
  calls: fc.nat(4),
  first: fc.nat(3),
  words: fc.constantFrom(1, 3, 400),
  end: fc.constantFrom('said', 'ended', 'resumed', 'unanswered'),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function historyOf(turns: readonly Turn[]): { records: RunRecord[]; notes: SidecarEntry[] } {
  const records = [metaRecord('r')];
  const notes: SidecarEntry[] = [];
  const at = '2026-07-20T09:08:07Z';
  const next = () => records.length + 1;
  for (const [n, { calls, first, words, end }] of turns.entries()) {
    const ids = Array.from({ length: calls }, (_, k) => `c${n}-${k}`);
    if (calls > 0) records.push(callRecord(next(), ids, n * 2));
    for (const id of ids)
      notes.push({
        kind: 'intent',
        at,
        tool_use_id: id,
        tool: 'write_file',
        input_sha256: '',
        changes: true,
      });
    const asked = end === 'unanswered' ? [] : ids;
    for (const id of [...asked.slice(first), ...asked.slice(0, first)])
      records.push(resultRecord(next(), id, 'out '.repeat(words)));
    records.push(answerRecord(next(), 'words '.repeat(words), n * 2 + 1));
    if (end === 'ended') records.push(terminalRecord(next(), 'suspended'));
    if (end === 'resumed')
      notes.push({
        kind: 'resume',
        at: `${at}${n}`,
        after_seq: records.length,
        forced: true,
        accepted: fingerprint,
        changed: [{ field: 'model', recorded: 'a', current: 'b' }],
        unknown: [],
      });
    records.push(userRecord(next(), `question ${n}`));
  }
  return { records, notes };
}

const history = fc.array(turn, { minLength: 60, maxLength: 90 }).map(historyOf);

async function allItems(reader: InlineReader, id: string): Promise<TranscriptItem[]> {
  const { items: total } = await reader.open(id);
  const items: TranscriptItem[] = [];
  while (items.length < total) items.push(...(await reader.items(id, items.length, 200)).items);
  return items;
}

/** What of an item only the whole tells for sure. */
const told = ({ fork: _fork, ...rest }: TranscriptItem): object => rest;

describe('what stands around a record of a long run that is not read yet', () => {
  it('is what the whole shows there', async () => {
    let pieces = 0;
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async ({ records, notes }, share) => {
          const id = put(records, notes);
          const whole = new InlineReader(store, tools);
          const items = await allItems(whole, id);
          const seq = 1 + Math.floor(share * (records.length - 1));
          const reader = new InlineReader(store, tools, SMALL);
          expect((await reader.open(id, true)).reading).toBe(0);
          const { items: near, at } = await reader.around(id, seq);
          const { index = -1 } = await whole.locate(id, { seq });
          expect(near[at]?.key).toBe(items[index]?.key);
          expect(near.map(told)).toEqual(items.slice(index - at, index - at + near.length).map(told));
          // So much that a screen is full of it, unless the run ends there.
          expect(at).toBeGreaterThanOrEqual(Math.min(index, 15));
          expect(near.length - at).toBeGreaterThanOrEqual(Math.min(items.length - index, 30));
          if (near.length < items.length) pieces++;
          await reader.whole(id);
          expect(await reader.around(id, seq)).toEqual({ items: [], at: 0 });
        },
      ),
      { numRuns: sampled(8, 500) },
    );
    expect(pieces).toBeGreaterThan(2);
  });

  it('is left to the whole where lines are damaged', async () => {
    const id = put(chatRecords('r', 400), [], true);
    const reader = new InlineReader(store, tools, SMALL);
    expect((await reader.open(id, true)).reading).toBe(0);
    expect(await reader.around(id, 200)).toEqual({ items: [], at: 0 });
  });

  it('is there in a fraction of the time that the whole takes, also behind lines of megabytes', async () => {
    const megabytes = SOAK ? 120 : 14;
    const records = chatRecords('r', megabytes * 300, 'some words '.repeat(300));
    records[1_000] = userRecord(1_001, 'long '.repeat(700_000));
    const id = put(records);
    const reader = new InlineReader(store, tools);
    const begun = performance.now();
    expect((await reader.open(id, true)).reading).toBe(0);
    const took: number[] = [];
    const whole = reader.whole(id).then(() => performance.now() - begun);
    for (const seq of [100, 1_001, 3_000]) {
      const asked = performance.now();
      const { items, at } = await reader.around(id, seq);
      took.push(performance.now() - asked);
      expect(items[at]?.seq).toBe(seq);
    }
    const all = await whole;
    expect((took[0] as number) / all).toBeLessThan(SOAK ? 0.1 : 0.4);
  });
});
