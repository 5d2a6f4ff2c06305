import { useEffect, type RefObject } from 'react';
import type { VirtuosoHandle } from 'react-virtuoso';
import { reachWanted, sawTop, tellSeen, useGoal } from '../../store/goal';
import { useRun } from '../../store/run';

/** How long an item that was jumped to is marked. Milliseconds. */
const MARKED = 1_600;

const rowsOf = (scroller: HTMLElement) => [...scroller.querySelectorAll<HTMLElement>('[data-row]')];

/** Brings what the reader jumps to into view, marks it for a moment, and tells which item is at the top. */
export function useReached(
  list: RefObject<VirtuosoHandle | null>,
  scroller: HTMLElement | null,
  letGo: () => void,
): void {
  const id = useRun((state) => state.id);
  const ready = useRun((state) => state.head !== undefined && !state.tail);
  const wanted = useGoal((state) => state.wanted);
  const goal = useGoal((state) => state.goal);
  useEffect(() => {
    if (ready && wanted && wanted.id === id) void reachWanted();
  }, [ready, wanted, id]);

  useEffect(() => {
    if (!goal || !scroller || !ready) return;
    letGo();
    list.current?.scrollToIndex({ index: goal.index, align: 'start', offset: -8 });
    let marked: HTMLElement | undefined;
    let timer = 0;
    const end = () => {
      watch.disconnect();
      marked?.removeAttribute('data-reached');
    };
    const mark = () => {
      const row = scroller.querySelector<HTMLElement>(`[data-row="${goal.index}"]`);
      if (!row || row === marked) return;
      marked?.removeAttribute('data-reached');
      marked = row;
      row.setAttribute('data-reached', '');
      if (timer === 0) timer = window.setTimeout(end, MARKED);
    };
    // The row comes into the page a little later, and heights that become known move it.
    const watch = new MutationObserver(mark);
    watch.observe(scroller, { childList: true, subtree: true });
    mark();
    const settle = window.setTimeout(
      () => list.current?.scrollToIndex({ index: goal.index, align: 'start', offset: -8 }),
      120,
    );
    return () => {
      window.clearTimeout(settle);
      window.clearTimeout(timer);
      end();
    };
  }, [goal, scroller, ready, list, letGo]);

  useEffect(() => {
    if (!scroller) return;
    let asked = 0;
    const look = () => {
      asked = 0;
      const edge = scroller.getBoundingClientRect().top + 24;
      const row = rowsOf(scroller).find((each) => each.getBoundingClientRect().bottom > edge);
      if (row) sawTop(Number(row.dataset['row']));
    };
    const onScroll = () => {
      if (asked === 0) asked = requestAnimationFrame(look);
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    tellSeen((index) => {
      const row = scroller.querySelector(`[data-row="${index}"]`)?.getBoundingClientRect();
      const frame = scroller.getBoundingClientRect();
      return row !== undefined && row.bottom > frame.top && row.top < frame.bottom;
    });
    return () => {
      cancelAnimationFrame(asked);
      scroller.removeEventListener('scroll', onScroll);
      tellSeen(undefined);
    };
  }, [scroller]);
}
