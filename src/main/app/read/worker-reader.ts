import { Failure, type FailureInfo } from '../../../shared/run/failure';
import type { NatsAuth } from '../../journal/jetstream/address';
import { FatalRuns, tooLargeToShow } from '../../library/fatal-runs';
import { startPart, type Part } from '../../program';
import type { Reader } from './reader';
import { unreadAnswer } from './unread';

/** The methods of a Reader, as they cross to its process. */
export type ReaderMethod = Exclude<keyof Reader, 'close'>;
export interface ReaderCall {
  n: number;
  method: ReaderMethod;
  args: unknown[];
}
export type ReaderAnswer =
  { n: number; ok: true; value: unknown } | { n: number; ok: false; failure: FailureInfo };

/** What the process is started with. */
export interface ReaderData {
  /** Address of the store that it reads, and how to prove oneself there. */
  store: string;
  login: NatsAuth;
}

interface Waiting {
  method: ReaderMethod;
  id: string;
  resolve(value: never): void;
  reject(error: Error): void;
}

/** The process ended, or would not start. `data.reader`: a window may ask again by itself. */
const gone = (why?: string) =>
  new Failure({
    code: 'io',
    message: `The part of Holdfast that reads runs stopped${why === undefined ? '' : ` (${why})`}.`,
    kept: 'All that was recorded is kept.',
    todo: 'Open the run again.',
    data: { reader: 'stopped' },
  });

/** A process that reads, and what it was asked. */
class Seat {
  #part: Part | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();

  /** `onEnd`: told with the runs that were being read when it ended by itself, before their readers are. */
  constructor(
    private readonly start: (heard: Parameters<typeof startPart>[2]) => Part,
    private readonly onEnd: (ids: ReadonlySet<string>) => void,
    private readonly lost: (waiting: Waiting, why?: string) => void,
  ) {}

  ask(args: unknown[], waiting: Waiting): void {
    const n = this.#next++;
    this.#waiting.set(n, waiting);
    this.#part ??= this.start({
      message: (message) => this.#hear(message as ReaderAnswer),
      ended: (why) => {
        this.onEnd(new Set([...this.#waiting.values()].map(({ id }) => id)));
        this.#end(why);
      },
    });
    this.#part.send({ n, method: waiting.method, args } satisfies ReaderCall);
  }

  close(): void {
    this.#part?.kill();
    this.#end();
  }

  #hear(answer: ReaderAnswer): void {
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if (answer.ok) waiting?.resolve(answer.value as never);
    else waiting?.reject(new Failure(answer.failure));
  }

  #end(why?: string): void {
    this.#part = undefined;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of all) this.lost(waiting, why);
  }
}

/**
 * A Reader in a process of its own, so that no run is ever so large that the main process has no time, or ends. One that
 * ended (out of memory, say) fails what it was asked and is started again for the next question. Each run that was being
 * read then is read in a process for itself; where that ends too, the run is too large to show.
 */
export class WorkerReader implements Reader {
  readonly #shared: Seat;
  readonly #alone = new Map<string, Seat>();
  #closed = false;

  /**
   * `file`: what the process runs.
   * @param name of the store among the fatal runs; empty: the usual one
   */
  constructor(
    private readonly file: URL,
    private readonly data: ReaderData,
    private readonly fatal = new FatalRuns(),
    private readonly name = '',
  ) {
    this.#shared = this.#seat();
  }

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
    for (const seat of [this.#shared, ...this.#alone.values()]) seat.close();
    this.#alone.clear();
  }

  #call(method: ReaderMethod, args: [id: string, ...rest: unknown[]]): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(gone());
        return;
      }
      const [id] = args;
      const waiting = { method, id, resolve, reject };
      if (this.fatal.has(this.name, id)) this.#tooLarge(waiting);
      else this.#seatOf(id).ask(args, waiting);
    });
  }

  #seatOf(id: string): Seat {
    if (!this.fatal.suspected(this.name, id)) return this.#shared;
    let seat = this.#alone.get(id);
    if (!seat) this.#alone.set(id, (seat = this.#seat()));
    return seat;
  }

  #seat(): Seat {
    return new Seat(
      (heard) => startPart(this.file, this.data, heard),
      (ids) => {
        for (const id of ids) this.fatal.ended(this.name, id);
      },
      (waiting, why) => {
        if (this.fatal.has(this.name, waiting.id)) this.#tooLarge(waiting);
        else waiting.reject(gone(why));
      },
    );
  }

  /** Answered here: what there is to say of a run that no process is given. */
  #tooLarge({ method, resolve, reject }: Waiting): void {
    const failure = tooLargeToShow();
    const answer = unreadAnswer(method, failure);
    if (answer === undefined) reject(failure);
    else resolve(answer.value as never);
  }
}
