import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import type { NatsAuth } from '../../journal/jetstream/address';
import { startPart, type Part } from '../../program';
import { FatalRuns } from '../fatal-runs';
import type { SearchPage, SearchProgress, SearchQuery, SearchStatus } from './index';

/** An index of one store, wherever it works. */
export interface RunIndex {
  search(query: SearchQuery): Promise<SearchPage>;
  /** Resolves when the index is up to what the store held when it was asked. `ids`: only these runs may have changed. */
  update(ids?: readonly string[]): Promise<void>;
  status(): Promise<SearchStatus>;
  close(): Promise<void>;
}

/** What the process is started with. */
export interface SearchData {
  /** Address of the store, and how to prove oneself there. */
  store: string;
  login: NatsAuth;
  /** Folder for what can be made again. */
  cache: string;
}
export type SearchCall = { n: number } & (
  | { method: 'search'; query: SearchQuery }
  | { method: 'update'; ids?: readonly string[]; skip?: readonly string[] }
  | { method: 'status' | 'close' }
);
export type SearchAnswer =
  | { n: number; ok: true; value: unknown }
  | { n: number; ok: false; failure: FailureInfo }
  | { progress: SearchProgress }
  /** The run that is read now. */
  | { at: string };

const CLOSE_MS = 1_500;

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/**
 * A search index in a process of its own, so that neither building it nor looking into it ever holds up the main process
 * or takes it along. One that died fails what it was asked and is started again for the next question; a run on which it
 * dies again is left out.
 */
export class WorkerIndex implements RunIndex {
  #part: Part | undefined;
  #at: string | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  #closed = false;

  /**
   * @param file what the process runs, `search.js`
   * @param name of the store among the fatal runs; empty: the usual one
   */
  constructor(
    private readonly file: URL,
    private readonly data: SearchData,
    private readonly onProgress: (progress: SearchProgress) => void = () => undefined,
    private readonly fatal = new FatalRuns(),
    private readonly name = '',
  ) {}

  search(query: SearchQuery): Promise<SearchPage> {
    return this.#call({ n: this.#next++, method: 'search', query });
  }

  update(ids?: readonly string[]): Promise<void> {
    const skip = this.fatal.in(this.name);
    return this.#call({ n: this.#next++, method: 'update', ...(ids && { ids }), skip });
  }

  status(): Promise<SearchStatus> {
    return this.#call({ n: this.#next++, method: 'status' });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const part = this.#part;
    const asked = part && this.#call({ n: this.#next++, method: 'close' }).catch(() => undefined);
    this.#closed = true;
    // What it was writing is begun again the next time, so nobody waits for a store that does not answer.
    await Promise.race([asked, delay(CLOSE_MS, undefined, { ref: false })]);
    part?.kill();
    this.#end();
  }

  #call(call: SearchCall): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(gone());
      this.#waiting.set(call.n, { resolve, reject });
      this.#start().send(call);
    });
  }

  #start(): Part {
    this.#part ??= startPart(this.file, this.data, {
      message: (message) => this.#hear(message as SearchAnswer),
      ended: (why) => {
        if (this.#at !== undefined) this.fatal.ended(this.name, this.#at);
        this.#end(why);
      },
    });
    return this.#part;
  }

  #hear(answer: SearchAnswer): void {
    if ('progress' in answer) return this.onProgress(answer.progress);
    if ('at' in answer) return void (this.#at = answer.at);
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if (this.#waiting.size === 0) this.#at = undefined;
    if (answer.ok) waiting?.resolve(answer.value as never);
    else waiting?.reject(new Failure(answer.failure));
  }

  #end(why?: string): void {
    this.#part = this.#at = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(gone(why));
    this.#waiting.clear();
  }
}

const gone = (cause?: unknown): Failure =>
  new Failure(
    {
      code: 'internal',
      message: 'The search stopped.',
      kept: 'Runs are not touched by it.',
      todo: 'Search again.',
    },
    { cause },
  );
