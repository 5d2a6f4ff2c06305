import { Worker } from 'node:worker_threads';
import { Failure, type FailureInfo } from '../../../shared/run/failure';
import type { NatsAuth } from '../../journal/jetstream/address';
import type { RunStore } from '../../journal/journal';
import { runTask, type Ground } from './run-task';
import {
  storesOf,
  type Hooks,
  type Mover,
  type Progress,
  type Result,
  type Task,
  type TaskKind,
} from './tasks';

/** Where a store is, and how to prove oneself there. */
export interface StoreAddress {
  url: string;
  login: NatsAuth;
}

/** What a mover's thread is started with. */
export interface MoverData {
  task: Task;
  stores: Record<string, StoreAddress>;
}
export type MoverAnswer =
  { progress: Progress } | { ok: true; value: Result } | { ok: false; failure: FailureInfo };

/** Milliseconds that a thread has to stop by itself, so that it leaves nothing half-written. */
const PATIENCE = 5_000;

const stopped = () =>
  new Failure({
    code: 'cancelled',
    message: 'This was stopped.',
    kept: 'What had been finished before is there; the runs are untouched.',
  });

const died = () =>
  new Failure({
    code: 'io',
    message: 'The work ended before it was done; this computer may have run out of memory.',
    kept: 'The runs are untouched. What had been finished before is there.',
    todo: 'Try it with fewer runs at once.',
  });

/**
 * Each task in a thread of its own: it holds up nobody, its memory goes with it, and one that dies takes nothing along.
 */
export class WorkerMover implements Mover {
  readonly #workers = new Set<{ worker: Worker; ended: Promise<void> }>();
  #closed = false;

  /** `file`: the built thread. `address`: of the store of this name; throws the store's Failures. */
  constructor(
    private readonly file: URL,
    private readonly address: (store: string) => StoreAddress,
  ) {}

  async run<K extends TaskKind>(task: Task<K>, hooks: Partial<Hooks> = {}): Promise<Result<K>> {
    if (this.#closed || hooks.signal?.aborted) throw stopped();
    const stores = Object.fromEntries([...storesOf(task)].map((name) => [name, this.address(name)]));
    const worker = new Worker(this.file, { workerData: { task, stores } satisfies MoverData });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const entry = { worker, ended };
    this.#workers.add(entry);
    const cancel = () => {
      worker.postMessage('cancel');
      setTimeout(() => void worker.terminate(), PATIENCE).unref();
    };
    hooks.signal?.addEventListener('abort', cancel);
    try {
      return await new Promise<Result<K>>((resolve, reject) => {
        worker.on('message', (answer: MoverAnswer) => {
          if ('progress' in answer) hooks.onProgress?.(answer.progress);
          else if (answer.ok) resolve(answer.value as Result<K>);
          else reject(new Failure(answer.failure));
        });
        worker.once('error', () => reject(died()));
        worker.once('exit', () => reject(hooks.signal?.aborted || this.#closed ? stopped() : died()));
      });
    } finally {
      hooks.signal?.removeEventListener('abort', cancel);
      this.#workers.delete(entry);
      // It was heard to its end; nothing of it may outlive its answer.
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
      await worker.terminate();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#workers].map(async ({ worker, ended }) => {
        worker.postMessage('cancel');
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, PATIENCE).unref())]);
        await worker.terminate();
      }),
    );
  }
}

/** Works where it is called: for tests, and for stores that no other thread can open. */
export class InlineMover implements Mover {
  constructor(
    private readonly store: (name: string) => RunStore,
    private readonly ground: Omit<Ground, 'open'>,
  ) {}

  async run<K extends TaskKind>(task: Task<K>, hooks: Partial<Hooks> = {}): Promise<Result<K>> {
    const open = async (name: string) => this.store(name);
    const { signal = new AbortController().signal, onProgress = () => undefined } = hooks;
    return (await runTask(task, { open, ...this.ground }, { signal, onProgress })) as Result<K>;
  }

  async close(): Promise<void> {
    // Nothing of it outlives its task.
  }
}
