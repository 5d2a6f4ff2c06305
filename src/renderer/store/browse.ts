import { create } from 'zustand';
import type { SortField } from '../../shared/contract/library';
import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import type { RunRow } from '../../shared/contract/views';
import { zone } from './zone';
import { call, failureOf } from '../client';
import { toastFailure } from './app';
import { Choice } from './choice';
import { Pages, withPage } from './pages';

/** The table of all runs: what it shows, in which order, and what is chosen in it. */

export type Query = Omit<CommandInput<'library.keys'>, 'offset' | 'limit'>;
type Page = CommandOutput<'library.page'>;
export type Facets = NonNullable<Page['facets']>;

export const COLUMNS: readonly SortField[] = [
  'title',
  'status',
  'model',
  'store',
  'steps',
  'tokens',
  'updated',
  'created',
];

interface BrowseState {
  query: Query;
  total: number;
  /** Runs in all stores, whatever the filter. */
  all: number;
  pinned: number;
  trashed: number;
  days: Page['days'];
  facets: Facets | undefined;
  stores: Page['stores'];
  /** Sparse: rows that have not been asked for are absent. */
  rows: (RunRow | undefined)[];
  ready: boolean;
  failure: FailureInfo | undefined;
  /** Keys, also of rows that were never loaded. */
  chosen: ReadonlySet<string>;
  /** Columns that the person wants; the window shows as many as fit. */
  columns: readonly SortField[];
}

export const useBrowse = create<BrowseState>(() => ({
  query: {},
  total: 0,
  all: 0,
  pinned: 0,
  trashed: 0,
  days: [],
  facets: undefined,
  stores: [],
  rows: [],
  ready: false,
  failure: undefined,
  chosen: new Set<string>(),
  columns: COLUMNS,
}));

const set = useBrowse.setState;
const get = useBrowse.getState;

/** The table is on the screen. */
let open = false;

const pages = new Pages(
  (page) => call('library.page', { ...page, ...get().query, zone: zone(), facets: true }),
  ({ rows, total, all, pinned, trashed, days, facets, stores }, offset, anew) =>
    set({
      rows: withPage(anew ? [] : get().rows, rows, offset, total),
      total,
      all,
      pinned,
      trashed,
      days,
      facets,
      stores,
      ready: true,
      failure: undefined,
    }),
  (error, anew) => set({ failure: failureOf(error), ready: true, ...(anew && { rows: [] }) }),
);

/** The table scrolled. */
export const showRows = (from: number, to: number) => pages.show(from, to);

/** Asks for the visible rows again; the others are asked for when they are seen. */
export function refreshBrowse(): void {
  if (!open) return;
  pages.refresh();
  void browseChoice.keep();
}

export function openBrowse(): () => void {
  open = true;
  pages.restart();
  loadColumns();
  return () => {
    open = false;
    browseChoice.none();
  };
}

export function setQuery(change: Partial<Query>): void {
  const query = Object.fromEntries(
    Object.entries({ ...get().query, ...change }).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Query;
  // What another filter hides is not acted on unseen; the order hides nothing.
  if (change.sort === undefined || Object.keys(change).length > 1) browseChoice.none();
  ask(query);
}

/** The rows of another query, also those that nobody looks at now: the table asks for them when it opens. */
function ask(query: Query): void {
  set({ query, ready: false });
  if (open) pages.restart();
}

export const isFiltered = (query: Query): boolean => Object.keys(query).some((key) => key !== 'sort');

/** Only filters; the order stays. */
export const clearFilters = () => {
  const { sort } = get().query;
  browseChoice.none();
  ask(sort ? { sort } : {});
};

/** Names and words go up first, numbers and times down: what one looks for is on top. */
const UP: ReadonlySet<SortField> = new Set<SortField>(['title', 'status', 'model', 'store']);

export function sortBy(by: SortField): void {
  const now = sortOf(get().query);
  setQuery({ sort: { by, up: now.by === by ? !now.up : UP.has(by) } });
}

export const sortOf = (query: Query): { by: SortField; up: boolean } =>
  query.sort ?? { by: 'updated', up: false };

export const browseChoice = new Choice({
  get,
  set,
  keyAt: (index) => get().rows[index]?.id,
  keys: (places) => call('library.keys', { ...places, ...get().query, zone: zone() }),
});

/* Columns. */

let remembered = false;
function loadColumns(): void {
  if (remembered) return;
  remembered = true;
  call('prefs.get', {}).then(
    ({ columns }) => {
      if (columns && columns.length > 0) set({ columns });
    },
    () => (remembered = false),
  );
}

/** The title stays: a row without it would say nothing. */
export function showColumn(column: SortField, shown: boolean): void {
  const wanted = new Set<SortField>(get().columns);
  if (shown) wanted.add(column);
  else wanted.delete(column);
  wanted.add('title');
  const columns = COLUMNS.filter((one) => wanted.has(one));
  set({ columns });
  call('prefs.set', { columns }).catch(toastFailure);
}
