import { Failure } from '../../../shared/run/failure';
import {
  damageBehind,
  largeLine,
  readJournal,
  RECORD_LIMIT,
  type JournalTail,
} from '../../../shared/run/read';
import type { RunRecord } from '../../../shared/run/record';
import type { RunWarning } from '../../../shared/run/state';
import type { JournalSlice, RecordPlace } from '../../journal/journal';
import { Breather } from '../../journal/read';

/** Reads a part of a journal, shorter where it ends before. */
export type Slice = (offset: number, length: number) => Promise<JournalSlice>;

/** Where a reading goes on: the beginning of a line. */
export interface From {
  offset: number;
  /** Lines before it. */
  line: number;
  /** Records before it. */
  records: number;
}

export interface Scanned {
  /** Bytes that were read, those before `from` among them. */
  size: number;
  identity: string;
  warnings: RunWarning[];
  tail: JournalTail;
  failure?: Failure;
  /** Where the next reading goes on: behind the last line that counts and was ended. */
  next: From;
}

/** Steps never grow beyond so many bytes. */
const MOST = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** The journal is another file than it was. */
export const moved = () =>
  new Failure({
    code: 'conflict',
    message: 'This run was exchanged for another while it was read.',
    todo: 'Open it again.',
  });

export interface ScanOptions {
  identity?: string | undefined;
  /** Bytes that are read at once. */
  piece: number;
  progress?: ((offset: number) => void) | undefined;
  /** What is to be waited for before reading goes on. */
  hold?: (() => Promise<unknown> | undefined) | undefined;
}

/**
 * Reads a journal piece by piece and gives each record to `each` (false: it cannot follow those before, and nothing
 * after it counts), so that a long one never stands in memory as a whole. What it says of lines, torn ends and damage is
 * what `readJournal` says of all bytes at once.
 *
 * @throws Failure `conflict` when the file is another one than `identity`, or becomes one
 */
export async function scanJournal(
  slice: Slice,
  from: From,
  each: (record: RunRecord, place: RecordPlace, line: () => Uint8Array) => boolean,
  options: ScanOptions,
): Promise<Scanned> {
  const breather = new Breather();
  const breathe = async () => {
    await breather.breathe();
    await options.hold?.();
  };
  let { identity } = options;
  const next = { ...from };
  let carry: Uint8Array = new Uint8Array(0);
  for (let length = options.piece; ;) {
    const got = await slice(next.offset + carry.length, length);
    if (identity !== undefined && got.identity !== identity) throw moved();
    identity = got.identity;
    const last = got.bytes.length < length;
    const bytes = carry.length === 0 ? got.bytes : Buffer.concat([carry, got.bytes]);
    const piece = last ? bytes : bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
    const read = readJournal(piece);
    // A bad line is judged by whether anything follows it, so at the end of a piece it waits for the next one.
    const used = !last && read.tail.kind !== 'clean' ? read.tail.offset : piece.length;
    const size = next.offset + bytes.length;
    const ended = (more: Pick<Scanned, 'failure'> = {}): Scanned => {
      const shifted = read.tail.offset + next.offset;
      return {
        size,
        identity: got.identity,
        warnings: read.warnings.map((warning) => ({
          ...warning,
          ...(warning.line !== undefined && { line: warning.line + next.line }),
          ...(warning.byte !== undefined && { byte: warning.byte + next.offset }),
        })),
        tail: { ...read.tail, offset: shifted },
        ...more,
        next: behind(read, next, piece),
      };
    };
    for (const [n, record] of read.records.entries()) {
      const at = read.places[n] as RecordPlace;
      const place = { ...at, line: at.line + next.line, offset: at.offset + next.offset };
      const line = () => piece.subarray(at.offset, at.offset + at.bytes);
      if (!each(record, place, line)) return ended();
      if (breather.due) await breathe();
    }
    if (read.failure) {
      return ended({ failure: damageBehind(read.failure, next) });
    }
    if (last) return ended();
    // Not to be read on, however long it is.
    if (bytes.length - used > RECORD_LIMIT) {
      const failure = largeLine(
        next.line + newlines(piece.subarray(0, used)) + 1,
        next.offset + used,
        next.records + read.records.length,
      );
      return { ...ended({ failure }), size: got.size };
    }
    next.records += read.records.length;
    next.line += newlines(piece.subarray(0, used));
    next.offset += used;
    carry = bytes.subarray(used);
    // A line that is longer than a piece is read in ever larger steps.
    length = used === 0 ? Math.min(length * 2, MOST) : options.piece;
    options.progress?.(next.offset);
    if (breather.due) await breathe();
  }
}

/** A last record without its newline is read again: its line may not be at its end. */
function behind(read: ReturnType<typeof readJournal>, at: From, piece: Uint8Array): From {
  const unended = read.tail.kind === 'no_newline';
  const last = read.places.at(-1);
  const end = unended && last ? last.offset : read.tail.kind === 'clean' ? piece.length : read.tail.offset;
  return {
    offset: at.offset + end,
    line: at.line + newlines(piece.subarray(0, end)),
    records: at.records + read.records.length - (unended ? 1 : 0),
  };
}

function newlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

export interface Ending {
  records: { record: RunRecord; place: RecordPlace }[];
  size: number;
  identity: string;
  /** The journal was read from its first byte on. */
  whole: boolean;
}

/**
 * The end of a journal: whole records, at least `ending` of them and one model reply where there are as many. Line
 * numbers in the places are unknown (0). Undefined where the end cannot be read without knowing what stands before it.
 */
export async function readEnding(
  slice: Slice,
  size: number,
  { end, ending: least }: { end: number; ending: number },
): Promise<Ending | undefined> {
  for (let length = end; ; length *= 4) {
    const start = Math.max(0, size - length);
    const { bytes, identity } = await slice(start, size - start);
    const skip = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    if (skip === 0 && bytes.length > RECORD_LIMIT) return undefined;
    const read = readJournal(bytes.subarray(skip));
    if (read.failure) return undefined;
    const enough = read.records.length >= least && read.records.some(({ assistant }) => assistant);
    if (start > 0 && (!enough || skip === 0)) continue;
    const records = read.records.map((record, n) => {
      const { seq, offset, bytes: length } = read.places[n] as RecordPlace;
      return { record, place: { seq, line: 0, offset: offset + start + skip, bytes: length } };
    });
    // Numbers that do not rise are damage, which only the whole can tell.
    if (records.some(({ record }, n) => n > 0 && record.seq <= (records[n - 1]?.record.seq ?? 0)))
      return undefined;
    return { records, size: start + bytes.length, identity, whole: start === 0 };
  }
}
