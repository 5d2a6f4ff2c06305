import { useCallback, useEffect, useRef, useState } from 'react';
import { ArrowDown } from 'lucide-react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { loadItems, useRun } from '../../store/run';
import { hitAt, useReading } from '../../store/reading';
import { Button } from '../kit/button';
import { ItemView } from './item';
import { Tail } from './tail';
import { highlightWords } from './highlight-words';
import { useStick } from './stick';
import s from './flow.module.css';

/** Items loaded before and behind the visible ones. */
const AHEAD = 20;

const Row = ({ index }: { index: number }) => {
  const item = useRun((state) => state.items[index]);
  return (
    <div className={s['slot']} data-row={index}>
      {item ? <ItemView item={item} /> : <div className={s['ghost']} aria-hidden="true" />}
    </div>
  );
};
const row = (index: number) => <Row index={index} />;
const parts = { Footer: Tail, Header: () => <div className={s['head']} /> };

/** The run, item after item: only what is near the screen is in the page, and only what was near was asked for. */
export function Flow({ label }: { label: string }) {
  const total = useRun((state) => state.items.length);
  const id = useRun((state) => state.id);
  const list = useRef<VirtuosoHandle>(null);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { away, toEnd, letGo } = useStick(scroller);
  const waits = useRun((state) => state.head?.approval !== undefined);
  const sent = useReading((state) => state.sent);
  useEffect(() => {
    if (sent > 0) toEnd();
  }, [sent, toEnd]);
  useFoundHit(list, scroller, letGo);
  const takeScroller = useCallback((element: HTMLElement | Window | null) => {
    if (!(element instanceof HTMLElement)) return;
    element.tabIndex = 0;
    element.setAttribute('role', 'region');
    setScroller(element);
  }, []);
  useEffect(() => scroller?.setAttribute('aria-label', label), [scroller, label]);
  return (
    <div className={s['flow']}>
      <h2 className="sr">{label}</h2>
      <Virtuoso
        key={id}
        ref={list}
        className={s['scroller'] ?? ''}
        scrollerRef={takeScroller}
        totalCount={total}
        itemContent={row}
        components={parts}
        initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
        increaseViewportBy={{ top: 800, bottom: 600 }}
        rangeChanged={({ startIndex, endIndex }) => loadItems(startIndex - AHEAD, endIndex + AHEAD)}
      />
      {away && (
        <Button className={s['to-end']} size="s" icon={<ArrowDown size="0.875rem" />} onClick={toEnd}>
          {waits ? 'Waiting for you' : 'To the end'}
        </Button>
      )}
    </div>
  );
}

/** Brings the current find hit into view and marks the words. */
function useFoundHit(
  list: React.RefObject<VirtuosoHandle | null>,
  scroller: HTMLElement | null,
  letGo: () => void,
): void {
  const words = useReading((state) => (state.finding ? state.words.trim() : ''));
  const hits = useReading((state) => state.hits);
  const now = useReading((state) => state.now);
  useEffect(() => {
    const found = hitAt(hits, now);
    if (!found) return;
    letGo();
    list.current?.scrollToIndex({ index: found.hit.index, align: 'center' });
  }, [hits, now, list, letGo]);
  useEffect(() => {
    if (!scroller || words === '') return;
    return highlightWords(scroller, words, () => {
      const { hits, now } = useReading.getState();
      const found = hitAt(hits, now);
      return found && { index: found.hit.index, nth: found.nth };
    });
  }, [scroller, words, now]);
}
