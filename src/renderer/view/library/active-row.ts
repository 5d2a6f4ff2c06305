import { useEffect, useReducer, useRef, useState, type RefObject } from 'react';
import type { RunRow } from '../../../shared/contract/views';

type Rows = readonly (RunRow | undefined)[];

interface ActiveRow {
  /** Place of the row that keys act on. */
  active: number;
  /** `row`: the one that is shown there, if it has been read. */
  setActive: (index: number, row: RunRow | undefined) => void;
  /** The focus went with a row that left the page: whoever renders gives it to the active one. */
  bereft: () => boolean;
}

/**
 * The row that the keys of a list act on. Runs come and go while a list is shown, so it is a run that is held, not its
 * place: Delete must never hit the run that has just moved there.
 */
export function useActiveRow(rows: Rows, box: RefObject<HTMLElement | null>): ActiveRow {
  const [held, setHeld] = useState<{ index: number; id: string | undefined }>({ index: 0, id: undefined });
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
    // A press beside everything takes the focus away without giving it to anything.
    // A row that leaves the page takes the focus with it after everybody has rendered.
    const left = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget === null && had.current) window.requestAnimationFrame(lookAgain);
    };
    document.addEventListener('focusin', told);
    document.addEventListener('focusout', left);
    document.addEventListener('pointerdown', told);
    return () => {
      document.removeEventListener('focusin', told);
      document.removeEventListener('focusout', left);
      document.removeEventListener('pointerdown', told);
    };
  }, [box]);
  return {
    active: at < 0 ? held.index : at,
    setActive: (index, row) => setHeld({ index, id: row?.id }),
    bereft: () => had.current && document.activeElement === document.body,
  };
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
