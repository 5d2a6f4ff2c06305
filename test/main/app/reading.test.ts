import { mkdtempSync, rmSync, writeFileSync, appendFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TranscriptItem } from '../../../src/shared/contract/items';
import { encodeLine } from '../../../src/shared/run/codec';
import { Folder, foldRecords } from '../../../src/shared/run/fold';
import type { RunRecord } from '../../../src/shared/run/record';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { buildTranscript } from '../../../src/main/app/read/build';
import { InlineReader } from '../../../src/main/app/read/inline-reader';
import { locate } from '../../../src/main/app/read/places';
import { toolWords } from '../../../src/main/app/read/tool-words';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { memoryStore } from '../../../src/main/journal/memory';
import { readRun } from '../../../src/main/journal/read';
import { bindEntry, encodeEntries, metaSha256 } from '../../../src/main/journal/sidecar';
import { builtInTools } from '../../../src/main/tool/registry';
import { foldCases } from '../../support/fold-cases';
import { bringRich } from '../../support/histories';
import { chatRecords, fingerprint, resultRecord } from '../../support/journal-records';
import { sampled } from '../../support/prerequisites';
import { someJournal } from '../../support/run-arbitraries';

const tools = toolWords(builtInTools('practice'));
const SMALL = { long: 0, ending: 2, piece: 97, end: 120 };

let home: string;
let store: RunStore;
let made = 0;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-reading-'));
  store = fileStore(join(home, 'runs'));
  await bringRich(store, 'rich');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Puts bytes where a run would be, with notes beside it. */
function put(bytes: Uint8Array, notes: SidecarEntry[] = []): string {
  const id = `r${++made}`;
  writeFileSync(join(home, 'runs', `${id}.json`), bytes, { mode: 0o600 });
  if (notes.length > 0) {
    const meta = bytes.subarray(0, bytes.indexOf(10));
    const { lines } = encodeEntries([bindEntry(metaSha256(meta)), ...notes]);
    writeFileSync(join(home, 'runs', `${id}.aux.jsonl`), lines.join(''), { mode: 0o600 });
  }
  return id;
}

async function allItems(reader: InlineReader, id: string): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for (;;) {
    const page = await reader.items(id, items.length, 7);
    items.push(...page.items);
    if (items.length >= page.total || page.items.length === 0) return items;
  }
}

/** What the whole in memory shows. */
function whole(bytes: Uint8Array, notes: SidecarEntry[]) {
  const reading = readRun(bytes);
  const { transcript } = buildTranscript(reading.records, notes, notes.length > 0, tools, !!reading.failure);
  if (reading.failure) transcript.damage(reading.failure.message);
  const records = new Map(reading.records.map((record) => [record.seq, record]));
  const items = Array.from({ length: transcript.length }, (_, n) => transcript.item(n, records));
  return { reading, transcript, items: items as TranscriptItem[] };
}

const bytesOf = (records: readonly RunRecord[]) => Buffer.concat(records.map(encodeLine));

/** Notes of a run as a writer leaves them: what they speak of stands before them. */
const someNotes = (records: RunRecord[]): fc.Arbitrary<SidecarEntry[]> => {
  const at = '2026-07-20T09:08:07Z';
  const seq = fc.constantFrom(...records.map((record) => record.seq));
  return fc.array(
    fc.oneof(
      seq.map((one): SidecarEntry => ({ kind: 'time', seq: one, at })),
      fc.constantFrom('a', 'b', 'c').map((id): SidecarEntry => ({
        kind: 'intent',
        at,
        tool_use_id: id,
        tool: 'write_file',
        input_sha256: '',
        changes: true,
      })),
      fc.tuple(seq, fc.nat(9)).map(([after_seq, n]): SidecarEntry => ({
        kind: 'resume',
        at: `${at}${n}`,
        after_seq,
        forced: true,
        accepted: fingerprint,
        changed: [{ field: 'model', recorded: 'a', current: 'b' }],
        unknown: [],
      })),
      fc.tuple(seq, fc.nat(12)).map(([after_seq, iteration]): SidecarEntry => ({
        kind: 'partial',
        at,
        after_seq,
        iteration,
        text: 'half of it',
      })),
    ),
    { maxLength: 8 },
  );
};

const history = someJournal.chain((records) => fc.tuple(fc.constant(records), someNotes(records)));

describe('reading a run in pieces', () => {
  it('shows what the whole shows: items, counts, state, texts, places, search', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ([records, notes]) => {
        const bytes = bytesOf(records);
        const id = put(bytes, notes);
        const reader = new InlineReader(store, tools, SMALL);
        const want = whole(bytes, notes);
        const overview = await reader.open(id);
        expect(await allItems(reader, id)).toEqual(want.items);
        const { state, facts } = foldRecords(records);
        expect(overview).toMatchObject({
          lastSeq: facts.lastSeq,
          items: want.items.length,
          bytes: bytes.length,
          counters: state.counters,
          nextIteration: state.next_iteration,
          warnings: want.reading.warnings,
        });
        for (const record of records) {
          const part = await reader.record(id, record.seq, 0, 100_000);
          expect(part.text).toBe(Buffer.from(encodeLine(record)).toString().slice(0, -1));
          expect(bytes.subarray(part.offset, part.offset + part.bytes).toString()).toBe(part.text);
          const found = await reader.locate(id, { seq: record.seq });
          expect(found.index).toBe(locate(want.transcript, { seq: record.seq }));
        }
        for (const item of want.items) {
          if (item.kind !== 'text') continue;
          const { text, total } = await reader.text(id, item.key, 'text', 0, 9);
          expect(item.text.startsWith(text) && text.length >= Math.min(8, total)).toBe(true);
        }
      }),
      { numRuns: sampled(50, 5_000) },
    );
  });

  it('shows the end of a long run as it stands in the whole, and then the whole around it', async () => {
    let ends = 0;
    await fc.assert(
      fc.asyncProperty(history, async ([records, notes]) => {
        const bytes = bytesOf(records);
        const id = put(bytes, notes);
        const reader = new InlineReader(store, tools, SMALL);
        const want = whole(bytes, notes);
        const first = await reader.open(id, true);
        const page = await reader.items(id, 0, 200);
        if (first.reading !== undefined && page.tail) {
          ends++;
          expect(first.lastSeq).toBe(records.at(-1)?.seq);
          expect(first.warnings).toEqual([]);
          expect(first.counters).toBeUndefined();
          expect(first.nextIteration).toBe(foldRecords(records).state.next_iteration);
        }
        const { overview, before } = await reader.whole(id);
        expect(overview.items).toBe(want.items.length);
        expect(await allItems(reader, id)).toEqual(want.items);
        if (page.tail && before !== undefined) {
          const end = want.items.slice(before);
          expect(page.items.map(({ key }) => key)).toEqual(end.map(({ key }) => key));
          // What only the beginning tells may be missing, nothing may be another.
          for (const [n, item] of page.items.entries()) expect(end[n]).toMatchObject(settled(item));
        }
      }),
      { numRuns: sampled(70, 5_000) },
    );
    expect(ends).toBeGreaterThan(10);
  });

  it('tells torn, ended and damaged journals as the whole reading does', async () => {
    await fc.assert(
      fc.asyncProperty(someJournal, fc.nat(), fc.nat(5), async (records, place, how) => {
        const clean = bytesOf(records);
        const at = place % clean.length;
        const bytes = [
          clean.subarray(0, Math.max(1, at)),
          clean.subarray(0, clean.length - 1),
          Buffer.concat([clean, Buffer.from('\n \n')]),
          Buffer.concat([clean.subarray(0, at), Buffer.from('x'), clean.subarray(at)]),
          Buffer.concat([clean, Buffer.from('not a record\n')]),
          Buffer.concat([clean, clean.subarray(clean.indexOf(10) + 1)]),
        ][how] as Buffer;
        const id = put(bytes);
        const reader = new InlineReader(store, tools, SMALL);
        const want = whole(bytes, []);
        const overview = await reader.open(id);
        const failure = want.reading.failure;
        expect(overview.failure?.code).toBe(failure?.code);
        expect(overview.failure?.message).toBe(failure?.message);
        expect(overview.failure?.data).toEqual(failure?.data);
        expect(overview.warnings).toEqual(want.reading.warnings);
        expect(await allItems(reader, id)).toEqual(want.items);
      }),
      { numRuns: sampled(70, 5_000) },
    );
  });

  it('takes growth piece by piece, and tells what changed', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async ([records, notes], place) => {
        const bytes = bytesOf(records);
        const cut = 1 + (place % bytes.length);
        const early = notes.filter((entry) => entry.kind === 'time' || entry.kind === 'intent');
        const id = put(bytes.subarray(0, cut), cut > bytes.indexOf(10) ? early : []);
        const reader = new InlineReader(store, tools, SMALL);
        await reader.open(id);
        const held = await allItems(reader, id);
        appendFileSync(join(home, 'runs', `${id}.json`), bytes.subarray(cut));
        const { change, overview } = await reader.refresh(id);
        const want = whole(bytes, cut > bytes.indexOf(10) ? early : []);
        expect(overview.items).toBe(want.items.length);
        expect(await allItems(reader, id)).toEqual(want.items);
        if (change.again) return;
        const known = new Map(held.map((item) => [item.key, item]));
        for (const item of change.items) known.set(item.key, item);
        expect([...known.values()].sort(byPlace(want.items))).toEqual(want.items);
      }),
      { numRuns: sampled(50, 5_000) },
    );
  });

  it('reads anew what was exchanged, shortened or mended', async () => {
    const id = put(bytesOf(chatRecords('a', 12)));
    const reader = new InlineReader(store, tools, SMALL);
    await reader.open(id);
    const file = join(home, 'runs', `${id}.json`);
    writeFileSync(`${file}.new`, bytesOf(chatRecords('b', 9, 'other words')), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    expect((await reader.refresh(id)).overview.lastSeq).toBe(9);
    writeFileSync(file, bytesOf(chatRecords('b', 5, 'other words')));
    expect((await reader.refresh(id)).change).toMatchObject({ again: true, lastSeq: 5 });
    expect(await allItems(reader, id)).toEqual(whole(bytesOf(chatRecords('b', 5, 'other words')), []).items);
  });

  it('shows the same from a store that gives runs only as a whole', async () => {
    const memory = memoryStore();
    await bringRich(memory);
    const [one, two] = [new InlineReader(memory, tools), new InlineReader(store, tools, SMALL)];
    await one.open('rich', true);
    await two.open('rich');
    expect(await allItems(one, 'rich')).toEqual(await allItems(two, 'rich'));
    expect(await one.find('rich', 'OUT')).toEqual(await two.find('rich', 'out'));
    expect(await one.turns('rich', 0, 100)).toEqual(await two.turns('rich', 0, 100));
  });

  it('opens a 5 MB result and a 2 MB line by their beginning', async () => {
    const records = chatRecords('a', 2_000, 'some words '.repeat(1_000));
    const call = records.findLast(({ assistant }) => assistant?.stop_reason === 'tool_use');
    const at = records.findIndex(({ seq }) => seq === (call?.seq ?? 0) + 1);
    records[at] = resultRecord(call ? call.seq + 1 : 0, `call_${call?.seq}`, 'long line\n'.repeat(500_000));
    const prompt = records[0];
    if (prompt?.meta) prompt.meta.prompt = 'p'.repeat(2_000_000);
    const id = put(bytesOf(records));
    const reader = new InlineReader(store, tools);
    const first = await reader.open(id, true);
    expect(first.reading).toBe(0);
    const page = await reader.items(id, first.items - 60, 60);
    expect(page.tail).toBe(true);
    const big = page.items.find((item) => item.kind === 'call' && (item.result?.more ?? 0) > 0);
    expect(big).toMatchObject({ result: { lines: 500_000, more: 5_000_000 - 20_000 } });
    await reader.whole(id);
    const [start] = (await reader.items(id, 0, 1)).items;
    expect(start).toMatchObject({ kind: 'prompt', more: 2_000_000 - 20_000 });
    expect((await reader.text(id, big?.key ?? '', 'result', 4_999_990, 100)).text).toBe('long line\n');
  });
});

/** What of an item of the end can be no other in the whole. */
function settled(item: TranscriptItem): object {
  const { fork: _fork, ...rest } = item;
  return rest;
}

const byPlace = (items: readonly TranscriptItem[]) => (a: TranscriptItem, b: TranscriptItem) =>
  items.findIndex(({ key }) => key === a.key) - items.findIndex(({ key }) => key === b.key);

describe('a run as it stood', () => {
  it('is the fold of its records up to each one, for every journal that the reference folds', async () => {
    let stood = 0;
    for (const { journal, error } of foldCases()) {
      if (error !== undefined) continue;
      const id = put(journal);
      const reader = new InlineReader(store, tools);
      const { records } = readRun(journal);
      const folder = new Folder();
      for (const record of records) {
        folder.push(record);
        const { state } = folder;
        const stand = await reader.stand(id, record.seq);
        const tools = new Set(stand.pending?.tools.filter(({ answered }) => !answered).map(({ id }) => id));
        const answered = new Set(state.pending?.answered);
        const open = (state.pending?.assistant.content ?? []).flatMap(({ tool_use: call }) =>
          call && !answered.has(call.id) ? [call.id] : [],
        );
        expect(tools).toEqual(new Set(open));
        expect(stand).toMatchObject({
          messages: state.messages.length,
          counters: state.counters,
          nextIteration: state.next_iteration,
          lastStopReason: state.last_stop_reason,
          ended: record.terminal !== undefined,
          fork: !record.terminal && state.pending === null,
        });
        expect(stand.terminal).toEqual(state.terminal ?? undefined);
        expect(stand.last.map(({ role }) => role)).toEqual(state.messages.slice(-6).map(({ role }) => role));
        stood++;
      }
    }
    expect(stood).toBeGreaterThan(100);
  });
});
