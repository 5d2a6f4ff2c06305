import { Allowance } from '../../shared/run/allowance';
import { spentOf, tokensOf } from '../../shared/run/tokens';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { LoadedRun } from '../journal/journal';
import type { RunConfig } from './config';
import type { Forecast, PendingTool, Preflight } from './session';
import { isCutShort } from './words';

/**
 * What a resume, or a message in its place, will do, by what is recorded; the loop does exactly this. Pure. What a person
 * still has to decide is left open: a call that asks may be refused, one whose outcome is unknown is answered as told.
 */
export function forecastOf(
  run: LoadedRun,
  config: RunConfig,
  seen: {
    next: Preflight['next'];
    pending: readonly PendingTool[];
    /** Those that may decide something. */
    notes: readonly SidecarEntry[];
  },
  says: boolean,
): Forecast {
  const { state, facts } = run;
  const { next } = seen;
  const calls = seen.pending.map(({ toolUseId, fate }) => ({ toolUseId, fate }));
  const none = calls.map(({ toolUseId, fate }) => ({
    toolUseId,
    fate: fate === 'answered' ? fate : ('later' as const),
  }));
  const allowance = new Allowance();
  for (const entry of seen.notes) allowance.note(entry);
  for (const record of run.records) allowance.push(record);
  // As the resume itself will be noted.
  if (next !== 'nothing')
    allowance.note({
      kind: 'resume',
      at: '',
      after_seq: facts.lastSeq,
      forced: false,
      accepted: config.fingerprint,
      changed: [],
      unknown: [],
    });
  const { steps, tokens } = allowance;
  const spent = tokens > 0 && tokensOf(spentOf(state.counters)).all >= tokens;
  const cut = state.pending !== null && isCutShort(state.pending.stop_reason);
  if (next === 'tools' && !cut && spent) return { calls: none, then: 'budget' };
  if (says) {
    // Each message of a chat has steps of its own.
    const said = calls.map(({ toolUseId, fate }) => ({ toolUseId, fate: instead(fate) }));
    const noSteps = config.fingerprint.max_iterations <= 0;
    return { calls: said, then: noSteps ? 'steps' : spent ? 'budget' : 'call' };
  }
  if (next === 'tools' && cut) return { calls, then: 'cut_short' };
  if (next !== 'tools' && next !== 'call') return { calls, then: next };
  return { calls, then: steps.used >= steps.cap ? 'steps' : spent ? 'budget' : 'call' };
}

/** What has begun is settled by the person's word; what has not is answered as stopped. */
const instead = (fate: PendingTool['fate']): PendingTool['fate'] =>
  fate === 'answered' || fate === 'unknown' || fate === 'foreign' ? fate : 'not_run';
