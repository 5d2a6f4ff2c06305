import { create } from 'zustand';
import { KEYS_LIMIT, type SortField } from '../../shared/contract/library';
import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import type { RunRow } from '../../shared/contract/views';
import { call, failureOf } from '../client';
import { toast, toastFailure } from './app';
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
  (page) => call('library.page', { ...page, ...get().query, facets: true }),
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
  if (open) pages.refresh();
}

export function openBrowse(): () => void {
  open = true;
  pages.restart();
  loadColumns();
  return () => {
    open = false;
  };
}

export function setQuery(change: Partial<Query>): void {
  const query = Object.fromEntries(
    Object.entries({ ...get().query, ...change }).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Query;
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

/* What is chosen. */

/** Where a range begins, and what was chosen before it. */
let anchor: { at: number; before: ReadonlySet<string> } = { at: 0, before: new Set() };

export function choose(index: number, how: 'only' | 'toggle'): void {
  const key = get().rows[index]?.id;
  if (key === undefined) return;
  const chosen = new Set(how === 'only' ? [] : get().chosen);
  if (how === 'toggle' && chosen.has(key)) chosen.delete(key);
  else chosen.add(key);
  const before = new Set(chosen);
  before.delete(key);
  anchor = { at: index, before };
  set({ chosen });
}

/** All from where the range began; rows between that were never loaded too. */
export async function chooseTo(index: number): Promise<void> {
  const { at, before } = anchor;
  const [from, to] = at < index ? [at, index] : [index, at];
  const rows = get().rows.slice(from, to + 1);
  const loaded = rows.length === to - from + 1 && rows.every((row) => row !== undefined);
  const keys = loaded ? rows.map((row) => row.id) : await keysOf(from, to - from + 1);
  set({ chosen: new Set([...before, ...keys]) });
}

/** Everything that the filter finds, without loading it. */
export async function chooseAll(): Promise<void> {
  const keys = await keysOf(0, KEYS_LIMIT);
  const { total } = get();
  if (keys.length > 0 && keys.length < total)
    toast({
      tone: 'warn',
      text: `The first ${keys.length.toLocaleString('en')} of ${total.toLocaleString('en')} runs are selected: no more can be at once.`,
    });
  anchor = { at: 0, before: new Set() };
  set({ chosen: new Set(keys) });
}

export const chooseNone = () => {
  anchor = { at: anchor.at, before: new Set() };
  set({ chosen: new Set() });
};

export function unselect(keys: readonly string[]): void {
  const chosen = new Set(get().chosen);
  for (const key of keys) chosen.delete(key);
  if (chosen.size !== get().chosen.size) set({ chosen });
}

async function keysOf(offset: number, limit: number): Promise<string[]> {
  try {
    const { keys } = await call('library.keys', {
      offset,
      limit: Math.min(limit, KEYS_LIMIT),
      ...get().query,
    });
    return keys;
  } catch (error) {
    toastFailure(error);
    return [];
  }
}

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
