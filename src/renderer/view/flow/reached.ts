import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { VirtuosoHandle } from 'react-virtuoso';
import { placeAround, showAround } from '../../store/around';
import { leftGoal, reachWanted, sawTop, tellView, useGoal } from '../../store/goal';
import { loadItems, useRun } from '../../store/run';

/** How long an item that was jumped to is marked. Milliseconds. */
const MARKED = 1_600;
/** How often it is looked whether it is still there. */
const LOOKS = 80;
/** What a reader does who goes elsewhere. */
const OWN = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

const rowsOf = (scroller: HTMLElement) => [...scroller.querySelectorAll<HTMLElement>('[data-row]')];

/** Brings what the reader jumps to into view, marks it for a moment, and tells which item is at the top. */
export function useReached(
  list: RefObject<VirtuosoHandle | null>,
  scroller: HTMLElement | null,
  letGo: () => void,
): void {
  const id = useRun((state) => state.id);
  const there = useRun((state) => state.head !== undefined);
  const tail = useRun((state) => state.tail);
  const around = useRun((state) => state.around);
  const epoch = useRun((state) => state.epoch);
  const ready = there && (!tail || around !== undefined);
  const wanted = useGoal((state) => state.wanted);
  const goal = useGoal((state) => state.goal);
  useEffect(() => {
    if (!there || !wanted || wanted.id !== id) return;
    if (!tail) void reachWanted();
    else if (!around) void showAround(id, wanted.seq);
  }, [there, tail, around, epoch, wanted, id]);
  const known = around?.whole === true;
  useEffect(() => {
    if (known) void placeAround();
  }, [known]);
  // The end of what is shown around a record is not the end of the run.
  const was = useRef(around);
  useLayoutEffect(() => {
    if (was.current && !around) letGo();
    was.current = around;
  }, [around, letGo]);

  useEffect(() => {
    if (!goal || !scroller || !ready) return;
    const bring = () => {
      letGo();
      list.current?.scrollToIndex({ index: goal.index, align: 'start', offset: -8 });
    };
    loadItems(goal.index - 20, goal.index + 20);
    bring();
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
      sawTop(goal.index);
      if (timer === 0) timer = window.setTimeout(end, MARKED);
    };
    // The row comes into the page a little later, and heights that become known move it.
    const watch = new MutationObserver(mark);
    watch.observe(scroller, { childList: true, subtree: true });
    mark();
    // What comes in front of it, and heights that become known, may move it out of sight: it is brought again, unless
    // the reader goes elsewhere.
    let looks = 0;
    let calm = 0;
    let next = 0;
    const look = () => {
      const row = scroller.querySelector(`[data-row="${goal.index}"]`)?.getBoundingClientRect();
      const frame = scroller.getBoundingClientRect();
      const end = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 4;
      const there = row && (Math.abs(row.top - frame.top) < 40 || (end && row.top < frame.bottom));
      // Items that are not here yet take another height when they come.
      if (there) calm += scroller.querySelector('[data-ghost]') ? 0 : 1;
      else {
        calm = 0;
        bring();
      }
      looks += 1;
      if (calm < 3 && looks < LOOKS) next = window.setTimeout(look, 100);
    };
    next = window.setTimeout(look, 60);
    const leave = () => window.clearTimeout(next);
    const go = () => {
      leave();
      leftGoal();
    };
    for (const own of OWN) scroller.addEventListener(own, go, { passive: true, once: true });
    return () => {
      leave();
      for (const own of OWN) scroller.removeEventListener(own, go);
      window.clearTimeout(timer);
      end();
    };
  }, [goal, scroller, ready, list, letGo]);

  // Items are counted anew when the whole is there, without a scroll.
  useEffect(() => {
    if (!scroller) return;
    let asked = 0;
    const top = () => {
      const edge = scroller.getBoundingClientRect().top + 24;
      const row = rowsOf(scroller).find((each) => each.getBoundingClientRect().bottom > edge);
      return row && Number(row.dataset['row']);
    };
    const shows = (index: number) => {
      const row = scroller.querySelector(`[data-row="${index}"]`)?.getBoundingClientRect();
      const frame = scroller.getBoundingClientRect();
      return row !== undefined && row.bottom > frame.top && row.top < frame.bottom;
    };
    const look = () => {
      asked = 0;
      const { goal } = useGoal.getState();
      // What was jumped to is what is read, also where the end keeps it from the top.
      const now = goal && shows(goal.index) ? goal.index : top();
      if (now !== undefined) sawTop(now);
    };
    const onScroll = () => {
      if (asked === 0) asked = requestAnimationFrame(look);
    };
    onScroll();
    scroller.addEventListener('scroll', onScroll, { passive: true });
    tellView({ top, shows });
    return () => {
      cancelAnimationFrame(asked);
      scroller.removeEventListener('scroll', onScroll);
      tellView(undefined);
    };
  }, [scroller, ready]);
}
