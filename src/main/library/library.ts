import type { CommandOutput } from '../../shared/contract/contract';
import { splitKey } from '../../shared/contract/run-key';
import type { RunRow, RunStatus } from '../../shared/contract/views';
import { Failure, asFailure } from '../../shared/run/failure';
import type { RunStore, RunSummary, StoreChange } from '../journal/journal';
import { runRow, type LiveRun } from './rows';
import { Shelf } from './shelf';
import { localDay } from './words';

export interface LibraryOptions {
  /** Runs that this process writes, private ones too, by their keys. */
  live(): ReadonlyMap<string, LiveRun>;
  /** Rows changed; none: any may have. Told at most every `gatherMs`. */
  onChange(keys: string[]): void;
  /** A stored run changed, for whoever shows it; `id` is its key. */
  onStoreChange(change: StoreChange): void;
  /** A store could not be listed; undefined: now it could. */
  onTrouble?(store: string, failure: Failure | undefined): void;
  gatherMs?: number;
}

export interface PageQuery {
  offset: number;
  limit: number;
  states?: RunStatus[] | undefined;
  words?: string | undefined;
  /** Names of stores, empty for the usual one. Absent: all. */
  stores?: ReadonlySet<string> | undefined;
}

export type Page = Omit<CommandOutput<'library.page'>, 'stores'> & {
  /** Runs of each store, by its name. */
  byStore: Map<string, number>;
};

interface Entry {
  shelf: Shelf;
  summary: RunSummary;
}

/** The list of runs of all stores as it is now, newest first. Runs go by their keys here. */
export class Library {
  readonly #shelves = new Map<string, Shelf>();
  #sorted: Entry[] | undefined;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: LibraryOptions) {}

  /** Puts a store beside the others, in the place of an earlier one of that name. */
  add(name: string, label: string, store: RunStore): void {
    this.#shelves.get(name)?.close();
    const shelf = new Shelf({
      name,
      label,
      store,
      onRow: (key) => {
        this.#sorted = undefined;
        this.touch(key);
      },
      onList: () => {
        this.#sorted = undefined;
        this.#soon();
      },
      onStoreChange: this.options.onStoreChange,
      isBusyHere: (key) => (this.options.live().get(key)?.snapshot.phase ?? 'idle') !== 'idle',
      onTrouble: (failure) => this.options.onTrouble?.(name, failure),
    });
    this.#shelves.set(name, shelf);
    this.#sorted = undefined;
  }

  /** Begins to list and to watch a store before anybody asks. One that cannot be read says so when it is asked. */
  warm(name: string): void {
    this.#shelves
      .get(name)
      ?.start()
      .catch(() => undefined);
  }

  remove(name: string): void {
    this.#shelves.get(name)?.close();
    this.#shelves.delete(name);
    this.#sorted = undefined;
    this.#soon();
  }

  /** A store is there again: what was missed is read. */
  again(name: string): void {
    this.#shelves
      .get(name)
      ?.again()
      .catch(() => undefined);
  }

  /** The usual store is waited for; any other joins when it is read, so that a slow one hides nobody's runs. */
  async page(query: PageQuery): Promise<Page> {
    for (const [name, shelf] of this.#shelves) if (name !== '') shelf.start().catch(() => undefined);
    await this.#shelves
      .get('')
      ?.start()
      .catch((error: unknown) => {
        if (this.#shelves.size === 1) throw asFailure(error) satisfies Failure;
      });
    const words = (query.words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const states = query.states && new Set(query.states);
    const counts: Record<string, number> = {};
    const byStore = new Map<string, number>();
    const found: RunRow[] = [];
    const days: { day: string; count: number }[] = [];
    let all = 0;
    for (const { row, store, prompt } of this.#newestFirst(this.options.live())) {
      all++;
      byStore.set(store, (byStore.get(store) ?? 0) + 1);
      if (query.stores && !query.stores.has(store)) continue;
      counts[row.status] = (counts[row.status] ?? 0) + 1;
      if ((states && !states.has(row.status)) || !holds(row, prompt, words)) continue;
      found.push(row);
      const day = localDay(new Date(row.updated));
      const last = days.at(-1);
      if (last?.day === day) last.count++;
      else days.push({ day, count: 1 });
    }
    const rows = found.slice(query.offset, query.offset + query.limit);
    let trashed = 0;
    for (const shelf of this.#shelves.values()) trashed += shelf.trashed;
    return { total: found.length, all, counts, days, rows, trashed, byStore };
  }

  /** The row of one run, read now. Throws `not_found`. */
  async row(key: string): Promise<RunRow> {
    const live = this.options.live().get(key);
    const { store, id } = splitKey(key);
    if (live?.snapshot.private) return runRow(undefined, live, this.#shelves.get('')?.options.label ?? '');
    return this.#shelf(store).row(id, live);
  }

  /** The row of a stored run as it is known now, without reading; absent: no such run is listed. */
  known(key: string): RunRow | undefined {
    const { store, id } = splitKey(key);
    const shelf = this.#shelves.get(store);
    const summary = shelf?.rows.get(id);
    return summary && shelf?.show(summary, this.options.live().get(key));
  }

  /** A row changed in a way that only this process knows. */
  touch(key: string): void {
    this.#changed.add(key);
    this.#soon();
  }

  /** Reads a row again, and tells of it. */
  async refresh(key: string): Promise<void> {
    const { store, id } = splitKey(key);
    await this.#shelves.get(store)?.refresh(id);
  }

  async trash(key: string): Promise<void> {
    const { store, id } = splitKey(key);
    await this.#shelf(store).trash(id);
  }

  async restore(key: string): Promise<void> {
    const { store, id } = splitKey(key);
    await this.#shelf(store).restore(id);
  }

  async rename(key: string, title: string): Promise<void> {
    const { store, id } = splitKey(key);
    await this.#shelf(store).rename(id, title);
  }

  close(): void {
    for (const shelf of this.#shelves.values()) shelf.close();
    clearTimeout(this.#timer);
  }

  #shelf(name: string): Shelf {
    const shelf = this.#shelves.get(name);
    if (shelf) return shelf;
    throw new Failure({
      code: 'not_found',
      message: 'The store of this run is not here.',
      todo: 'Look at the stores: it was taken away, or was not reached yet.',
    });
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const keys = [...this.#changed];
      this.#changed.clear();
      this.options.onChange(keys);
    }, this.options.gatherMs ?? 60);
  }

  *#newestFirst(
    live: ReadonlyMap<string, LiveRun>,
  ): Generator<{ row: RunRow; store: string; prompt: string }> {
    this.#sorted ??= [...this.#shelves.values()]
      .flatMap((shelf) => [...shelf.rows.values()].map((summary) => ({ shelf, summary })))
      .sort((a, b) => b.summary.updated.getTime() - a.summary.updated.getTime());
    const first = [...live.values()].sort((a, b) => Date.parse(b.updated) - Date.parse(a.updated));
    const liveRow = (run: LiveRun) => {
      const { store, id } = splitKey(run.snapshot.id);
      const shelf = this.#shelves.get(store);
      const summary = shelf?.rows.get(id);
      const row = shelf?.show(summary, run) ?? runRow(undefined, run, store);
      return { row, store, prompt: summary?.prompt ?? '' };
    };
    let next = first.shift();
    for (const { shelf, summary } of this.#sorted) {
      while (next && Date.parse(next.updated) >= summary.updated.getTime()) {
        yield liveRow(next);
        next = first.shift();
      }
      if (!live.has(shelf.key(summary.id)))
        yield {
          row: shelf.show(summary, undefined),
          store: shelf.options.name,
          prompt: summary.prompt ?? '',
        };
    }
    for (; next; next = first.shift()) yield liveRow(next);
  }
}

function holds(row: RunRow, prompt: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${row.title}\n${prompt}\n${row.model ?? ''}\n${row.id}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
