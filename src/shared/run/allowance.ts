import { STOP } from './record';
import type { RunRecord } from './record';
import type { SidecarEntry } from './sidecar';

type Resume = Extract<SidecarEntry, { kind: 'resume' }>;

/** Model calls: how many were made of those that may be made. */
export interface Steps {
  used: number;
  cap: number;
}

/**
 * What a run may use, told by its records and by its resumes. The loop asks this before each model call, and whoever only
 * reads a run asks it too, so that both say the same.
 *
 * A single task has one allowance of steps for all its life. In a chat each message has one of its own, and a resume in
 * the middle of its answer allows as many again on top of what was used: the count goes on, the cap grows.
 */
export class Allowance {
  #chat = false;
  #limits = { max_iterations: 0, max_tokens: 0 };
  #used = 0;
  /** Of `#used`, what was used before the cap began. */
  #before = 0;
  /** The chat's newest message has its answer. */
  #answered = false;
  readonly #resumes: Resume[] = [];

  /** An entry beside the journal, in the order of the entries; before the records that it precedes. */
  note(entry: SidecarEntry): void {
    if (entry.kind === 'resume') this.#resumes.push(entry);
  }

  push({ seq, meta, user, assistant }: RunRecord): void {
    this.#resume(seq);
    if (meta) {
      this.#chat = meta.interactive ?? false;
      this.#limits = meta.fingerprint;
    }
    if (user && this.#chat) {
      this.#used = this.#before = 0;
      this.#answered = false;
    }
    if (!assistant) return;
    this.#used = this.#chat ? this.#used + 1 : assistant.iteration + 1;
    const asked = (assistant.message.content ?? []).some((block) => block.tool_use);
    this.#answered = !asked && assistant.stop_reason !== STOP.pauseTurn;
  }

  get steps(): Steps {
    this.#resume(Infinity);
    return { used: this.#used, cap: this.#before + this.#limits.max_iterations };
  }

  /** Tokens of the whole run; 0: no limit. */
  get tokens(): number {
    this.#resume(Infinity);
    return this.#limits.max_tokens;
  }

  #resume(seq: number): void {
    for (let next = this.#resumes[0]; next && next.after_seq < seq; next = this.#resumes[0]) {
      this.#resumes.shift();
      this.#limits = next.accepted;
      if (this.#chat && !this.#answered) this.#before = this.#used;
    }
  }
}
