import { FlaskConical, GitFork, Wrench } from 'lucide-react';
import { bareId, runKey, splitKey } from '../../../shared/contract/run-key';
import { SAMPLE_RUN } from '../../../shared/run/names';
import type { RunHead } from '../../../shared/contract/views';
import { go, openRun } from '../../store/app';
import { deleteRun } from '../../store/runs';
import { useStores } from '../../store/stores';
import { Button } from '../kit/button';
import { bytes, count } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { fullTime } from '../kit/time';
import s from './moving.module.css';

const WHY = {
  fork: 'Forked from',
  continue: 'Goes on from',
  import: 'Imported; it was called',
  reset: 'Begun anew after',
};

/** Where a run came from, and what was cut off it; nothing for most. */
export function Origin({ head }: { head: RunHead }) {
  const { origin, repairs = [] } = head;
  const stores = useStores((state) => state.stores);
  if (!origin && repairs.length === 0) return null;
  const { id } = head.row;
  if (origin?.why === 'import' && origin.from === SAMPLE_RUN) return <Sample head={head} />;
  const stayed = origin?.why === 'import' && origin.from === bareId(id);
  const there = origin?.store === undefined ? undefined : stores.find(({ url }) => url === origin.store);
  // Without an address it came from where it is; an unknown address is a store that is not here.
  const store = origin?.store === undefined ? splitKey(id).store : there && (there.usual ? '' : there.name);
  const from =
    origin && store !== undefined && origin.why !== 'import' ? runKey(store, origin.from) : undefined;
  return (
    <>
      {origin && (
        <div className={s['origin']}>
          <GitFork size="0.9375rem" aria-hidden="true" />
          <span>
            {stayed ? (
              'Imported'
            ) : (
              <>
                {WHY[origin.why]}{' '}
                {origin.title === undefined ? (
                  <Name text={origin.from} />
                ) : (
                  <>
                    “<Name text={origin.title} />”
                  </>
                )}
              </>
            )}
            {origin.through !== undefined && origin.why === 'fork' && (
              <> up to record {count(origin.through)}</>
            )}
            {from === undefined && origin.why !== 'import' && ', in a store that is not here'}
            <time dateTime={origin.at} title={fullTime(origin.at)} />
          </span>
          {from !== undefined && (
            <>
              <Button size="s" look="ghost" onClick={() => openRun(from)}>
                Open it
              </Button>
              <Button size="s" look="ghost" onClick={() => go({ view: 'compare', a: from, b: id })}>
                Compare
              </Button>
            </>
          )}
        </div>
      )}
      {repairs.map((repair) => (
        <div key={repair.at} className={s['origin']}>
          <Wrench size="0.9375rem" aria-hidden="true" />
          <span>
            Repaired on {fullTime(repair.at)}: {bytes(repair.bytes)} cut off. All bytes as they were are in{' '}
            <Shown text={repair.backup} />, beside the journal.
          </span>
        </div>
      ))}
    </>
  );
}

/** Made by Holdfast on its first start. */
function Sample({ head }: { head: RunHead }) {
  return (
    <div className={s['origin']}>
      <FlaskConical size="0.9375rem" aria-hidden="true" />
      <span>
        This is a sample run. Try the transcript, search, compare and export with it. If you delete it, it
        won’t come back.
      </span>
      <Button size="s" look="ghost" onClick={() => void deleteRun(head.row)}>
        Delete the sample
      </Button>
    </div>
  );
}
