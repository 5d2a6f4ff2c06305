import { useEffect, useReducer, useRef, useState, type RefObject } from 'react';
import type { GroupedVirtuosoHandle } from 'react-virtuoso';
import { FOCUS_RETURNS } from '../kit/dialog';

/** Sparse: rows that were not asked for are absent. */
export type Rows<Row = { id: string }> = readonly (Row | undefined)[];

interface List {
  /** What the list is asked for: another text is another list, which begins at its top. */
  asked: string;
  rows: Rows;
  total: number;
  list: RefObject<GroupedVirtuosoHandle | null>;
  /** Holds the focus while the row that is to have it is not in the page yet. */
  box: RefObject<HTMLElement | null>;
  /** Finds the element of a row by its place. */
  rowAt: (index: number) => string;
}

interface ActiveRow {
  /** Place of the row that keys act on, and of the one stop of the Tab key. */
  active: number;
  /** `row`: the one that is shown there, if it has been read. */
  setActive: (index: number, row: { id: string } | undefined) => void;
  /** Gives the focus to the row that is to have it, as soon as it is in the page. */
  takeFocus: () => void;
  /** Gives it to the row in a place that is in the page. */
  focusOn: (index: number) => void;
  /** Goes to a place, also one far away; the nearest that there is, which it gives back. */
  move: (to: number) => number;
}

/**
 * The row that the keys of a list act on. Runs come and go while a list is shown, so it is a run that is held, not its
 * place: Delete must never hit the run that has just moved there.
 */
export function useActiveRow({ asked, rows, total, list, box, rowAt }: List): ActiveRow {
  const [held, setHeld] = useState<{ index: number; id: string | undefined }>({ index: 0, id: undefined });
  const [shown, setShown] = useState(asked);
  if (shown !== asked) {
    setShown(asked);
    setHeld({ index: 0, id: undefined });
  }
  const scrolled = useRef(asked);
  useEffect(() => {
    if (scrolled.current === asked) return;
    scrolled.current = asked;
    // By index: it also ends a jump that is still settling.
    list.current?.scrollToIndex({ groupIndex: 0 });
  }, [asked, list]);
  const stays = held.id === undefined || rows[held.index]?.id === held.id;
  const at = stays ? held.index : rows.findIndex((row) => row?.id === held.id);
  // Where it was last is where its neighbour will be, once it is gone.
  if (at >= 0 && at !== held.index) setHeld({ index: at, id: held.id });
  const had = useRef(false);
  const [, lookAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const told = ({ target }: Event) => {
      had.current = target instanceof Node && (box.current?.contains(target) ?? false);
    };
    // A row that leaves the page takes the focus with it after everybody has rendered.
    const left = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget === null && had.current) window.requestAnimationFrame(lookAgain);
    };
    // Its row went while a dialog had the focus.
    const back = ({ target }: Event) => {
      if (!(target instanceof Node && box.current?.contains(target))) return;
      had.current = true;
      window.requestAnimationFrame(lookAgain);
    };
    document.addEventListener(FOCUS_RETURNS, back);
    document.addEventListener('focusin', told);
    document.addEventListener('focusout', left);
    // A press beside everything takes the focus away without giving it to anything.
    document.addEventListener('pointerdown', told);
    return () => {
      document.removeEventListener(FOCUS_RETURNS, back);
      document.removeEventListener('focusin', told);
      document.removeEventListener('focusout', left);
      document.removeEventListener('pointerdown', told);
    };
  }, [box]);
  const active = Math.min(at < 0 ? held.index : at, Math.max(0, total - 1));
  const setActive = (index: number, row: { id: string } | undefined) => setHeld({ index, id: row?.id });

  const wanted = useRef<number>(undefined);
  const takeFocus = () => {
    // It went with a row that left the page.
    if (had.current && document.activeElement === document.body) wanted.current ??= active;
    if (wanted.current === undefined) return;
    const row = box.current?.querySelector<HTMLElement>(rowAt(wanted.current));
    if (!row) return;
    row.focus();
    wanted.current = undefined;
  };
  useEffect(takeFocus);
  const focusOn = (index: number) => {
    wanted.current = index;
    takeFocus();
  };
  const move = (to: number) => {
    const next = Math.max(0, Math.min(total - 1, to));
    setActive(next, rows[next]);
    // A row that is far away is not in the page yet: the list holds the focus until it is.
    wanted.current = next;
    list.current?.scrollIntoView({ index: next, behavior: 'auto', done: takeFocus });
    if (wanted.current !== undefined) box.current?.focus();
    return next;
  };
  return { active, setActive, takeFocus, focusOn, move };
}

/** The place that a key leads to; beyond the ends, too. undefined: it leads nowhere. */
export function placeBy(key: string, from: number, total: number): number | undefined {
  const places: Record<string, number> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + 10,
    PageUp: from - 10,
    Home: 0,
    End: total - 1,
  };
  return places[key];
}

/**
 * Keys for the rows of a grouped list, by which what belongs to a run (focus, an open menu, a title being typed) goes
 * with it when it moves. `place` counts the headings of the groups too.
 */
export function rowKeys(groups: readonly { name: string; count: number }[], rows: Rows) {
  return (place: number): string => {
    let first = 0;
    for (const [n, { name, count }] of groups.entries()) {
      if (place === first) return `group ${name}`;
      if (place <= first + count) return rows[place - n - 1]?.id ?? `place ${place}`;
      first += count + 1;
    }
    return `place ${place}`;
  };
}
