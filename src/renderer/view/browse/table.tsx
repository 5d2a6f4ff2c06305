import { useMemo, useState } from 'react';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { GroupedVirtuoso } from 'react-virtuoso';
import type { RunRow } from '../../../shared/contract/views';
import { openRun } from '../../store/app';
import { browseChoice, showRows, sortBy, sortOf, useBrowse } from '../../store/browse';
import { rowKeys } from '../library/active-row';
import { deleteRun, deleteRuns } from '../../store/runs';
import { count } from '../kit/numbers';
import { dayName } from '../kit/time';
import { template, type Column } from './columns';
import { CheckAll, Ghost, Scroller, useGrid } from './grid';
import { TableRow } from './row';
import s from './browse.module.css';

/** The runs as a table of which only the rows on the screen exist. */
export function Table({ columns }: { columns: readonly Column[] }) {
  const { rows, total, days, pinned, query, chosen } = useBrowse();
  const sort = sortOf(query);
  const [renaming, setRenaming] = useState<string>();
  const { list, box, active, setActive, takeFocus, focusOn, onKeyDown } = useGrid<RunRow>({
    asked: JSON.stringify(query),
    rows,
    total,
    chosen,
    choice: browseChoice,
    act: (key, row) => {
      if (key === 'Enter') openRun(row.id);
      else if (key === 'F2' && !row.private) setRenaming(row.id);
      else if (key === 'Delete')
        void (chosen.size > 0
          ? deleteRuns([...chosen], chosen.has(row.id) ? row.title : undefined)
          : deleteRun(row));
      else return false;
      return true;
    },
  });
  const groups = useMemo(() => {
    const label = columns.find(({ id }) => id === sort.by)?.label.toLowerCase() ?? sort.by;
    const rest =
      days.length > 0
        ? days.map(({ day, count: runs }) => ({ name: day ? dayName(day) : 'Without a date', count: runs }))
        : [{ name: `By ${label}`, count: total - pinned }];
    return [...(pinned > 0 ? [{ name: 'Pinned', count: pinned }] : []), ...rest].filter(
      (group) => group.count > 0,
    );
  }, [days, pinned, total, sort.by, columns]);

  const rowKeyOf = useMemo(() => rowKeys(groups, rows), [groups, rows]);

  return (
    <div
      className={s['table']}
      role="grid"
      aria-label="Runs"
      aria-multiselectable="true"
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 2}
      ref={box}
      tabIndex={-1}
      style={{ '--columns': template(columns) } as React.CSSProperties}
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} className={s['head']}>
        <div role="columnheader">
          <CheckAll chosen={chosen} total={total} choice={browseChoice} />
        </div>
        {columns.map((column) => {
          const sorted = sort.by === column.id;
          return (
            <div
              key={column.id}
              role="columnheader"
              aria-sort={sorted ? (sort.up ? 'ascending' : 'descending') : 'none'}
              data-number={column.number}
            >
              <button type="button" onClick={() => sortBy(column.id)}>
                {column.label}
                {sorted &&
                  (sort.up ? (
                    <ArrowUp size="0.75rem" aria-hidden="true" />
                  ) : (
                    <ArrowDown size="0.75rem" aria-hidden="true" />
                  ))}
              </button>
            </div>
          );
        })}
        <div role="columnheader">
          <span className="sr">Actions</span>
        </div>
      </div>
      <GroupedVirtuoso
        ref={list}
        className={s['scroller'] ?? ''}
        groupCounts={groups.map((group) => group.count)}
        increaseViewportBy={300}
        itemsRendered={takeFocus}
        defaultItemHeight={38}
        computeItemKey={rowKeyOf}
        rangeChanged={({ startIndex, endIndex }) => showRows(startIndex, endIndex)}
        groupContent={(index) => {
          const group = groups[index];
          return (
            <div role="row" className={s['group']}>
              <span role="gridcell" aria-colspan={columns.length + 2}>
                {group?.name} <small>{count(group?.count ?? 0)}</small>
              </span>
            </div>
          );
        }}
        itemContent={(index) => {
          const row = rows[index];
          if (!row) return <Ghost index={index} />;
          return (
            <TableRow
              row={row}
              index={index}
              columns={columns}
              chosen={chosen.has(row.id)}
              tabbable={index === active}
              renaming={renaming === row.id}
              onFocus={() => setActive(index, row)}
              onShown={takeFocus}
              onRename={(on) => {
                setRenaming(on ? row.id : undefined);
                if (!on) focusOn(index);
              }}
            />
          );
        }}
        components={{ Scroller }}
      />
    </div>
  );
}
