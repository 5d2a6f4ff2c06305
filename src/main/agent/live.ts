import { asFailure } from '../../shared/run/failure';
import { userText } from '../../shared/run/fold';
import { withoutSecrets } from './seal';
import type { Run } from './run';
import { rotate } from './rotate';
import type { ApprovalDecision, Outcome, Session, SessionEvent, SessionSnapshot } from './session';
import { takeBack } from './take-back';
import { finishOpenTurn, runTurn } from './turn';
import type { Known } from './tool-batch';
import * as words from './words';

/** How a session begins. */
export interface Opening {
  /** `turn`: go on from the conversation. `finish`: it is over, only its end is missing. `nothing`: it has ended already.
   *  `input`: a chat that waits for the person. */
  how: 'turn' | 'finish' | 'nothing' | 'input';
  /** For `finish` and `nothing`. */
  outcome?: Outcome;
  known?: Known;
  /** What the person says as soon as the open turn's calls are answered. */
  say?: string;
  /** Warnings to tell first. */
  warnings?: { code: string; text: string }[];
}

/** The session: a mailbox in front of one turn at a time. All methods return at once; the work is done in `#live`. */
export class LiveSession implements Session {
  #queue: string[] = [];
  /** The message that is on its way into the journal; it can no longer be taken back. */
  #sending: number | undefined;
  #reset: string | undefined;
  #closing = false;
  #busy = true;
  #outcome: Outcome | undefined;
  #wake: (() => void) | undefined;
  #settled: ((outcome: Outcome) => void)[] = [];
  readonly #over: Promise<void>;

  constructor(
    private readonly run: Run,
    opening: Opening,
  ) {
    if (opening.say !== undefined) this.#queue.push(opening.say);
    // Whoever started this hears of it first, so its listener misses nothing.
    this.#over = new Promise((resolve) => setImmediate(resolve)).then(() => this.#live(opening));
  }

  get id(): string {
    return this.run.ledger.id;
  }

  snapshot(): SessionSnapshot {
    const { ledger, stage, approvals, control } = this.run;
    const approval = approvals.current;
    const { state } = ledger;
    return {
      id: ledger.id,
      private: ledger.store === undefined,
      phase: stage.phase,
      state,
      counters: state.counters,
      lastSeq: ledger.lastSeq,
      records: ledger.records,
      ...(approval && { approval }),
      streaming: stage.streaming,
      queued: [...this.#queue],
      ...(stage.runningTool && { runningTool: stage.runningTool }),
      pausing: control.stop === 'pause',
      steps: ledger.allowance.steps,
      tokens: ledger.allowance.tokens,
      ...(!this.#busy && this.#outcome && { outcome: this.#outcome }),
    };
  }

  on(listener: (event: SessionEvent) => void): () => void {
    return this.run.stage.on(listener);
  }

  say(text: string): boolean {
    const { approvals, control } = this.run;
    if (!this.#chat || this.#closing || this.run.stage.phase === 'ended' || control.stop !== 'none')
      return false;
    const blank = text.trim() === '';
    if (approvals.current)
      return !blank && approvals.answer(approvals.current.hash, { decision: 'deny', words: text });
    if (blank && (this.#busy || this.#queue.length === 0)) return false;
    if (!blank) {
      this.#queue.push(text);
      this.#tellQueue();
    }
    if (!this.#busy) this.#rouse();
    return true;
  }

  unqueue(index: number): boolean {
    if (!Number.isInteger(index) || index < 0 || index >= this.#queue.length || this.#sending === index)
      return false;
    this.#queue.splice(index, 1);
    this.#tellQueue();
    return true;
  }

  answer(hash: string, decision: ApprovalDecision): boolean {
    return this.run.approvals.answer(hash, decision);
  }

  pause(): void {
    if (this.#busy) this.run.control.request('pause');
  }

  cancel(): void {
    if (this.#busy) this.run.control.request('cancel');
  }

  reset(prompt: string): boolean {
    if (
      !this.#chat ||
      this.#busy ||
      this.#closing ||
      this.run.stage.phase === 'ended' ||
      prompt.trim() === ''
    )
      return false;
    this.#reset = prompt;
    this.#rouse();
    return true;
  }

  settled(): Promise<Outcome> {
    if (!this.#busy && this.#outcome) return Promise.resolve(this.#outcome);
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#busy) this.run.control.request('close');
    this.#wake?.();
    await this.#over;
  }

  get #chat(): boolean {
    return this.run.ledger.state.interactive;
  }

  #rouse(): void {
    this.#busy = true;
    this.#wake?.();
  }

  #tellQueue(): void {
    this.run.stage.emit({ type: 'queued', messages: [...this.#queue] });
  }

  /** Never rejects. */
  async #live(opening: Opening): Promise<void> {
    try {
      for (const { code, text } of opening.warnings ?? []) this.run.stage.warn(code, text);
      let outcome = await this.#open(opening);
      while (this.#chat && !isOver(outcome)) {
        if (outcome.reason === 'your_turn' && this.#queue.length > 0 && this.run.control.stop === 'none') {
          outcome = await this.#followUp();
          continue;
        }
        await this.#rest(outcome);
        if (this.#closing) break;
        outcome = await this.#next();
      }
      await this.#end(outcome);
    } catch (error) {
      await this.#end(words.errorOutcome(asFailure(error))).catch(() => {});
    }
  }

  async #open({ how, outcome, known = {}, say }: Opening): Promise<Outcome> {
    if (how === 'turn' && say !== undefined) {
      // The person's words go to the model together with the results of the open turn.
      const ended = await finishOpenTurn(this.run, known).catch((error: unknown) =>
        words.errorOutcome(asFailure(error)),
      );
      if (!ended || ended.failure?.code.startsWith('model_')) return this.#followUp();
      return this.#conclude(ended);
    }
    if (how === 'turn') return this.#conclude(await runTurn(this.run, known));
    if (say !== undefined) return this.#followUp();
    if (how === 'finish' && outcome) return this.#conclude(outcome);
    return outcome ?? { reason: 'your_turn' };
  }

  /** Sends the first message of the queue and runs its turn. It stays in the queue until it is durable. */
  async #followUp(): Promise<Outcome> {
    const { run } = this;
    this.#sending = 0;
    // A stop that was asked for before this began holds: the brake is only released at rest.
    run.stage.enter('calling');
    try {
      if (!run.ledger.holds) {
        const grown = await takeBack(run);
        if (grown) run.stage.warn('run_grown', grown);
      }
      const text = this.#queue[0] ?? '';
      await run.ledger.append(
        { kind: 'user', payload: { message: userText(text) } },
        'what you have just said',
      );
      this.#queue.shift();
    } catch (error) {
      const failure = asFailure(error);
      run.stage.warn(failure.code, failure.message);
      return words.errorOutcome(failure);
    } finally {
      this.#sending = undefined;
    }
    this.#tellQueue();
    return this.#conclude(await runTurn(run));
  }

  /** What to do after a rest: the reset that was asked for, or the next message. */
  async #next(): Promise<Outcome> {
    const prompt = this.#reset;
    this.#reset = undefined;
    if (prompt === undefined) return this.#followUp();
    this.run.control.reset();
    this.run.stage.enter('calling');
    const failure = await rotate(this.run, prompt);
    if (failure) {
      this.run.stage.warn(
        'reset_failed',
        `The conversation could not be begun anew, so this goes on in the old one: ${failure.message}`,
      );
      this.#queue.unshift(prompt);
      return this.#followUp();
    }
    return this.#conclude(await runTurn(this.run));
  }

  /** Writes the terminal record where one is due, and says how the turn ended. */
  async #conclude(outcome: Outcome): Promise<Outcome> {
    const { ledger, stage, control } = this.run;
    if (outcome.reason === 'completed' && this.#chat) return { reason: 'your_turn' };
    if (outcome.reason === 'your_turn') return outcome;
    if (!ledger.holds || !ledger.alive || control.lost) return outcome;
    const message =
      outcome.message === undefined
        ? undefined
        : withoutSecrets(outcome.message, this.run.parts.secrets(ledger.store));
    try {
      await ledger.append(
        { kind: 'terminal', payload: { reason: outcome.reason, ...(message !== undefined && { message }) } },
        'that the run has ended',
      );
    } catch (error) {
      // The run ended all the same; without this record it reads as interrupted.
      stage.warn('terminal_not_saved', asFailure(error).message);
    }
    return outcome;
  }

  /** Frees the writer's place and waits for the person, unless they have said something since the turn ended. */
  async #rest(outcome: Outcome): Promise<void> {
    const { ledger, stage, control } = this.run;
    const queued = this.#queue.length;
    await ledger.release();
    control.reset();
    stage.clearStream(ledger.state.next_iteration);
    if (this.#closing || this.#queue.length > queued) return;
    this.#outcome = outcome;
    this.#busy = false;
    const rested = new Promise<void>((resolve) => (this.#wake = resolve));
    stage.enter('idle');
    this.#settle(outcome);
    await rested;
    this.#wake = undefined;
  }

  async #end(outcome: Outcome): Promise<void> {
    const { ledger, stage } = this.run;
    await ledger.release();
    this.#outcome = outcome;
    this.#busy = false;
    this.#closing = true;
    stage.clearStream(stage.streaming.iteration);
    stage.enter('ended');
    stage.emit({ type: 'ended', outcome });
    stage.close();
    this.#settle(outcome);
  }

  #settle(outcome: Outcome): void {
    for (const resolve of this.#settled.splice(0)) resolve(outcome);
  }
}

/** After these a session is over, also a chat: nothing that could be said now would be answered from here. */
function isOver({ reason, failure }: Outcome): boolean {
  if (reason === 'suspended' || reason === 'budget' || reason === 'completed') return true;
  return reason === 'error' && failure?.code === 'journaling';
}
