import { runKey } from '../../shared/contract/run-key';
import type { RunRow } from '../../shared/contract/views';
import { asFailure, isFailure, type Failure } from '../../shared/run/failure';
import type { RunStore, RunSummary, StoreChange } from '../journal/journal';
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
}

/**
 * The runs of one store as they are now, kept up to date by what the store tells of any process. It is listed once, and
 * again after it was away; between, only rows that changed are read again.
 */
export class Shelf {
  readonly rows = new Map<string, RunSummary>();
  trashed = 0;
  /** Rows as shown, for as long as their summary is the newest. */
  readonly #shown = new WeakMap<RunSummary, RunRow>();
  #ready: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #closed = false;
  /** Rows that are being read again, and whether once more afterwards. */
  readonly #reading = new Map<string, { again: boolean; done: Promise<void> }>();

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
    let row = this.#shown.get(summary);
    if (!row) {
      row = runRow(summary, undefined, this.options.label);
      row.id = this.key(row.id);
      this.#shown.set(summary, row);
    }
    return row;
  }

  /** Reads a row again, and tells of it. */
  async refresh(id: string): Promise<void> {
    const running = this.#reading.get(id);
    if (running) {
      running.again = true;
      return running.done;
    }
    const entry = { again: false, done: Promise.resolve() };
    this.#reading.set(id, entry);
    entry.done = this.#read(id).finally(() => {
      this.#reading.delete(id);
      if (entry.again) void this.refresh(id);
    });
    return entry.done;
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

  async rename(id: string, title: string): Promise<void> {
    const trimmed = title.trim();
    await this.options.store.label(id, { title: trimmed === '' ? undefined : trimmed });
    await this.refresh(id);
  }

  close(): void {
    this.#closed = true;
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
    this.trashed = await store.trashed().then(
      (trashed) => trashed.length,
      () => this.trashed,
    );
    if (this.#closed) return;
    this.options.onTrouble(undefined);
    this.options.onList();
  }

  #heard(change: StoreChange): void {
    const key = this.key(change.id);
    this.options.onStoreChange({ ...change, id: key });
    if (change.what === 'grown' && this.options.isBusyHere(key)) this.options.onRow(key);
    else void this.refresh(change.id);
  }
}
