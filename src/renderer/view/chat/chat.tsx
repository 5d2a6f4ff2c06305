import { useEffect, useRef } from 'react';
import { ArrowRight, Eye, ListEnd, Play, Square, Undo2 } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { call, failureOf } from '../../client';
import { go, openRun, toastFailure, useApp } from '../../store/app';
import { sentOne } from '../../store/reading';
import { keepDraft, sendDraft, setDraft, useDrafts } from '../../store/drafts';
import { Button, IconButton } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Shown } from '../kit/shown';
import { ContinueHere, useReadOnly } from '../moving/continue-here';
import { Composer } from './composer';
import { stop } from './header';
import { StatusBar } from './status-bar';
import { ASKS_PREFLIGHT, canSay, needsResume } from './state';
import s from './chat.module.css';

export const runDraft = (id: string) => `run:${id}`;

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
  if (canSay(head)) return <Say head={head} />;
  if (head.mode === 'live' && head.phase !== 'ended') return <Busy head={head} />;
  const again = (
    <Button look="primary" icon={<Play size="0.875rem" />} onClick={() => openRun(row.id, 'resume')}>
      Look and resume…
    </Button>
  );
  if (needsResume(head)) {
    if (head.failure)
      return (
        <FailureNote
          failure={head.failure}
          actions={
            <>
              {goOn(head)}
              {again}
            </>
          }
        />
      );
    return (
      <div className={s['bar']}>
        <span>{STOPPED[row.status] ?? 'This run stopped.'} Everything up to here is kept.</span>
        {again}
      </div>
    );
  }
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

/** A conversation that its model can no longer read goes on in a new run; the old one stays. */
function goOn({ failure, row }: RunHead) {
  if (failure?.code !== 'model_context') return undefined;
  const start = () => {
    call('run.continue', { id: row.id }).then(({ id }) => openRun(id, 'chat'), toastFailure);
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

function Say({ head }: { head: RunHead }) {
  const { id } = head.row;
  const draft = runDraft(id);
  const connected = useApp((state) => state.connection === 'open');
  const field = useRef<HTMLTextAreaElement>(null);
  const working = head.mode === 'live' && (head.phase === 'calling' || head.phase === 'tool');
  const asks = head.mode === 'live' && head.phase === 'waiting';
  const send = () => {
    sentOne();
    sendDraft(draft, async (text) => {
      await call('run.say', { id, text });
    }).catch((error: unknown) => {
      const failure = failureOf(error);
      if (ASKS_PREFLIGHT.has(failure.code)) openRun(id, 'resume');
      else toastFailure(error);
    });
  };
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
  const pausing = head.pausing;
  return (
    <>
      {head.failure && !working && !asks && <FailureNote failure={head.failure} actions={goOn(head)} />}
      <Queue head={head} />
      <Composer
        ref={field}
        draft={draft}
        label="Message"
        disabled={!connected}
        placeholder={
          asks
            ? 'Answer, or say what to do instead…'
            : working
              ? 'Say something for its next step…'
              : 'Reply…'
        }
        note={
          asks ? (
            <>Sending a message now means “don’t run this”, with your words as the reason.</>
          ) : pausing ? (
            <>It pauses at the next safe point.</>
          ) : undefined
        }
        action={asks ? 'Answer' : working ? 'Queue' : 'Send'}
        onSend={send}
        extra={
          (working || asks) && (
            <Button look="ghost" icon={<Square size="0.75rem" />} onClick={() => stop(id)}>
              Stop
            </Button>
          )
        }
      />
    </>
  );
}

/** What was said while the agent worked: it goes in one after the other, and can be taken back until then. */
function Queue({ head }: { head: RunHead }) {
  const { id } = head.row;
  if (head.queued.length === 0) return null;
  const takeBack = (index: number, text: string) => {
    call('run.unqueue', { id, index }).then(({ done }) => {
      if (!done) return;
      const draft = runDraft(id);
      const typed = useDrafts.getState().texts[draft];
      setDraft(draft, typed ? `${text}\n\n${typed}` : text);
    }, toastFailure);
  };
  return (
    <ul className={s['queue']} aria-label="Waiting messages">
      {head.queued.map((text, index) => (
        <li key={index}>
          <ListEnd size="0.875rem" aria-hidden="true" />
          <span className={s['queued']} dir="auto">
            <Shown text={text} prose />
          </span>
          <IconButton
            size="s"
            side="left"
            label="Take it back"
            icon={<Undo2 size="0.875rem" />}
            onClick={() => takeBack(index, text)}
          />
        </li>
      ))}
    </ul>
  );
}
