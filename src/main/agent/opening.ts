import { asFailure } from '../../shared/run/failure';
import type { Outcome } from './session';
import type { Known } from './tool-batch';

/** How a session begins. */
export interface Opening {
  /** `turn`: go on from the conversation. `finish`: it is over, only its end is missing. `nothing`: it has ended already.
   *  `input`: a chat that waits for the person. */
  how: 'turn' | 'finish' | 'nothing' | 'input';
  /** For `finish` and `nothing`. */
  outcome?: Outcome;
  known?: Known;
  /** What the person says as soon as the open turn's calls are answered: new words, or a message of the queue. */
  say?: string;
  send?: string;
  /** Warnings to tell first. */
  warnings?: { code: string; text: string }[];
}

/** Words that were said at rest, on their way to where they are durable. */
export class Saying {
  /** See `Session.say`. */
  readonly done: Promise<boolean>;
  kept!: () => void;
  #failed!: (reason: unknown) => void;

  constructor(readonly text: string) {
    this.done = new Promise((resolve, reject) => {
      this.kept = () => resolve(true);
      this.#failed = reject;
    });
    // Whoever said it may not wait for it.
    this.done.catch(() => undefined);
  }

  /** They are kept as soon as this resolves, and nowhere if it rejects. Never rejects itself. */
  async keptBy(queue: Promise<unknown>): Promise<void> {
    await queue.then(this.kept, (error: unknown) => this.#failed(asFailure(error)));
  }
}

/**
 * After these a session is over, also a chat: nothing that could be said now would be answered from here. A private chat
 * is nowhere else, so it stays.
 */
export function isOver({ reason, failure }: Outcome, isPrivate: boolean): boolean {
  if (reason === 'completed' || (reason === 'error' && failure?.code === 'journaling')) return true;
  return !isPrivate && (reason === 'suspended' || reason === 'budget');
}
