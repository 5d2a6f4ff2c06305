import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import type { NatsAuth } from '../../journal/jetstream/address';
import type { SearchPage, SearchProgress, SearchQuery, SearchStatus } from './index';

/** An index of one store, wherever it works. */
export interface RunIndex {
  search(query: SearchQuery): Promise<SearchPage>;
  /** Resolves when the index is up to what the store held when it was asked. `ids`: only these runs may have changed. */
  update(ids?: readonly string[]): Promise<void>;
  status(): Promise<SearchStatus>;
  close(): Promise<void>;
}

/** What the thread is started with. */
export interface SearchData {
  /** Address of the store, and how to prove oneself there. */
  store: string;
  login: NatsAuth;
  /** Folder for what can be made again. */
  cache: string;
}
export type SearchCall = { n: number } & (
  | { method: 'search'; query: SearchQuery }
  | { method: 'update'; ids?: readonly string[] }
  | { method: 'status' | 'close' }
);
export type SearchAnswer =
  | { n: number; ok: true; value: unknown }
  | { n: number; ok: false; failure: FailureInfo }
  | { progress: SearchProgress };

const CLOSE_MS = 1_500;

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/**
 * A search index in a thread of its own, so that neither building it nor looking into it ever holds up the main process.
 * A thread that died fails what it was asked and is started again for the next question.
 */
export class WorkerIndex implements RunIndex {
  #worker: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  #closed = false;

  /** @param file the built thread, `search.js` */
  constructor(
    private readonly file: URL,
    private readonly data: SearchData,
    private readonly onProgress: (progress: SearchProgress) => void = () => undefined,
  ) {}

  search(query: SearchQuery): Promise<SearchPage> {
    return this.#call({ n: this.#next++, method: 'search', query });
  }

  update(ids?: readonly string[]): Promise<void> {
    return this.#call({ n: this.#next++, method: 'update', ...(ids && { ids }) });
  }

  status(): Promise<SearchStatus> {
    return this.#call({ n: this.#next++, method: 'status' });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const worker = this.#worker;
    const asked = worker && this.#call({ n: this.#next++, method: 'close' }).catch(() => undefined);
    this.#closed = true;
    // What it was writing is begun again the next time, so nobody waits for a store that does not answer.
    await Promise.race([asked, delay(CLOSE_MS, undefined, { ref: false })]);
    await worker?.terminate();
  }

  #call(call: SearchCall): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(gone());
      this.#waiting.set(call.n, { resolve, reject });
      this.#start().postMessage(call);
    });
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.file, { workerData: this.data });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (answer: SearchAnswer) => {
      if ('progress' in answer) return this.onProgress(answer.progress);
      const waiting = this.#waiting.get(answer.n);
      this.#waiting.delete(answer.n);
      if (answer.ok) waiting?.resolve(answer.value as never);
      else waiting?.reject(new Failure(answer.failure));
    });
    const end = (cause?: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const waiting of this.#waiting.values()) waiting.reject(gone(cause));
      this.#waiting.clear();
    };
    worker.on('error', end);
    worker.on('exit', () => end());
    return worker;
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
