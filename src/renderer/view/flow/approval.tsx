import { useId, useRef, useState } from 'react';
import { MESSAGE_LIMIT } from '../../../shared/contract/pieces';
import type { RunHead } from '../../../shared/contract/views';
import { call } from '../../client';
import { toastFailure } from '../../store/app';
import { useRun } from '../../store/run';
import { TooLong } from '../chat/too-long';
import { Button } from '../kit/button';
import { limited } from '../kit/limit';
import s from './tool-card.module.css';

/** Enter never allows anything: it is too easily pressed for something else. Space and a click do. */
const noEnter = (event: React.KeyboardEvent) => {
  if (event.key === 'Enter') event.preventDefault();
};

/** The question itself, in the flow of reading. It never takes the focus. */
export function Approval({ approval }: { approval: NonNullable<RunHead['approval']> }) {
  const id = useRun((state) => state.id);
  const live = useRun((state) => state.head?.mode === 'live');
  const [why, setWhy] = useState<string>();
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);
  const hint = useId();
  const deny = useRef<HTMLButtonElement>(null);
  if (id === undefined) return null;
  if (!live) return <p className={s['elsewhere']}>It waits for an answer in the window that runs it.</p>;
  const answer = (decision: 'once' | 'run' | 'deny', words?: string) => {
    setBusy(true);
    call('run.approve', {
      id,
      hash: approval.hash,
      decision,
      ...(words?.trim() && { words: words.trim() }),
    }).then(
      ({ done }) => {
        if (!done) setBusy(false);
      },
      (error: unknown) => {
        setBusy(false);
        toastFailure(error);
      },
    );
  };
  if (why !== undefined) {
    return (
      <form
        className={s['deny']}
        onSubmit={(event) => {
          event.preventDefault();
          answer('deny', why);
        }}
      >
        <label htmlFor={hint}>What should it do instead? (it may stay empty)</label>
        <textarea
          id={hint}
          rows={2}
          value={why}
          autoFocus
          {...limited({ value: why, limit: MESSAGE_LIMIT, onChange: setWhy, onTooLong: setRefused })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation();
              setWhy(undefined);
            }
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              answer('deny', why);
            }
          }}
        />
        {refused !== undefined && (
          <TooLong
            text={refused}
            limit={MESSAGE_LIMIT}
            what="message"
            onClose={() => setRefused(undefined)}
          />
        )}
        <div className={s['actions']}>
          <Button look="danger" type="submit" disabled={busy}>
            Don’t allow
          </Button>
          <Button look="ghost" onClick={() => setWhy(undefined)}>
            Back
          </Button>
        </div>
      </form>
    );
  }
  return (
    <div className={s['actions']} role="group" aria-label={`Allow ${approval.tool}?`}>
      <Button
        look="primary"
        disabled={busy}
        onKeyDown={noEnter}
        aria-describedby={hint}
        onClick={() => answer('once')}
      >
        Allow once
      </Button>
      <Button disabled={busy} onKeyDown={noEnter} aria-describedby={hint} onClick={() => answer('run')}>
        Allow for this run
      </Button>
      <span id={hint} className={s['hint']}>
        Space allows, Enter does not
      </span>
      <span className={s['grow']} />
      <Button ref={deny} look="danger" disabled={busy} onClick={() => setWhy('')}>
        Don’t allow…
      </Button>
    </div>
  );
}
