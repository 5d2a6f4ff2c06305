import { splitKey } from '../../shared/contract/run-key';
import type { RunRow } from '../../shared/contract/views';
import { Failure, asFailure } from '../../shared/run/failure';
import type { CataloguePatch } from '../journal/catalogue';
import type { RunStore, RunSummary, StoreChange } from '../journal/journal';
import { entryOf, type Entry } from './entry';
import { Queries, type Found, type RunQuery } from './query';
import { runRow, type LiveRun } from './rows';
import { Shelf, type TrashedRun } from './shelf';

export interface LibraryOptions {
  /** Runs that this process writes, private ones too, by their keys. */
  live(): ReadonlyMap<string, LiveRun>;
  /** Rows changed; none: any may have. Told at most every `gatherMs`. */
  onChange(keys: string[]): void;
  /** A stored run changed, for whoever shows it; `id` is its key. */
  onStoreChange(change: StoreChange): void;
  /** A store could not be listed; undefined: now it could. */
  onTrouble?(store: string, failure: Failure | undefined): void;
  /** Whether no process may read a run of so many bytes. */
  isFatal?(store: string, id: string, size: number): boolean;
  gatherMs?: number;
}

export interface PageQuery extends RunQuery {
  offset: number;
  limit: number;
}

export type Page = Omit<Found, 'entries'> & {
  total: number;
  all: number;
  rows: RunRow[];
  trashed: number;
};

/** Something that was done to many runs, each for itself. Keys, in the order given. */
export interface Report {
  done: string[];
  failed: { id: string; failure: Failure }[];
}

/** Runs of one store that are changed at a time; others get their turn between. */
const AT_ONCE = 8;

/** The list of runs of all stores as it is now. Runs go by their keys here. */
export class Library {
  readonly #shelves = new Map<string, Shelf>();
  readonly #queries = new Queries();
  /** All entries that are stored, as long as none changed. */
  #stored: Entry[] | undefined;
  #entries: { stored: Entry[]; live: string; all: Entry[] } | undefined;
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
        this.#stored = undefined;
        this.touch(key);
      },
      onList: () => {
        this.#stored = undefined;
        this.#soon();
      },
      onStoreChange: this.options.onStoreChange,
      isBusyHere: (key) => (this.options.live().get(key)?.snapshot.phase ?? 'idle') !== 'idle',
      onTrouble: (failure) => this.options.onTrouble?.(name, failure),
      isFatal: (id, size) => this.options.isFatal?.(name, id, size) === true,
    });
    this.#shelves.set(name, shelf);
    this.#stored = undefined;
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
    this.#stored = undefined;
    this.#soon();
  }

  /** A store is there again: what was missed is read. */
  again(name: string): void {
    this.#shelves
      .get(name)
      ?.again()
      .catch(() => undefined);
  }

  async page({ offset, limit, ...query }: PageQuery): Promise<Page> {
    const { entries, ...found } = await this.#find(query);
    let [all, trashed] = [0, 0];
    for (const count of found.byStore.values()) all += count;
    for (const shelf of this.#shelves.values()) trashed += shelf.trashed;
    const rows = entries.slice(offset, offset + limit).map(({ row }) => row);
    return { ...found, total: entries.length, all, rows, trashed };
  }

  /** Keys of what a query finds, without its rows. */
  async keys({ offset, limit, ...query }: PageQuery): Promise<{ keys: string[]; total: number }> {
    const { entries } = await this.#find(query);
    return {
      keys: entries.slice(offset, offset + limit).map(({ row }) => row.id),
      total: entries.length,
    };
  }

  /** Rows of these runs, as far as they are there. */
  async some(keys: readonly string[]): Promise<RunRow[]> {
    const wanted = new Set(keys);
    const { entries } = await this.#find({});
    return entries.filter(({ row }) => wanted.has(row.id)).map(({ row }) => row);
  }

  /** The row of one run as the list has it; undefined where it has none (yet). */
  known(key: string): RunRow | undefined {
    const live = this.options.live().get(key);
    const { store, id } = splitKey(key);
    if (live) return this.#liveEntry(live).row;
    const shelf = this.#shelves.get(store);
    const summary = shelf?.rows.get(id);
    return shelf && summary && shelf.show(summary, undefined);
  }

  /** The row of one run, read now. Throws `not_found`. */
  async row(key: string): Promise<RunRow> {
    const live = this.options.live().get(key);
    const { store, id } = splitKey(key);
    if (live?.snapshot.private) return runRow(undefined, live, this.#shelves.get('')?.options.label ?? '');
    return this.#shelf(store).row(id, live);
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
    const trimmed = title.trim();
    await this.label(key, () => ({ title: trimmed === '' ? undefined : trimmed }));
  }

  /** Changes what a person added to a run; `change` gets what is there. Fails as the store's `label`. */
  async label(
    key: string,
    change: (labels: RunSummary['catalogue'], run: RunSummary) => CataloguePatch,
  ): Promise<void> {
    const { store, id } = splitKey(key);
    await this.#shelf(store).label(id, change);
  }

  /** Deletes for good, only what is in the trash: nothing that can be seen in the list goes in one step. */
  async purge(keys: readonly string[]): Promise<Report> {
    const trash = new Map<string, ReadonlySet<string>>();
    for (const name of new Set(keys.map((key) => splitKey(key).store))) {
      const ids = await this.#shelves.get(name)?.trashedIds();
      if (ids) trash.set(name, ids);
    }
    return this.each(keys, async (key) => {
      const { store, id } = splitKey(key);
      const shelf = this.#shelf(store);
      if (!trash.get(store)?.has(id)) throw notInTrash();
      await shelf.purge(id);
    });
  }

  /** What is in the trash of every store, the latest first. */
  async trashed(): Promise<{ runs: TrashedRun[]; failed: { store: string; failure: Failure }[] }> {
    const runs: TrashedRun[] = [];
    const failed: { store: string; failure: Failure }[] = [];
    for (const shelf of this.#shelves.values()) {
      try {
        runs.push(...(await shelf.trashedRuns()));
      } catch (error) {
        failed.push({ store: shelf.options.name, failure: asFailure(error) });
      }
    }
    const when = ({ at, row }: TrashedRun) => at?.getTime() ?? Date.parse(row.updated);
    return { runs: runs.sort((a, b) => when(b) - when(a)), failed };
  }

  /** Does the same to many runs. One that it cannot be done to stops none of the others. */
  async each(keys: readonly string[], work: (key: string) => Promise<void>): Promise<Report> {
    const wanted = [...new Set(keys)];
    const ends = new Map<string, Failure | undefined>();
    let next = 0;
    const worker = async () => {
      for (let n = next++; n < wanted.length; n = next++) {
        const failure = await work(wanted[n]!).then(() => undefined, asFailure);
        ends.set(wanted[n]!, failure);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const report: Report = { done: [], failed: [] };
    for (const id of wanted) {
      const failure = ends.get(id);
      if (failure) report.failed.push({ id, failure });
      else report.done.push(id);
    }
    return report;
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

  /** The usual store is waited for; any other joins when it is read, so that a slow one hides nobody's runs. */
  async #find(query: RunQuery): Promise<Found> {
    for (const [name, shelf] of this.#shelves) if (name !== '') shelf.start().catch(() => undefined);
    await this.#shelves
      .get('')
      ?.start()
      .catch((error: unknown) => {
        if (this.#shelves.size === 1) throw asFailure(error) satisfies Failure;
      });
    this.#queries.set(this.#all(this.options.live()));
    return this.#queries.find(query);
  }

  /** Every entry, with what this process writes in its place. The same list for as long as nothing changed. */
  #all(live: ReadonlyMap<string, LiveRun>): Entry[] {
    this.#stored ??= [...this.#shelves.values()].flatMap((shelf) =>
      [...shelf.rows.values()].map((summary) => shelf.entry(summary)),
    );
    const stored = this.#stored;
    const own = [...live.values()].map((run) => this.#liveEntry(run));
    const told = JSON.stringify(own);
    if (this.#entries?.stored !== stored || this.#entries.live !== told) {
      const all = own.length === 0 ? stored : [...stored.filter(({ row }) => !live.has(row.id)), ...own];
      this.#entries = { stored, live: told, all };
    }
    return this.#entries.all;
  }

  #liveEntry(run: LiveRun): Entry {
    const { store, id } = splitKey(run.snapshot.id);
    const shelf = this.#shelves.get(store);
    const summary = shelf?.rows.get(id);
    const row = shelf?.show(summary, run) ?? runRow(undefined, run, store);
    return entryOf(row, store, summary?.prompt ?? run.snapshot.state.prompt);
  }
}

const notInTrash = () =>
  new Failure({
    code: 'not_found',
    message: 'This run is not in the trash.',
    kept: 'Nothing was deleted.',
    todo: 'It was brought back, or deleted for good already.',
  });
