import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import { runKey, splitKey } from '../../shared/contract/run-key';
import type { SearchHit, SearchProgressView } from '../../shared/contract/search';
import { USUAL_STORE, type StoreView } from '../../shared/contract/stores';
import type { RunRow } from '../../shared/contract/views';
import { Failure, asFailure, isFailure, type FailureInfo } from '../../shared/run/failure';
import type { Hit, SearchPage, SearchProgress, SearchQuery } from '../library/search';
import type { RunIndex } from '../library/search/worker-index';
import { IndexKeeper } from './index-keeper';

export interface SearchesOptions {
  /** The stores side by side; names are empty for the usual one. `reason`: why it is not reached. */
  stores(): Store[];
  /** Makes the index of a store. Fails with the store's Failures while it is not open; undefined: it has none. */
  open(name: string, onProgress: (progress: SearchProgress) => void): RunIndex | undefined;
  /** The row of a run by its key; undefined: it is not in the library. */
  row(key: string): Promise<RunRow | undefined>;
  onProgress(progress: SearchProgressView): void;
}

interface Store {
  name: string;
  label: string;
  reason?: StoreView['reason'];
}

type Found = CommandOutput<'search.find'>;
type Query = CommandInput<'search.find'>;

/** After the list is shown, so that the window has the machine to itself until then. */
const BEGIN_MS = 1_500;
/** A store that takes longer is left out of this page, so that it holds up nobody. */
const STORE_MS = 4_000;
/** What changed just now is waited for this long. */
const FRESH_MS = 250;
/** Where a store has been gone through. */
const END = '';

/** Full-text search over the stores side by side: an index for each, kept up in the background. */
export class Searches {
  readonly #keepers = new Map<string, IndexKeeper>();
  #timer: NodeJS.Timeout | undefined;
  #begun = false;
  #closed = false;

  constructor(private readonly options: SearchesOptions) {}

  /** The list is shown: from now on the indexes are brought up to date, a moment later. */
  begin(): void {
    if (this.#begun || this.#closed || this.#timer) return;
    this.#timer = setTimeout(() => this.#begin(), BEGIN_MS);
    this.#timer.unref();
  }

  /** A store is open, or is there again. */
  added(name: string): void {
    if (this.#begun) this.#keeper(name)?.changed();
  }

  /** A store went, or is another one under this name now. */
  forget(name: string): void {
    void this.#keepers.get(name)?.close();
    this.#keepers.delete(name);
  }

  /** A run changed. */
  changed(key: string): void {
    const { store, id } = splitKey(key);
    this.#keepers.get(store)?.changed(id);
  }

  async find({ words, stores, run, parts, limit, after }: Query): Promise<Found> {
    this.#begin();
    const cursors = after === undefined ? new Map<string, string>() : readAfter(after);
    const wanted = this.#wanted(stores, run).filter(({ name }) => cursors.get(name) !== END);
    const failed: Found['failed'] = [];
    const lists: List[] = [];
    let empty = false;
    await Promise.all(
      wanted.map(async ({ name, label, reason }) => {
        try {
          if (reason) throw new Failure(reason as FailureInfo);
          const from = cursors.get(name);
          const page = await this.#page(name, {
            words,
            limit,
            ...(run !== undefined && { run: splitKey(run).id }),
            ...(parts && { parts }),
            ...(from !== undefined && { after: from }),
          });
          if (page?.empty) empty = true;
          if (page) lists.push({ name, next: page.next, hits: await this.#rows(name, page.hits), at: 0 });
        } catch (error) {
          failed.push({ store: outer(name), label, failure: plain(error) });
        }
      }),
    );
    failed.push(...this.#stuck(wanted, failed));
    const hits = merge(lists, limit);
    const next = new Map([...cursors].filter(([, at]) => at === END));
    // One that failed is asked again from where it was.
    for (const [name, at] of cursors)
      if (failed.some(({ store, partly }) => !partly && store === outer(name))) next.set(name, at);
    for (const list of lists)
      next.set(list.name, list.hits[list.at - 1]?.hit.at ?? cursors.get(list.name) ?? '-');
    for (const list of lists) if (list.at === list.hits.length) next.set(list.name, list.next ?? END);
    const more = lists.some(({ name }) => next.get(name) !== END);
    return {
      hits,
      ...(more && { next: JSON.stringify([...next]) }),
      building: this.#building(wanted),
      failed,
      empty,
    };
  }

  async status(): Promise<CommandOutput<'search.status'>> {
    this.#begin();
    const stores: CommandOutput<'search.status'>['stores'] = [];
    const failed: Found['failed'] = [];
    const all = this.options.stores();
    await Promise.all(
      all.map(async ({ name, label }) => {
        try {
          const status = await this.#keeper(name)?.index.status();
          if (status) stores.push({ store: outer(name), label, ...status });
        } catch (error) {
          failed.push({ store: outer(name), label, failure: plain(error) });
        }
      }),
    );
    failed.push(...this.#stuck(all, failed));
    return { stores, building: this.#building(all), failed };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([...this.#keepers.values()].map((keeper) => keeper.close()));
  }

  #begin(): void {
    if (this.#begun || this.#closed) return;
    this.#begun = true;
    for (const { name } of this.options.stores()) {
      try {
        this.#keeper(name)?.changed();
      } catch {
        // Not open yet: `added` follows.
      }
    }
  }

  /** Fails while the store is not open. */
  #keeper(name: string): IndexKeeper | undefined {
    const known = this.#keepers.get(name);
    if (known || this.#closed) return known;
    const { label } = this.options.stores().find((one) => one.name === name) ?? { label: name };
    const index = this.options.open(name, (progress) => {
      keeper?.told(progress);
      this.options.onProgress({ store: outer(name), label, ...progress });
    });
    const keeper = index && new IndexKeeper(index);
    if (keeper) this.#keepers.set(name, keeper);
    return keeper;
  }

  #wanted(stores: readonly string[] | undefined, run: string | undefined): Store[] {
    const names = run !== undefined ? [splitKey(run).store] : stores?.map(inner);
    return this.options.stores().filter(({ name }) => !names || names.includes(name));
  }

  async #page(name: string, query: SearchQuery): Promise<SearchPage | undefined> {
    const keeper = this.#keeper(name);
    if (!keeper) return undefined;
    await keeper.fresh(FRESH_MS);
    return within(STORE_MS, keeper.search(query));
  }

  async #rows(name: string, hits: readonly Hit[]): Promise<Placed[]> {
    const rows = new Map<string, RunRow | undefined>();
    const placed: Placed[] = [];
    for (const hit of hits) {
      const key = runKey(name, hit.run);
      if (!rows.has(key)) rows.set(key, await this.options.row(key));
      const row = rows.get(key);
      // Deleted since it was read for the index.
      if (row) placed.push({ hit, row });
    }
    return placed;
  }

  /** Stores whose index could not be brought up to date. */
  #stuck(stores: readonly Store[], failed: Found['failed']): Found['failed'] {
    return stores.flatMap(({ name, label }) => {
      const failure = this.#keepers.get(name)?.failure;
      if (!failure || failed.some(({ store }) => store === outer(name))) return [];
      return [{ store: outer(name), label, failure: plain(failure), partly: true }];
    });
  }

  #building(stores: readonly Store[]): SearchProgressView[] {
    return stores.flatMap(({ name, label }) => {
      const building = this.#keepers.get(name)?.building;
      return building ? [{ store: outer(name), label, ...building }] : [];
    });
  }
}

interface Placed {
  hit: Hit;
  row: RunRow;
}
interface List {
  name: string;
  hits: Placed[];
  next: string | undefined;
  /** How many of the hits are taken. */
  at: number;
}

/** Takes run after run, always the newest that comes next in any list. Moves each list's `at`. */
function merge(lists: readonly List[], limit: number): SearchHit[] {
  const hits: SearchHit[] = [];
  for (let current: string | undefined; hits.length < limit;) {
    let best: List | undefined;
    for (const list of lists) {
      const head = list.hits[list.at];
      // What comes next here is not known yet, so neither is what is the newest.
      if (!head && list.next !== undefined) return hits;
      if (!head) continue;
      if (head.row.id === current) {
        best = list;
        break;
      }
      if (!best || head.row.updated > (best.hits[best.at]?.row.updated ?? '')) best = list;
    }
    const head = best?.hits[best.at];
    if (!best || !head) break;
    best.at++;
    current = head.row.id;
    hits.push(shown(head));
  }
  return hits;
}

function shown({ hit, row }: Placed): SearchHit {
  const { text, marks, before, after } = hit.snippet;
  const snippet: SearchHit['snippet'] = [];
  let from = 0;
  for (const [start, end] of marks) {
    if (start > from) snippet.push({ text: text.slice(from, start), marked: false });
    snippet.push({ text: text.slice(start, end), marked: true });
    from = end;
  }
  if (from < text.length) snippet.push({ text: text.slice(from), marked: false });
  return {
    run: row.id,
    title: row.title,
    status: row.status,
    ...(row.model !== undefined && { model: row.model }),
    store: row.store,
    updated: row.updated,
    seq: hit.seq,
    part: hit.part,
    ...(hit.tool !== undefined && { tool: hit.tool }),
    ...(hit.kept && { kept: hit.kept }),
    snippet,
    before,
    after,
  };
}

const outer = (name: string): string => (name === '' ? USUAL_STORE : name);
const inner = (name: string): string => (name === USUAL_STORE ? '' : name);

/** Where each store goes on. `bad_request` for what was not given by a page. */
function readAfter(after: string): Map<string, string> {
  try {
    const value: unknown = JSON.parse(after);
    const isPair = (pair: unknown): pair is [string, string] =>
      Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
    if (Array.isArray(value) && value.every(isPair)) return new Map(value);
  } catch {
    // Told below.
  }
  throw new Failure({
    code: 'bad_request',
    message: 'This page of results does not exist.',
    todo: 'Search again.',
  });
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(slow()), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const slow = (): Failure =>
  new Failure({
    code: 'store_unavailable',
    message: 'This store took too long to answer.',
    kept: 'Everything in it is kept.',
    todo: 'Search again in a moment.',
  });

/** What may be told of a failure; a mistake of ours is told without its details. */
function plain(error: unknown): ReturnType<Failure['toJSON']> {
  if (isFailure(error) && error.code !== 'internal') return error.toJSON();
  return {
    ...asFailure(error).toJSON(),
    message: 'The search in this store stopped.',
    kept: 'Runs are not touched by it.',
    todo: 'Search again.',
  };
}
