import { Worker } from 'node:worker_threads';
import { Failure, type FailureInfo } from '../../../shared/run/failure';
import type { NatsAuth } from '../../journal/jetstream/address';
import type { Reader } from './reader';

/** The methods of a Reader, as they cross to its worker. */
export type ReaderMethod = Exclude<keyof Reader, 'close'>;
export interface ReaderCall {
  n: number;
  method: ReaderMethod;
  args: unknown[];
}
export type ReaderAnswer =
  { n: number; ok: true; value: unknown } | { n: number; ok: false; failure: FailureInfo };

/** What the worker is started with. */
export interface ReaderData {
  /** Address of the store that it reads, and how to prove oneself there. */
  store: string;
  login: NatsAuth;
}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** The thread died, or would not start. `data.reader`: a window may ask again by itself. */
const gone = (why?: string) =>
  new Failure({
    code: 'io',
    message: `The part of Holdfast that reads runs stopped${why === undefined ? '' : ` (${why})`}.`,
    kept: 'All that was recorded is kept.',
    todo: 'Open the run again.',
    data: { reader: 'stopped' },
  });

/**
 * A Reader in a thread of its own, so that no run is ever so large that the main process has no time. A worker that died
 * (out of memory, say) fails what it was asked and is started again for the next question.
 */
export class WorkerReader implements Reader {
  #worker: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  #closed = false;

  /** `file`: the built worker. */
  constructor(
    private readonly file: URL,
    private readonly data: ReaderData,
  ) {}

  open: Reader['open'] = (...args) => this.#call('open', args);
  whole: Reader['whole'] = (...args) => this.#call('whole', args);
  progress: Reader['progress'] = (...args) => this.#call('progress', args);
  begin: Reader['begin'] = (...args) => this.#call('begin', args);
  feed: Reader['feed'] = (...args) => this.#call('feed', args);
  refresh: Reader['refresh'] = (...args) => this.#call('refresh', args);
  mark: Reader['mark'] = (...args) => this.#call('mark', args);
  items: Reader['items'] = (...args) => this.#call('items', args);
  text: Reader['text'] = (...args) => this.#call('text', args);
  find: Reader['find'] = (...args) => this.#call('find', args);
  record: Reader['record'] = (...args) => this.#call('record', args);
  around: Reader['around'] = (...args) => this.#call('around', args);
  locate: Reader['locate'] = (...args) => this.#call('locate', args);
  turns: Reader['turns'] = (...args) => this.#call('turns', args);
  stand: Reader['stand'] = (...args) => this.#call('stand', args);
  drop: Reader['drop'] = (...args) => this.#call('drop', args);

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #call(method: ReaderMethod, args: unknown[]): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(gone());
        return;
      }
      const n = this.#next++;
      this.#waiting.set(n, { resolve, reject });
      this.#start().postMessage({ n, method, args } satisfies ReaderCall);
    });
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.file, { workerData: this.data });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (answer: ReaderAnswer) => {
      const waiting = this.#waiting.get(answer.n);
      this.#waiting.delete(answer.n);
      if (answer.ok) waiting?.resolve(answer.value as never);
      else waiting?.reject(new Failure(answer.failure));
    });
    const end = (why?: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const waiting of this.#waiting.values()) waiting.reject(gone(why));
      this.#waiting.clear();
    };
    worker.on('error', (error) => end(error.message));
    worker.on('exit', () => end());
    return worker;
  }
}
