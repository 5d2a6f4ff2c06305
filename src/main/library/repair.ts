import { createHash } from 'node:crypto';
import type { FailureInfo } from '../../shared/run/failure';
import { Failure } from '../../shared/run/failure';
import type { RunStore } from '../journal/journal';
import { readRunGently } from '../journal/read';

/** What is wrong with a journal, and what a repair would do about it. */
export interface RepairPlan {
  id: string;
  /**
   * `none`: nothing to repair. `end`: an unfinished or unreadable last line, as a crash leaves it. `inside`: damage with
   * more after it, which a repair would cut off as well. `hopeless`: not even the first record can be read.
   */
  kind: 'none' | 'end' | 'inside' | 'hopeless';
  /** In plain words, with line and byte in its data. */
  failure?: FailureInfo;
  /** What would stay. */
  keeps: { records: number; bytes: number };
  /** What would be cut. */
  cuts?: Cut;
  /** Of the whole journal as it was looked at, in hex. */
  sha256: string;
}

export interface Cut {
  /** Where it begins. */
  line: number;
  offset: number;
  bytes: number;
  /** Lines in it, the damaged one first, and those of them that could be read if they stood elsewhere. */
  lines: number;
  readable: number;
  /** Its first bytes, as hexadecimal numbers and as text. */
  hex: string;
  text: string;
  /** Only so much of it is shown. */
  shown: number;
}

export interface Repaired extends RepairPlan {
  /** File beside the journal that holds all its bytes as they were. */
  backup: string;
}

const SHOWN = 256;
const NEWLINE = 0x0a;

/** Looks at a journal and says what a repair would do. Changes nothing. */
export async function planRepair(store: RunStore, id: string): Promise<RepairPlan> {
  const bytes = await store.bytes(id);
  const { places, failure, unborn, tail, folded } = await readRunGently(bytes);
  const last = places.at(-1);
  const offset = last === undefined ? 0 : Math.min(bytes.length, last.offset + last.bytes + 1);
  const plan = {
    id,
    keeps: { records: places.length, bytes: offset },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...(failure && { failure: failure.toJSON() }),
  };
  // Another version is no damage, and whatever was never begun can be begun again.
  if (unborn || failure?.code === 'version') return { ...plan, kind: 'none' };
  if (failure === undefined && (tail.kind === 'clean' || tail.kind === 'no_newline'))
    return { ...plan, kind: 'none' };
  if (folded === undefined || last === undefined) return { ...plan, kind: 'hopeless' };
  return { ...plan, kind: failure ? 'inside' : 'end', cuts: cutOf(bytes, offset, last.line + 1) };
}

function cutOf(bytes: Uint8Array, offset: number, line: number): Cut {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + offset, bytes.length - offset);
  const head = part.subarray(0, SHOWN);
  let [lines, readable, start] = [0, 0, 0];
  while (start < part.length) {
    const end = part.indexOf(NEWLINE, start);
    const text = part.toString('utf8', start, end < 0 ? part.length : end);
    lines++;
    if (isRecord(text)) readable++;
    if (end < 0) break;
    start = end + 1;
  }
  return {
    line,
    offset,
    bytes: part.length,
    lines,
    readable,
    hex: head.toString('hex').replace(/(..)(?=.)/g, '$1 '),
    text: head.toString('utf8'),
    shown: head.length,
  };
}

function isRecord(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'seq' in value;
  } catch {
    return false;
  }
}

/**
 * Cuts a journal off before its damage, after all its bytes were kept and what is done was noted. Only what was shown is
 * cut: a journal that changed since is left alone.
 *
 * @param plan what was shown to a person
 * @param inside a person agreed that what stands after the damage is cut off as well
 * @throws Failure `bad_request` for a plan with nothing to cut, or for damage inside that nobody agreed to cut;
 *   `conflict` when the journal changed since; `locked`, `unsupported`, `store_read_only`, `io`
 */
export async function repairRun(
  store: RunStore,
  plan: RepairPlan,
  { inside = false }: { inside?: boolean } = {},
): Promise<Repaired> {
  const { cuts, kind, id, sha256 } = plan;
  if (cuts === undefined)
    throw refused(
      kind === 'none'
        ? 'There is nothing to repair in this run.'
        : 'Not even the first record of this run can be read, so nothing of it could be kept.',
      kind === 'none' ? 'Go on with it as it is.' : 'Bring it back from a backup, or start it again.',
    );
  if (kind === 'inside' && !inside)
    throw refused(
      `This run is damaged inside: a repair would cut off ${cuts.lines} lines, ${cuts.readable} of which can still be read.`,
      'Export what is intact, or agree that everything from the damage on is cut off.',
      { ...cuts },
    );
  const mend = store.mend?.bind(store);
  if (mend === undefined || !store.supports.write)
    throw new Failure({
      code: 'unsupported',
      message: 'Runs of this store cannot be repaired where they are.',
      kept: 'Nothing was changed.',
      todo: 'Export what is intact, and import that.',
    });
  const { backup } = await mend(id, { offset: cuts.offset, sha256 });
  return { ...plan, backup };
}

const refused = (message: string, todo: string, data?: Record<string, unknown>): Failure =>
  new Failure({ code: 'bad_request', message, kept: 'Nothing was changed.', todo, ...(data && { data }) });
