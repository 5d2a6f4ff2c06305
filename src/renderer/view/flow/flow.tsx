import { useCallback, useEffect, useRef, useState } from 'react';
import { ArrowDown } from 'lucide-react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { showEnd } from '../../store/around';
import { loadItems, useRun } from '../../store/run';
import { forgetGoal, useGoal } from '../../store/goal';
import { hitAt, useReading } from '../../store/reading';
import { Button } from '../kit/button';
import { count } from '../kit/numbers';
import { ItemView } from './item';
import { Tail } from './tail';
import { highlightWords } from './highlight-words';
import { useReached } from './reached';
import { useStick } from './stick';
import s from './flow.module.css';

/** Items loaded before and behind the visible ones. */
const AHEAD = 20;

/** Above the first item: nothing, or how far the reading of what stands before it is. */
function Beginning() {
  const part = useRun((state) => (state.tail ? (state.head?.reading ?? 0) : undefined));
  const first = useRun((state) => state.around !== undefined && state.items[0]?.seq === 1);
  const shown = part !== undefined && !first;
  const [tall, setTall] = useState(shown);
  if (shown && !tall) setTall(true);
  if (!tall) return <div className={s['head']} />;
  // It keeps its height: what is read would move if what stands above all of it took another one.
  return shown ? (
    <Part of="Reading the beginning" part={part} />
  ) : (
    <div className={s['beginning']}>&nbsp;</div>
  );
}

/** Below the last item: the answer under way, or how far the reading of what follows is. */
function End() {
  const part = useRun((state) => (state.around ? (state.head?.reading ?? 0) : undefined));
  return part === undefined ? <Tail /> : <Part of="Reading the rest" part={part} />;
}

const Part = ({ of, part }: { of: string; part: number }) => (
  <div className={s['beginning']} role="status">
    {of}… {Math.floor(part * 100)} %
    <progress max={100} value={Math.floor(part * 100)} aria-label={of} />
  </div>
);

/** A run that is opened at one of its records shows nothing else until what stands around that is there. */
function Opening() {
  const wanted = useGoal((state) => state.wanted);
  const part = useRun((state) =>
    state.tail && !state.around && state.id === wanted?.id ? (state.head?.reading ?? 0) : undefined,
  );
  if (!wanted || part === undefined) return null;
  return (
    <div className={s['opening']} role="status">
      <span>
        Reading up to record {count(wanted.seq)}… {Math.floor(part * 100)} %
      </span>
      <progress max={100} value={Math.floor(part * 100)} aria-label="Reading" />
    </div>
  );
}

const Row = ({ index }: { index: number }) => {
  const item = useRun((state) => state.items[index]);
  return (
    <div className={s['slot']} data-row={index}>
      {item ? <ItemView item={item} /> : <div className={s['ghost']} data-ghost aria-hidden="true" />}
    </div>
  );
};
const parts = { Footer: End, Header: Beginning };
const LAST = { index: 'LAST', align: 'end' } as const;

/** The run, item after item: only what is near the screen is in the page, and only what was near was asked for. */
export function Flow({ label }: { label: string }) {
  const total = useRun((state) => state.items.length);
  const front = useRun((state) => state.front);
  const id = useRun((state) => state.id);
  const shown = useRun((state) => state.shown);
  const around = useRun((state) => state.around !== undefined);
  const list = useRef<VirtuosoHandle>(null);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { away, toEnd, letGo } = useStick(scroller);
  const waits = useRun((state) => state.head?.approval !== undefined);
  const sent = useReading((state) => state.sent);
  useEffect(() => {
    if (sent > 0) toEnd();
  }, [sent, toEnd]);
  useFoundHit(list, scroller, letGo);
  useReached(list, scroller, letGo);
  const takeScroller = useCallback((element: HTMLElement | Window | null) => {
    if (!(element instanceof HTMLElement)) return;
    element.tabIndex = 0;
    element.dataset['scroller'] = '';
    element.setAttribute('role', 'region');
    setScroller(element);
  }, []);
  useEffect(() => scroller?.setAttribute('aria-label', label), [scroller, label]);
  const row = useCallback((number: number) => <Row index={number - front} />, [front]);
  const goToEnd = () => {
    // A jump that is still on its way would bring the reader back.
    forgetGoal();
    toEnd();
  };
  return (
    <div className={s['flow']}>
      <h2 className="sr">{label}</h2>
      <Virtuoso
        key={`${id} ${shown}`}
        ref={list}
        className={s['scroller'] ?? ''}
        scrollerRef={takeScroller}
        totalCount={total}
        firstItemIndex={front}
        itemContent={row}
        components={parts}
        initialTopMostItemIndex={around ? (useGoal.getState().goal?.index ?? 0) : LAST}
        increaseViewportBy={{ top: 800, bottom: 600 }}
        rangeChanged={({ startIndex, endIndex }) =>
          loadItems(startIndex - front - AHEAD, endIndex - front + AHEAD)
        }
      />
      <Opening />
      {away && (
        <Button
          className={s['to-end']}
          size="s"
          icon={<ArrowDown size="0.875rem" />}
          onClick={around ? showEnd : goToEnd}
        >
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
  const tail = useRun((state) => state.tail);
  useEffect(() => {
    const found = hitAt(hits, now);
    // Hits count from the first item, which is not here until the whole is read.
    if (!found || tail) return;
    letGo();
    list.current?.scrollToIndex({ index: found.hit.index, align: 'center' });
  }, [hits, now, tail, list, letGo]);
  useEffect(() => {
    if (!scroller || words === '') return;
    return highlightWords(scroller, words, () => {
      const { hits, now } = useReading.getState();
      const found = hitAt(hits, now);
      return found && { index: found.hit.index, nth: found.nth };
    });
  }, [scroller, words, now]);
}
