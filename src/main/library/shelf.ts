import { runKey } from '../../shared/contract/run-key';
import type { RunRow } from '../../shared/contract/views';
import { asFailure, isFailure, type Failure } from '../../shared/run/failure';
import type { CataloguePatch } from '../journal/catalogue';
import type { RunStore, RunSummary, StoreChange } from '../journal/journal';
import { Breather } from '../journal/read';
import { entryOf, type Entry } from './entry';
import { tooLargeToShow } from './fatal-runs';
import { runRow, type LiveRun } from './rows';

export interface ShelfOptions {
  /** Name of the store; empty for the usual one. */
  name: string;
  /** Name of the store for people. */
  label: string;
  store: RunStore;
  /** A row changed, or went. */
  onRow(key: string): void;
  /** All rows may have changed. */
  onList(): void;
  /** A stored run changed; `id` is its key. */
  onStoreChange(change: StoreChange): void;
  /** Whether this process writes the run just now, so that it knows it before the store tells. */
  isBusyHere(key: string): boolean;
  /** The store could not be listed; undefined: now it could. */
  onTrouble(failure: Failure | undefined): void;
  /** Whether no process may read this run of so many bytes. */
  isFatal?(id: string, size: number): boolean;
}

export interface TrashedRun {
  row: RunRow;
  /** When it was moved there, where the store can tell. */
  at: Date | undefined;
  size: number;
}

/** Rows that are read again at once, where the store is far away. */
const AT_ONCE = 16;
/** Milliseconds in which changes of the trash are gathered. */
const RECOUNT_MS = 200;

/**
 * The runs of one store as they are now, kept up to date by what the store tells of any process. It is listed once, and
 * again after it was away; between, only rows that changed are read again.
 */
export class Shelf {
  readonly rows = new Map<string, RunSummary>();
  trashed = 0;
  /** Rows as shown, for as long as their summary is the newest. */
  readonly #shown = new WeakMap<RunSummary, Entry>();
  /** The same of those that no process may read. */
  readonly #unread = new WeakMap<RunSummary, Entry>();
  #ready: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #closed = false;
  /** Rows that are being read, and the reading after that, for those who came meanwhile. */
  readonly #reading = new Map<string, { done: Promise<void>; next: Promise<void> | undefined }>();
  /** Rows that changed and are still to be read. */
  readonly #heardOf = new Set<string>();
  #workers = 0;
  /** One for all of them: each on its own would take a slice in the same turn. */
  readonly #breather = new Breather();
  #recount: NodeJS.Timeout | undefined;

  constructor(readonly options: ShelfOptions) {}

  key(id: string): string {
    return runKey(this.options.name, id);
  }

  /** Lists the store once; one that could not be read is asked again the next time. */
  start(): Promise<void> {
    this.#ready ??= this.#list().catch((error: unknown) => {
      this.#ready = undefined;
      const failure = asFailure(error);
      if (!this.#closed) this.options.onTrouble(failure);
      throw failure satisfies Failure;
    });
    return this.#ready;
  }

  /** The store was away: what was missed is read. */
  async again(): Promise<void> {
    this.#ready = undefined;
    await this.start();
  }

  /** The row of one run, read now. Throws `not_found`. */
  async row(id: string, live: LiveRun | undefined): Promise<RunRow> {
    try {
      return this.show(await this.options.store.summary(id), live);
    } catch (error) {
      if (live && isFailure(error, 'not_found')) return this.show(undefined, live);
      throw error;
    }
  }

  show(summary: RunSummary | undefined, live: LiveRun | undefined): RunRow {
    if (!summary || live) {
      const row = runRow(summary, live, this.options.label);
      return { ...row, id: live ? live.snapshot.id : this.key(row.id) };
    }
    return this.entry(summary).row;
  }

  /** A stored run; the same object for as long as its summary is the newest. */
  entry(summary: RunSummary): Entry {
    const unread = this.options.isFatal?.(summary.id, summary.size) === true;
    const shown = unread ? this.#unread : this.#shown;
    let entry = shown.get(summary);
    if (!entry) {
      const told: RunSummary = unread
        ? { ...summary, health: 'damaged', failure: tooLargeToShow().toJSON() }
        : summary;
      const row = runRow(told, undefined, this.options.label);
      row.id = this.key(row.id);
      entry = entryOf(row, this.options.name, summary.prompt ?? '');
      shown.set(summary, entry);
    }
    return entry;
  }

  /** Reads a row again, and tells of it. What the row is then was read after this call. */
  refresh(id: string): Promise<void> {
    const running = this.#reading.get(id);
    if (running) return (running.next ??= running.done.then(() => this.refresh(id)));
    const done = this.#read(id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, { done, next: undefined });
    return done;
  }

  async trash(id: string): Promise<void> {
    await this.options.store.trash(id);
    this.trashed++;
    await this.refresh(id);
  }

  async restore(id: string): Promise<void> {
    await this.options.store.restore(id);
    this.trashed = Math.max(0, this.trashed - 1);
    await this.refresh(id);
  }

  async label(
    id: string,
    change: (labels: RunSummary['catalogue'], run: RunSummary) => CataloguePatch,
  ): Promise<void> {
    const { store } = this.options;
    const run = await store.summary(id);
    const patch = change(run.catalogue, run);
    if (Object.keys(patch).length === 0) return;
    await store.label(id, patch);
    await this.refresh(id);
  }

  async trashedRuns(): Promise<TrashedRun[]> {
    const rows = await this.options.store.trashed();
    this.trashed = rows.length;
    return rows.map((summary) => ({ row: this.entry(summary).row, at: summary.trashed, size: summary.size }));
  }

  /** Ids of what is in the trash. */
  async trashedIds(): Promise<ReadonlySet<string>> {
    return new Set((await this.options.store.trashed()).map(({ id }) => id));
  }

  /** From the trash, for good. */
  async purge(id: string): Promise<void> {
    await this.options.store.purge(id);
    this.trashed = Math.max(0, this.trashed - 1);
    this.options.onList();
  }

  close(): void {
    this.#closed = true;
    this.#heardOf.clear();
    clearTimeout(this.#recount);
    this.#stop?.();
  }

  async #read(id: string): Promise<void> {
    try {
      this.rows.set(id, await this.options.store.summary(id));
    } catch (error) {
      if (!isFailure(error, 'not_found')) return;
      this.rows.delete(id);
    }
    this.options.onRow(this.key(id));
  }

  async #list(): Promise<void> {
    const { store } = this.options;
    // Watching begins first, so that nothing falls between.
    this.#stop ??= store.watch((change) => this.#heard(change));
    const before = new Map(this.rows);
    const rows = await store.list();
    const listed = new Set(rows.map((row) => row.id));
    // What was read again meanwhile is newer than the list.
    for (const row of rows) if (this.rows.get(row.id) === before.get(row.id)) this.rows.set(row.id, row);
    for (const [id, row] of before) if (!listed.has(id) && this.rows.get(id) === row) this.rows.delete(id);
    await this.#countTrash();
    // Made now, in slices, so that the first page need not make all of them in one go.
    const breather = new Breather();
    for (const row of this.rows.values()) {
      this.entry(row);
      if (breather.due) await breather.breathe();
    }
    if (this.#closed) return;
    this.options.onTrouble(undefined);
    this.options.onList();
  }

  #heard(change: StoreChange): void {
    const key = this.key(change.id);
    this.options.onStoreChange({ ...change, id: key });
    if (change.what === 'removed' || change.what === 'added') this.#recountSoon();
    if (change.what === 'grown' && this.options.isBusyHere(key)) this.options.onRow(key);
    else this.#later(change.id);
  }

  /** A burst of changes is read in slices of a few milliseconds, so that it holds up nobody. */
  #later(id: string): void {
    this.#heardOf.add(id);
    if (this.#workers >= Math.min(AT_ONCE, this.#heardOf.size)) return;
    this.#workers += 1;
    void this.#work();
  }

  /** Never rejects: a row that cannot be read stays as it was. */
  async #work(): Promise<void> {
    const breather = this.#breather;
    // What is told in one go is gathered first.
    await breather.breathe();
    for (const id of this.#heardOf) {
      this.#heardOf.delete(id);
      await this.refresh(id);
      if (breather.due) await breather.breathe();
    }
    // At once: what is told from now on needs somebody else.
    this.#workers -= 1;
  }

  #recountSoon(): void {
    this.#recount ??= setTimeout(() => {
      this.#recount = undefined;
      const before = this.trashed;
      void this.#countTrash().then(() => {
        if (this.trashed !== before && !this.#closed) this.options.onList();
      });
    }, RECOUNT_MS);
    this.#recount.unref();
  }

  /** Never rejects: the number is shown beside the list and hides nothing. */
  async #countTrash(): Promise<void> {
    this.trashed = await this.options.store.trashed().then(
      (trashed) => trashed.length,
      () => this.trashed,
    );
  }
}
