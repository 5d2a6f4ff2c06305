import { folded } from '../../shared/text/fold';
import { FACET_LIMIT, type SortField } from '../../shared/contract/library';
import type { RunStatus } from '../../shared/contract/views';
import { NEEDS_YOU } from '../../shared/run/status';
import { STATE_ORDER, type Entry } from './entry';
import { calendarOf, type Calendar } from './words';

/** Which runs, in which order; see the contract. */
export interface RunQuery {
  states?: RunStatus[] | undefined;
  needsYou?: boolean | undefined;
  words?: string | undefined;
  /** Names of stores, empty for the usual one. Absent: all. */
  stores?: ReadonlySet<string> | undefined;
  models?: string[] | undefined;
  tags?: string[] | undefined;
  /** The time zone that days are of; absent: that of this process. */
  zone?: string | undefined;
  /** Days of that zone, both included. */
  from?: string | undefined;
  to?: string | undefined;
  pinned?: boolean | undefined;
  sort?: { by: SortField; up: boolean } | undefined;
}

export type Facet = { value: string; count: number }[];

/** The whole answer to a query, of which pages are cut. */
export interface Found {
  entries: Entry[];
  pinned: number;
  days: { day: string; count: number }[];
  /** By state, filtered by store alone. */
  counts: Record<string, number>;
  /** Runs of each store, unfiltered. */
  byStore: Map<string, number>;
  /** Stores by their names as the rest of the core has them. */
  facets: Record<'states' | 'models' | 'tags' | 'stores', Facet>;
}

/** The comparison without options is the one that engines do fast. */
const { compare } = new Intl.Collator();
const numbers = (a: number, b: number) => a - b;

type Order = (a: Entry, b: Entry) => number;
const by =
  <T>(value: (entry: Entry) => T | undefined, order: (a: T, b: T) => number): Order =>
  (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined)
      return x === y ? numbers(a.updated, b.updated) : x === undefined ? 1 : -1;
    return order(x, y) || numbers(a.updated, b.updated);
  };
const VALUES: Record<SortField, (entry: Entry) => unknown> = {
  title: ({ row }) => row.title,
  status: ({ row }) => row.status,
  model: ({ row }) => row.model,
  store: ({ row }) => row.store,
  steps: ({ row }) => row.steps,
  tokens: ({ tokens }) => tokens,
  updated: ({ updated }) => updated,
  created: ({ created }) => created,
};
const ORDERS: Record<SortField, Order> = {
  title: by(({ row }) => row.title, compare),
  status: by(({ row }) => STATE_ORDER[row.status], numbers),
  model: by(({ row }) => row.model, compare),
  store: by(({ row }) => row.store, compare),
  steps: by(({ row }) => row.steps, numbers),
  tokens: by(({ tokens }) => tokens, numbers),
  updated: (a, b) => numbers(a.updated, b.updated),
  created: by(({ created }) => created, numbers),
};
/** Answers that are kept, so that scrolling costs no new look at everything. */
const KEPT = 6;

/**
 * Answers queries over entries that change one by one. Every order is kept and mended, not made anew: putting a few rows
 * into a list that is sorted already costs one look at each, where sorting costs many. Answers live until the next change.
 */
export class Queries {
  #entries: readonly Entry[] = [];
  /** Ascending, by the field. */
  readonly #orders = new Map<SortField, { of: readonly Entry[]; list: Entry[] }>();
  readonly #answers = new Map<string, Found>();

  /** What there is now; nothing happens where it is the same list as before. */
  set(entries: readonly Entry[]): void {
    if (entries === this.#entries) return;
    this.#entries = entries;
    this.#answers.clear();
  }

  find(query: RunQuery): Found {
    const key = JSON.stringify({ ...query, stores: query.stores && [...query.stores] });
    const known = this.#answers.get(key);
    if (known) return known;
    const found = this.#answer(query);
    this.#answers.set(key, found);
    if (this.#answers.size > KEPT) this.#answers.delete(this.#answers.keys().next().value ?? '');
    return found;
  }

  #order(field: SortField): readonly Entry[] {
    const known = this.#orders.get(field);
    if (known?.of === this.#entries) return known.list;
    const now = new Map(this.#entries.map((entry) => [entry.row.id, entry]));
    const list: Entry[] = [];
    for (const { row } of known?.list ?? []) {
      const entry = now.get(row.id);
      if (!entry) continue;
      list.push(entry);
      now.delete(row.id);
    }
    list.push(...now.values());
    list.sort(ORDERS[field]);
    this.#orders.set(field, { of: this.#entries, list });
    return list;
  }

  #answer(query: RunQuery): Found {
    const { by: field, up } = query.sort ?? { by: 'updated', up: false };
    const order = this.#order(field);
    const judge = judgeOf(query);
    const tally = new Tally(query);
    const [pinned, rest, without]: Entry[][] = [[], [], []];
    for (let n = 0; n < order.length; n++) {
      const entry = order[up ? n : order.length - 1 - n]!;
      const missed = judge(entry);
      tally.count(entry, missed);
      if (missed !== 0) continue;
      if (entry.row.pinned) pinned!.push(entry);
      else if (VALUES[field](entry) === undefined) without!.push(entry);
      else rest!.push(entry);
    }
    const dated = field === 'updated' || field === 'created';
    return {
      entries: [...pinned!, ...rest!, ...without!],
      pinned: pinned!.length,
      days: dated ? daysOf([...rest!, ...without!], field, calendarOf(query.zone)) : [],
      ...tally.result(),
    };
  }
}

const needsYou = ({ status, done }: Entry['row']): boolean => NEEDS_YOU.has(status) && !done;

/** Why an entry is not among the found; a bit for each kind of filter that it misses. */
const MISSED = { state: 1, model: 2, tag: 4, store: 8, other: 16 };

function judgeOf(query: RunQuery): (entry: Entry) => number {
  const states = query.states && new Set<string>(query.states);
  const models = query.models && new Set(query.models);
  const tags = query.tags && new Set(query.tags);
  const words = folded(query.words ?? '')
    .split(/\s+/)
    .filter(Boolean);
  const { startOf } = calendarOf(query.zone);
  const from = query.from === undefined ? -Infinity : startOf(query.from, 0);
  const to = query.to === undefined ? Infinity : startOf(query.to, 1);
  return ({ row, store, updated, text }) => {
    let missed = 0;
    if (states && !states.has(row.status)) missed |= MISSED.state;
    if (query.needsYou !== undefined && needsYou(row) !== query.needsYou) missed |= MISSED.state;
    if (models && (row.model === undefined || !models.has(row.model))) missed |= MISSED.model;
    if (tags && !row.tags.some((tag) => tags.has(tag))) missed |= MISSED.tag;
    if (query.stores && !query.stores.has(store)) missed |= MISSED.store;
    const other =
      (query.pinned !== undefined && row.pinned !== query.pinned) ||
      updated < from ||
      updated >= to ||
      !words.every((word) => text.includes(word));
    return other ? missed | MISSED.other : missed;
  };
}

/** Counts what there is to filter by: each kind over what the other kinds leave. */
class Tally {
  readonly #counts: Record<string, number> = {};
  readonly #byStore = new Map<string, number>();
  readonly #facets = {
    states: new Map<string, number>(),
    models: new Map<string, number>(),
    tags: new Map<string, number>(),
    stores: new Map<string, number>(),
  };

  constructor(readonly query: RunQuery) {}

  count({ row, store }: Entry, missed: number): void {
    this.#byStore.set(store, (this.#byStore.get(store) ?? 0) + 1);
    if ((missed & MISSED.store) === 0) {
      this.#counts[row.status] = (this.#counts[row.status] ?? 0) + 1;
      if (needsYou(row)) this.#counts['needs_you'] = (this.#counts['needs_you'] ?? 0) + 1;
    }
    const { states, models, tags, stores } = this.#facets;
    if ((missed & ~MISSED.state) === 0) add(states, row.status);
    if ((missed & ~MISSED.model) === 0 && row.model) add(models, row.model);
    if ((missed & ~MISSED.tag) === 0) for (const tag of row.tags) add(tags, tag);
    if ((missed & ~MISSED.store) === 0) add(stores, store);
  }

  result(): Pick<Found, 'counts' | 'byStore' | 'facets'> {
    const { states, models, tags, stores } = this.#facets;
    return {
      counts: this.#counts,
      byStore: this.#byStore,
      facets: {
        states: facet(states, this.query.states),
        models: facet(models, this.query.models),
        tags: facet(tags, this.query.tags),
        stores: facet(stores, this.query.stores && [...this.query.stores]),
      },
    };
  }
}

const add = (counts: Map<string, number>, value: string) => counts.set(value, (counts.get(value) ?? 0) + 1);

/** The most frequent ones, and in any case those that are chosen: a filter that finds nothing must still be seen. */
function facet(counts: Map<string, number>, chosen: readonly string[] = []): Facet {
  const all = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || compare(a.value, b.value));
  const shown = all.slice(0, FACET_LIMIT);
  const there = new Set(shown.map(({ value }) => value));
  for (const value of chosen) if (!there.has(value)) shown.push({ value, count: counts.get(value) ?? 0 });
  return shown;
}

/** Runs of neighbours on the same local day. */
function daysOf(
  entries: readonly Entry[],
  field: 'updated' | 'created',
  { dayOf, startOf }: Calendar,
): Found['days'] {
  const days: Found['days'] = [];
  let [start, end] = [Infinity, -Infinity];
  for (const entry of entries) {
    const at = entry[field];
    const last = days.at(-1);
    if (at === undefined ? last?.day === '' : last !== undefined && at >= start && at < end) {
      last!.count++;
      continue;
    }
    const day = at === undefined ? '' : dayOf(at);
    if (at === undefined) [start, end] = [Infinity, -Infinity];
    else [start, end] = [startOf(day, 0), startOf(day, 1)];
    days.push({ day, count: 1 });
  }
  return days;
}
