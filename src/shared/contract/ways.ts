import type { RunHead, RunStatus } from './views';

/** What a person can do with a run, told by its head alone: so a window shows the same live, after a reload and a restart. */
export interface Ways {
  /** The field to write in. `now`: sends; `queue`: waits for the answer; `asks`: a call waits for an answer of its own. */
  say?: 'now' | 'queue' | 'asks';
  /** Stop it. */
  stop: boolean;
  /** Go on at once, as it is. */
  again: boolean;
  /** Look at the pre-flight, and resume from there. */
  look: boolean;
  /** Its model can no longer read it: a new run that begins with an excerpt. */
  anew: boolean;
}

const NONE: Ways = { stop: false, again: false, look: false, anew: false };
const STOPPED: ReadonlySet<RunStatus> = new Set(['interrupted', 'paused', 'failed', 'budget', 'steps']);

export function waysOf(
  head: Pick<RunHead, 'mode' | 'phase' | 'chat' | 'failure'> & {
    row: Pick<RunHead['row'], 'status' | 'private'>;
  },
): Ways {
  const { mode, phase, chat, row, failure } = head;
  if (mode === 'watch' || row.status === 'damaged' || row.status === 'new') return NONE;
  if (mode === 'live' && phase !== 'idle' && phase !== 'ended')
    return {
      ...NONE,
      stop: true,
      ...(chat && { say: phase === 'waiting' ? ('asks' as const) : ('queue' as const) }),
    };
  if (row.private && mode !== 'live') return NONE;
  const stopped = STOPPED.has(row.status);
  // More tokens come only with other settings, which the pre-flight is there for.
  const spent = row.status === 'budget';
  return {
    stop: false,
    ...(chat && !spent && (stopped || row.status === 'your_turn') && { say: 'now' as const }),
    again: stopped && !spent,
    look: stopped && !row.private,
    anew: stopped && !row.private && failure?.code === 'model_context',
  };
}

/** What the controls of a run are called in sentences, and whether they are there. */
const NAMED: [RegExp, (ways: Ways) => boolean][] = [
  [/\bresume\b/i, (ways) => ways.look],
  [/\btry (it )?again\b/i, (ways) => ways.again || ways.look],
  [/\b(say|ask)\b/i, (ways) => ways.say !== undefined],
  [/\bcontinue in a new run\b/i, (ways) => ways.anew],
];

/** A sentence that says what to do, where all that it names is on the screen; else one that names what is. */
export function todoOf(todo: string | undefined, ways: Ways): string | undefined {
  if (todo === undefined || NAMED.every(([name, there]) => !name.test(todo) || there(ways))) return todo;
  if (ways.look) return 'Look at what would happen, then resume.';
  return ways.again ? 'Try again.' : undefined;
}
