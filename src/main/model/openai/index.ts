import type { Profile } from '../../../shared/run/profile';
import { modelCall } from '../call';
import { LIST_TIMEOUT, LONGEST_LIST, listFailure, Service, WatchedFetch, type ModelOptions } from '../client';
import { CallError, cancelled, notUnderstood, timedOut } from '../errors';
import type { Model, ModelEvent, ModelRequest } from '../model';
import { chatBody } from './body';
import { modelNames } from './names';
import { habitsOf, type Habits } from './service';
import { ChatReader } from './stream';

/** Longest timer that Node takes; the call's own clock is the one that counts. */
const NO_SDK_TIMEOUT = 2 ** 31 - 1;

/** Chat completions: OpenAI, and every service and local server that speaks its language. */
export function openaiModel(profile: Profile, options: ModelOptions = {}): Model {
  const service = new Service(profile, options);
  // What a service refuses once is not asked of it again while this object lives.
  const habits = habitsOf(service.endpoint, profile.model);
  return {
    provider: 'openai',
    endpoint: service.endpoint.origin,
    ready: () => service.key(),
    answer: (request, signal) => answer(service, habits, request, signal, options),
    models: (signal) => models(service, signal),
  };
}

function answer(
  service: Service,
  habits: Habits,
  request: ModelRequest,
  signal: AbortSignal,
  options: ModelOptions,
): AsyncIterable<ModelEvent> {
  const where = { ...service.where, model: request.model };
  const conceded = new Set<string>();
  return modelCall(
    {
      where,
      timeoutMs: request.timeoutMs,
      reader: () => new ChatReader(where, request.messages),
      send: async (connection) => {
        const watched = new WatchedFetch(where, service.fetch());
        const { client, headers } = await connect(service, watched);
        const body = chatBody(request, habits);
        try {
          return await client
            .post('/chat/completions', {
              body,
              headers: { ...headers, 'content-type': 'application/json' },
              signal: connection,
              timeout: NO_SDK_TIMEOUT,
              stream: true,
            })
            .asResponse();
        } catch (error) {
          throw watched.cause(error);
        }
      },
      concede: (error) => concede(habits, conceded, error),
    },
    signal,
    options,
  );
}

/** Compatible services take different subsets of the parameters, and say so only when they refuse one. */
function concede(habits: Habits, conceded: Set<string>, error: CallError): string | undefined {
  if (error.failure.code !== 'model_request' || !error.problem) return undefined;
  const words = `${error.problem.param} ${error.problem.message}`;
  const once = (what: string, change: () => void): string | undefined => {
    if (conceded.has(what)) return undefined;
    conceded.add(what);
    change();
    return `The service does not take ${what} as it was sent; asking again.`;
  };
  if (
    /max_completion_tokens|max_tokens/.test(words) &&
    /unsupported|unrecognized|unknown|not permitted|extra|instead|unexpected|not supported/i.test(words)
  )
    return once('the length limit', () => {
      habits.tokensField = habits.tokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    });
  if (/stream_options|include_usage/.test(words))
    return once('stream_options', () => {
      habits.includeUsage = false;
    });
  if (/reasoning_content|reasoning_details|messages.{0,20}reasoning/.test(words))
    return once('earlier reasoning', () => {
      habits.echo =
        habits.echo === 'never' || /missing|required|must be|passed back/i.test(words) ? 'always' : 'never';
    });
  if (/\b(thinking|reasoning|reasoning_effort)\b/.test(words))
    return once('the switch for reasoning', () => {
      habits.thinking = () => ({});
    });
  return undefined;
}

async function connect(service: Service, watched: WatchedFetch) {
  const key = await service.key();
  const { endpoint } = service;
  // Loaded at the first call: the SDK takes longer to load than the rest of the core together.
  const { OpenAI } = await import('openai');
  const client = new OpenAI({
    // The SDK insists on a key; without one the header is removed below.
    apiKey: key ?? 'none',
    adminAPIKey: null,
    webhookSecret: null,
    baseURL: endpoint.base,
    defaultQuery: endpoint.query,
    fetch: watched.fetch,
    maxRetries: 0,
    logLevel: 'off',
    // Meant for OpenAI itself; taken from the environment only there.
    ...(!endpoint.vendor && { organization: null, project: null }),
  });
  const headers: Record<string, string | null> = {
    ...service.foreignHeaders('OPENAI_CUSTOM_HEADERS'),
    ...(key === undefined && { authorization: null }),
    // Azure takes its own keys only in a header of its own.
    ...(/\.azure\.com(:\d+)?$/.test(endpoint.host) && key !== undefined && { 'api-key': key }),
  };
  return { client, headers };
}

async function models(service: Service, signal: AbortSignal): Promise<string[]> {
  const watched = new WatchedFetch(service.where, service.fetch(), LONGEST_LIST);
  const { client, headers } = await connect(service, watched);
  const limit = AbortSignal.timeout(LIST_TIMEOUT);
  try {
    const response = await client
      .get('/models', { headers, signal: AbortSignal.any([signal, limit]) })
      .asResponse();
    const names = modelNames(await response.text());
    if (!names) throw notUnderstood(service.where, 'its list of models is not one');
    return names;
  } catch (error) {
    if (signal.aborted) throw cancelled(service.where);
    if (limit.aborted) throw timedOut(service.where, LIST_TIMEOUT).failure;
    const cause = error instanceof CallError ? error : watched.cause(error);
    throw listFailure(service.where, cause);
  }
}
