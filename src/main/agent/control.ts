import type { Failure } from '../../shared/run/failure';

/** What was asked to end a turn, the later ones stronger. `close`: like a stop, but what was not begun stays for later. */
export type Stop = 'none' | 'pause' | 'close' | 'cancel';
const STRENGTH: Record<Stop, number> = { none: 0, pause: 1, close: 2, cancel: 3 };

/** The brake of a session. `pause` waits for what is under way; `cancel` and `close` abort it, and so does a lost journal. */
export class Control {
  stop: Stop = 'none';
  /** The journal was lost: nothing that is done now could be saved. */
  lost: Failure | undefined;
  #operation: AbortController | undefined;
  #onStop: () => void;

  /** `onStop` is called for every request, also while a question is open. */
  constructor(onStop: () => void) {
    this.#onStop = onStop;
  }

  /** A signal for one thing that can be aborted. */
  begin(): AbortController {
    const operation = new AbortController();
    this.#operation = operation;
    if (this.aborting) operation.abort();
    return operation;
  }

  request(stop: Stop): void {
    if (STRENGTH[stop] > STRENGTH[this.stop]) this.stop = stop;
    if (this.aborting) this.#operation?.abort();
    this.#onStop();
  }

  lose(failure: Failure): void {
    this.lost ??= failure;
    this.#operation?.abort();
    this.#onStop();
  }

  /** Ready for a new turn. A lost journal stays lost until another one is held. */
  reset(): void {
    this.stop = 'none';
  }

  get aborting(): boolean {
    return this.lost !== undefined || STRENGTH[this.stop] >= STRENGTH.close;
  }
}
