import { createHash } from 'node:crypto';
import { encodeRecord } from '../../shared/run/codec';
import type { RunRecord } from '../../shared/run/record';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { LoadedRun } from './journal';
import type { Slip } from './slip';

/** What ties a note to one record of a run, as it is read. */
export const recordSha256 = (record: RunRecord): string =>
  createHash('sha256').update(encodeRecord(record)).digest('hex');

/** What the slip `began` holds: the call that is about to change something, and the turn that asked for it. */
export interface Began {
  seq: number;
  sha256: string;
  tool_use_id: string;
}

export const encodeBegan = (began: Began): string => JSON.stringify(began);

function decodeBegan(text: string): Began | undefined {
  try {
    const { seq, sha256, tool_use_id: id } = JSON.parse(text) as Partial<Began>;
    if (typeof seq !== 'number' || typeof sha256 !== 'string' || typeof id !== 'string') return undefined;
    return { seq, sha256, tool_use_id: id };
  } catch {
    return undefined;
  }
}

/** `began`: it was about to run, or ran. `never_began`: for certain. `unproven`: nobody can tell. */
export type Proof = 'began' | 'never_began' | 'unproven';

/**
 * What the notes prove of a call of the open turn, for which the journal has no result.
 *
 * A note that it began is evidence wherever it comes from. That there is none proves something only where notes of this
 * machine (`trusted`) saw this very turn (`turn`, bound to this run and to the hash of the record, unbroken from there to
 * the end), where the slip that is written before each effect tells of no call that they lack, and where nobody else has
 * answered calls of this turn meanwhile. A backup, a sync tool, another program or a bad disk leaves notes of which one of
 * these is false.
 */
export function proofOf(
  run: Pick<LoadedRun, 'id' | 'records' | 'sidecar' | 'began'>,
  trusted: readonly SidecarEntry[],
): (id: string) => Proof {
  const at = run.records.findLastIndex(({ assistant }) => assistant);
  const turn = run.records[at];
  const begun = new Set(run.sidecar.flatMap((entry) => (entry.kind === 'intent' ? [entry.tool_use_id] : [])));
  const whole = turn !== undefined && reachesTurn(run, trusted, turn, run.records.slice(at + 1), begun);
  return (id) => (begun.has(id) ? 'began' : whole ? 'never_began' : 'unproven');
}

function reachesTurn(
  { id, began }: Pick<LoadedRun, 'id' | 'began'>,
  trusted: readonly SidecarEntry[],
  turn: RunRecord,
  later: readonly RunRecord[],
  begun: ReadonlySet<string>,
): boolean {
  const sha256 = recordSha256(turn);
  const seen = trusted.some(
    (entry) => entry.kind === 'turn' && entry.run === id && entry.seq === turn.seq && entry.sha256 === sha256,
  );
  return seen && agrees(began, turn.seq, sha256, begun) && ownAnswers(trusted, later, begun);
}

function agrees(slip: Slip | undefined, seq: number, sha256: string, begun: ReadonlySet<string>): boolean {
  if (slip === undefined) return true;
  const began = slip.damaged ? undefined : decodeBegan(slip.text);
  if (began === undefined) return false;
  // Of an earlier turn: since then nothing was about to change anything.
  if (began.seq < seq) return true;
  return began.seq === seq && began.sha256 === sha256 && begun.has(began.tool_use_id);
}

/** Before each answer of ours that is no error stands a note; without one, another program was at this turn. */
function ownAnswers(
  sidecar: readonly SidecarEntry[],
  later: readonly RunRecord[],
  begun: ReadonlySet<string>,
): boolean {
  const decided = new Set(
    sidecar.flatMap((entry) => {
      if (entry.kind === 'approval') return [entry.tool_use_id];
      return entry.kind === 'resume' ? entry.unknown.map(({ tool_use_id: id }) => id) : [];
    }),
  );
  return later.every(({ tool_result: answer }) => {
    if (answer === undefined || answer.result.is_error) return true;
    const id = answer.result.tool_use_id;
    return begun.has(id) || decided.has(id);
  });
}
