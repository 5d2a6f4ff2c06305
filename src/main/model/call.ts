import { isFailure } from '../../shared/run/failure';
import { LARGEST_ANSWER } from '../../shared/run/read';
import { recordedSize } from '../../shared/run/slices';
import {
  CallError,
  brokenOff,
  callFailure,
  cancelled,
  notUnderstood,
  seconds,
  timedOut,
  type Where,
} from './errors';
import type { ModelEvent, ModelTurn } from './model';
import { networkError } from './network';
import { readEvents, StreamTooLong, type StreamMessage } from './sse';

/** Puts one answer together from its stream; one per try. */
export interface TurnReader {
  /** What the eye may see of this message. Throws CallError for what cannot be understood. */
  push(message: StreamMessage): ModelEvent[];
  /** The answer is whole; more of the stream can only bring late usage. */
  readonly complete: boolean;
  /** Nothing of this answer can follow. */
  readonly ended: boolean;
  /** Throws CallError when the answer is not whole. */
  turn(): ModelTurn;
}

export interface Call {
  where: Where;
  timeoutMs: number;
  /** Sends the request; resolves with a successful response, rejects with CallError or what the network threw. */
  send(signal: AbortSignal): Promise<Response>;
  reader(): TurnReader;
  /**
   * The service refused something that the request can do without. Changes what `send` sends and says what changed;
   * undefined when there is nothing to give up. Each concession is made once.
   */
  concede?(error: CallError): string | undefined;
}

export interface CallOptions {
  /** Tries in all, the first included. */
  tries?: number;
  /** Milliseconds before the second try; doubled each time up to eight seconds, a quarter of it left to chance. */
  backoffMs?: number;
  /** Milliseconds for late usage after the answer is whole. */
  graceMs?: number;
}

const LONGEST_BACKOFF = 8_000;
/** Characters of a whole stream, with all that is around the words. */
const LARGEST_STREAM = 512 * 1024 * 1024;
/** Characters of an event that are not counted where its words are. */
const AROUND_WORDS = 16 * 1024;
/** Milliseconds for the end of a stream whose last message has come: a proper end keeps the connection for reuse. */
const END_GRACE = 150;

/**
 * One model call with its retries.
 *
 * The SDKs could retry by themselves, but they tell nobody while they wait, know nothing of errors inside a stream
 * that began well, and would wait beyond this call's time; so they are told not to, and it is done here.
 *
 * A try is repeated only while nothing of its answer was shown. The time-out runs from the call's start to the first
 * content, waits and retries included, and from then on between pieces of content: keep-alives don't count.
 */
export async function* modelCall(
  call: Call,
  signal: AbortSignal,
  options: CallOptions = {},
): AsyncGenerator<ModelEvent> {
  const tries = options.tries ?? 5;
  const clock = new Clock(call.timeoutMs);
  try {
    for (let attempt = 1; ;) {
      if (signal.aborted) throw cancelled(call.where);
      let shown = false;
      let error: CallError;
      try {
        for await (const event of attemptOnce(call, signal, clock, options.graceMs ?? 2_000)) {
          if (event.type !== 'turn') shown = true;
          clock.pause();
          yield event;
          clock.run();
        }
        return;
      } catch (thrown) {
        if (isFailure(thrown) || !(thrown instanceof CallError)) throw thrown;
        error = thrown;
      }
      if (shown) throw error.failure;

      const conceded = call.concede?.(error);
      if (conceded !== undefined) {
        yield { type: 'retry', attempt: attempt + 1, waitMs: 0, reason: conceded, restarted: false };
        continue;
      }
      if (!error.retry || attempt >= tries) throw error.failure;
      const waitMs = error.waitMs ?? backoff(attempt, options.backoffMs ?? 500);
      // A wait that outlasts the call would only end in a time-out that hides the reason.
      if (waitMs >= clock.remaining) throw error.failure;
      attempt++;
      const reason = `${error.failure.message} Trying again in ${seconds(waitMs)}.`;
      yield { type: 'retry', attempt, waitMs, reason, restarted: false };
      await sleep(waitMs, signal);
    }
  } finally {
    clock.pause();
  }
}

async function* attemptOnce(
  call: Call,
  signal: AbortSignal,
  clock: Clock,
  graceMs: number,
): AsyncGenerator<ModelEvent> {
  const { where } = call;
  const connection = new AbortController();
  if (clock.expired) throw timedOut(where, call.timeoutMs);
  const stop = (): void => connection.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  clock.onExpire = () => connection.abort();
  clock.run();
  let grace: NodeJS.Timeout | undefined;
  let waiting = Infinity;
  const reader = call.reader();
  let size = 0;
  try {
    const response = await call.send(connection.signal);
    try {
      for await (const message of messagesOf(response, where)) {
        let events: ModelEvent[];
        try {
          events = reader.push(message);
        } catch (error) {
          // The end of the stream cut this message in two; whether the answer is whole is decided below.
          if (message.cut && error instanceof CallError && error.failure.code === 'model_protocol') break;
          throw error;
        }
        // What is hidden from the eye is kept as well.
        const words = events.reduce(
          (sum, event) => sum + ('text' in event ? recordedSize(event.text) : 0),
          0,
        );
        size += Math.max(words, message.data.length > AROUND_WORDS ? message.data.length : 0);
        if (size > LARGEST_ANSWER) throw tooLong(where);
        for (const event of events) {
          clock.progress();
          yield event;
        }
        const wait = reader.ended ? END_GRACE : reader.complete ? graceMs : undefined;
        if (wait !== undefined && wait < waiting) {
          waiting = wait;
          clearTimeout(grace);
          grace = setTimeout(() => connection.abort(), wait);
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof CallError || !reader.complete) throw error;
    }
    if (signal.aborted) throw cancelled(where);
    yield { type: 'turn', turn: reader.turn() };
  } catch (error) {
    if (signal.aborted) throw cancelled(where);
    if (clock.expired) throw timedOut(where, call.timeoutMs);
    if (error instanceof CallError || isFailure(error)) throw error;
    if (error instanceof StreamTooLong) throw notUnderstood(where, 'it does not end');
    throw networkError(where, error);
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
    clock.onExpire = undefined;
    connection.abort();
  }
}

async function* messagesOf(
  response: Response,
  where: Where,
): AsyncGenerator<StreamMessage & { cut: boolean }> {
  if (/\bhtml\b/i.test(response.headers.get('content-type') ?? ''))
    throw notUnderstood(where, 'it is a web page, not an answer of a model');
  if (!response.body) throw brokenOff(where);
  let size = 0;
  for await (const message of readEvents(response.body)) {
    size += message.data.length;
    if (size > LARGEST_STREAM) throw new StreamTooLong();
    yield message;
  }
}

const tooLong = (where: Where): CallError =>
  new CallError(
    callFailure(where, {
      code: 'too_large',
      message: `The answer is longer than ${LARGEST_ANSWER / 1024 / 1024} MB, so Holdfast ended the call.`,
      kept: 'Everything up to this call is recorded. The text that came is kept beside the run as lost text.',
      todo: 'Ask for a shorter answer, or choose another model.',
    }),
    false,
  );

function backoff(attempt: number, firstMs: number): number {
  const full = Math.min(firstMs * 2 ** (attempt - 1), LONGEST_BACKOFF);
  return Math.round(full * (0.75 + Math.random() * 0.25));
}

/** Ends early, without an error, when the signal is aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/** The time a call may take without anything new; it stands still while the reader of the events is busy. */
class Clock {
  expired = false;
  onExpire: (() => void) | undefined;
  private left: number;
  private timer: NodeJS.Timeout | undefined;
  private since = 0;

  constructor(private readonly allowed: number) {
    this.left = allowed;
  }

  /** Milliseconds. */
  get remaining(): number {
    return this.timer === undefined ? this.left : this.left - (performance.now() - this.since);
  }

  run(): void {
    if (this.timer !== undefined) return;
    this.since = performance.now();
    this.timer = setTimeout(
      () => {
        this.expired = true;
        this.onExpire?.();
      },
      Math.max(0, this.left),
    );
  }

  pause(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.left -= performance.now() - this.since;
    this.timer = undefined;
  }

  progress(): void {
    const running = this.timer !== undefined;
    this.pause();
    this.left = this.allowed;
    if (running) this.run();
  }
}
