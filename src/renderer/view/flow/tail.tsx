import { hasAnswer } from '../../store/items';
import { useRun } from '../../store/run';
import { useReading } from '../../store/reading';
import { Boundary } from '../kit/boundary';
import { StreamingMarkdown } from '../markdown/streaming';
import { Fold } from './fold';
import { LongText } from './long-text';
import s from './flow.module.css';

/** What comes after the last recorded item: the answer under way. */
export function Tail() {
  // A page of items can be ahead of the change that ends the stream; no answer is ever on the screen twice.
  const shown = useRun((state) =>
    state.stream && !hasAnswer(state.items, state.stream.iteration) ? state.stream : undefined,
  );
  const phase = useRun((state) => (state.head?.mode === 'live' ? state.head.phase : undefined));
  const retry = useRun((state) => state.retry);
  const unfold = useReading((state) => state.thinking);
  const quiet = !shown || (shown.text === '' && shown.thinking === '');
  return (
    <div className={s['tail']} data-tail>
      {shown && shown.thinking !== '' && (
        <Fold
          label={shown.text === '' ? 'Thinking…' : 'Thinking'}
          quiet
          {...(unfold !== undefined && { force: unfold })}
          busy={shown.text === ''}
        >
          <div className={s['thinking']}>
            <LongText text={shown.thinking} prose />
          </div>
        </Fold>
      )}
      {shown && shown.text !== '' && (
        <Boundary again={shown.text} instead={() => <LongText text={shown.text} prose />}>
          <StreamingMarkdown text={shown.text} />
        </Boundary>
      )}
      {phase === 'calling' && quiet && (
        <p className={s['working']} data-chrome>
          <span className={s['dots']} aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {retry ? `Trying again: ${retry}` : 'Waiting for the model'}
        </p>
      )}
    </div>
  );
}
