import { useEffect } from 'react';
import type { RunHead } from '../../../shared/contract/views';
import { go, openRun, useApp, type Place } from '../../store/app';
import { useRun, watchRun, leaveRun } from '../../store/run';
import { resetGoal } from '../../store/goal';
import { resetReading, useReading } from '../../store/reading';
import { Flow } from '../flow/flow';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { useReadOnly } from '../moving/continue-here';
import { Origin } from '../moving/origin';
import { Inspector } from '../transcript/inspector';
import { ReadingFoot, ReadingTools } from '../transcript/transcript';
import { FindBar } from '../transcript/find-bar';
import { SidePanel } from '../transcript/side-panel';
import { Resume } from '../resume/resume';
import { StoreAway } from '../stores/away';
import { DiskFull } from '../stores/full';
import { Dock } from './chat';
import { Damaged } from './damaged';
import { LibraryButton, RunHeader } from './header';
import { firstPane, isDamaged, needsResume } from './state';
import s from './chat.module.css';

type RunPlace = Extract<Place, { view: 'run' }>;

/** The middle of the window for one run. */
export function RunView({ place }: { place: RunPlace }) {
  const { id } = place;
  useEffect(() => {
    watchRun(id);
    resetReading();
    resetGoal();
    return leaveRun;
  }, [id]);
  const head = useRun((state) => (state.id === id ? state.head : undefined));
  const failure = useRun((state) => (state.id === id ? state.failure : undefined));
  const record = useReading((state) => state.record);
  const finding = useReading((state) => state.finding);
  const readOnly = useReadOnly(id);
  const auto = place.pane === 'auto';
  useEffect(() => {
    // The pane is chosen once, when the run is first seen: a run that stops later does not move under the reader.
    if (auto && head) useApp.setState({ place: { view: 'run', id, pane: firstPane(head) } });
  }, [auto, head, id]);

  if (!head) {
    return (
      <>
        <header className={s['header']}>
          <LibraryButton />
          <div className={s['title']}>
            <h1>{failure ? 'This run cannot be shown' : 'Opening…'}</h1>
          </div>
        </header>
        <div className={s['hold']}>
          {failure && (
            <FailureNote
              failure={failure}
              actions={
                <>
                  <Button onClick={() => retry(id)}>Try again</Button>
                  <Button look="ghost" onClick={() => go({ view: 'new' })}>
                    New chat
                  </Button>
                </>
              }
            />
          )}
        </div>
      </>
    );
  }
  const wanted = auto ? firstPane(head) : place.pane;
  const pane =
    wanted === 'resume' &&
    (readOnly || !(needsResume(head) || head.mode === 'still' || isChoosing(head, place)))
      ? 'chat'
      : wanted;
  return (
    <>
      <RunHeader head={head} pane={pane} />
      <StoreAway id={id} live={head.mode === 'live'} />
      <DiskFull id={id} working={head.phase === 'calling' || head.phase === 'tool'} />
      <Origin head={head} />
      {finding && pane !== 'resume' && <FindBar id={id} />}
      {isDamaged(head) && pane !== 'transcript' ? (
        <Damaged head={head} onRead={() => openRun(id, 'transcript')} />
      ) : pane === 'resume' ? (
        <Resume key={`${id} ${place.profile ?? ''}`} head={head} chosen={place.profile} />
      ) : (
        <Reading head={head} pane={pane} />
      )}
      {record !== undefined && <Inspector id={id} seq={record} last={head.lastSeq} />}
    </>
  );
}

/** A chat at rest needs no resume, but another profile for it is looked at like one. */
const isChoosing = (head: RunHead, place: RunPlace) => place.profile !== undefined && head.phase === 'idle';

/** One list for both ways to read, so that going from one to the other moves nothing. */
function Reading({ head, pane }: { head: RunHead; pane: string }) {
  const chat = pane !== 'transcript';
  return (
    <div className={s['chat']}>
      {chat ? null : <ReadingTools head={head} />}
      <div className={s['reading']}>
        <Flow label={chat ? 'Conversation' : 'Transcript'} />
        {chat ? null : <SidePanel head={head} />}
      </div>
      {chat ? <Dock head={head} /> : <ReadingFoot head={head} />}
    </div>
  );
}

function retry(id: string): void {
  leaveRun();
  watchRun(id);
}
