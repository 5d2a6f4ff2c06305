import { useEffect, useId, useRef, useState } from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { MessageSquare, TriangleAlert } from 'lucide-react';
import type { TurnRow } from '../../../shared/contract/reading';
import { tokensOf } from '../../../shared/run/tokens';
import { goTo, useGoal } from '../../store/goal';
import { count, many, short } from '../kit/numbers';
import { Shown } from '../kit/shown';
import { clockTime, fullTime } from '../kit/time';
import s from './panel.module.css';

/** Which row the transcript stands in: the last one that begins at or before its item. */
function rowAt(rows: readonly TurnRow[], index: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.index ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The run at a glance, a line for each message and each model call; follows what is read, and leads there. */
export function Turns({ rows, onGone }: { rows: readonly TurnRow[]; onGone: (() => void) | undefined }) {
  const top = useGoal((state) => state.top);
  const read = rowAt(rows, top);
  const list = useRef<VirtuosoHandle>(null);
  const box = useRef<HTMLElement>(null);
  const id = useId();
  /** The row that the keyboard is on; absent: the one that is read. */
  const [mine, setMine] = useState<number>();
  const active = Math.min(mine ?? read, rows.length - 1);
  useEffect(() => {
    // Whoever walks through the table is not moved by the transcript.
    if (document.activeElement !== box.current) list.current?.scrollIntoView({ index: read });
  }, [read]);
  const open = (at: number) => {
    const row = rows[at];
    if (!row) return;
    setMine(at);
    goTo(row.index);
    onGone?.();
  };
  if (rows.length === 0) return <p className={s['note']}>Nothing was said in this run.</p>;
  return (
    <Virtuoso
      ref={list}
      scrollerRef={(element) => {
        box.current = element instanceof HTMLElement ? element : null;
      }}
      data={rows as TurnRow[]}
      className={s['list'] ?? ''}
      role="listbox"
      aria-label="Turns"
      aria-activedescendant={`${id}${active}`}
      tabIndex={0}
      onBlur={() => setMine(undefined)}
      onKeyDown={(event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const steps: Record<string, number> = {
          ArrowDown: active + 1,
          ArrowUp: active - 1,
          PageDown: active + 10,
          PageUp: active - 10,
          Home: 0,
          End: rows.length - 1,
        };
        const to = steps[event.key];
        if (event.key === 'Enter' || event.key === ' ') open(active);
        else if (to === undefined) return;
        else {
          const next = Math.max(0, Math.min(rows.length - 1, to));
          setMine(next);
          list.current?.scrollIntoView({ index: next });
        }
        event.preventDefault();
      }}
      defaultItemHeight={58}
      initialTopMostItemIndex={{ index: read, align: 'center' }}
      increaseViewportBy={200}
      itemContent={(at, row) => (
        <div
          id={`${id}${at}`}
          role="option"
          className={s['turn']}
          data-turn={at}
          data-kind={row.kind}
          data-active={at === active}
          aria-selected={at === read}
          onClick={() => open(at)}
        >
          <Row row={row} />
        </div>
      )}
    />
  );
}

function Row({ row }: { row: TurnRow }) {
  return (
    <>
      {row.kind === 'prompt' ? (
        <span className={s['first']}>
          <MessageSquare size="0.75rem" aria-hidden="true" />
          <span className={s['words']}>
            <Shown text={row.words || 'An empty message'} />
          </span>
          <Time at={row.at} />
        </span>
      ) : (
        <>
          <span className={s['first']}>
            <span className={s['number']}>
              <span className="sr">Step </span>
              {count(row.iteration + 1)}
            </span>
            <span className={s['words']}>
              <Shown text={row.words || asked(row)} />
            </span>
            <Time at={row.at} />
          </span>
          <span className={s['second']}>
            {row.words !== '' && row.calls > 0 && (
              <span className={s['tools']}>
                <Shown text={asked(row)} />
              </span>
            )}
            {row.errors > 0 && (
              <span className={s['errors']}>
                <TriangleAlert size="0.75rem" aria-hidden="true" /> {many(row.errors, 'error')}
              </span>
            )}
            <span className={s['tokens']}>
              {short(tokensOf(row).in)} in · {short(row.out)} out
              {row.cacheRead > 0 && ` · ${short(row.cacheRead)} cached`}
            </span>
          </span>
        </>
      )}
    </>
  );
}

const Time = ({ at }: { at: string | undefined }) =>
  at === undefined ? null : (
    <time dateTime={at} title={fullTime(at)}>
      {clockTime(at)}
    </time>
  );

function asked({ tools, calls }: Extract<TurnRow, { kind: 'turn' }>): string {
  if (calls === 0) return 'No words';
  const more = calls - tools.length;
  return `${tools.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}
