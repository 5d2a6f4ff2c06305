import { useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end within which a reader counts as being there. */
const NEAR = 40;

/**
 * Keeps the end in view while text grows, until the reader scrolls away; scrolling back to the end takes it up again.
 */
export function useStick(scroller: HTMLElement | null): { away: boolean; toEnd: () => void } {
  const stuck = useRef(true);
  const [away, setAway] = useState(false);
  const toEnd = useCallback(() => {
    if (!scroller) return;
    stuck.current = true;
    scroller.scrollTo({ top: scroller.scrollHeight });
    setAway(false);
  }, [scroller]);
  useEffect(() => {
    if (!scroller) return;
    stuck.current = true;
    let last = scroller.scrollTop;
    const gap = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const onScroll = () => {
      // Growing text moves nothing by itself, so an upward move is the reader's.
      if (scroller.scrollTop < last - 2 && gap() > NEAR) stuck.current = false;
      else if (gap() <= NEAR) stuck.current = true;
      last = scroller.scrollTop;
      setAway(!stuck.current && gap() > scroller.clientHeight / 2);
    };
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0) stuck.current = false;
    };
    const grown = new ResizeObserver(() => {
      if (stuck.current) scroller.scrollTo({ top: scroller.scrollHeight });
      setAway(!stuck.current && gap() > scroller.clientHeight / 2);
    });
    for (const child of scroller.children) grown.observe(child);
    const list = scroller.querySelector('[data-testid="virtuoso-item-list"]');
    if (list) grown.observe(list);
    const tail = scroller.querySelector('[data-tail]');
    if (tail) grown.observe(tail);
    grown.observe(scroller);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    scroller.addEventListener('wheel', onWheel, { passive: true });
    return () => {
      grown.disconnect();
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('wheel', onWheel);
    };
  }, [scroller]);
  return { away, toEnd };
}
