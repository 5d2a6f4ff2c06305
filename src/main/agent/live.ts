import { asFailure } from '../../shared/run/failure';
import { userText } from '../../shared/run/fold';
import { recordEnd } from './end';
import { isOver, Saying } from './opening';
import type { Opening } from './opening';
import { Queue } from './queue';
import type { Run } from './run';
import { rotate } from './rotate';
import type { ApprovalDecision, Outcome, Session, SessionEvent, SessionSnapshot } from './session';
import { takeBack } from './take-back';
import { finishOpenTurn, runTurn } from './turn';
import * as words from './words';

/** The session: a mailbox in front of one turn at a time. All methods return at once; the work is done in `#live`. */
export class LiveSession implements Session {
  readonly said: Promise<boolean>;
  #queue: Queue;
  /** What comes next after a rest. */
  #saying: Saying | undefined;
  #again = false;
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
    queue?: Queue,
  ) {
    this.#queue = queue ?? this.#newQueue();
    queue?.on(() => this.#tellQueue());
    this.said = opening.say === undefined ? Promise.resolve(true) : this.#toSay(opening.say);
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
      queued: this.#queue.messages,
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

  async say(text: string, how: 'now' | 'queue' = 'now'): Promise<boolean> {
    if (!this.#chat || this.#closing || this.#ended || text.trim() === '') return false;
    const answered = this.#outcome?.reason === 'your_turn';
    if (!this.#busy && (how === 'now' || answered)) {
      const said = this.#toSay(text);
      this.#rouse();
      return said;
    }
    await this.#queue.add(text, !this.#busy || this.run.control.stop !== 'none');
    this.#goOn();
    return true;
  }

  async send(id: string): Promise<boolean> {
    if (!this.#chat || this.#closing || this.#ended || !this.#queue.release(id)) return false;
    if (!this.#busy) this.#rouse();
    return true;
  }

  unqueue(id: string): Promise<boolean> {
    return this.#queue.drop(id);
  }

  again(): boolean {
    if (this.#busy || this.#closing || this.#ended) return false;
    this.#again = true;
    this.#rouse();
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

  get #ended(): boolean {
    return this.run.stage.phase === 'ended';
  }

  #rouse(): void {
    this.#busy = true;
    this.#wake?.();
  }

  /** A message that became durable only after the answer before it was there. */
  #goOn(): void {
    if (this.#busy || this.#closing || this.#ended) return;
    if (this.#outcome?.reason !== 'your_turn') this.#queue.hold();
    else if (this.#queue.next()) this.#rouse();
  }

  #toSay(text: string): Promise<boolean> {
    this.#saying = new Saying(text);
    return this.#saying.done;
  }

  #newQueue(): Queue {
    const { ledger, parts } = this.run;
    const queue = new Queue({ store: ledger.store, id: ledger.id, newId: parts.newId });
    queue.on(() => this.#tellQueue());
    return queue;
  }

  #tellQueue(): void {
    this.run.stage.emit({ type: 'queued', messages: this.#queue.messages });
  }

  /** Never rejects. */
  async #live(opening: Opening): Promise<void> {
    try {
      for (const { code, text } of opening.warnings ?? []) this.run.stage.warn(code, text);
      let outcome = await this.#open(opening);
      while (this.#chat && !isOver(outcome, this.run.ledger.store === undefined)) {
        if (outcome.reason === 'your_turn' && this.run.control.stop === 'none' && this.#queue.next()) {
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

  async #open({ how, outcome, known = {}, send }: Opening): Promise<Outcome> {
    if (send !== undefined) this.#queue.release(send);
    if (how === 'turn' && this.#mayFollow) {
      // What comes before the words may take long, so they are kept first.
      if (this.run.ledger.state.pending) await this.#keepSaying();
      // The person's words go to the model together with the results of the open turn.
      const ended = await finishOpenTurn(this.run, known).catch((error: unknown) =>
        words.errorOutcome(asFailure(error)),
      );
      if (!ended || ended.failure?.code.startsWith('model_')) return this.#followUp();
      await this.#keepSaying();
      return this.#conclude(ended);
    }
    if (how === 'turn') return this.#conclude(await runTurn(this.run, known));
    if (this.#mayFollow) return this.#followUp();
    if (how === 'finish' && outcome) return this.#conclude(outcome);
    return outcome ?? { reason: 'your_turn' };
  }

  get #mayFollow(): boolean {
    return this.#saying !== undefined || this.#queue.next() !== undefined;
  }

  /** Puts words that were said into the queue. `seq`: they may be this record. */
  async #keepSaying(seq?: number): Promise<void> {
    const saying = this.#saying;
    this.#saying = undefined;
    if (!saying) return;
    await saying.keptBy(this.#queue.add(saying.text, false, seq));
  }

  /** Sends what was said last, else the first message of the queue that may go, and runs its turn. */
  async #followUp(): Promise<Outcome> {
    const { run } = this;
    let seq: number | undefined;
    // A stop that was asked for before this began holds: the brake is only released at rest.
    run.stage.enter('calling');
    try {
      if (!run.ledger.holds) {
        const grown = await takeBack(run);
        if (grown) run.stage.warn('run_grown', grown);
      }
      // What is said in the place of an open call answers it.
      const ended = run.ledger.state.pending && (await finishOpenTurn(run, { instead: true }));
      if (ended?.reason === 'budget' || ended?.reason === 'suspended') {
        await this.#keepSaying();
        return await this.#conclude(ended);
      }
      const queued = this.#saying ? undefined : this.#queue.next();
      const text = this.#saying?.text ?? queued?.text ?? '';
      seq = run.ledger.lastSeq + 1;
      if (queued) await this.#queue.begin(queued.id, seq);
      await run.ledger.append(
        { kind: 'user', payload: { message: userText(text) } },
        'what you have just said',
      );
      this.#saying?.kept();
      this.#saying = undefined;
      if (queued) await this.#queue.sent(queued.id);
    } catch (error) {
      await this.#keepSaying(seq);
      this.#queue.hold();
      const failure = asFailure(error);
      run.stage.warn(failure.code, failure.message);
      return words.errorOutcome(failure);
    }
    return this.#conclude(await runTurn(run));
  }

  /** What to do after a rest: the reset that was asked for, what was said, or the same once more. */
  async #next(): Promise<Outcome> {
    const [prompt, again] = [this.#reset, this.#again];
    this.#reset = undefined;
    this.#again = false;
    if (prompt === undefined && this.#mayFollow) return this.#followUp();
    if (prompt === undefined && again) return this.#conclude(await runTurn(this.run));
    if (prompt === undefined) return this.#outcome ?? { reason: 'your_turn' };
    this.run.control.reset();
    this.run.stage.enter('calling');
    const failure = await rotate(this.run, prompt);
    if (failure) {
      this.run.stage.warn(
        'reset_failed',
        `The conversation could not be begun anew, so this goes on in the old one: ${failure.message}`,
      );
      void this.#toSay(prompt);
      return this.#followUp();
    }
    // What still waited stays with the run that it was said in.
    this.#queue = this.#newQueue();
    this.#tellQueue();
    return this.#conclude(await runTurn(this.run));
  }

  /** Writes the terminal record where one is due, and says how the turn ended. */
  async #conclude(outcome: Outcome): Promise<Outcome> {
    const { ledger, control } = this.run;
    if (outcome.reason === 'completed' && this.#chat) return { reason: 'your_turn' };
    if (outcome.reason === 'your_turn') return outcome;
    if (!ledger.holds || !ledger.alive || control.lost) return outcome;
    return recordEnd(this.run, outcome);
  }

  /** Frees the writer's place and waits for the person, unless they have said something since the turn ended. */
  async #rest(outcome: Outcome): Promise<void> {
    const { ledger, stage, control } = this.run;
    await ledger.release();
    const stopped = control.stop !== 'none';
    control.reset();
    stage.clearStream(ledger.state.next_iteration);
    if (outcome.reason !== 'your_turn' || stopped) this.#queue.hold();
    this.#outcome = outcome;
    if (this.#closing || this.#queue.next()) return;
    this.#busy = false;
    const rested = new Promise<void>((resolve) => (this.#wake = resolve));
    stage.enter('idle');
    this.#settle(outcome);
    await rested;
    this.#wake = undefined;
  }

  async #end(outcome: Outcome): Promise<void> {
    const { ledger, stage } = this.run;
    await this.#keepSaying();
    await this.#queue.idle();
    await ledger.release();
    this.#queue.hold();
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
