import type { RunFacts } from './state';

/** How a run stands, in one word. */
export type RunStatus =
  | 'running'
  | 'waiting'
  | 'your_turn'
  | 'interrupted'
  | 'paused'
  | 'finished'
  | 'failed'
  | 'budget'
  | 'steps'
  | 'damaged'
  | 'new';

/** The states in which a run waits for a person; what it was left in can be marked as done, but for a question. */
export const NEEDS_YOU: ReadonlySet<RunStatus> = new Set<RunStatus>([
  'waiting',
  'interrupted',
  'failed',
  'budget',
  'steps',
  'damaged',
]);
export const canBeDone = (status: RunStatus): boolean => status !== 'waiting' && NEEDS_YOU.has(status);

/** What is known of a run without reading it whole; a row of the list will do. */
export interface StatusInput {
  health: 'ok' | 'damaged' | 'new';
  interactive?: boolean;
  terminal?: { reason: string } | null;
  facts?: Pick<RunFacts, 'terminalIsLast'>;
  /** The last turn asked for tools that are not all answered. */
  hasPending?: boolean;
  /** The conversation's last message is the assistant's. */
  endsOnAssistant?: boolean;
  lastStopReason?: string;
  writer?: 'none' | 'here' | 'elsewhere' | 'unknown';
}

/** The session that writes the run in this process, if there is one. */
export interface LiveStatus {
  phase: 'calling' | 'tool' | 'waiting' | 'idle' | 'ended';
  /** How its last turn ended. */
  outcome?: { reason: string };
}

/**
 * A run's status. Pure; the first that holds:
 *
 * - `running`: a session here calls the model or runs a tool. `waiting`: its tool needs a person's word.
 *   `your_turn`: it is an idle chat (or what stopped its last turn: `failed`, `budget`, `steps`).
 * - `damaged`: its journal cannot be read to the end. `new`: it never got its first record.
 * - its last record is a terminal one: `finished` (completed), `paused` (suspended), `budget`, `steps` (the step limit),
 *   `failed` (anything else). A terminal record that others follow says nothing any more: the run went on.
 * - `running`: somebody else writes it.
 * - `your_turn`: a chat whose last message is an answer, nothing pending and the turn not paused by the service.
 * - `interrupted`: whatever is left: a pending turn, a conversation that waits for the model, a single task whose end
 *   was never written. Nobody writes it (or nobody can tell), so it can be resumed.
 */
export function runStatus(run: StatusInput, live?: LiveStatus): RunStatus {
  if (live && live.phase !== 'ended') return liveStatus(live);
  if (run.health !== 'ok') return run.health;
  if (run.terminal && run.facts?.terminalIsLast) return statusOfReason(run.terminal.reason);
  if (run.writer === 'here' || run.writer === 'elsewhere') return 'running';
  const answered = run.endsOnAssistant && !run.hasPending && run.lastStopReason !== 'pause_turn';
  return run.interactive && answered ? 'your_turn' : 'interrupted';
}

function liveStatus({ phase, outcome }: LiveStatus): RunStatus {
  if (phase === 'waiting') return 'waiting';
  if (phase !== 'idle') return 'running';
  return !outcome || outcome.reason === 'your_turn' ? 'your_turn' : statusOfReason(outcome.reason);
}

/** The status of a run that a terminal record with this reason closes. */
export function statusOfReason(reason: string): RunStatus {
  switch (reason) {
    case 'completed':
      return 'finished';
    case 'suspended':
      return 'paused';
    case 'budget':
      return 'budget';
    case 'max_iterations':
      return 'steps';
    default:
      return 'failed';
  }
}
