import { useEffect, useRef, useState } from 'react';
import { GitFork } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { fork, forkOf, useMoving } from '../../store/moving';
import { useStores } from '../../store/stores';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { count } from '../kit/numbers';
import { Shown } from '../kit/shown';
import { IntoStore } from './into-store';
import s from './moving.module.css';

type Points = CommandOutput<'run.forkPoints'>;

/** Asks where the new run begins. Nothing happens to the old one. */
export function ForkDialog() {
  const forking = useMoving((state) => state.forking);
  if (!forking) return null;
  return <Form key={`${forking.id} ${forking.seq ?? ''}`} {...forking} />;
}

const KIND = {
  prompt: 'After what you said',
  answer: 'After the answer',
  results: 'After the tools’ results',
};

function Form({ id, seq }: { id: string; seq?: number }) {
  const [points, setPoints] = useState<Points>();
  const [at, setAt] = useState<number>();
  const [to, setTo] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const stores = useStores((state) => state.stores).filter((store) => store.writable && store.state === 'ok');
  const here = id.includes('.') ? id.slice(0, id.indexOf('.')) : 'default';
  const into = to ?? (stores.some(({ name }) => name === here) ? here : 'default');
  useEffect(() => {
    let live = true;
    call('run.forkPoints', { id }).then(
      (reply) => {
        if (!live) return;
        setPoints(reply);
        // What is asked for may be older than the points that are listed.
        const near = seq === undefined ? reply.points.at(-1)?.seq : nearest(reply, seq);
        setAt(near);
      },
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
  }, [id, seq]);
  const make = () => {
    setBusy(true);
    setFailure(undefined);
    fork(id, at, into === here ? undefined : into).catch((error: unknown) => {
      setFailure(failureOf(error));
      setBusy(false);
    });
  };
  const moved = seq !== undefined && at !== undefined && points !== undefined && at !== seq;
  return (
    <Dialog label="Fork this run" onClose={() => forkOf(undefined)}>
      <div className={s['form']}>
        <div className={s['scroll']}>
          <p>
            A new run begins with everything up to the point that you choose, copied byte for byte. This run
            stays as it is. The new one asks nothing of a model until you go on with it.
          </p>
          {points && <List points={points} at={at} onChoose={setAt} />}
          {moved && (
            <p className={s['quiet']}>
              A run can only begin where the conversation could be sent as it stands, so the nearest point
              before record {count(seq)} is chosen.
            </p>
          )}
          {points && points.points.length < points.total && (
            <p className={s['quiet']}>
              The newest {count(points.points.length)} of {count(points.total)} points. For an older one, use
              “Fork from here” in the transcript.
            </p>
          )}
          {at !== undefined && points && !points.points.some((point) => point.seq === at) && (
            <p>The new run ends with record {count(at)}.</p>
          )}
          {points?.points.length === 0 && (
            <p>There is no point in this run yet at which another one could begin.</p>
          )}
          <IntoStore stores={stores} value={into} onChange={setTo} />
          {failure && <FailureNote failure={failure} />}
        </div>
        <footer className={s['footer']}>
          <span />
          <Button look="ghost" onClick={() => forkOf(undefined)}>
            Cancel
          </Button>
          <Button
            look="primary"
            icon={<GitFork size="0.875rem" />}
            disabled={busy || at === undefined}
            onClick={make}
          >
            Make the new run
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}

const nearest = ({ points }: Points, seq: number): number =>
  points.findLast((point) => point.seq <= seq)?.seq ?? seq;

function List({
  points,
  at,
  onChoose,
}: {
  points: Points;
  at: number | undefined;
  onChoose: (seq: number) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [points]);
  return (
    <ul ref={list} className={s['points']} aria-label="Where the new run begins">
      {points.points.map((point) => (
        <li key={point.seq}>
          <button type="button" aria-pressed={point.seq === at} onClick={() => onChoose(point.seq)}>
            <span>{KIND[point.kind]}</span>
            <small>record {count(point.seq)}</small>
            <p>
              <Shown text={point.text || '(no text)'} />
            </p>
          </button>
        </li>
      ))}
    </ul>
  );
}
