import { readJournal } from '../../../shared/run/codec';
import { RECORD_LIMIT } from '../../../shared/run/read';
import type { RunRecord } from '../../../shared/run/record';
import type { RecordPlace } from '../../journal/journal';
import { Assembly } from './build';
import { isWritten, notesOf, sizesOf, sliceOf, type Where } from './load';
import { scanJournal, type Slice } from './scan';
import { StoredRecords, type Source } from './source';
import type { Transcript } from './transcript';

/** Records before and behind the wanted one. */
const BEFORE = 30;
const BEHIND = 70;
/** Bytes after which fewer records do, and records after which a call counts as never answered. */
const BYTES = 4 * 1024 * 1024;
const LONGEST = 600;
/** Bytes that are looked through at once for the beginning of a line. */
const PROBE = 64 * 1024;
const PIECE = 128 * 1024;
const NEWLINE = 0x0a;

type Placed = { record: RunRecord; place: RecordPlace };

/**
 * What stands around a record of a long run of which nothing before it was read. It ends where the conversation could be
 * sent to a model, so that no call in it looks unanswered whose result comes later. Undefined: it is not known without
 * the rest.
 */
export async function loadAround(
  where: Where,
  seq: number,
): Promise<{ transcript: Transcript; source: Source; writing: boolean } | undefined> {
  const slice = sliceOf(where);
  if (!slice) return undefined;
  const { size, identity } = await slice(0, 0);
  const begin = await seek(slice, { size, near: nearOf(where) }, seq);
  const found = begin === undefined ? undefined : await readAround(slice, identity, begin, seq, where);
  if (!found) return undefined;
  const { kept, ends } = found;
  const [first, last] = [kept[0]?.record.seq ?? 0, kept.at(-1)?.record.seq ?? 0];
  const notes = await notesOf(where);
  const writing = await isWritten(where);
  const entries = notes.entries.filter((entry) => {
    if (entry.kind !== 'resume' && entry.kind !== 'partial') return true;
    return entry.after_seq >= first && (ends || (entry.kind === 'resume' && entry.after_seq < last));
  });
  const assembly = new Assembly(where.tools, { bound: notes.bound, tail: first > 1 }, entries);
  const source = new StoredRecords(slice, identity);
  for (const { record, place } of kept) {
    source.add(record, place);
    assembly.push(record);
  }
  assembly.finish(writing);
  return { transcript: assembly.transcript, source, writing };
}

/** Bytes in front of the wanted record that are read with it without a thought. */
const nearOf = (where: Where): number => sizesOf(where).end / 4;

/** The beginning of a line that stands at or before record `seq`, not far from it. Undefined: lines are damaged. */
async function seek(
  slice: Slice,
  { size, near }: { size: number; near: number },
  seq: number,
): Promise<number | undefined> {
  let [low, high] = [0, size];
  while (high - low > near) {
    const middle = Math.floor((low + high) / 2);
    const line = await lineBehind(slice, middle, high);
    if (line === 'none') high = middle;
    else if (line.seq === undefined) return undefined;
    else if (line.seq <= seq) low = line.offset;
    else high = middle;
  }
  return low;
}

/** The first line that begins behind `at` and before `end`. */
async function lineBehind(
  slice: Slice,
  at: number,
  end: number,
): Promise<{ offset: number; seq: number | undefined } | 'none'> {
  for (let length = PROBE; ; length *= 4) {
    const { bytes } = await slice(at, length);
    const last = bytes.length < length;
    const begin = bytes.indexOf(NEWLINE) + 1;
    if (at + (begin === 0 ? bytes.length : begin) >= end) return 'none';
    const stop = begin === 0 ? -1 : bytes.indexOf(NEWLINE, begin);
    if (stop >= 0)
      return { offset: at + begin, seq: readJournal(bytes.subarray(begin, stop + 1)).records[0]?.seq };
    if (last || length > RECORD_LIMIT) return 'none';
  }
}

/** `ends`: they reach to the end of the journal. */
async function readAround(
  slice: Slice,
  identity: string,
  begin: number,
  seq: number,
  where: Where,
): Promise<{ kept: Placed[]; ends: boolean } | undefined> {
  for (let back = nearOf(where); ; back *= 4) {
    const start = await lineStart(slice, Math.max(0, begin - back));
    const read = await readFrom(slice, identity, start, seq, where);
    if (!read) return undefined;
    const at = read.kept.findIndex(({ record }) => record.seq >= seq);
    const before = at < 0 ? read.kept.length : at;
    if (before < BEFORE && start > 0 && back < BYTES) continue;
    let from = Math.max(0, before - BEFORE);
    // Results whose calls stand before them are shown with those.
    while (from + start > 0 && from < before && read.kept[from]?.record.tool_result) from++;
    return { ...read, kept: read.kept.slice(from) };
  }
}

/** The first line that begins at or behind `at`. */
async function lineStart(slice: Slice, at: number): Promise<number> {
  if (at === 0) return 0;
  for (let length = PROBE; ; length *= 4) {
    const { bytes } = await slice(at - 1, length);
    const begin = bytes.indexOf(NEWLINE) + 1;
    if (begin > 0) return at - 1 + begin;
    if (bytes.length < length || length > RECORD_LIMIT) return at;
  }
}

/** Records from `start` to a good end behind record `seq`. Undefined: they are damaged. */
async function readFrom(
  slice: Slice,
  identity: string,
  start: number,
  seq: number,
  where: Where,
): Promise<{ kept: Placed[]; ends: boolean } | undefined> {
  const kept: Placed[] = [];
  // Tells where no call is open; nothing of it is shown.
  const bounds = new Assembly(where.tools, { bound: false, tail: true }, []).transcript;
  let [behind, bytes, rising, ends] = [0, 0, true, true];
  const { failure } = await scanJournal(
    slice,
    { offset: start, line: 0, records: 0 },
    (record, place) => {
      rising = record.seq > (kept.at(-1)?.record.seq ?? 0);
      if (!rising) return false;
      kept.push({ record, place });
      bounds.push(record);
      if (record.seq > seq) {
        behind += 1;
        bytes += place.bytes;
      }
      const enough = behind >= BEHIND || (behind > 0 && bytes > BYTES);
      ends = !(enough && (bounds.outline.mayFork(record.seq) || (behind > LONGEST && !record.terminal)));
      return ends;
    },
    { identity, piece: PIECE },
  );
  return failure || !rising ? undefined : { kept, ends };
}
