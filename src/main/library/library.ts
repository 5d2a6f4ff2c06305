import type { CommandOutput } from '../../shared/contract/contract';
import type { RunRow, RunStatus } from '../../shared/contract/views';
import { asFailure, isFailure, type Failure } from '../../shared/run/failure';
import type { RunStore, RunSummary, StoreChange } from '../journal/journal';
import { runRow, type LiveRun } from './rows';
import { localDay } from './words';

export interface LibraryOptions {
  store: RunStore;
  /** Name of the store for people. */
  label: string;
  /** Runs that this process writes, private ones too. */
  live(): ReadonlyMap<string, LiveRun>;
  /** Rows changed. Told at most every `gatherMs`. */
  onChange(ids: string[]): void;
  /** A stored run changed, for whoever shows it. */
  onStoreChange(change: StoreChange): void;
  gatherMs?: number;
}

export interface PageQuery {
  offset: number;
  limit: number;
  states?: RunStatus[] | undefined;
  words?: string | undefined;
}

/**
 * The list of runs as it is now, kept up to date by what the store tells of any process. The store is listed once; after
 * that only rows that changed are read again.
 */
export class Library {
  readonly #rows = new Map<string, RunSummary>();
  /** Rows as shown, for as long as their summary is the newest. */
  readonly #shown = new WeakMap<RunSummary, RunRow>();
  #sorted: RunSummary[] | undefined;
  #ready: Promise<void> | undefined;
  #trashed = 0;
  #stop: (() => void) | undefined;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Rows that are being read again, and whether once more afterwards. */
  readonly #reading = new Map<string, { again: boolean; done: Promise<void> }>();

  constructor(private readonly options: LibraryOptions) {}

  /** Begins to list and to watch before anybody asks. A store that cannot be read says so when it is asked. */
  warm(): void {
    this.#start().catch(() => undefined);
  }

  async page(query: PageQuery): Promise<CommandOutput<'library.page'>> {
    await this.#start();
    const { live, store } = { live: this.options.live(), store: this.options.label };
    const words = (query.words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const states = query.states && new Set(query.states);
    const counts: Record<string, number> = {};
    const found: RunRow[] = [];
    const days: { day: string; count: number }[] = [];
    let all = 0;
    for (const row of this.#newestFirst(live, store)) {
      all++;
      counts[row.status] = (counts[row.status] ?? 0) + 1;
      if ((states && !states.has(row.status)) || !this.#holds(row, words)) continue;
      found.push(row);
      const day = localDay(new Date(row.updated));
      const last = days.at(-1);
      if (last?.day === day) last.count++;
      else days.push({ day, count: 1 });
    }
    const rows = found.slice(query.offset, query.offset + query.limit);
    return { total: found.length, all, counts, days, rows, trashed: this.#trashed };
  }

  /** The row of one run, read now. Throws `not_found`. */
  async row(id: string): Promise<RunRow> {
    const live = this.options.live().get(id);
    if (live?.snapshot.private) return runRow(undefined, live, this.options.label);
    try {
      return runRow(await this.options.store.summary(id), live, this.options.label);
    } catch (error) {
      if (live && isFailure(error, 'not_found')) return runRow(undefined, live, this.options.label);
      throw error;
    }
  }

  summary(id: string): Promise<RunSummary> {
    return this.options.store.summary(id);
  }

  /** A row changed in a way that only this process knows. */
  touch(id: string): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const ids = [...this.#changed];
      this.#changed.clear();
      this.options.onChange(ids);
    }, this.options.gatherMs ?? 60);
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
    this.#trashed++;
    await this.refresh(id);
  }

  async restore(id: string): Promise<void> {
    await this.options.store.restore(id);
    this.#trashed = Math.max(0, this.#trashed - 1);
    await this.refresh(id);
  }

  async rename(id: string, title: string): Promise<void> {
    const trimmed = title.trim();
    await this.options.store.label(id, { title: trimmed === '' ? undefined : trimmed });
    await this.refresh(id);
  }

  close(): void {
    this.#stop?.();
    clearTimeout(this.#timer);
  }

  async #read(id: string): Promise<void> {
    try {
      this.#rows.set(id, await this.options.store.summary(id));
    } catch (error) {
      if (!isFailure(error, 'not_found')) return;
      this.#rows.delete(id);
    }
    this.#sorted = undefined;
    this.touch(id);
  }

  /** Lists the store once; a store that could not be read is asked again the next time. */
  #start(): Promise<void> {
    this.#ready ??= this.#list().catch((error: unknown) => {
      this.#ready = undefined;
      throw asFailure(error) satisfies Failure;
    });
    return this.#ready;
  }

  async #list(): Promise<void> {
    // Watching begins first, so that nothing falls between.
    this.#stop ??= this.options.store.watch((change) => this.#heard(change));
    const rows = await this.options.store.list();
    for (const row of rows) if (!this.#rows.has(row.id)) this.#rows.set(row.id, row);
    this.#sorted = undefined;
    this.#trashed = await this.options.store.trashed().then(
      (trashed) => trashed.length,
      () => 0,
    );
  }

  #heard(change: StoreChange): void {
    this.options.onStoreChange(change);
    const live = this.options.live().get(change.id);
    // What this process writes itself, it knows before the store tells.
    if (live && change.what === 'grown' && live.snapshot.phase !== 'idle') this.touch(change.id);
    else void this.refresh(change.id);
  }

  *#newestFirst(live: ReadonlyMap<string, LiveRun>, store: string): Generator<RunRow> {
    this.#sorted ??= [...this.#rows.values()].sort((a, b) => b.updated.getTime() - a.updated.getTime());
    const first = [...live.values()].sort((a, b) => Date.parse(b.updated) - Date.parse(a.updated));
    let next = first.shift();
    for (const row of this.#sorted) {
      while (next && Date.parse(next.updated) >= row.updated.getTime()) {
        yield runRow(this.#rows.get(next.snapshot.id), next, store);
        next = first.shift();
      }
      if (!live.has(row.id)) yield this.#asShown(row, store);
    }
    for (; next; next = first.shift()) yield runRow(this.#rows.get(next.snapshot.id), next, store);
  }

  #asShown(summary: RunSummary, store: string): RunRow {
    let row = this.#shown.get(summary);
    if (!row) this.#shown.set(summary, (row = runRow(summary, undefined, store)));
    return row;
  }

  #holds(row: RunRow, words: readonly string[]): boolean {
    if (words.length === 0) return true;
    const prompt = this.#rows.get(row.id)?.prompt ?? '';
    const text = `${row.title}\n${prompt}\n${row.model ?? ''}\n${row.id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }
}
