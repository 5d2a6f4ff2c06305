import { decodeFormed } from './decode';
import { Failure, isFailure } from './failure';
import { decodeUtf8 } from './utf8';
import type { RunRecord } from './record';
import type { RunWarning } from './state';
import { weightOf } from './weight';

/** How a journal ends, and which bytes must go before anything is appended. */
export interface JournalTail {
  /**
   * `clean`: on a newline. `no_newline`: the last record is whole, only its newline is missing.
   * `torn`: the last line was never finished (no newline, or nothing but NULs). `bad_line`: it has its newline but
   * cannot be read, so it may have been acknowledged.
   */
  kind: 'clean' | 'torn' | 'bad_line' | 'no_newline';
  /** Byte at which the next record would start, once the `bytes` from there on are cut. */
  offset: number;
  /** Bytes to cut, newline included; 0 for `clean` and `no_newline`. */
  bytes: number;
}

export interface JournalRead {
  records: RunRecord[];
  /** One for each record, same order. `line` from 1; `offset` and `bytes` count the line without its newline. */
  places: { seq: number; line: number; offset: number; bytes: number }[];
  warnings: RunWarning[];
  tail: JournalTail;
  /**
   * `corrupt` (data: line, byte, records): a line in the middle cannot be read; `records` is what stands before it.
   * `too_large`: the same for a line beyond RECORD_LIMIT, wherever it is.
   */
  failure?: Failure;
}

const NEWLINE = 0x0a;
/**
 * Bytes of one record. A longer line is never decoded: what stands before it is read, its bytes are kept and exported as
 * they are.
 */
export const RECORD_LIMIT = 64_000_000;
/** Bytes that one answer of a model takes in a record; far beyond what any length limit lets a model say. */
export const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Shorter lines are never too many objects for memory. */
const LIGHT = 1024 * 1024;
/** Bytes of objects in memory that one line may be decoded to. */
const HEAVIEST = 256 * 1024 * 1024;

/** Whether these bytes would take too much memory as JSON; then they are never decoded. */
export const isTooLarge = (bytes: Uint8Array, from = 0, to = bytes.length): boolean =>
  to - from > RECORD_LIMIT || (to - from > LIGHT && weightOf(bytes.subarray(from, to)) > HEAVIEST);

/** What counts as a blank line: white space of any script, but not a byte order mark. */
const BLANK = /^[\t\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

/**
 * Reads a journal's bytes: lines end at byte 0x0A and nowhere else, blank lines are skipped. Never throws for content.
 * What the records mean together is the fold's business (fold.ts).
 */
export function readJournal(bytes: Uint8Array): JournalRead {
  const read: JournalRead = {
    records: [],
    places: [],
    warnings: [],
    tail: { kind: 'clean', offset: bytes.length, bytes: 0 },
  };
  let line = 0;
  for (let offset = 0; offset < bytes.length;) {
    line++;
    const newline = bytes.indexOf(NEWLINE, offset);
    const end = newline === -1 ? bytes.length : newline;
    const next = newline === -1 ? end : end + 1;
    if (isTooLarge(bytes, offset, end)) {
      read.failure = largeLine(line, offset, read.records.length);
      break;
    }
    const slice = bytes.subarray(offset, end);
    const text = decodeUtf8(slice);
    const record = decodeOrReason(text);
    if (typeof record === 'object') {
      read.records.push(record);
      read.places.push({ seq: record.seq, line, offset, bytes: slice.length });
      if (newline === -1) endWithoutNewline(read, line, offset, end);
    } else if (BLANK.test(text) && newline !== -1) {
      // a blank line: nothing to keep, nothing to cut
    } else if (next < bytes.length) {
      read.failure = corruptLine(record, line, offset, read.records.length);
      break;
    } else endBadly(read, slice, newline !== -1, line, offset, next, record);
    offset = next;
  }
  return read;
}

function decodeOrReason(text: string): RunRecord | string {
  try {
    return decodeFormed(text);
  } catch (error) {
    if (isFailure(error, 'corrupt')) return String(error.data?.reason);
    throw error;
  }
}

function endWithoutNewline(read: JournalRead, line: number, offset: number, end: number): void {
  read.tail = { kind: 'no_newline', offset: end, bytes: 0 };
  const detail =
    'The last record is whole but its line was not ended. It counts; the line is ended before more is written.';
  read.warnings.push({ code: 'missing_newline', line, byte: offset, detail });
}

function endBadly(
  read: JournalRead,
  slice: Uint8Array,
  ended: boolean,
  line: number,
  offset: number,
  next: number,
  reason: string,
): void {
  const torn = !ended || slice.every((byte) => byte === 0);
  read.tail = { kind: torn ? 'torn' : 'bad_line', offset, bytes: next - offset };
  read.warnings.push(
    torn
      ? {
          code: 'torn_tail',
          line,
          byte: offset,
          detail:
            'The last line was never written to its end, as after a crash. Everything before it is kept.',
        }
      : {
          code: 'bad_last_line',
          line,
          byte: offset,
          detail: `The last line is damaged (${reason}) and does not count, though it may once have been whole. Everything before it is kept.`,
        },
  );
}

/** What is left of a damaged run with so many good records, and what to do about it. `held`: what it stands in. */
export function beforeDamage(records: number, held: 'file' | 'stream'): { kept: string; todo: string } {
  if (records === 0)
    return {
      kept: `The ${held} is as it was found; no record stands before the damage.`,
      todo: 'Bring it back from a backup, or delete it.',
    };
  return {
    kept:
      records === 1 ? 'The record before it is readable.' : `The ${records} records before it are readable.`,
    todo: 'Export what can be read, or restore the run from a copy.',
  };
}

/** What a reading says of a line that is longer than a record can be. */
export const largeLine = (line: number, byte: number, records: number): Failure =>
  new Failure({
    code: 'too_large',
    message: `This run is too large to show from line ${line} (byte ${byte}) on: that record has more than ${RECORD_LIMIT / 1_000_000} MB, or takes too much memory.`,
    kept:
      records === 0
        ? 'The file is untouched.'
        : records === 1
          ? 'The record before it is readable, and the file is untouched.'
          : `The ${records} records before it are readable, and the file is untouched.`,
    todo: 'Export it as a journal to get its exact bytes.',
    data: { line, byte, records, reason: 'the record is too large' },
  });

/** The same damage, where lines, bytes and records stand before what was read. */
export function damageBehind(
  failure: Failure,
  before: { line: number; offset: number; records: number },
): Failure {
  const { line, byte, records, reason } = failure.data as Record<'line' | 'byte' | 'records', number> & {
    reason: string;
  };
  const at = [line + before.line, byte + before.offset, records + before.records] as const;
  return failure.code === 'too_large' ? largeLine(...at) : corruptLine(reason, ...at);
}

/** What a reading says of a line that cannot be read though others follow it. `records`: how many stand before it. */
export const corruptLine = (reason: string, line: number, byte: number, records: number): Failure =>
  new Failure({
    code: 'corrupt',
    message: `This run is damaged: line ${line} (byte ${byte}) cannot be read.`,
    ...beforeDamage(records, 'file'),
    data: { line, byte, records, reason },
  });
