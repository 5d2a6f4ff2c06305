import { useEffect, useMemo } from 'react';
import { RotateCcw, Trash2 } from 'lucide-react';
import { Virtuoso } from 'react-virtuoso';
import { splitKey } from '../../../shared/contract/run-key';
import { go, useApp } from '../../store/app';
import { restoreRuns } from '../../store/runs';
import {
  emptyTrash,
  openTrash,
  purgeRuns,
  refreshTrash,
  showTrashed,
  trashChoice,
  useTrash,
  type Trashed,
} from '../../store/trash';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { bytes, many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { fullTime, tableTime } from '../kit/time';
import { Bulk } from './bulk';
import { CheckAll, Ghost, GridRow, Scroller, useGrid } from './grid';
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
        <Deleted />
      )}
      <TrashBulk />
    </div>
  );
}

/** As in the table of all runs: chosen by a press or by keys, one, several, a range or all. */
function Deleted() {
  const { total, rows, chosen } = useTrash();
  const runs = useMemo(() => rows.map((trashed) => trashed?.row), [rows]);
  const { list, box, active, setActive, takeFocus, onKeyDown } = useGrid({
    asked: '',
    rows: runs,
    total,
    chosen,
    choice: trashChoice,
    act: (key, row) => {
      if (key !== 'Delete') return false;
      void purgeRuns(chosen.size > 0 ? [...chosen] : [row.id]);
      return true;
    },
  });
  return (
    <div
      className={`${s['table']} ${t['table']}`}
      role="grid"
      aria-label="Deleted runs"
      aria-multiselectable="true"
      aria-rowcount={total + 1}
      aria-colcount={3}
      ref={box}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} className={s['head']}>
        <div role="columnheader">
          <CheckAll chosen={chosen} total={total} choice={trashChoice} />
        </div>
        <div role="columnheader">Run</div>
        <div role="columnheader">
          <span className="sr">Actions</span>
        </div>
      </div>
      <Virtuoso
        ref={list}
        className={s['scroller'] ?? ''}
        totalCount={total}
        increaseViewportBy={300}
        itemsRendered={takeFocus}
        defaultItemHeight={52}
        computeItemKey={(index) => runs[index]?.id ?? `place ${index}`}
        rangeChanged={({ startIndex, endIndex }) => showTrashed(startIndex, endIndex)}
        itemContent={(index) => {
          const run = rows[index];
          if (!run) return <Ghost index={index} />;
          return (
            <TrashedRow
              run={run}
              index={index}
              chosen={chosen.has(run.row.id)}
              tabbable={index === active}
              onFocus={() => setActive(index, run.row)}
              onShown={takeFocus}
            />
          );
        }}
        components={{ Scroller }}
      />
    </div>
  );
}

function TrashBulk() {
  const { chosen, asking } = useTrash();
  const ids = [...chosen];
  return (
    <Bulk chosen={chosen} choice={trashChoice}>
      <Button size="s" icon={<RotateCcw size="0.9375rem" />} onClick={() => void restoreRuns(ids)}>
        Restore
      </Button>
      <Button
        size="s"
        look="danger"
        icon={<Trash2 size="0.9375rem" />}
        disabled={asking !== undefined}
        onClick={() => void purgeRuns(ids)}
      >
        Delete for good…
      </Button>
    </Bulk>
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

function TrashedRow({
  run: { row, at, size },
  index,
  chosen,
  tabbable,
  onFocus,
  onShown,
}: {
  run: Trashed;
  index: number;
  chosen: boolean;
  tabbable: boolean;
  onFocus: () => void;
  onShown: () => void;
}) {
  const asking = useTrash((state) => state.asking);
  const title = row.title || 'Untitled';
  return (
    <GridRow
      index={index}
      title={title}
      className={`${s['row']} ${t['trashed']}`}
      chosen={chosen}
      some={() => useTrash.getState().chosen.size > 0}
      choice={trashChoice}
      tabbable={tabbable}
      onFocus={onFocus}
      onShown={onShown}
    >
      <span role="gridcell">
        <Mark of={row.status} />
        <div>
          <p className={t['trashed-title']}>
            <Name text={title} />
          </p>
          <p className={t['trashed-facts']}>
            <span>{STATUS_WORD[row.status]}</span>
            {/* The usual store goes without saying. */}
            {splitKey(row.id).store !== '' && (
              <span>
                <Name text={row.store} />
              </span>
            )}
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
      </span>
      <span role="gridcell">
        <Button
          size="s"
          icon={<RotateCcw size="0.875rem" />}
          tabIndex={tabbable ? 0 : -1}
          aria-label={`Restore ${title}`}
          onClick={() => void restoreRuns([row.id])}
        >
          Restore
        </Button>
        <Button
          size="s"
          look="ghost"
          tabIndex={tabbable ? 0 : -1}
          aria-label={`Delete for good… ${title}`}
          disabled={asking !== undefined}
          onClick={() => void purgeRuns([row.id])}
        >
          Delete for good…
        </Button>
      </span>
    </GridRow>
  );
}
