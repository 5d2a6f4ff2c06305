import { Failure } from '../../../shared/run/failure';
import { goJson } from '../../../shared/run/json';
import { STOP } from '../../../shared/run/record';
import type { Block, Message, Usage } from '../../../shared/run/record';
import { rawJson } from '../../../shared/run/codec';
import type { Model, ModelEvent, ModelRequest, ModelTurn } from '../model';
import { plan } from './plan';

/** The one model that this service has. */
export const PRACTICE_MODEL = 'practice-1';

/**
 * A model that needs no network: a pure function of the conversation, so it can be stopped and taken up anywhere.
 *
 * HOLDFAST_PRACTICE_DELAY is the pause between two pieces of a stream in milliseconds (default 8; 0: none).
 * HOLDFAST_PRACTICE_SLOW is the same for requests that begin with "slowly" (default 80).
 */
export function practiceModel(): Model {
  return {
    provider: 'practice',
    endpoint: undefined,
    answer,
    models: () => Promise.resolve([PRACTICE_MODEL]),
  };
}

async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const made = plan(request);
  const delay = made.slowly ? setting('HOLDFAST_PRACTICE_SLOW', 80) : setting('HOLDFAST_PRACTICE_DELAY', 8);
  const size = made.slowly ? 6 : 18;
  const { text, cut } = fit(made.text, request.maxOutputTokens);
  await rest(delay * 8, signal);
  let sent = 0;
  const stream = async function* (whole: string, type: 'text' | 'thinking'): AsyncGenerator<ModelEvent> {
    for (const piece of pieces(whole, size)) {
      yield { type, text: piece };
      if (delay > 0 || ++sent % 64 === 0) await rest(delay, signal);
    }
  };
  yield* stream(made.thinking, 'thinking');
  yield* stream(text, 'text');
  if (made.failure) throw made.failure;

  const content: Block[] = [];
  if (made.thinking) content.push({ thinking: { text: made.thinking } });
  if (text) content.push({ text: { text } });
  for (const [index, call] of (cut ? [] : made.calls).entries()) {
    const id = `practice_${request.iteration}_${index + 1}`;
    const input = rawJson(JSON.stringify(call.input));
    yield { type: 'tool', id, name: call.tool };
    yield { type: 'tool_input', id, text: input };
    await rest(delay, signal);
    content.push({ tool_use: { id, name: call.tool, input } });
  }
  const turn: ModelTurn = {
    content,
    stop_reason: cut ? STOP.maxTokens : made.stop,
    usage: usage(request, content),
  };
  yield { type: 'turn', turn };
}

function setting(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? '');
  return process.env[name] !== undefined && value >= 0 ? value : fallback;
}

/** Waits a moment, or ends the call at once when it is cancelled. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  const cancelled = () => new Failure({ code: 'cancelled', message: 'The call was cancelled.' });
  if (signal.aborted) return Promise.reject(cancelled());
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Pieces of about `size` characters that end after a space, or in the middle of what has none. */
function* pieces(text: string, size: number): Generator<string> {
  const chars = Array.from(text);
  let piece = '';
  for (const char of chars) {
    piece += char;
    if ((piece.length >= size && /\s/.test(char)) || piece.length >= size * 3) {
      yield piece;
      piece = '';
    }
  }
  if (piece) yield piece;
}

const tokens = (chars: number) => Math.ceil(chars / 4);

/** Even this model keeps to its output limit. */
function fit(text: string, maxOutputTokens: number): { text: string; cut: boolean } {
  if (tokens(text.length) <= maxOutputTokens) return { text, cut: false };
  return { text: text.slice(0, maxOutputTokens * 4).replace(/[\ud800-\udbff]$/, ''), cut: true };
}

/** Four characters are a token. What was there at the call before counts as read from the cache. */
function usage(request: ModelRequest, content: Block[]): Usage {
  const size = (messages: Message[]) =>
    messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  const fixed = request.system.join('').length + goJson(request.tools).length;
  const last = request.messages.findLastIndex((message) => message.role === 'assistant');
  const old = last < 0 ? 0 : tokens(fixed + size(request.messages.slice(0, last)));
  const all = tokens(fixed + size(request.messages));
  return {
    in_tokens: all - old,
    out_tokens: tokens(JSON.stringify(content).length),
    ...(old > 0 && { cache_read_tokens: old }),
  };
}
