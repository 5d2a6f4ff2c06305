import { Failure, type FailureInfo } from '../../../shared/run/failure';
import type { NatsAuth } from '../../journal/jetstream/address';
import type { RunStore } from '../../journal/journal';
import { FatalRuns, tooLargeToShow } from '../../library/fatal-runs';
import { startPart, type Part } from '../../program';
import { runTask, type Ground } from './run-task';
import {
  runsOf,
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

/** What a mover's process is started with. */
export interface MoverData {
  task: Task;
  stores: Record<string, StoreAddress>;
}
export type MoverAnswer =
  { progress: Progress } | { ok: true; value: Result } | { ok: false; failure: FailureInfo };

/** Milliseconds that a process has to stop by itself, so that it leaves nothing half-written. */
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
 * Each task in a process of its own: it holds up nobody, its memory goes with it, and one that dies takes nothing along.
 */
export class WorkerMover implements Mover {
  readonly #parts = new Set<{ part: Part; ended: Promise<void> }>();
  #closed = false;

  /** `file`: what the process runs. `address`: of the store of this name; throws the store's Failures. */
  constructor(
    private readonly file: URL,
    private readonly address: (store: string) => StoreAddress,
    private readonly fatal = new FatalRuns(),
  ) {}

  async run<K extends TaskKind>(asked: Task<K>, hooks: Partial<Hooks> = {}): Promise<Result<K>> {
    if (this.#closed || hooks.signal?.aborted) throw stopped();
    const task = this.#marked(asked);
    const stores = Object.fromEntries([...storesOf(task)].map((name) => [name, this.address(name)]));
    const runs = runsOf(task);
    let at = runs.length === 1 ? runs[0] : undefined;
    let over = (): void => undefined;
    const ended = new Promise<void>((resolve) => (over = resolve));
    let cancel = (): void => undefined;
    let entry: { part: Part; ended: Promise<void> } | undefined;
    try {
      return await new Promise<Result<K>>((resolve, reject) => {
        const part = startPart(this.file, { task, stores } satisfies MoverData, {
          message: (message) => {
            const answer = message as MoverAnswer;
            if ('progress' in answer) {
              at = runs.find(({ key }) => key === answer.progress.now) ?? at;
              hooks.onProgress?.(answer.progress);
            } else if (answer.ok) resolve(answer.value as Result<K>);
            else reject(new Failure(answer.failure));
            if (!('progress' in answer)) at = undefined;
          },
          ended: () => {
            over();
            if (hooks.signal?.aborted || this.#closed) return reject(stopped());
            if (at) this.fatal.ended(at.store, at.id);
            reject(died());
          },
        });
        entry = { part, ended };
        this.#parts.add(entry);
        cancel = () => {
          part.send('cancel');
          setTimeout(() => {
            part.kill();
            reject(stopped());
          }, PATIENCE).unref();
        };
        hooks.signal?.addEventListener('abort', cancel);
      });
    } finally {
      hooks.signal?.removeEventListener('abort', cancel);
      if (entry) this.#parts.delete(entry);
      // It was heard to its end; nothing of it may outlive its answer.
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
      entry?.part.kill();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#parts].map(async ({ part, ended }) => {
        part.send('cancel');
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, PATIENCE).unref())]);
        part.kill();
      }),
    );
  }

  /** Of a run that no process survives only the exact bytes are had. */
  #marked<K extends TaskKind>(task: Task<K>): Task<K> {
    const unread = ({ store, id }: { store: string; id: string }) => this.fatal.has(store, id);
    if (task.kind === 'export')
      return { ...task, runs: task.runs.map((run) => (unread(run) ? { ...run, unread: true } : run)) };
    if (runsOf(task).some(unread)) throw tooLargeToShow();
    return task;
  }
}

/** Works where it is called: for tests, and for stores that no other process can open. */
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
