import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useReading } from '../../store/reading';

/** Pixels around what is seen within which things are in the page. */
const AROUND = 1_600;

type Heard = (entry: IntersectionObserverEntry) => void;
interface Watch {
  observer: IntersectionObserver;
  heard: Map<Element, Heard>;
}
/** One observer for everything that scrolls together. */
const watches = new WeakMap<Element, Watch>();

/** What a code block or a wide table scrolls in sideways counts as scrolling upwards, too, and is as high as all of it. */
function scrollerOf(element: Element): Element {
  const marked = element.closest('[data-scroller]');
  if (marked) return marked;
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(window.getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}

function watch(element: Element, heard: Heard): () => void {
  const root = scrollerOf(element);
  let known = watches.get(root);
  if (!known) {
    const listeners = new Map<Element, Heard>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) listeners.get(entry.target)?.(entry);
      },
      { root: root === document.documentElement ? null : root, rootMargin: `${AROUND}px 0px` },
    );
    known = { observer, heard: listeners };
    watches.set(root, known);
  }
  const { observer, heard: listeners } = known;
  listeners.set(element, heard);
  observer.observe(element);
  return () => {
    listeners.delete(element);
    observer.unobserve(element);
  };
}

/** Whether a selection reaches over parts: then all of them are in the page, so that what is copied is all of it. */
function isSelecting(): boolean {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return false;
  const partOf = (node: Node | null) =>
    (node instanceof Element ? node : (node?.parentElement ?? null))?.closest('[data-part]') ?? null;
  const from = partOf(selection.anchorNode);
  return from === null || from !== partOf(selection.focusNode);
}

/** Looked at only when the selection changes: to ask for it makes the browser lay out the page. */
let selecting = false;
const changed = new Set<() => void>();

function look(): void {
  const now = isSelecting();
  if (now === selecting) return;
  selecting = now;
  for (const one of changed) one();
}

function useSelecting(): boolean {
  return useSyncExternalStore(
    (heard) => {
      if (changed.size === 0) document.addEventListener('selectionchange', look);
      changed.add(heard);
      return () => {
        changed.delete(heard);
        if (changed.size === 0) document.removeEventListener('selectionchange', look);
      };
    },
    () => selecting,
    () => false,
  );
}

interface Near {
  ref: (element: HTMLElement | null) => void;
  near: boolean;
  /** Height while nothing of it is in the page, in rem; undefined: not known yet. */
  height: number | undefined;
}

const rem = () => Number.parseFloat(window.getComputedStyle(document.documentElement).fontSize) || 16;

/**
 * Lets a part of something long go while it is far from what is seen, as the list does with messages that are far: its
 * place stays, as high as it was. Parts that are searched or selected stay.
 *
 * @param active false: it always is in the page
 * @param first it is in the page before anything is known of where it is
 */
export function useNear(active: boolean, first: boolean): Near {
  const [{ near, height }, set] = useState<{ near: boolean; height: number | undefined }>({
    near: first,
    height: undefined,
  });
  const [element, setElement] = useState<HTMLElement | null>(null);
  const finding = useReading((state) => state.finding);
  const copying = useSelecting();
  const shown = !active || near || finding || copying;
  useEffect(() => {
    if (!active || !element) return;
    return watch(element, ({ isIntersecting, boundingClientRect, rootBounds }) => {
      // A list that is hidden says nothing about where things are.
      if (rootBounds && rootBounds.height <= 2 * AROUND) return;
      if (isIntersecting) set((old) => (old.near ? old : { ...old, near: true }));
      else if (!element.contains(document.activeElement)) {
        const tall = boundingClientRect.height / rem();
        set((old) => (old.near ? { near: false, height: tall > 0 ? tall : old.height } : old));
      }
    });
  }, [active, element]);
  const before = useRef({ shown, height });
  useLayoutEffect(() => {
    const was = before.current;
    before.current = { shown, height };
    if (was.shown || !shown || !element || was.height === undefined) return;
    // It comes back above what is read: that must not move.
    const scroller = scrollerOf(element);
    const place = element.getBoundingClientRect();
    const delta = place.height - was.height * rem();
    if (Math.abs(delta) >= 1 && place.bottom - delta <= scroller.getBoundingClientRect().top)
      scroller.scrollTop += delta;
  }, [shown, height, element]);
  return { ref: setElement, near: shown, height };
}
