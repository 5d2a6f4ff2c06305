import { useEffect, useMemo, useRef, useState } from 'react';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { GroupedVirtuoso, type GroupedVirtuosoHandle } from 'react-virtuoso';
import { openRun } from '../../store/app';
import {
  choose,
  chooseAll,
  chooseNone,
  chooseTo,
  showRows,
  sortBy,
  sortOf,
  useBrowse,
} from '../../store/browse';
import { rowKeys, useActiveRow } from '../library/active-row';
import { deleteRun, deleteRuns } from '../../store/runs';
import { pressed } from '../kit/keys';
import { count, many } from '../kit/numbers';
import { dayName } from '../kit/time';
import { template, type Column } from './columns';
import { TableRow } from './row';
import s from './browse.module.css';

const rowAt = (index: number) => `[data-browse-row="${index}"]`;

/**
 * The runs as a table of which only the rows on the screen exist. One stop of the Tab key: arrows move, Space chooses,
 * Shift extends, the menu and the check boxes belong to the row that has the focus.
 */
export function Table({ columns }: { columns: readonly Column[] }) {
  const { rows, total, days, pinned, query, chosen } = useBrowse();
  const sort = sortOf(query);
  const list = useRef<GroupedVirtuosoHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const {
    active: roving,
    setActive,
    takeFocus,
    focusOn,
    move,
  } = useActiveRow({ asked: JSON.stringify(query), rows, total, list, box, rowAt });
  const [renaming, setRenaming] = useState<string>();
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

  const onKeyDown = (event: React.KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (target.closest('[role="menu"], input[type="text"]')) return;
    if (pressed(event, 'mod+a')) {
      event.preventDefault();
      void chooseAll();
      return;
    }
    if (event.key === 'Escape' && chosen.size > 0) {
      event.preventDefault();
      chooseNone();
      return;
    }
    const onRow = target.hasAttribute('data-browse-row') || target === event.currentTarget;
    if (!onRow || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Record<string, number> = {
      ArrowDown: roving + 1,
      ArrowUp: roving - 1,
      PageDown: roving + 10,
      PageUp: roving - 10,
      Home: 0,
      End: total - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      if (event.shiftKey && chosen.size === 0) choose(roving, 'only');
      const next = move(to);
      if (event.shiftKey) void chooseTo(next);
      return;
    }
    const row = rows[roving];
    if (!row) return;
    if (event.key === ' ') choose(roving, 'toggle');
    else if (event.key === 'Enter') openRun(row.id);
    else if (event.key === 'F2' && !row.private) setRenaming(row.id);
    else if (event.key === 'Delete')
      void (chosen.size > 0
        ? deleteRuns([...chosen], chosen.has(row.id) ? row.title : undefined)
        : deleteRun(row));
    else return;
    event.preventDefault();
  };

  const all = chosen.size > 0 && chosen.size >= total;
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
          <Check
            label={all ? 'Select none' : `Select all ${many(total, 'run')}`}
            checked={all}
            some={chosen.size > 0 && !all}
            onChange={() => (all ? chooseNone() : void chooseAll())}
          />
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
              tabbable={index === roving}
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

/** The place of a row that is on its way. */
const Ghost = ({ index }: { index: number }) => (
  <div role="row" aria-rowindex={index + 2} className={s['ghost']}>
    <span role="gridcell">
      <span className="sr">Loading</span>
    </span>
  </div>
);

/** A check box that can also stand between on and off. */
export function Check({
  label,
  checked,
  some = false,
  onChange,
  onClick,
}: {
  label: string;
  checked: boolean;
  some?: boolean;
  onChange: () => void;
  onClick?: (event: React.MouseEvent) => void;
}) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = some;
  });
  return (
    <input
      ref={ref}
      type="checkbox"
      className={s['check']}
      aria-label={label}
      title={label}
      tabIndex={onClick ? -1 : 0}
      checked={checked}
      onChange={onChange}
      onClick={onClick}
    />
  );
}

/** The table is reached by its rows: what scrolls them is neither a stop nor a part of the grid. */
const Scroller = ({ ref, ...rest }: React.ComponentProps<'div'> & { context?: unknown }) => {
  const { context: _, tabIndex: __, ...props } = rest;
  return <div {...props} ref={ref} />;
};
