import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import { Failure, isFailure } from '../../shared/run/failure';
import { discoverLocal } from '../model/discover';
import { endpointOf } from '../model/endpoint';
import { keyOf, keyVariable } from '../model/keys';
import { modelFor } from '../model/registry';
import { providerId } from '../../shared/run/profile';
import type { Profile } from '../settings/profile';
import { BUILT_IN, loadProfiles, removeProfile, saveProfile } from '../settings/profiles';
import { builtInTools, toolsFor } from '../tool/registry';
import type { Door } from './door';
import { questionOf } from './question';
import { unknownProfile } from './preflight';

/** Milliseconds that a service may take to name its models. */
const MODELS_LIMIT = 20_000;

/** What of a profile decides where conversations and keys go. */
type Destination = Pick<Profile, 'provider' | 'endpoint' | 'key_env'>;

/**
 * The profiles, for the window. Where conversations and keys may go is decided outside the page: a new address, or a key
 * for an address that never got it, is asked for through the door first. What stands in the file counts as asked.
 */
export class ProfileDesk {
  readonly #allowed = new Set<string>();

  constructor(
    private readonly path: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly door: Door,
  ) {}

  async all(): Promise<{ profiles: Profile[]; usual: string }> {
    return loadProfiles(this.path);
  }

  async named(name: string): Promise<Profile> {
    const { profiles, problem } = await loadProfiles(this.path);
    const found = profiles.find((profile) => profile.name === name);
    if (found) return found;
    throw problem ?? unknownProfile(name, profiles);
  }

  async list(): Promise<CommandOutput<'profiles.list'>> {
    const { profiles, usual, path, problem } = await loadProfiles(this.path);
    const builtIn = new Set(BUILT_IN.map((profile) => profile.name));
    return {
      profiles: profiles.map((profile) => ({
        profile,
        builtIn: builtIn.has(profile.name),
        problem: this.#problem(profile),
      })),
      tools: builtInTools('practice').map(({ def, changes }) => ({
        name: def.name,
        description: def.description,
        changes,
        providers: providerId.options.filter((provider) =>
          builtInTools(provider).some((tool) => tool.def.name === def.name),
        ),
      })),
      usual,
      file: path,
      ...(problem && { problem: problem.toJSON() }),
    };
  }

  async save(profile: Profile, was: string | undefined): Promise<void> {
    toolsFor(profile);
    await this.#ask(profile);
    await saveProfile(profile, was, this.path);
  }

  remove(name: string): Promise<void> {
    return removeProfile(name, this.path);
  }

  async models(input: CommandInput<'profiles.models'>): Promise<string[]> {
    const destination: Destination = {
      provider: input.provider,
      ...(input.endpoint !== undefined && { endpoint: checkedEndpoint(input.endpoint) }),
      ...(input.key_env !== undefined && { key_env: input.key_env }),
    };
    await this.#ask(destination);
    const practice = BUILT_IN[0];
    if (!practice) return [];
    const model = modelFor({ ...practice, ...destination, model: 'any', tools: [] });
    return model.models(AbortSignal.timeout(MODELS_LIMIT));
  }

  async discover(): Promise<CommandOutput<'profiles.discover'>> {
    const servers = await discoverLocal();
    return { servers: servers.map(({ name, endpoint, models }) => ({ name, endpoint, models })) };
  }

  /** Throws `forbidden` when the person does not agree, or cannot be asked. */
  async #ask(to: Destination): Promise<void> {
    if (to.provider === 'practice') return;
    const key = keyVariable(to);
    const { origin, host, vendor, local } = endpointOf(to);
    const pair = `${origin} ${key ?? ''}`;
    if (this.#allowed.has(pair) || isUsual(to, vendor, key) || (local && isLoopbackOrigin(origin) && !key))
      return;
    const { profiles } = await loadProfiles(this.path);
    const known = profiles.some(
      (profile) =>
        profile.provider !== 'practice' &&
        `${endpointOf(profile).origin} ${keyVariable(profile) ?? ''}` === pair,
    );
    if (known) return;
    const agreed = await this.door.confirm(
      questionOf(
        `Let Holdfast talk to ${host}?`,
        [
          `Address: ${origin}`,
          key === undefined
            ? 'No key is sent there.'
            : `The key in the environment variable ${key} is sent there.`,
          'Chats that use this profile, and what their tools read, go there.',
        ],
        'Allow',
      ),
    );
    if (!agreed) {
      throw new Failure({
        code: 'forbidden',
        message: `You did not allow ${host}${key === undefined ? '' : ` with the key in ${key}`}.`,
        kept: 'Nothing was sent and nothing was saved.',
        todo:
          this.door.kind === 'browser'
            ? `Answer the question where Holdfast runs, or write the profile into ${this.path}.`
            : 'Save it again to be asked again.',
      });
    }
    this.#allowed.add(pair);
  }

  /** Why a profile cannot be used now; empty when it can. */
  #problem(profile: Profile): string {
    try {
      toolsFor(profile);
      keyOf(profile, this.env);
      return '';
    } catch (error) {
      return isFailure(error) ? error.message : 'It cannot be used.';
    }
  }
}

/** The service that the provider is named after, with the key that is its own. */
function isUsual(to: Destination, vendor: boolean, key: string | undefined): boolean {
  return (
    vendor && key === keyVariable({ provider: to.provider, ...(to.endpoint && { endpoint: to.endpoint }) })
  );
}

const isLoopbackOrigin = (origin: string) =>
  /^https?:\/\/(127(\.\d+){3}|localhost|\[::1\])(:\d+)?$/.test(origin);

function checkedEndpoint(text: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === 'https:' || url.protocol === 'http:') return text;
  } catch {
    // Told below.
  }
  throw new Failure({
    code: 'bad_request',
    message: 'The address of a service begins with https:// or http://.',
  });
}
