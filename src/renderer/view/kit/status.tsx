import type { CallState } from '../../../shared/contract/items';
import type { RunStatus } from '../../../shared/contract/views';
import s from './status.module.css';

/** One word (or two) for each state; shape and colour say the same. */
export const STATUS_WORD: Record<RunStatus, string> = {
  running: 'Running',
  waiting: 'Waiting for you',
  your_turn: 'Your turn',
  interrupted: 'Interrupted',
  paused: 'Paused',
  finished: 'Finished',
  failed: 'Failed',
  budget: 'Out of budget',
  steps: 'Hit the step limit',
  damaged: 'Damaged',
  new: 'Never started',
};

export const CALL_WORD: Record<CallState, string> = {
  running: 'Running',
  waiting: 'Waiting for you',
  ok: 'Done',
  error: 'Failed',
  not_run: 'Not run',
  unknown: 'Outcome unknown',
  unanswered: 'Not run yet',
  elsewhere: 'Started elsewhere or not yet',
};

type Shape = RunStatus | CallState;

const SHAPES: Record<Shape, React.ReactNode> = {
  running: (
    <>
      <circle cx="6" cy="6" r="4.5" className={s['track']} />
      <path d="M6 1.5a4.5 4.5 0 0 1 4.5 4.5" className={s['spin']} />
    </>
  ),
  waiting: (
    <>
      <circle cx="6" cy="6" r="5.5" className={s['solid']} />
      <path d="M6 3.2v3.3M6 8.7v.1" className={s['cut']} />
    </>
  ),
  your_turn: <path d="M1.5 2.5h9v6H5.2L2.7 10.6V8.5H1.5z" className={s['stroke']} />,
  interrupted: (
    <>
      <circle cx="6" cy="6" r="4.75" className={s['stroke']} />
      <path d="M6 1.25a4.75 4.75 0 0 0 0 9.5z" className={s['solid']} />
    </>
  ),
  paused: <path d="M3.75 1.75v8.5M8.25 1.75v8.5" className={s['bars']} />,
  finished: (
    <>
      <circle cx="6" cy="6" r="4.75" className={s['stroke']} />
      <path d="M3.9 6.1l1.5 1.5 2.7-3.1" className={s['stroke']} />
    </>
  ),
  failed: <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" className={s['bars']} />,
  budget: (
    <>
      <rect x="1" y="3" width="8.5" height="6" rx="1.2" className={s['stroke']} />
      <path d="M11.2 5v2M3 6h1" className={s['stroke']} />
    </>
  ),
  steps: <path d="M1.5 10.5h3v-3h3v-3h3v-3" className={s['stroke']} />,
  damaged: (
    <>
      <path d="M6 .8 11.6 11H.4z" className={s['solid']} />
      <path d="M6 4.6v2.8M6 9.2v.1" className={s['cut']} />
    </>
  ),
  new: <circle cx="6" cy="6" r="4.5" className={s['dots']} />,
  ok: <path d="M2 6.4l2.7 2.7L10 3.2" className={s['stroke']} />,
  error: <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" className={s['bars']} />,
  not_run: <path d="M2 6h8" className={s['bars']} />,
  unknown: (
    <>
      <circle cx="6" cy="6" r="4.75" className={s['stroke']} />
      <path d="M6 1.25a4.75 4.75 0 0 0 0 9.5z" className={s['solid']} />
    </>
  ),
  unanswered: <circle cx="6" cy="6" r="4.5" className={s['dots']} />,
  elsewhere: (
    <>
      <circle cx="6" cy="6" r="4.5" className={s['dots']} />
      <circle cx="6" cy="6" r="1.75" className={s['solid']} />
    </>
  ),
};

/** The mark alone. It is decoration: the word stands beside it or is given by `StatusBadge`. */
export function Mark({ of }: { of: Shape }) {
  return (
    <svg viewBox="0 0 12 12" className={s['mark']} data-of={of} aria-hidden="true">
      {SHAPES[of]}
    </svg>
  );
}

export function StatusBadge({ status, word }: { status: RunStatus; word?: string }) {
  return (
    <span className={s['badge']} data-of={status}>
      <Mark of={status} />
      {word ?? STATUS_WORD[status]}
    </span>
  );
}
