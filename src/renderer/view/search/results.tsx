import { memo, useEffect, useMemo, useRef } from 'react';
import { GroupedVirtuoso, type GroupedVirtuosoHandle } from 'react-virtuoso';
import type { SearchHit } from '../../../shared/contract/search';
import { splitKey } from '../../../shared/contract/run-key';
import { closeSearch, moreHits, setActive, useSearch } from '../../store/search';
import { openFound } from '../../store/search-open';
import { Button } from '../kit/button';
import { count, many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { dayName, fullTime } from '../kit/time';
import { PART } from './parts';
import s from './search.module.css';

/** Opens a hit in its run; coming back, the keyboard is at it again. */
export function openHit(hit: SearchHit, index: number): void {
  setActive(index);
  openFound(hit, useSearch.getState().words);
}

/** Puts the focus on a hit, if it is in the page. */
export function focusHit(index: number): boolean {
  const hit = document.querySelector<HTMLElement>(`[data-hit="${index}"]`);
  hit?.focus();
  return hit !== null;
}

interface Group {
  run: SearchHit;
  count: number;
}

/** What was found, run by run. One stop of the Tab key; arrows go on from there. */
export function Results() {
  const { hits, active, next, searching, failure } = useSearch();
  const list = useRef<GroupedVirtuosoHandle>(null);
  const wanted = useRef<number>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => {
    const found: Group[] = [];
    for (const hit of hits) {
      const last = found.at(-1);
      if (last?.run.run === hit.run) last.count += 1;
      else found.push({ run: hit, count: 1 });
    }
    return found;
  }, [hits]);
  const held = useRef(false);
  const takeFocus = () => {
    // The hit that had the focus left the page, as it does when others come in: the list keeps the keyboard.
    if (held.current && document.activeElement === document.body) {
      wanted.current ??= useSearch.getState().active;
      box.current?.focus();
    }
    if (wanted.current === undefined || !focusHit(wanted.current)) return;
    wanted.current = undefined;
  };
  useEffect(takeFocus);
  const move = (to: number) => {
    if (to < 0) {
      document.querySelector<HTMLElement>('[data-search-field]')?.focus();
      return;
    }
    const at = Math.min(hits.length - 1, to);
    setActive(at);
    // A hit that is far away is not in the page yet: the list holds the focus until it is.
    wanted.current = at;
    list.current?.scrollIntoView({ index: at, behavior: 'auto', done: takeFocus });
    takeFocus();
    if (wanted.current !== undefined) box.current?.focus();
    if (at >= hits.length - 5) moreHits();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      closeSearch();
      return;
    }
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + 10,
      PageUp: Math.max(0, active - 10),
      Home: 0,
      End: hits.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div className={s['results']}>
      <p className={s['count']} role="status">
        {`${count(hits.length)}${next === undefined ? '' : '+'} ${hits.length === 1 ? 'place' : 'places'} in ${count(groups.length)}${next === undefined ? '' : '+'} ${groups.length === 1 ? 'run' : 'runs'}`}
        {searching && <span> · Searching…</span>}
        {failure && <span className={s['stuck']}> · The rest could not be loaded</span>}
        {failure && (
          <Button size="s" look="ghost" onClick={moreHits}>
            Try again
          </Button>
        )}
      </p>
      <div
        className={s['list']}
        ref={box}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onFocus={() => (held.current = true)}
        onBlur={({ target, relatedTarget }) => {
          if (relatedTarget !== null || target.isConnected) held.current = false;
        }}
      >
        <GroupedVirtuoso
          ref={list}
          className={s['scroller'] ?? ''}
          groupCounts={groups.map((group) => group.count)}
          initialTopMostItemIndex={active > 0 ? { index: active, align: 'center' } : 0}
          increaseViewportBy={400}
          itemsRendered={takeFocus}
          endReached={moreHits}
          groupContent={(index) => {
            const group = groups[index];
            return group && <Head group={group} last={index === groups.length - 1 && next !== undefined} />;
          }}
          itemContent={(index) => {
            const hit = hits[index];
            return hit && <Hit hit={hit} index={index} tabbable={index === active} />;
          }}
          components={{ Scroller }}
        />
      </div>
    </div>
  );
}

function Head({ group: { run, count: places }, last }: { group: Group; last: boolean }) {
  return (
    <div className={s['head']}>
      <Mark of={run.status} />
      <h2>
        <Name text={run.title || 'Untitled'} />
      </h2>
      <span className={s['about']}>
        <span>{STATUS_WORD[run.status]}</span>
        {splitKey(run.run).store !== '' && <Name text={run.store} />}
        <span>{last ? `${count(places)}+ places` : many(places, 'place')}</span>
        <time dateTime={run.updated} title={fullTime(run.updated)}>
          {dayName(localDay(run.updated))}
        </time>
      </span>
    </div>
  );
}

function localDay(iso: string): string {
  const when = new Date(iso);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
}

const Hit = memo(function Hit({
  hit,
  index,
  tabbable,
}: {
  hit: SearchHit;
  index: number;
  tabbable: boolean;
}) {
  const { icon: Icon, one } = PART[hit.part];
  return (
    <div className={s['row']}>
      <button
        type="button"
        className={s['hit']}
        data-hit={index}
        tabIndex={tabbable ? 0 : -1}
        onFocus={() => setActive(index)}
        onClick={() => openHit(hit, index)}
      >
        <span className={s['part']}>
          <Icon size="0.875rem" aria-hidden="true" />
          {one}
          {hit.tool !== undefined && (
            <small>
              <Name text={hit.tool} />
            </small>
          )}
        </span>
        <span className={s['snippet']} dir="auto">
          {hit.before && '… '}
          {hit.snippet.map(({ text, marked }, at) =>
            marked ? (
              <mark key={at}>
                <Shown text={text} prose />
              </mark>
            ) : (
              <Shown key={at} text={text} prose />
            ),
          )}
          {hit.after && ' …'}
        </span>
      </button>
    </div>
  );
});

/** The list is reached by its hits; the scroller itself is no stop. */
const Scroller = ({ ref, ...rest }: React.ComponentProps<'div'> & { context?: unknown }) => {
  const { context: _, ...props } = rest;
  return <div {...props} ref={ref} tabIndex={-1} />;
};
