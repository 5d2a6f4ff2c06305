import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import type { RunRow, RunStatus } from '../../shared/contract/views';
import { call, failureOf } from '../client';
import { refreshBrowse } from './browse';
import { refreshTrash } from './trash';

export type Filter = 'all' | 'needs_you' | 'running';
export const FILTERS: Record<Filter, readonly RunStatus[] | undefined> = {
  all: undefined,
  needs_you: ['waiting', 'interrupted', 'failed', 'budget', 'steps', 'damaged'],
  running: ['running', 'waiting'],
};

/** Rows that one request asks for. */
export const PAGE = 100;

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

/** Every list that was asked for has a number; answers to an older one are dropped. */
let epoch = 0;
let asked = new Set<number>();
/** The rows that are on the screen. */
let visible = { from: 0, to: PAGE };

function loadPage(page: number): void {
  if (asked.has(page)) return;
  asked.add(page);
  const mine = epoch;
  const { filter, words, store } = get();
  const states = FILTERS[filter];
  call('library.page', {
    offset: page * PAGE,
    limit: PAGE,
    ...(states && { states: [...states] }),
    ...(words.trim() && { words: words.trim() }),
    ...(store !== undefined && { stores: [store] }),
  }).then(
    (reply) => {
      if (mine !== epoch) return;
      const rows = get().rows.slice(0, reply.total);
      reply.rows.forEach((row, at) => (rows[page * PAGE + at] = row));
      set({
        rows,
        total: reply.total,
        all: reply.all,
        counts: reply.counts,
        pinned: reply.pinned,
        trashed: reply.trashed,
        days: reply.days,
        stores: reply.stores,
        // A store that is gone has no runs to be shown.
        ...(store !== undefined && !reply.stores.some((one) => one.name === store) && { store: undefined }),
        ready: true,
        failure: undefined,
      });
    },
    (error: unknown) => {
      if (mine !== epoch) return;
      asked.delete(page);
      set({ failure: failureOf(error), ready: true });
    },
  );
}

function loadVisible(): void {
  for (let page = Math.floor(visible.from / PAGE); page <= Math.floor(visible.to / PAGE); page++)
    loadPage(page);
}

/** The list scrolled. */
export function showRange(from: number, to: number): void {
  visible = { from, to };
  loadVisible();
}

/** Asks for the visible pages again and forgets the others. */
export function refreshLibrary(): void {
  epoch += 1;
  asked = new Set();
  loadVisible();
}

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
  set({ ...change, ready: false, rows: [] });
  visible = { from: 0, to: PAGE - 1 };
  refreshLibrary();
}

/** The state of a row by id, if it is loaded. */
export const rowOf = (id: string): RunRow | undefined => get().rows.find((row) => row?.id === id);

export { deleteRun, renameRun } from './runs';
