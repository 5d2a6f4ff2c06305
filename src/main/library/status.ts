import type { RunStatus } from '../../shared/contract/views';
import type { SessionSnapshot } from '../agent/session';
import type { RunSummary } from '../journal/journal';

/** How a run stands, by its row and by the session that writes it here, if there is one. */
export function statusOf(row: RunSummary | undefined, live: SessionSnapshot | undefined): RunStatus {
  if (live && live.phase !== 'ended') {
    if (live.phase === 'waiting') return 'waiting';
    if (live.phase === 'idle') return restingStatus(live);
    return 'running';
  }
  if (!row) return 'finished';
  if (row.health === 'damaged') return 'damaged';
  if (row.health === 'new') return 'new';
  if (row.terminal && row.facts?.terminalIsLast) return byReason(row.terminal.reason);
  if (row.writer === 'elsewhere' || row.writer === 'here') return 'running';
  if (row.interactive && !row.hasPending && row.endsOnAssistant && row.lastStopReason !== 'pause_turn') {
    return 'your_turn';
  }
  return 'interrupted';
}

/** A chat at rest: its turn is the person's, unless it rests because something went wrong. */
function restingStatus(live: SessionSnapshot): RunStatus {
  const reason = live.outcome?.reason;
  return reason === undefined || reason === 'your_turn' ? 'your_turn' : byReason(reason);
}

function byReason(reason: string): RunStatus {
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
