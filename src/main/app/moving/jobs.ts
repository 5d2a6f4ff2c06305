import { randomBytes } from 'node:crypto';
import type { MoveJob } from '../../../shared/contract/moving';
import { asFailure, Failure } from '../../../shared/run/failure';

export interface JobsOptions {
  /** A job began, went on or ended; `gone`: it need not be shown any more. */
  tell(job: MoveJob, gone: boolean): void;
}

type Change = Partial<Omit<MoveJob, 'id' | 'kind'>>;

export interface Job {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly view: MoveJob;
  change(change: Change): void;
  /** Tells how it ended; a `cancelled` Failure is no failure. */
  end(change: Change): void;
  fail(error: unknown): void;
}

/** Jobs at work at once, and ended ones that are remembered. */
const AT_WORK = 4;
const REMEMBERED = 20;
const TELL_MS = 80;

/** Exports and imports under way. They belong to no window: each window sees all of them, and they go on without one. */
export class Jobs {
  readonly #jobs = new Map<
    string,
    { view: MoveJob; stop: AbortController; timer?: NodeJS.Timeout | undefined }
  >();

  constructor(private readonly options: JobsOptions) {}

  all(): MoveJob[] {
    return [...this.#jobs.values()].map(({ view }) => view);
  }

  /** @throws Failure `busy` when too many are at work */
  begin(kind: MoveJob['kind'], first: Change): Job {
    if (this.all().filter(atWork).length >= AT_WORK)
      throw new Failure({
        code: 'busy',
        message: 'Other exports and imports are still at work.',
        kept: 'Nothing was started.',
        todo: 'Wait until one of them is done, or stop one.',
      });
    const id = randomBytes(9).toString('base64url');
    const stop = new AbortController();
    const entry: { view: MoveJob; stop: AbortController; timer?: NodeJS.Timeout | undefined } = {
      view: { id, kind, state: 'running', done: 0, total: 0, bytes: 0, size: 0, now: '', ...first },
      stop,
    };
    this.#jobs.set(id, entry);
    this.options.tell(entry.view, false);
    const end = (change: Change): void => {
      if (!atWork(entry.view)) return;
      clearTimeout(entry.timer);
      entry.timer = undefined;
      entry.view = { ...entry.view, ...change };
      this.options.tell(entry.view, false);
      this.#thin();
    };
    return {
      id,
      signal: stop.signal,
      get view() {
        return entry.view;
      },
      change: (change) => {
        if (!atWork(entry.view)) return;
        entry.view = { ...entry.view, ...change };
        entry.timer ??= setTimeout(() => {
          entry.timer = undefined;
          this.options.tell(entry.view, false);
        }, TELL_MS);
      },
      end,
      fail: (error) => {
        const failure = asFailure(error);
        end({ state: failure.code === 'cancelled' ? 'cancelled' : 'failed', failure: failure.toJSON() });
      },
    };
  }

  /** false: there is no such job, or it has ended. */
  cancel(id: string): boolean {
    const job = this.#jobs.get(id);
    if (!job || !atWork(job.view)) return false;
    job.stop.abort();
    return true;
  }

  forget(id: string): boolean {
    const job = this.#jobs.get(id);
    if (!job || atWork(job.view)) return false;
    this.#jobs.delete(id);
    this.options.tell(job.view, true);
    return true;
  }

  close(): void {
    for (const { stop, timer } of this.#jobs.values()) {
      clearTimeout(timer);
      stop.abort();
    }
  }

  #thin(): void {
    const ended = [...this.#jobs.values()].filter(({ view }) => !atWork(view));
    for (const { view } of ended.slice(0, -REMEMBERED)) this.forget(view.id);
  }
}

const atWork = ({ state }: MoveJob): boolean => state === 'running' || state === 'receiving';
