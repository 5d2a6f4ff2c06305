import { setTimeout as delay } from 'node:timers/promises';
import { asFailure, isFailure, type Failure } from '../../shared/run/failure';
import type { SearchPage, SearchProgress, SearchQuery } from '../library/search';
import type { RunIndex } from '../library/search/worker-index';

/** Changes that come within this time cost one update. */
const GATHER_MS = 1_500;
/** So much longer than an update takes is waited before the next one, so that it never fills the machine. */
const REST = 10;
/** More runs than this that changed are found by listing the store. */
const MANY = 50;
/** Deaths of a process that are not told. */
const QUIET = 3;
/** Milliseconds before an update that failed is tried again; the last goes on without end. */
const AGAIN = [2_000, 10_000, 60_000, 300_000];
/** A search waits so long for an index that is made again; after that it gives what there is. */
const LOST_MS = 1_000;

/** Keeps the index of one store up to date, without ever being in the way. */
export class IndexKeeper {
  /** Runs that changed since the last update began. */
  readonly #pending = new Set<string>();
  /** Any run may have changed. */
  #any = false;
  #whole = false;
  #progress: SearchProgress = { done: 0, total: 0, bytes: 0 };
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #rest = 0;
  #tries = 0;
  #closed = false;
  #failed: Failure | undefined;

  constructor(readonly index: RunIndex) {}

  /** How far it is, as long as not everything is read: totals of 0 while the store is being listed. */
  get building(): SearchProgress | undefined {
    const { done, total } = this.#progress;
    return this.#whole || this.failure
      ? undefined
      : done < total
        ? this.#progress
        : { ...this.#progress, done: 0, total: 0 };
  }

  /** Why it cannot be brought up to date. A process that died is started again before anybody is told of it. */
  get failure(): Failure | undefined {
    return this.#failed?.code === 'internal' && this.#tries < QUIET ? undefined : this.#failed;
  }

  told(progress: SearchProgress): void {
    this.#progress = progress;
    // What remains after it is only tidying up.
    if (progress.done === progress.total) this.#whole = true;
    else if (progress.total > MANY) this.#whole = false;
  }

  /** A run changed, or any may have. */
  changed(id?: string): void {
    if (id === undefined) this.#any = true;
    else this.#pending.add(id);
    if (id === undefined && !this.#whole) void this.#update();
    else this.#later(Math.max(GATHER_MS, this.#rest));
  }

  /** What changed is brought in now, and waited for a little, where that is little. */
  async fresh(ms: number): Promise<void> {
    if (!this.#whole || this.#any || this.#pending.size === 0) return;
    await Promise.race([this.#update(), delay(ms)]);
  }

  /** An index that was lost, as where somebody emptied the cache folder, is made again; a little of that is waited for. */
  async search(query: SearchQuery): Promise<SearchPage> {
    const page = await this.#ask(query);
    if (!page.lost || this.#closed) return page;
    this.#whole = false;
    this.#progress = { done: 0, total: 0, bytes: 0 };
    this.#any = true;
    // An update that is under way may end without having noticed: one more makes the index again.
    const again = this.#working ? this.#working.then(() => this.#update()) : this.#update();
    await Promise.race([again, delay(LOST_MS)]);
    return this.#ask(query);
  }

  /** A process that died is started again, once. */
  async #ask(query: SearchQuery): Promise<SearchPage> {
    try {
      return await this.index.search(query);
    } catch (error) {
      if (!isFailure(error, 'internal') || this.#closed) throw error;
      return this.index.search(query);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.index.close();
  }

  #later(ms: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#update();
    }, ms);
    this.#timer.unref();
  }

  #update(): Promise<void> {
    this.#working ??= this.#run().finally(() => {
      this.#working = undefined;
      if (this.#failed) this.#later(AGAIN[Math.min(this.#tries++, AGAIN.length - 1)] ?? 0);
      else if (this.#any || this.#pending.size > 0) this.#later(Math.max(GATHER_MS, this.#rest));
    });
    return this.#working;
  }

  async #run(): Promise<void> {
    const ids = this.#any || !this.#whole || this.#pending.size > MANY ? undefined : [...this.#pending];
    const waiting = [...this.#pending];
    this.#any = false;
    this.#pending.clear();
    const began = performance.now();
    try {
      await this.index.update(ids);
      this.#failed = undefined;
      this.#whole = true;
      this.#tries = 0;
    } catch (error) {
      if (this.#closed) return;
      this.#failed = asFailure(error);
      if (ids) waiting.forEach((id) => this.#pending.add(id));
      else this.#any = true;
    }
    // One of a few runs says nothing of what the next one will take.
    this.#rest = ids ? 0 : Math.min(60_000, REST * (performance.now() - began));
  }
}
