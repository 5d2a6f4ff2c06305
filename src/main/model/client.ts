import { isFailure, type Failure } from '../../shared/run/failure';
import type { Profile } from '../../shared/run/profile';
import type { CallOptions } from './call';
import { endpointOf, type Endpoint } from './endpoint';
import { CallError, notUnderstood, serviceError, type KeyUsed, type Where } from './errors';
import { networkFetch } from './http';
import { networkError } from './network';
import { keyOf, keyVariable, knownSecrets, type Environment } from './keys';

/** What a model may be built with; all for tests and composition roots, a plain program passes nothing. */
export interface ModelOptions extends CallOptions {
  /** Where keys, proxies and certificates are looked up, at every call; default: this process's environment. */
  env?: Environment;
  /** The key that a person saved for this profile and its service; undefined: there is none. */
  savedKey?(profile: Profile, origin: string): Promise<string | undefined>;
}

/** Milliseconds for a list of models. */
export const LIST_TIMEOUT = 20_000;

/** What both adapters know of a profile's service; the key is looked up only when a call is made. */
export class Service {
  readonly endpoint: Endpoint;
  readonly env: Environment;
  readonly where: Where;

  constructor(
    readonly profile: Profile,
    private readonly options: ModelOptions,
  ) {
    this.endpoint = endpointOf(profile);
    this.env = options.env ?? process.env;
    this.where = {
      host: this.endpoint.host,
      model: profile.model,
      local: this.endpoint.local,
      keyVariable: keyVariable(profile),
      key: this.#used,
      secrets: this.#secrets,
    };
    this.#secrets.push(...knownSecrets(this.env, [profile]));
  }

  /** What the key of the last call was; `where` is copied, so this is an object of its own. */
  readonly #used: KeyUsed = { saved: false };
  readonly #secrets: string[] = [];

  /** A saved key comes before the service's usual variable, and a variable that the profile names before both. */
  async key(): Promise<string | undefined> {
    const { profile, options } = this;
    if (profile.key_env === undefined) {
      const saved = await options.savedKey?.(profile, this.endpoint.origin);
      this.#used.saved = saved !== undefined;
      if (saved !== undefined) {
        if (!this.#secrets.includes(saved)) this.#secrets.unshift(saved);
        return saved;
      }
    }
    return keyOf(profile, this.env);
  }

  fetch(): typeof globalThis.fetch {
    return networkFetch(this.env);
  }

  /** The variable's headers are meant for the vendor itself; on the way to anyone else they are taken out again. */
  foreignHeaders(variable: string): Record<string, null> {
    if (this.endpoint.vendor) return {};
    const names = (process.env[variable] ?? '')
      .split('\n')
      .flatMap((line) => /^\s*([^:\s]+)\s*:/.exec(line)?.[1] ?? []);
    return Object.fromEntries(names.map((name) => [name, null]));
  }
}

/** Characters of a list of models, and how many names one may have. */
export const LONGEST_LIST = 4 * 1024 * 1024;
export const MOST_MODELS = 5_000;
export const LONGEST_NAME = 300;

/** Characters of an error's body that are read. */
const LONGEST_ERROR = 256 * 1024;

/**
 * A fetch for an SDK, and what became of the call. The SDKs keep only such error bodies as their own service sends,
 * and wrap network errors in ones that lose the cause; so both are caught here, on their way in.
 */
export class WatchedFetch {
  private refused: CallError | undefined;
  private thrown: unknown;

  constructor(
    private readonly where: Where,
    private readonly base: typeof globalThis.fetch,
    /** Characters of a good answer that is read as a whole; absent: it is a stream, whose reader has limits of its own. */
    private readonly most?: number,
  ) {}

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    try {
      // A redirect would carry key and conversation to a place that nobody chose.
      const response = await this.base(input, { ...init, redirect: 'manual' });
      if (response.ok) {
        if (this.most === undefined) return response;
        const text = await boundedText(response, this.most);
        if (text.length > this.most) throw notUnderstood(this.where, 'it is far too long');
        return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
      }
      const { status, headers } = response;
      this.refused = serviceError(this.where, status, headers, await boundedText(response));
      return new Response(null, { status: status < 400 ? 421 : status });
    } catch (error) {
      this.thrown = error;
      throw error;
    }
  };

  /** What `error`, thrown by the SDK, really was. */
  cause(error: unknown): unknown {
    return this.refused ?? this.thrown ?? error;
  }
}

async function boundedText(response: Response, most = LONGEST_ERROR): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > most) break;
  }
  return text;
}

/** Why a list of models could not be had. */
export function listFailure(where: Where, cause: unknown): Failure {
  if (isFailure(cause)) return cause;
  return (cause instanceof CallError ? cause : networkError(where, cause)).failure;
}
