import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { SearchHit, SearchPart, SearchProgressView } from '../../shared/contract/search';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { go, useApp, type Place } from './app';

type Found = CommandOutput<'search.find'>;

/** Hits that one request asks for, and most that are asked for again when something changed. */
const PAGE = 60;
const MOST = 200;
/** After the last letter, and between two looks at what changed meanwhile. */
const TYPING_MS = 120;
const AGAIN_MS = 1_000;
/** Of what is typed; the search reads no more. */
const LONGEST = 2_000;
/** Pages without a hit that are passed over in one go. */
const EMPTY_PAGES = 40;

interface Search {
  /** What stands in the field, and what the hits are for. */
  words: string;
  shownFor: string;
  parts: readonly SearchPart[];
  /** Name of the one store that is searched; absent: all. */
  store: string | undefined;
  hits: SearchHit[];
  next: string | undefined;
  building: SearchProgressView[];
  failed: Found['failed'];
  /** Nothing in the words can be looked for. */
  empty: boolean;
  searching: boolean;
  failure: FailureInfo | undefined;
  /** Number of the hit that the keyboard is at. */
  active: number;
  /** Grows each time the field should take the focus. */
  focus: number;
  /** Where one was before. */
  back: Place;
}

export const useSearch = create<Search>(() => ({
  words: '',
  shownFor: '',
  parts: [],
  store: undefined,
  hits: [],
  next: undefined,
  building: [],
  failed: [],
  empty: false,
  searching: false,
  failure: undefined,
  active: 0,
  focus: 0,
  back: { view: 'new' },
}));
const set = useSearch.setState;
const get = useSearch.getState;

useApp.subscribe(({ place }, { place: before }) => {
  if (place.view === 'search' && before.view !== 'search') set({ back: before });
});

/** Opens the search, with these words or with those that were there. */
export function openSearch(words?: string): void {
  if (words !== undefined && words !== get().words) setWords(words);
  show(get().words);
  set({ focus: get().focus + 1 });
}

/** The words are part of the address, so that a reload and Back bring them again. */
function show(words: string): void {
  written = words.slice(0, LONGEST);
  go({ view: 'search', ...(written !== '' && { words: written }) });
}
/** What was put into the address last; by the time it is shown, more may have been typed. */
let written = '';

/** The words of the address, where they came from Back or a reload and not from the field. */
export function takeWords(words: string): void {
  if (words !== '' && words !== written && words !== get().words) setWords(words);
}

function keepInAddress(): void {
  const { place } = useApp.getState();
  const words = get().words.slice(0, LONGEST);
  if (place.view === 'search' && (place.words ?? '') !== words) show(words);
}

/** Back to where one was; the words and what they found stay. */
export const closeSearch = () => go(get().back);

/** Every list that was asked for has a number; answers to an older one are dropped. */
let epoch = 0;
let soon: number | undefined;

export function setWords(words: string): void {
  set({ words, active: 0 });
  window.clearTimeout(soon);
  epoch += 1;
  if (words.trim() === '') {
    set({
      shownFor: '',
      hits: [],
      next: undefined,
      failed: [],
      empty: false,
      searching: false,
      failure: undefined,
    });
    keepInAddress();
    return;
  }
  set({ searching: true });
  soon = window.setTimeout(() => void search(PAGE), TYPING_MS);
}

export function setScope(scope: Partial<Pick<Search, 'parts' | 'store'>>): void {
  set({ ...scope, active: 0 });
  if (get().words.trim() !== '') void search(PAGE);
}

export const searchAgain = () => void search(PAGE);
/** The connection is there again: what failed for want of it is asked again. */
export const retrySearch = () => {
  if (get().failure) searchAgain();
};
export const setActive = (active: number) => set({ active });

/** The list was scrolled to its end. */
export function moreHits(): void {
  const { next, searching, shownFor, words } = get();
  if (next === undefined || searching || shownFor !== words) return;
  void load(epoch, next, PAGE).then(
    (page) => page && set({ hits: [...get().hits, ...page.hits], next: page.next }),
  );
}

async function search(limit: number): Promise<void> {
  epoch += 1;
  const { words } = get();
  keepInAddress();
  set({ searching: true });
  const page = await load(epoch, undefined, limit);
  if (page) set({ hits: page.hits, next: page.next, shownFor: words });
}

/** A page; undefined where it is not wanted any more, or failed. */
async function load(mine: number, after: string | undefined, limit: number): Promise<Found | undefined> {
  const { words, parts, store } = get();
  set({ searching: true });
  try {
    let page: Found;
    let from = after;
    for (let pages = 0; ; pages++) {
      page = await call('search.find', {
        words: words.slice(0, LONGEST),
        limit,
        ...(parts.length > 0 && { parts: [...parts] }),
        ...(store !== undefined && { stores: [store] }),
        ...(from !== undefined && { after: from }),
      });
      if (mine !== epoch) return undefined;
      if (page.hits.length > 0 || page.next === undefined || pages >= EMPTY_PAGES) break;
      from = page.next;
    }
    set({
      searching: false,
      failure: undefined,
      building: page.building,
      failed: page.failed,
      empty: page.empty,
    });
    return page;
  } catch (error) {
    // What was found for other words is not left standing under these.
    const old = get().shownFor !== words ? { hits: [], next: undefined, failed: [] } : {};
    if (mine === epoch) set({ searching: false, failure: failureOf(error), shownFor: words, ...old });
    return undefined;
  }
}

let looking: number | undefined;

/** A store was read further, or is read whole: what is shown is looked up again, without moving anybody. */
export function searchProgress(progress: SearchProgressView): void {
  const others = get().building.filter(({ store }) => store !== progress.store);
  const whole = progress.done === progress.total;
  const known = others.length < get().building.length;
  if (!whole && (known || progress.total > 1)) set({ building: [...others, progress] });
  if (whole && known) set({ building: others });
  if (useApp.getState().place.view !== 'search') return;
  const { hits, words } = get();
  // More than a page is there to look at already: only the end of it all changes something.
  if (words.trim() === '' || (!whole && hits.length >= PAGE) || hits.length > MOST) return;
  looking ??= window.setTimeout(() => {
    looking = undefined;
    if (get().searching || useApp.getState().place.view !== 'search') return;
    void search(Math.min(MOST, Math.max(PAGE, get().hits.length)));
  }, AGAIN_MS);
}

/** How far each store is read, before anything is typed. */
export function loadSearchStatus(): void {
  call('search.status', {}).then(
    ({ building, failed }) => set({ building, ...(get().words.trim() === '' && { failed }) }),
    // The first search tells.
    () => undefined,
  );
}
