import type { Profile } from '../../../shared/run/profile';
import { modelCall } from '../call';
import {
  LIST_TIMEOUT,
  LONGEST_LIST,
  LONGEST_NAME,
  MOST_MODELS,
  listFailure,
  Service,
  WatchedFetch,
  type ModelOptions,
} from '../client';
import { cancelled, timedOut, type CallError } from '../errors';
import type { Model, ModelEvent, ModelRequest } from '../model';
import { anthropicBody } from './body';
import { AnthropicReader } from './stream';
import { instead, thinkingType, type ThinkingType } from './thinking';

/** Longest timer that Node takes; the call's own clock is the one that counts. */
const NO_SDK_TIMEOUT = 2 ** 31 - 1;
const BINDING_BETA = 'thinking-binding-controls-2026-08-01';
/** What gateways of other makers know; the SDK's newer version is for Anthropic itself. */
const COMMON_VERSION = '2023-06-01';

const MUST_BEGIN_WITH_THINKING = /must start with a thinking block|expected `?thinking`?.{0,40}but found/i;

/** What the service refused before, so that it isn't asked again. Lives as long as the model object. */
interface Lessons {
  thinking: Map<'off' | 'summarized', ThinkingType>;
  dropUnboundThinking: boolean;
  withoutThinking: boolean;
}

/** The Anthropic Messages API, and services that speak it. */
export function anthropicModel(profile: Profile, options: ModelOptions = {}): Model {
  const service = new Service(profile, options);
  const lessons: Lessons = { thinking: new Map(), dropUnboundThinking: false, withoutThinking: false };
  return {
    provider: 'anthropic',
    endpoint: service.endpoint.origin,
    ready: () => service.key(),
    answer: (request, signal) => answer(service, lessons, request, signal, options),
    models: (signal) => models(service, signal),
  };
}

function answer(
  service: Service,
  lessons: Lessons,
  request: ModelRequest,
  signal: AbortSignal,
  options: ModelOptions,
): AsyncIterable<ModelEvent> {
  // Only for this call: its last turn was made without thinking, so an older model cannot begin to think in it.
  let unthinking = false;
  const thinkingNow = (): ThinkingType =>
    unthinking
      ? undefined
      : lessons.thinking.has(request.thinking)
        ? lessons.thinking.get(request.thinking)
        : thinkingType(request.model, request.thinking);
  const where = { ...service.where, model: request.model };
  return modelCall(
    {
      where,
      timeoutMs: request.timeoutMs,
      reader: () => new AnthropicReader(where, request.messages),
      send: async (connection) => {
        const watched = new WatchedFetch(where, service.fetch());
        const { client, headers } = await connect(service, watched);
        const body = anthropicBody(request, {
          thinking: thinkingNow(),
          dropUnboundThinking: lessons.dropUnboundThinking,
          withoutThinking: lessons.withoutThinking,
          signedThinkingOnly: service.endpoint.vendor,
        });
        try {
          return await client
            .post('/v1/messages', {
              body,
              headers: {
                ...headers,
                'content-type': 'application/json',
                ...(lessons.dropUnboundThinking && { 'anthropic-beta': BINDING_BETA }),
              },
              signal: connection,
              timeout: NO_SDK_TIMEOUT,
              stream: true,
            })
            .asResponse();
        } catch (error) {
          throw watched.cause(error);
        }
      },
      concede: (error) => {
        if (!unthinking && MUST_BEGIN_WITH_THINKING.test(error.problem?.message ?? '')) {
          unthinking = true;
          return 'This turn began without thinking; asking again without it.';
        }
        return concede(lessons, request, thinkingNow(), error);
      },
    },
    signal,
    options,
  );
}

/**
 * Thinking is what the API's models differ in most. Newer ones also bind each thinking block to everything that stood
 * before it, so a changed system prompt (a resumed run has a reminder there) makes earlier thinking unusable: it is
 * dropped from the request then, never from the record.
 */
function concede(
  lessons: Lessons,
  request: ModelRequest,
  sent: ThinkingType,
  error: CallError,
): string | undefined {
  if (error.failure.code !== 'model_request') return undefined;
  const words = error.problem?.message ?? '';
  if (/signature|bound to|thinking.{0,20}block|block_binding/i.test(words)) {
    if (lessons.withoutThinking) return undefined;
    if (sent === 'adaptive' && !lessons.dropUnboundThinking) lessons.dropUnboundThinking = true;
    else {
      lessons.withoutThinking = true;
      lessons.dropUnboundThinking = false;
    }
    return 'The service cannot use the earlier thinking any more; asking again without it.';
  }
  if (/thinking|budget_tokens/i.test(words) && !lessons.thinking.has(request.thinking)) {
    const next = instead(sent);
    if (next === null) return undefined;
    lessons.thinking.set(request.thinking, next);
    return 'This model wants thinking to be asked for in another way; asking again.';
  }
  return undefined;
}

async function connect(service: Service, watched: WatchedFetch) {
  const key = await service.key();
  const { endpoint } = service;
  // Loaded at the first call: the SDK takes longer to load than the rest of the core together.
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    // With neither key nor token the SDK would look for credentials of its own; the header is removed below.
    apiKey: key ?? 'none',
    authToken: null,
    baseURL: endpoint.base,
    defaultQuery: endpoint.query,
    fetch: watched.fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
  const headers: Record<string, string | null> = {
    ...service.foreignHeaders('ANTHROPIC_CUSTOM_HEADERS'),
    ...(key === undefined && { authorization: null }),
    ...(!endpoint.vendor && { 'anthropic-version': COMMON_VERSION }),
    ...(!endpoint.vendor && key !== undefined && { 'x-api-key': key }),
  };
  return { client, headers };
}

async function models(service: Service, signal: AbortSignal): Promise<string[]> {
  const watched = new WatchedFetch(service.where, service.fetch(), LONGEST_LIST);
  const { client, headers } = await connect(service, watched);
  const limit = AbortSignal.timeout(LIST_TIMEOUT);
  try {
    const names: string[] = [];
    const pages = client.models.list({ limit: 1000 }, { headers, signal: AbortSignal.any([signal, limit]) });
    for await (const model of pages) {
      if (typeof model.id === 'string' && model.id.length <= LONGEST_NAME) names.push(model.id);
      if (names.length >= MOST_MODELS) break;
    }
    return names;
  } catch (error) {
    if (signal.aborted) throw cancelled(service.where);
    if (limit.aborted) throw timedOut(service.where, LIST_TIMEOUT).failure;
    const cause = watched.cause(error);
    throw listFailure(service.where, cause);
  }
}
