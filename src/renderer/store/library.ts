import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import type { RunRow, RunStatus } from '../../shared/contract/views';
import { zone } from './zone';
import { call, failureOf } from '../client';
import { refreshBrowse } from './browse';
import { Pages, withPage } from './pages';
import { refreshTrash } from './trash';

export type Filter = 'all' | 'needs_you' | 'running';
export const FILTERS: Record<Filter, { states?: RunStatus[]; needsYou?: true }> = {
  all: {},
  needs_you: { needsYou: true },
  running: { states: ['running', 'waiting'] },
};

interface LibraryState {
  filter: Filter;
  /** Name of the one store whose runs are shown; absent: all. */
  store: string | undefined;
  stores: CommandOutput<'library.page'>['stores'];
  words: string;
  total: number;
  /** Runs in all stores, whatever the filter. */
  all: number;
  counts: Record<string, number>;
  /** The first rows are pinned; the days begin after them. */
  pinned: number;
  trashed: number;
  days: CommandOutput<'library.page'>['days'];
  /** Sparse: rows that have not been asked for are absent. */
  rows: (RunRow | undefined)[];
  /** The first page of this filter has come. */
  ready: boolean;
  failure: FailureInfo | undefined;
}

export const useLibrary = create<LibraryState>(() => ({
  filter: 'all',
  store: undefined,
  stores: [],
  words: '',
  total: 0,
  all: 0,
  counts: {},
  pinned: 0,
  trashed: 0,
  days: [],
  rows: [],
  ready: false,
  failure: undefined,
}));

const set = useLibrary.setState;
const get = useLibrary.getState;

const pages = new Pages(
  (page) => {
    const { filter, words, store } = get();
    return call('library.page', {
      zone: zone(),
      ...page,
      ...FILTERS[filter],
      ...(words.trim() && { words: words.trim() }),
      ...(store !== undefined && { stores: [store] }),
    });
  },
  ({ rows, total, all, counts, pinned, trashed, days, stores }, offset, anew) => {
    const { store } = get();
    set({
      rows: withPage(anew ? [] : get().rows, rows, offset, total),
      total,
      all,
      counts,
      pinned,
      trashed,
      days,
      stores,
      // A store that is gone has no runs to be shown.
      ...(store !== undefined && !stores.some((one) => one.name === store) && { store: undefined }),
      ready: true,
      failure: undefined,
    });
  },
  (error, anew) => set({ failure: failureOf(error), ready: true, ...(anew && { rows: [] }) }),
);

/** The list scrolled. */
export const showRange = (from: number, to: number) => pages.show(from, to);
/** Asks for the visible pages again and forgets the others. */
export const refreshLibrary = () => pages.refresh();

let soon: number | undefined;
/** As `refreshLibrary`, but many changes at once cost one request. */
export function libraryChanged(): void {
  soon ??= window.setTimeout(() => {
    soon = undefined;
    refreshLibrary();
    refreshBrowse();
    refreshTrash();
  }, 120);
}

export function setFilter(change: Partial<Pick<LibraryState, 'filter' | 'words' | 'store'>>): void {
  set({ ...change, ready: false });
  pages.restart();
}

/** The state of a row by id, if it is loaded. */
export const rowOf = (id: string): RunRow | undefined => get().rows.find((row) => row?.id === id);
