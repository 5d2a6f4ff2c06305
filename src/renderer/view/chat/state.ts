import type { RunHead, RunStatus } from '../../../shared/contract/views';

const RESUMABLE: ReadonlySet<RunStatus> = new Set(['interrupted', 'paused', 'failed', 'budget', 'steps']);

/** Nobody writes the run, and it goes on only after a look at the pre-flight. */
export const needsResume = (head: RunHead) => head.mode === 'still' && RESUMABLE.has(head.row.status);

/** The run cannot be shown as a conversation. */
export const isDamaged = (head: RunHead) => head.row.status === 'damaged' || head.row.status === 'new';

/** A person may type now: it is their turn, or the run is live and what they say waits in line. */
export const canSay = (head: RunHead) =>
  head.chat &&
  (head.mode === 'live' ? head.phase !== 'ended' : head.mode === 'still' && head.row.status === 'your_turn');

/** The pane that a run opens with. */
export function firstPane(head: RunHead): 'chat' | 'resume' {
  return needsResume(head) && head.row.status !== 'failed' ? 'resume' : 'chat';
}

/** Failures of `run.say` that the pre-flight can explain and settle. */
export const ASKS_PREFLIGHT: ReadonlySet<string> = new Set([
  'drift',
  'provider_changed',
  'endpoint_changed',
  'unknown_outcome',
  'from_elsewhere',
  'interactivity',
  'profile_unknown',
]);
