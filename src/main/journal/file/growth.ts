import { hash } from 'node:crypto';
import { isFailure } from '../../../shared/run/failure';
import { Folder } from '../../../shared/run/fold';
import { RECORD_VERSION } from '../../../shared/run/record';
import type { RunRecord } from '../../../shared/run/record';
import type { FoldPoint } from '../../../shared/run/state';
import type { RunSummary } from '../journal';
import { Breather, readGently, summaryOf } from '../read';
import type { Reading } from '../read';
import { withFile } from './repair';
import { OPEN, readAll } from './vfs';
import type { Vfs } from './vfs';

/**
 * Where the reading of a journal ended and what it amounted to there, so that a journal that grew is read from there on.
 * Records are only ever appended; that the file is still the one that was read is shown by its identity, and by a hash
 * of the bytes before the end. This is for rows of the list only: a run that is opened is always read whole.
 */
export interface Ending {
  /** First byte after the last whole line. */
  offset: number;
  guard: string;
  /** What a row does not have already. */
  warned: FoldPoint['warned'];
  alerts?: number;
  open?: FoldPoint['open'];
}

/** Bytes before the ending that must be the same. */
export const GUARDED = 1024;

export const guardStart = (offset: number): number => Math.max(0, offset - GUARDED);
const guardOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64').slice(0, 22);

/** undefined for a journal that is damaged, or whose last line may still change: it is read whole again. */
export function endingOf(reading: Reading, bytes: Uint8Array): Ending | undefined {
  const { tail, failure, point } = reading;
  if (failure || !point || (tail.kind !== 'clean' && tail.kind !== 'torn')) return undefined;
  return ending(point, tail.offset, bytes.subarray(guardStart(tail.offset), tail.offset));
}

const ending = ({ warned, alerts, open }: FoldPoint, offset: number, guarded: Uint8Array): Ending => ({
  offset,
  guard: guardOf(guarded),
  warned,
  ...(alerts !== undefined && { alerts }),
  ...(open && { open }),
});

/** What a row tells of a journal as it is now. */
export interface Grown {
  bare: RunSummary;
  ending: Ending;
  size: number;
  unended: boolean;
}

/**
 * The row of a journal that grew, made from the row before and the `bytes` from `guardStart` on. undefined where that
 * cannot be done, and the whole is to be read: other bytes than before, damage, a last line that is not ended.
 */
export async function grow(
  before: RunSummary,
  from: Ending,
  bytes: Uint8Array,
  breather = new Breather(),
): Promise<Grown | undefined> {
  const start = guardStart(from.offset);
  const guarded = from.offset - start;
  const folder = folderAt(before, from);
  if (!folder || bytes.length < guarded || guardOf(bytes.subarray(0, guarded)) !== from.guard)
    return undefined;
  const read = await readGently(bytes.subarray(guarded), breather);
  const torn = read.tail.kind === 'torn';
  if (read.failure || (read.tail.kind !== 'clean' && !torn)) return undefined;
  try {
    for (const record of read.records) folder.push(record);
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
  const { point } = folder;
  const offset = from.offset + read.tail.offset;
  const size = start + bytes.length;
  const bare = summaryOf(
    {
      records: [],
      places: [],
      warnings: [],
      tail: read.tail,
      size,
      folded: { state: folder.state, facts: folder.facts },
      unborn: false,
    },
    { ...before, id: before.id },
  );
  const warnings = folder.warningCount + read.warnings.length;
  const alerts = folder.alertCount + read.warnings.length;
  const created = before.created && { created: before.created };
  const whole = bytes.subarray(guardStart(offset) - start, offset - start);
  return {
    bare: { ...bare, ...created, warnings, alerts },
    ending: ending(point, offset, whole),
    size,
    unended: torn,
  };
}

/** The bytes that `grow` needs of a journal that grew by much; read by the thread pool. */
export const readGrowth = (vfs: Vfs, path: string, from: Ending): Promise<Buffer> =>
  withFile(vfs, path, OPEN.read, (fd) => readAll(vfs, fd, guardStart(from.offset)));

/** The fold that the row came from, at its ending. */
function folderAt(row: RunSummary, { warned, alerts, open }: Ending): Folder | undefined {
  const { runId, prompt, provider, model, created, counters, facts } = row;
  if (row.health !== 'ok' || !counters || !facts || runId === undefined || prompt === undefined)
    return undefined;
  const meta: NonNullable<RunRecord['meta']> = {
    version: RECORD_VERSION,
    run_id: runId,
    created: created?.toISOString() ?? '',
    fingerprint: {
      provider: provider ?? '',
      model: model ?? '',
      system_hash: '',
      tools_hash: '',
      thinking_mode: '',
      max_tokens: row.maxTokens ?? 0,
      max_iterations: row.maxIterations ?? 0,
    },
    prompt,
    interactive: row.interactive ?? false,
  };
  return Folder.from(meta, {
    counters,
    next_iteration: row.nextIteration ?? 0,
    last_stop_reason: row.lastStopReason ?? '',
    terminal: row.terminal ?? null,
    facts,
    warned,
    ...(alerts !== undefined && { alerts }),
    ...(open && { open }),
  });
}
