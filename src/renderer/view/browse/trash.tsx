import { useEffect } from 'react';
import { RotateCcw, Trash2 } from 'lucide-react';
import { Virtuoso } from 'react-virtuoso';
import { go, useApp } from '../../store/app';
import { restoreRuns } from '../../store/runs';
import {
  emptyTrash,
  openTrash,
  purgeRun,
  refreshTrash,
  showTrashed,
  useTrash,
  type Trashed,
} from '../../store/trash';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { bytes, many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { fullTime, tableTime } from '../kit/time';
import s from './browse.module.css';
import t from './trash.module.css';

export function EmptyTrash() {
  const total = useTrash((state) => state.total);
  const asking = useTrash((state) => state.asking);
  if (total === 0) return null;
  return (
    <Button
      size="s"
      look="danger"
      icon={<Trash2 size="0.9375rem" />}
      disabled={asking !== undefined}
      onClick={() => void emptyTrash(total)}
    >
      Empty the trash…
    </Button>
  );
}

/** What was deleted and can be brought back. Nothing goes from here by itself. */
export function Trash() {
  const { total, rows, ready, failure, keeps, failed } = useTrash();
  useEffect(openTrash, []);
  return (
    <div className={s['page']}>
      <Asking />
      {(keeps.length > 0 || failed.length > 0) && (
        <ul className={t['remarks']}>
          {keeps.map(({ label, why }) => (
            <li key={label}>
              <b>
                <Name text={label} />
              </b>{' '}
              keeps every run: <Shown text={why} prose />
            </li>
          ))}
          {failed.map(({ label, failure: why }) => (
            <li key={label} data-tone="warn">
              The trash of{' '}
              <b>
                <Name text={label} />
              </b>{' '}
              could not be read: <Shown text={why.message} prose />
            </li>
          ))}
        </ul>
      )}
      {failure && rows.length === 0 ? (
        <div className={s['note']}>
          <FailureNote
            failure={failure}
            actions={
              <Button size="s" onClick={refreshTrash}>
                Try again
              </Button>
            }
          />
        </div>
      ) : ready && total === 0 ? (
        <div className={s['empty']}>
          <p>The trash is empty. Runs that you delete stay here until you empty it.</p>
          <Button onClick={() => go({ view: 'browse' })}>All runs</Button>
        </div>
      ) : (
        <Virtuoso
          className={s['scroller'] ?? ''}
          totalCount={total}
          increaseViewportBy={300}
          defaultItemHeight={52}
          rangeChanged={({ startIndex, endIndex }) => showTrashed(startIndex, endIndex)}
          itemContent={(index) => {
            const run = rows[index];
            return run ? <TrashedRow run={run} /> : <div className={s['ghost']} aria-hidden="true" />;
          }}
          components={{ List, Item }}
        />
      )}
    </div>
  );
}

/** The question stands outside of the page, where no text of a run can press its button. */
function Asking() {
  const asking = useTrash((state) => state.asking);
  const door = useApp((state) => state.hello?.door);
  if (asking === undefined) return null;
  return (
    <p className={t['asking']} role="status">
      {door === 'browser'
        ? `Deleting ${many(asking, 'run')} for good cannot be undone, so Holdfast asks where it runs: answer in the terminal that it was started in.`
        : `Holdfast asks whether to delete ${many(asking, 'run')} for good.`}
    </p>
  );
}

function TrashedRow({ run: { row, at, size } }: { run: Trashed }) {
  const asking = useTrash((state) => state.asking);
  const title = row.title || 'Untitled';
  return (
    <div className={t['trashed']}>
      <Mark of={row.status} />
      <div>
        <p className={t['trashed-title']}>
          <Name text={title} />
        </p>
        <p className={t['trashed-facts']}>
          <span>{STATUS_WORD[row.status]}</span>
          <span>
            <Name text={row.store} />
          </span>
          <span>{bytes(size)}</span>
          {at !== undefined && (
            <span>
              deleted{' '}
              <time dateTime={at} title={fullTime(at)}>
                {tableTime(at)}
              </time>
            </span>
          )}
        </p>
      </div>
      <Button
        size="s"
        icon={<RotateCcw size="0.875rem" />}
        aria-label={`Restore ${title}`}
        onClick={() => void restoreRuns([row.id])}
      >
        Restore
      </Button>
      <Button
        size="s"
        look="ghost"
        aria-label={`Delete for good… ${title}`}
        disabled={asking !== undefined}
        onClick={() => void purgeRun(row.id)}
      >
        Delete for good…
      </Button>
    </div>
  );
}

const List = ({ ref, context: _, ...rest }: React.ComponentProps<'div'> & { context?: unknown }) => (
  <div {...rest} ref={ref} role="list" aria-label="Deleted runs" />
);
const Item = ({
  context: _,
  item: __,
  ...rest
}: React.ComponentProps<'div'> & { context?: unknown; item?: unknown }) => <div {...rest} role="listitem" />;
