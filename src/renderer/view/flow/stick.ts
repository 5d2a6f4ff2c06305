import { useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end within which a reader counts as being there. */
const NEAR = 40;
/** Milliseconds after a key, a wheel or a finger in which a scroll counts as the reader's own. */
const OWN = 400;
const KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

interface Stick {
  /** The end is out of sight. */
  away: boolean;
  toEnd: () => void;
  /** Something else decides what is in view from now on. */
  letGo: () => void;
}

/**
 * Keeps the end in view while text grows, until the reader scrolls away; scrolling back to the end takes it up again.
 * Only what the reader does lets go: the list moves by itself when heights become known.
 */
export function useStick(scroller: HTMLElement | null): Stick {
  const stuck = useRef(true);
  const [away, setAway] = useState(false);
  const toEnd = useCallback(() => {
    if (!scroller) return;
    stuck.current = true;
    scroller.scrollTo({ top: scroller.scrollHeight });
    setAway(false);
  }, [scroller]);
  const letGo = useCallback(() => {
    stuck.current = false;
  }, []);
  useEffect(() => {
    if (!scroller) return;
    stuck.current = true;
    let touched = 0;
    let held = false;
    const gap = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const told = () => setAway(!stuck.current && gap() > scroller.clientHeight / 2);
    const own = () => {
      touched = performance.now();
    };
    const onKey = (event: KeyboardEvent) => {
      if (KEYS.has(event.key)) own();
    };
    const onPointer = (event: PointerEvent) => {
      // On the scrollbar, which lies beside the content.
      if (event.target === scroller && event.offsetX >= scroller.clientWidth) held = true;
    };
    const onRelease = () => {
      if (held) own();
      held = false;
    };
    const onScroll = () => {
      if (gap() <= NEAR) stuck.current = true;
      else if (held || performance.now() - touched < OWN) stuck.current = false;
      told();
    };
    const onWheel = (event: WheelEvent) => {
      own();
      if (event.deltaY < 0 && scroller.scrollTop > 0) stuck.current = false;
    };
    const grown = new ResizeObserver(() => {
      if (stuck.current) scroller.scrollTo({ top: scroller.scrollHeight });
      told();
    });
    for (const child of scroller.children) grown.observe(child);
    const list = scroller.querySelector('[data-testid="virtuoso-item-list"]');
    // With its padding, which stands for the items that are not in the page: their heights change, too.
    if (list) grown.observe(list, { box: 'border-box' });
    const tail = scroller.querySelector('[data-tail]');
    if (tail) grown.observe(tail);
    grown.observe(scroller);
    const passive = { passive: true };
    scroller.addEventListener('scroll', onScroll, passive);
    scroller.addEventListener('wheel', onWheel, passive);
    scroller.addEventListener('touchmove', own, passive);
    scroller.addEventListener('keydown', onKey);
    scroller.addEventListener('pointerdown', onPointer);
    window.addEventListener('pointerup', onRelease);
    return () => {
      grown.disconnect();
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('wheel', onWheel);
      scroller.removeEventListener('touchmove', own);
      scroller.removeEventListener('keydown', onKey);
      scroller.removeEventListener('pointerdown', onPointer);
      window.removeEventListener('pointerup', onRelease);
    };
  }, [scroller]);
  return { away, toEnd, letGo };
}
