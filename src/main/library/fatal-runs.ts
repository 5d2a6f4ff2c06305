import { runKey, splitKey } from '../../shared/contract/run-key';
import { Failure } from '../../shared/run/failure';

/** Ends of processes on the same run after which none is given it again: one may have come from outside. */
const MOST = 2;

export const tooLargeToShow = (): Failure =>
  new Failure({
    code: 'too_large',
    message: 'This run is too large to show: the process that read the run ended each time.',
    kept: 'The file is untouched, and all other runs are as before.',
    todo: 'Export the run as a journal to get its exact bytes.',
    data: { unread: true },
  });

/**
 * Runs on which a process that read them ended. They are known until Holdfast ends or the run has another size, and no
 * process is given them: what kills one kills the next.
 */
export class FatalRuns {
  readonly #ends = new Map<string, { ends: number; size?: number }>();

  /** A run is given to no process from now on; told with its key. */
  onFatal: (key: string) => void = () => undefined;

  /** A process ended while it read this run. */
  ended(store: string, id: string): void {
    const key = runKey(store, id);
    const { ends } = this.#ends.get(key) ?? { ends: 0 };
    this.#ends.set(key, { ends: ends + 1 });
    if (ends + 1 === MOST) this.onFatal(key);
  }

  /** A process ended while it read this run and perhaps others: the run is read in one of its own. */
  suspected(store: string, id: string): boolean {
    return this.#ends.has(runKey(store, id));
  }

  has(store: string, id: string): boolean {
    return (this.#ends.get(runKey(store, id))?.ends ?? 0) >= MOST;
  }

  /** As `has`, for a run that has this many bytes now: with another number of them it is tried again. */
  hasAt(store: string, id: string, size: number): boolean {
    if (!this.has(store, id)) return false;
    const key = runKey(store, id);
    const known = this.#ends.get(key);
    if (known?.size !== undefined && known.size !== size) {
      this.#ends.delete(key);
      return false;
    }
    if (known) known.size = size;
    return true;
  }

  /** Ids of those in one store. */
  in(store: string): string[] {
    return [...this.#ends].flatMap(([key, { ends }]) => {
      const at = splitKey(key);
      return ends >= MOST && at.store === store ? [at.id] : [];
    });
  }
}
