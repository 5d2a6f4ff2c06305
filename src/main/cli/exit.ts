import type { Failure, FailureCode } from '../../shared/run/failure';
import type { Outcome } from '../agent/session';

/** Exit codes of `holdfast`. Scripts depend on them, so a code never changes its meaning. */
export const EXIT = {
  ok: 0,
  /** The run failed, or ran out of budget or steps; `verify` found damage; a file or store could not be read. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** A gate refused the resume, or somebody must first say what became of a tool. Nothing was done. */
  refused: 3,
  /** Another process writes the run. Nothing was done. */
  locked: 4,
  /** There is no such run or file. */
  notFound: 5,
  /** Stopped by Ctrl-C; the run is suspended and can be resumed. */
  interrupted: 130,
  /** Stopped by SIGTERM or a closed terminal; the run is suspended and can be resumed. */
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_FAILURE: Partial<Record<FailureCode, ExitCode>> = {
  already_completed: EXIT.refused,
  interactivity: EXIT.refused,
  provider_changed: EXIT.refused,
  drift: EXIT.refused,
  endpoint_changed: EXIT.refused,
  unknown_outcome: EXIT.refused,
  from_elsewhere: EXIT.refused,
  locked: EXIT.locked,
  not_found: EXIT.notFound,
  invalid_id: EXIT.usage,
  store_unknown: EXIT.usage,
  profile_unknown: EXIT.usage,
  bad_request: EXIT.usage,
};

export const exitOfFailure = (failure: Failure): ExitCode => BY_FAILURE[failure.code] ?? EXIT.failed;

/** What a session's end means for the shell; `signal` is the one that made it suspend, if one did. */
export function exitOfOutcome(outcome: Outcome, signal: 'SIGINT' | 'SIGTERM' | undefined): ExitCode {
  switch (outcome.reason) {
    case 'completed':
    case 'your_turn':
      return EXIT.ok;
    case 'suspended':
      if (signal === 'SIGINT') return EXIT.interrupted;
      return signal === 'SIGTERM' ? EXIT.terminated : EXIT.ok;
    default:
      return EXIT.failed;
  }
}
