import { useMemo, useRef } from 'react';
import { GroupedVirtuoso, type GroupedVirtuosoHandle } from 'react-virtuoso';
import { showRange, useLibrary } from '../../store/library';
import { deleteRun } from '../../store/runs';
import { many } from '../kit/numbers';
import { dayName } from '../kit/time';
import { placeBy, rowKeys, useActiveRow } from './active-row';
import { LibraryRow } from './row';
import s from './library.module.css';

const rowAt = (index: number) => `[data-run-row="${index}"]`;

/** The runs by day. One stop of the Tab key; arrows go on from there, also to rows that are not in the page yet. */
export function Runs({ selected }: { selected: string | undefined }) {
  const { days, rows, total, pinned, filter, words, store } = useLibrary();
  // Pinned runs are a group of their own, above the days.
  const groups = useMemo(
    () => [
      ...(pinned > 0 ? [{ name: 'Pinned', count: pinned }] : []),
      ...days.map(({ day, count }) => ({ name: dayName(day), count })),
    ],
    [days, pinned],
  );
  const keys = useMemo(() => rowKeys(groups, rows), [groups, rows]);
  const list = useRef<GroupedVirtuosoHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const { active, setActive, takeFocus, move } = useActiveRow({
    asked: JSON.stringify([filter, words, store]),
    rows,
    total,
    list,
    box,
    rowAt,
  });
  const at = rows.findIndex((row) => row?.id === selected);
  const place = at >= 0 && active === 0 ? at : active;
  const onKeyDown = (event: React.KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const own = target === event.currentTarget;
    const index = target.closest<HTMLElement>('[data-run-row]')?.dataset['runRow'];
    const from = own ? active : Number(index ?? NaN);
    if (Number.isNaN(from) || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = placeBy(event.key, from, total);
    if (to !== undefined) {
      event.preventDefault();
      move(to);
      return;
    }
    const row = rows[from];
    if (row && event.key === 'Delete') {
      event.preventDefault();
      void deleteRun(row);
    }
  };
  return (
    <div className={s['list']} ref={box} tabIndex={-1} onKeyDown={onKeyDown}>
      <GroupedVirtuoso
        ref={list}
        className={s['scroller'] ?? ''}
        groupCounts={groups.map((group) => group.count)}
        increaseViewportBy={300}
        itemsRendered={takeFocus}
        defaultItemHeight={54}
        computeItemKey={keys}
        rangeChanged={({ startIndex, endIndex }) => showRange(startIndex, endIndex)}
        groupContent={(index) => {
          const group = groups[index];
          return (
            <h2 className={s['day']}>
              {group?.name}
              <span className="sr">, {many(group?.count ?? 0, 'run')}</span>
            </h2>
          );
        }}
        itemContent={(index) => {
          const row = rows[index];
          if (!row) return <div className={s['ghost']} aria-hidden="true" />;
          return (
            <LibraryRow
              row={row}
              index={index}
              selected={row.id === selected}
              tabbable={index === place}
              onFocus={() => setActive(index, row)}
              onShown={takeFocus}
            />
          );
        }}
        components={{ Scroller }}
      />
    </div>
  );
}

/** The list is reached by its rows; the scroller itself is no stop. */
const Scroller = ({ ref, ...rest }: React.ComponentProps<'div'> & { context?: unknown }) => {
  const { context: _, ...props } = rest;
  return <div {...props} ref={ref} tabIndex={-1} />;
};
