import { CircleCheck, CircleDot, Download, GitCompare, Pin, PinOff, Tag, Trash2, X } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { RunRow } from '../../../shared/contract/views';
import { canBeDone } from '../../../shared/run/status';
import { call } from '../../client';
import { exportOf, go } from '../../store/app';
import { browseChoice, useBrowse } from '../../store/browse';
import type { Choice } from '../../store/choice';
import { deleteRuns, markDone, pinRuns, stopWork, tagRuns, useWork } from '../../store/runs';
import { Button, IconButton } from '../kit/button';
import { count, many, percent } from '../kit/numbers';
import s from './browse.module.css';

/** What can be done with everything that is chosen. */
export function BulkBar() {
  const chosen = useBrowse((state) => state.chosen);
  const rows = useBrowse((state) => state.rows);
  const pinned = usePinned(chosen, rows);
  const ids = [...chosen];
  const { ids: markable, done } = markableOf(chosen, rows);
  const [a, b] = ids;
  return (
    <Bulk chosen={chosen} choice={browseChoice}>
      {ids.length === 2 && a !== undefined && b !== undefined && (
        <Button size="s" icon={<GitCompare size="0.9375rem" />} onClick={() => go({ view: 'compare', a, b })}>
          Compare
        </Button>
      )}
      <Button size="s" icon={<Download size="0.9375rem" />} onClick={() => exportOf(ids)}>
        Export…
      </Button>
      <Button
        size="s"
        icon={pinned ? <PinOff size="0.9375rem" /> : <Pin size="0.9375rem" />}
        onClick={() => void pinRuns(ids, !pinned)}
      >
        {pinned ? 'Unpin' : 'Pin'}
      </Button>
      {markable.length > 0 && (
        <Button
          size="s"
          icon={done ? <CircleDot size="0.9375rem" /> : <CircleCheck size="0.9375rem" />}
          onClick={() => void markDone(markable, !done)}
        >
          {done ? 'Mark as not done' : 'Mark as done'}
        </Button>
      )}
      <Button size="s" icon={<Tag size="0.9375rem" />} onClick={() => tagRuns(ids)}>
        Tags…
      </Button>
      <Button size="s" look="danger" icon={<Trash2 size="0.9375rem" />} onClick={() => void deleteRuns(ids)}>
        Delete
      </Button>
    </Bulk>
  );
}

/** The bar below a list from the moment on that something in it is chosen, and while much is being done. */
export function Bulk({
  chosen,
  choice,
  children,
}: {
  chosen: ReadonlySet<string>;
  choice: Choice;
  children: ReactNode;
}) {
  const work = useWork((state) => state.work);
  if (work)
    return (
      <div className={s['bulk']} data-bulk role="status">
        <progress value={work.done} max={work.of} aria-label={work.doing} />
        <span className={s['bulk-text']}>
          {work.doing}: {count(work.done)} of {count(work.of)} ({percent(work.done, work.of)})
        </span>
        <Button size="s" disabled={work.stopped} onClick={stopWork}>
          {work.stopped ? 'Stopping…' : 'Stop'}
        </Button>
      </div>
    );
  if (chosen.size === 0) return null;
  return (
    <Toolbar>
      <span className={s['bulk-text']} role="status">
        {many(chosen.size, 'run')} selected
      </span>
      {children}
      <IconButton
        size="s"
        side="top"
        label="Clear the selection"
        keys="escape"
        icon={<X size="1rem" />}
        onClick={() => choice.none()}
      />
    </Toolbar>
  );
}

/** Leaves the keyboard in the list above when it goes away with the button that had it. */
function Toolbar({ children }: { children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = bar.current;
    return () => {
      if (own?.contains(document.activeElement))
        document.querySelector<HTMLElement>('[data-browse-row][tabindex="0"]')?.focus();
    };
  }, []);
  return (
    <div ref={bar} className={s['bulk']} data-bulk role="toolbar" aria-label="Selected runs">
      {children}
    </div>
  );
}

/**
 * Which of the chosen runs can be marked as done (those that wait for a person, and those whose rows are not loaded), and
 * whether all of them are.
 */
export function markableOf(
  chosen: ReadonlySet<string>,
  rows: readonly (Pick<RunRow, 'id' | 'status' | 'done' | 'elsewhere'> | undefined)[],
): { ids: string[]; done: boolean } {
  const loaded = new Map(rows.flatMap((row) => (row ? [[row.id, row] as const] : [])));
  const ids = [...chosen].filter((id) => {
    const row = loaded.get(id);
    return row === undefined || (canBeDone(row.status) && !row.elsewhere);
  });
  return { ids, done: ids.length > 0 && ids.every((id) => loaded.get(id)?.done === true) };
}

/** Whether all that is chosen is pinned. Asked for where not all of it is loaded. */
function usePinned(chosen: ReadonlySet<string>, rows: readonly unknown[]): boolean {
  const [pinned, setPinned] = useState(false);
  useEffect(() => {
    if (chosen.size === 0) return;
    let live = true;
    const timer = window.setTimeout(() => {
      call('library.tags', { ids: [...chosen] }).then(
        (reply) => live && setPinned(reply.pinned === chosen.size),
        () => undefined,
      );
    }, 60);
    return () => {
      live = false;
      window.clearTimeout(timer);
    };
  }, [chosen, rows]);
  return pinned;
}
