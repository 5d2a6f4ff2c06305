import { asFailure, Failure } from '../../shared/run/failure';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { ModelEvent, ModelRequest, ModelTurn } from '../model/model';
import { Watch } from './clock';
import type { Run } from './run';
import { RESUME_REMINDER } from './words';
import { toWire } from './wire';

/** Beyond the adapter's own time-out, so that its plainer words come first. */
const SLACK_MS = 2000;
/** A streamed text is kept at most this often; a long one less often, since each time it is written whole. */
const PARTIAL_MS = 500;
const PARTIAL_MS_PER_CHAR = 0.02;

/** The request for the next call, from what is recorded. The reminder goes last and is in no record and no fingerprint. */
export function nextRequest(run: Run): ModelRequest {
  const { config, ledger } = run;
  const { state } = ledger;
  const { system_prompt: prompt } = config.profile;
  return {
    model: config.profile.model,
    system: [...(prompt ? [prompt] : []), ...(run.reminded ? [RESUME_REMINDER] : [])],
    tools: config.defs,
    // Chat completions take their own ids back only as they gave them.
    messages: toWire(state, [], config.model.provider === 'openai' ? 'as_recorded' : 'plain'),
    thinking: config.thinking,
    maxOutputTokens: config.maxOutputTokens,
    timeoutMs: config.timeoutMs,
    chat: state.interactive,
    iteration: state.next_iteration,
  };
}

/**
 * One model call: streams to the stage, notes what was streamed so that a crash leaves it as lost text, and gives the
 * turn, or `stopped` when the person stopped it. Throws a Failure when the call failed; nothing is recorded here.
 * `unsaved` is to be called where the turn cannot be: what was streamed of it is then lost text as well.
 */
export async function callModel(run: Run): Promise<{ turn: ModelTurn; unsaved: () => void } | 'stopped'> {
  const { config, control, stage, ledger } = run;
  const request = nextRequest(run);
  stage.clearStream(request.iteration);
  stage.enter('calling');
  const operation = control.begin();
  let expired: 'time' | 'sleep' | undefined;
  const watch = new Watch(run.clock, config.timeoutMs + SLACK_MS, (why) => {
    expired = why;
    operation.abort();
  });
  const partial = new PartialNotes(run, ledger.lastSeq, request.iteration);
  try {
    const turn = await readTurn(run, request, operation.signal, () => {
      watch.progress();
      partial.later();
    });
    return { turn, unsaved: () => partial.cut() };
  } catch (error) {
    partial.cut();
    if (control.lost) throw control.lost;
    if (expired) throw timedOut(expired, config.timeoutMs);
    if (operation.signal.aborted) return 'stopped';
    throw asFailure(error);
  } finally {
    watch.stop();
  }
}

async function readTurn(
  run: Run,
  request: ModelRequest,
  signal: AbortSignal,
  progress: () => void,
): Promise<ModelTurn> {
  const names = new Map<string, string>();
  const stream = run.config.model.answer(request, signal)[Symbol.asyncIterator]();
  const aborted = whenAborted(signal);
  try {
    for (;;) {
      // An adapter that does not listen to its signal must not hold up a stop.
      const next = stream.next();
      next.catch(() => {});
      const step = await Promise.race([next, aborted.promise]);
      if (step.done)
        throw new Failure({
          code: 'model_protocol',
          message: 'The model ended its answer without finishing it.',
        });
      progress();
      if (step.value.type === 'turn') return step.value.turn;
      show(run, step.value, names);
    }
  } finally {
    aborted.release();
    // Not awaited: closing is the adapter's business, and it may take its time.
    stream.return?.()?.catch(() => {});
  }
}

function show(run: Run, event: Exclude<ModelEvent, { type: 'turn' }>, names: Map<string, string>): void {
  const { stage } = run;
  switch (event.type) {
    case 'text':
    case 'thinking':
      return stage.stream(event.type, event.text);
    case 'tool':
      names.set(event.id, event.name);
      return stage.emit({ type: 'tool_input', id: event.id, name: event.name, text: '' });
    case 'tool_input':
      return stage.emit({
        type: 'tool_input',
        id: event.id,
        name: names.get(event.id) ?? '',
        text: event.text,
      });
    case 'retry': {
      const { iteration } = stage.streaming;
      stage.clearStream(iteration);
      return stage.emit({ type: 'stream_reset', iteration, reason: event.reason, waitMs: event.waitMs });
    }
  }
}

function whenAborted(signal: AbortSignal): { promise: Promise<never>; release: () => void } {
  let release = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new Failure({ code: 'cancelled', message: 'The call was stopped.' }));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    release = () => signal.removeEventListener('abort', stop);
  });
  promise.catch(() => {});
  return { promise, release };
}

const timedOut = (why: 'time' | 'sleep', ms: number): Failure =>
  new Failure({
    code: 'model_timeout',
    message:
      why === 'sleep'
        ? 'The computer slept while the model answered, and the connection did not survive it.'
        : `The model sent nothing for ${Math.round(ms / 1000)} seconds.`,
    kept: 'Everything before this call is kept.',
    todo: 'Try again.',
    data: { slept: why === 'sleep' },
  });

/** Keeps the streamed text beside the journal, replaced from time to time. */
class PartialNotes {
  #noted: Extract<SidecarEntry, { kind: 'partial' }> | undefined;
  #last: number;
  #busy = false;

  constructor(
    private readonly run: Run,
    private readonly afterSeq: number,
    private readonly iteration: number,
  ) {
    this.#last = run.clock.monotonic();
  }

  later(): void {
    const { text, thinking } = this.run.stage.streaming;
    const pause = Math.max(PARTIAL_MS, (text.length + thinking.length) * PARTIAL_MS_PER_CHAR);
    if (!this.#busy && this.run.clock.monotonic() - this.#last >= pause) this.#now();
  }

  /** Nothing more comes: all of it is noted, and told as lost. */
  cut(): void {
    const { stage } = this.run;
    this.#now();
    stage.clearStream(this.iteration);
    if (this.#noted) stage.emit({ type: 'cut', entry: this.#noted });
  }

  #now(): void {
    const { text, thinking } = this.run.stage.streaming;
    const known = this.#noted;
    if (text === '' && thinking === '') return;
    if (known?.text === text && (known.thinking ?? '') === thinking) return;
    this.#noted = {
      kind: 'partial',
      at: this.run.parts.now().toISOString(),
      after_seq: this.afterSeq,
      iteration: this.iteration,
      text,
      ...(thinking && { thinking }),
    };
    this.#last = this.run.clock.monotonic();
    this.#busy = true;
    void this.run.ledger.sketch(this.#noted).finally(() => (this.#busy = false));
  }
}
