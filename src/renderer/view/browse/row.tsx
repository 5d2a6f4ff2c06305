import { memo } from 'react';
import { Ellipsis, EyeOff, Pin, Users } from 'lucide-react';
import type { RunRow } from '../../../shared/contract/views';
import { spentOf, tokensOf } from '../../../shared/run/tokens';
import { openRun } from '../../store/app';
import { browseChoice, useBrowse } from '../../store/browse';
import { Alert } from '../kit/alert';
import { IconButton } from '../kit/button';
import { Menu } from '../kit/menu';
import { count, short } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { fullTime, tableTime } from '../kit/time';
import { Rename } from '../library/rename';
import { RowActions } from '../library/row-menu';
import { Tags } from '../library/tags';
import type { Column } from './columns';
import { GridRow } from './grid';
import s from './browse.module.css';

export const TableRow = memo(function TableRow({
  row,
  index,
  columns,
  chosen,
  tabbable,
  renaming,
  onFocus,
  onShown,
  onRename,
}: {
  row: RunRow;
  index: number;
  columns: readonly Column[];
  chosen: boolean;
  tabbable: boolean;
  renaming: boolean;
  onFocus: () => void;
  /** It is in the page now, and may be waited for. */
  onShown: () => void;
  onRename: (on: boolean) => void;
}) {
  const title = row.title || 'Untitled';
  return (
    <GridRow
      index={index}
      title={title}
      className={s['row']}
      chosen={chosen}
      some={() => useBrowse.getState().chosen.size > 0}
      choice={browseChoice}
      tabbable={tabbable}
      onFocus={onFocus}
      onShown={onShown}
      onOpen={() => openRun(row.id)}
    >
      {columns.map(({ id, number }) => (
        <span key={id} role="gridcell" className={s[id]} data-number={number}>
          {id === 'title' && renaming ? (
            <Rename id={row.id} title={row.title} className={s['rename']} onDone={() => onRename(false)} />
          ) : (
            <Cell column={id} row={row} title={title} />
          )}
        </span>
      ))}
      <span role="gridcell">
        <Menu
          label={`Actions for ${title}`}
          align="end"
          trigger={
            <IconButton
              size="s"
              className={s['more'] ?? ''}
              tabIndex={tabbable ? 0 : -1}
              label={`More for ${title}`}
              icon={<Ellipsis size="1rem" />}
            />
          }
        >
          <RowActions row={row} open onRename={() => onRename(true)} />
        </Menu>
      </span>
    </GridRow>
  );
});

function Cell({ column, row, title }: { column: Column['id']; row: RunRow; title: string }) {
  const { counters } = row;
  switch (column) {
    case 'title':
      return (
        <>
          {row.pinned && <Pin size="0.8125rem" className={s['pin']} aria-label="Pinned" />}
          {row.private && <EyeOff size="0.8125rem" aria-label="Private" />}
          {row.elsewhere && <Users size="0.8125rem" aria-label="Open elsewhere" />}
          <Alert of={row.warnings} size="0.8125rem" />
          <button type="button" tabIndex={-1} className={s['open']} onClick={() => openRun(row.id)}>
            <Name text={title} />
          </button>
          <Tags tags={row.tags} />
        </>
      );
    case 'status':
      return (
        <span className={s['state']} title={row.detail}>
          <Mark of={row.status} />
          <span>
            {STATUS_WORD[row.status]}
            {row.done && ', done'}
          </span>
        </span>
      );
    case 'model':
      return row.model ? <Shown text={row.model} /> : <None />;
    case 'store':
      return <Name text={row.store} />;
    case 'steps':
      return row.steps === undefined ? <None /> : count(row.steps);
    case 'tokens':
      return counters ? short(tokensOf(spentOf(counters)).all) : <None />;
    case 'updated':
      return <When at={row.updated} />;
    case 'created':
      return row.created === undefined ? <None /> : <When at={row.created} />;
  }
}

const When = ({ at }: { at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {tableTime(at)}
  </time>
);

const None = () => (
  <>
    <span aria-hidden="true">–</span>
    <span className="sr">Not known</span>
  </>
);
