import { Failure } from '../../shared/run/failure';
import type { RunRecord } from '../../shared/run/record';
import { isDeviceName } from '../../shared/run/names';
import { RECORD_LIMIT } from '../../shared/run/read';
import { RUN_ID } from './journal';

/** Throws `invalid_id`. Every store calls it before an id becomes a path or a subject. */
export function checkId(id: string): void {
  if (typeof id === 'string' && RUN_ID.test(id)) return;
  throw new Failure({
    code: 'invalid_id',
    message:
      'That is not the name of a run: names are letters, digits, "_" and "-", begin with a letter or digit, and have at most 128 characters.',
    todo: 'Check the name, or list the runs to find it.',
  });
}

/** As `checkId`, for a run that is about to be made under this id: old runs may have names that a new one cannot. */
export function checkNewId(id: string): void {
  checkId(id);
  if (!isDeviceName(id)) return;
  throw new Failure({
    code: 'invalid_id',
    message: `A new run cannot be called "${id}": Windows keeps this name for a device.`,
    kept: 'Nothing was written.',
    todo: 'Choose another name.',
  });
}

/** Throws unless the record can begin a journal: seq 1, a meta payload (`no_meta`, `seq_gap`). */
export function checkFirst(record: RunRecord): void {
  if (record.seq !== 1)
    throw new Failure({
      code: 'seq_gap',
      message: `A journal begins with record 1, not ${record.seq}.`,
      data: { seq: record.seq },
    });
  if (record.meta === undefined)
    throw new Failure({ code: 'no_meta', message: 'A journal begins with its meta record.' });
}

/**
 * What an append of `seq` is for a journal that ends at `lastSeq`. Deciding is all it does: the counter moves in the
 * backend, and only after the record is durable, so that a failed write can never skip a number.
 *
 * @throws Failure `seq_gap`
 */
export function checkAppend(lastSeq: number, seq: number): 'next' | 'seen' {
  if (seq === lastSeq + 1) return 'next';
  if (Number.isInteger(seq) && seq >= 1 && seq <= lastSeq) return 'seen';
  throw new Failure({
    code: 'seq_gap',
    message: `Record ${seq} does not follow record ${lastSeq}.`,
    kept: 'Everything up to that record is kept; this one was not written.',
    data: { seq, lastSeq },
  });
}

/**
 * Throws `unsupported` where the next record's number cannot be counted exactly: another program began beyond 2^53. Such
 * a run is read, searched and exported like any other.
 */
export function checkCountable(lastSeq: number): void {
  if (Number.isSafeInteger(lastSeq + 1)) return;
  throw new Failure({
    code: 'unsupported',
    message: 'The records of this run have numbers that are larger than Holdfast can count with.',
    kept: 'Nothing was changed. The run can be read and exported.',
    todo: 'Go on with it in the program that wrote it.',
    data: { lastSeq },
  });
}

/** A record whose number is taken by another one. */
export const conflict = (seq: number): Failure =>
  new Failure({
    code: 'conflict',
    message: `Record ${seq} is in the journal already, with other content.`,
    kept: 'The journal is unchanged.',
    todo: 'Load the run again and go on from what it holds.',
    data: { seq },
  });

export const notFound = (what = 'There is no run of that name here.'): Failure =>
  new Failure({ code: 'not_found', message: what, todo: 'List the runs to see what there is.' });

export const runExists = (): Failure =>
  new Failure({
    code: 'exists',
    message: 'A run of that name is here already.',
    kept: 'It is untouched.',
    todo: 'Choose another name, or open the run that is there.',
  });

/** Blames nobody: a lock tells that it is held, never by whom. */
export const locked = (): Failure =>
  new Failure({
    code: 'locked',
    message: 'This run is open for writing somewhere else.',
    kept: 'Nothing was changed. It can still be read, and followed live.',
    todo: 'Close it there, or wait until it is at rest, then try again.',
  });

/** What every call on a dead journal fails with; `reason` is what killed it. */
export const journalDead = (reason: Failure): Failure =>
  new Failure(
    {
      code: 'journal_dead',
      message: `Nothing more can be written to this run from here: ${reason.message}`,
      kept: reason.kept ?? 'Every record that was acknowledged is kept.',
      todo: reason.todo ?? 'Open the run again to go on from its last record.',
      data: { ...reason.data, reason: reason.code },
    },
    { cause: reason },
  );

/** What a closed journal is dead of. */
export const closed = (): Failure =>
  new Failure({
    code: 'journal_dead',
    message: 'This run was closed here.',
    kept: 'Every record that was acknowledged is kept.',
    todo: 'Open the run again to write.',
  });

/** Throws `too_large` for the line of a record that no reader would decode; whatever the store could take. */
export function checkSize({ length }: Uint8Array): void {
  if (length <= RECORD_LIMIT) return;
  throw new Failure({
    code: 'too_large',
    message: `This record has ${Math.ceil(length / 1_000_000)} MB; a run takes at most ${RECORD_LIMIT / 1_000_000} MB for one.`,
    kept: 'Nothing was written, and everything before this record is saved.',
    data: { bytes: length, most: RECORD_LIMIT },
  });
}
