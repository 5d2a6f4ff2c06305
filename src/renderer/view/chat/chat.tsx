import { useEffect, useRef, useState } from 'react';
import { ProfileOffer } from '../profiles/offer';
import { ArrowRight, Eye, RotateCcw, ScanSearch, Square } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { todoOf, waysOf, type Ways } from '../../../shared/contract/ways';
import { call } from '../../client';
import { go, openRun, toastFailure, useApp } from '../../store/app';
import { sentOne } from '../../store/reading';
import { keepDraft } from '../../store/drafts';
import { denyWithDraft, runDraft, sayDraft } from '../../store/waiting';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { ContinueHere, useReadOnly } from '../moving/continue-here';
import { askAgain, explain } from './again';
import { Composer } from './composer';
import { stop } from './header';
import { StatusBar } from './status-bar';
import { Waiting } from './waiting';
import s from './chat.module.css';

/** What stands under the conversation: the field to answer in, or why there is none, and what the run has used. */
export function Dock({ head }: { head: RunHead }) {
  return (
    <div className={s['dock']}>
      <div className={s['dock-inner']}>
        <Foot head={head} />
        <StatusBar head={head} />
      </div>
    </div>
  );
}

function Foot({ head }: { head: RunHead }) {
  const { row } = head;
  const readOnly = useReadOnly(row.id);
  if (head.mode === 'watch') {
    return (
      <p className={s['bar']}>
        <Eye size="1rem" aria-hidden="true" />
        <span>
          Another window or process writes this run. You can read along here; answers and approvals are given
          there.
        </span>
      </p>
    );
  }
  if (readOnly && head.mode === 'still') return <ContinueHere id={row.id} />;
  const ways = waysOf(head);
  if (!ways.say && ways.stop) return <Busy head={head} />;
  if (ways.say !== undefined || ways.look || ways.again)
    return (
      <>
        <Stopped head={head} ways={ways} />
        <Waiting head={head} onSend={(message) => void sendWaiting(row.id, message)} />
        {ways.say && <Say head={head} how={ways.say} />}
      </>
    );
  return (
    <div className={s['bar']}>
      <span>
        {row.status === 'finished' ? 'This run is finished.' : 'This run does not go on.'} It stays readable
        here.
      </span>
      <Button onClick={() => go({ view: 'new' })}>New chat</Button>
    </div>
  );
}

/** Why it stopped, and what leads on: at once, or after a look. */
function Stopped({ head, ways }: { head: RunHead; ways: Ways }) {
  const { row, failure } = head;
  const [busy, setBusy] = useState(false);
  if (ways.stop || (!failure && !ways.again && !ways.look)) return null;
  const again = () => {
    setBusy(true);
    void askAgain(row.id).finally(() => setBusy(false));
  };
  const actions = (
    <>
      {failure && <ProfileOffer failure={failure} profile={head.profile} />}
      {ways.anew && goOn(head)}
      {ways.look && (
        <Button icon={<ScanSearch size="0.875rem" />} onClick={() => openRun(row.id, 'resume')}>
          Look and resume…
        </Button>
      )}
      {ways.again && (
        <Button
          look="primary"
          icon={<RotateCcw size="0.875rem" />}
          title="Goes on at once from the last record"
          disabled={busy}
          onClick={again}
        >
          Try again
        </Button>
      )}
    </>
  );
  if (failure) {
    const { todo, ...told } = failure;
    const possible = todoOf(todo, ways);
    return (
      <FailureNote
        failure={{ ...told, ...(possible !== undefined && { todo: possible }) }}
        actions={actions}
      />
    );
  }
  return (
    <div className={s['bar']}>
      <span>{STOPPED[row.status] ?? 'This run stopped.'} Everything up to here is kept.</span>
      <span className={s['bar-actions']}>{actions}</span>
    </div>
  );
}

const sendWaiting = (id: string, message: string): Promise<unknown> => {
  sentOne();
  return call('run.send', { id, message }).catch((error: unknown) => explain(id, error));
};

/** A conversation that its model can no longer read goes on in a new run; the old one stays. */
function goOn({ row }: RunHead) {
  const start = () => {
    call('run.continue', { id: row.id }).then(
      ({ id }) => openRun(id, 'chat'),
      (error: unknown) => explain(row.id, error),
    );
  };
  return (
    <Button icon={<ArrowRight size="0.875rem" />} onClick={start}>
      Continue in a new run
    </Button>
  );
}

const STOPPED: Record<string, string> = {
  interrupted: 'This run was interrupted.',
  paused: 'This run is paused.',
  failed: 'This run failed.',
  budget: 'This run used up its token budget.',
  steps: 'This run hit its step limit.',
};

/** A one-shot run at work: nothing can be said, but it can be stopped. */
function Busy({ head }: { head: RunHead }) {
  return (
    <div className={s['bar']}>
      <span>A one-shot run: it works until it is done.</span>
      <Button icon={<Square size="0.75rem" />} onClick={() => stop(head.row.id)}>
        Stop
      </Button>
    </div>
  );
}

function Say({ head, how }: { head: RunHead; how: NonNullable<Ways['say']> }) {
  const { id } = head.row;
  const draft = runDraft(id);
  const connected = useApp((state) => state.connection === 'open');
  const field = useRef<HTMLTextAreaElement>(null);
  const working = how === 'queue';
  const asks = how === 'asks';
  const send = () => {
    sentOne();
    sayDraft(id, how !== 'now').then((done) => done === 'preflight' && openRun(id, 'resume'), toastFailure);
  };
  const hash = head.approval?.hash;
  useEffect(() => {
    // A finished answer gives the field back to whoever stopped typing nowhere else.
    if (!working && !asks && document.activeElement === document.body)
      field.current?.focus({ preventScroll: true });
  }, [working, asks]);
  useEffect(() => {
    // The field that this chat was started from is gone, and nothing else has the focus.
    if (document.activeElement === document.body) field.current?.focus({ preventScroll: true });
  }, []);
  const hidden = head.row.private;
  useEffect(() => {
    if (hidden) keepDraft(draft, false);
  }, [hidden, draft]);
  return (
    <Composer
      ref={field}
      draft={draft}
      label="Message"
      disabled={!connected}
      placeholder={PLACEHOLDER[how === 'now' && waysOf(head).look ? 'stopped' : how]}
      note={head.pausing ? <>It pauses at the next safe point.</> : undefined}
      action={working ? 'Queue' : 'Send'}
      onSend={send}
      choices={
        asks && hash !== undefined
          ? [
              {
                label: 'Don’t allow, and say this',
                look: 'danger',
                onChoose: () => void denyWithDraft(id, hash).catch(toastFailure),
              },
              // Where the button was a moment ago, and it means the same.
              { label: 'Send after this step', onChoose: send },
            ]
          : undefined
      }
      extra={
        (working || asks) && (
          <Button look="ghost" icon={<Square size="0.75rem" />} onClick={() => stop(id)}>
            Stop
          </Button>
        )
      }
    />
  );
}

const PLACEHOLDER = {
  now: 'Reply…',
  stopped: 'Say something else; calls that have not begun are not run…',
  queue: 'Say something for its next step…',
  asks: 'Say something; two buttons below send it…',
};
