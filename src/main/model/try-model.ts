import { Failure, isFailure } from '../../shared/run/failure';
import type { Profile } from '../../shared/run/profile';
import type { ModelOptions } from './client';
import { modelFor } from './registry';

/** Milliseconds that a service may take for the smallest answer. A local server may have to load its model first. */
const LIMIT_MS = 60_000;
/** Enough for a word, also where a model thinks first. */
const TOKENS = 64;

/** What a test found out. */
export interface Tried {
  /** Milliseconds until the answer was whole. */
  ms: number;
  /** The first words that the model said; may be empty. */
  words: string;
}

/**
 * Sends one tiny call as a chat with this profile would, and tells in plain words what is wrong: the Failures of a model,
 * with advice for somebody who sets it up. Nothing is recorded.
 */
export async function tryModel(profile: Profile, options: ModelOptions, signal: AbortSignal): Promise<Tried> {
  const began = performance.now();
  try {
    const model = modelFor(profile, { ...options, tries: 1 });
    let words = '';
    for await (const event of model.answer(
      {
        model: profile.model,
        system: [],
        tools: [],
        messages: [{ role: 'user', content: [{ text: { text: 'Reply with the word OK.' } }] }],
        thinking: 'off',
        maxOutputTokens: TOKENS,
        timeoutMs: LIMIT_MS,
        chat: false,
        iteration: 1,
      },
      signal,
    ))
      if (event.type === 'text') words += event.text;
    return { ms: Math.round(performance.now() - began), words: words.trim().slice(0, 80) };
  } catch (error) {
    throw isFailure(error) ? setupFailure(error) : error;
  }
}

const ADVICE: Partial<Record<Failure['code'], string>> = {
  key_missing: 'Paste the key of this service.',
  model_auth:
    'Check that you copied all of the key, that it is for this service, and that it was not revoked.',
  model_credit: 'The key works. Add credit or raise the limit with the service, then test again.',
  model_rate_limit: 'The key works. Wait a little, then test again.',
  model_overloaded: 'Wait a minute, then test again. If this persists, look at the service’s status page.',
  model_timeout: 'Test again. A local server may still be loading the model.',
};

/** The same failure for somebody who sets a model up: nothing was recorded, and there is nothing to resume. */
export function setupFailure(failure: Failure): Failure {
  const { code, message, data } = failure.toJSON();
  const advice = ADVICE[code] ?? forSetup(failure.todo ?? '');
  return new Failure(
    { code, message, ...(advice !== '' && { todo: advice }), ...(data && { data }) },
    { cause: failure },
  );
}

const forSetup = (todo: string): string =>
  todo.replace(/,? then resume(: nothing is repeated)?\./, ', then test again.');
