import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import type { KeptSecret } from '../../shared/contract/kept-secret';
import { Failure, isFailure } from '../../shared/run/failure';
import { providerId } from '../../shared/run/profile';
import type { ModelOptions } from '../model/client';
import { discoverLocal, USUAL_PORTS } from '../model/discover';
import { endpointOf } from '../model/endpoint';
import { keyOf, keyVariable } from '../model/keys';
import { modelFor } from '../model/registry';
import { setupFailure, tryModel, type Tried } from '../model/try-model';
import { versionTexts } from '../agent/config';
import type { Profile } from '../settings/profile';
import {
  BUILT_IN,
  loadProfiles,
  PRACTICE,
  removeProfile,
  saveProfile,
  saveUsual,
} from '../settings/profiles';
import type { Keyring } from '../settings/secrets/keyring';
import type { SecretEntry } from '../settings/secrets/secret-store';
import type { Used } from '../settings/used';
import type { Versions } from '../settings/versions';
import type { Witness } from '../settings/witness';
import { builtInTools, toolsFor } from '../tool/registry';
import { accountOf, ENTERED, type Address, type Addresses } from './addresses';
import { addressOf, isSame, needsNoQuestion } from './address-of';
import type { Door } from './door';
import { keyUse } from './keys';
import { checkedEndpoint, forAnother, refuseKeys, withVersion } from './profile-checks';
import { exportProfiles, importProfiles, type ImportReport } from './profile-exchange';
import { unknownProfile } from './preflight';
import { questionOf } from './question';

/** Milliseconds that a service may take to name its models, and to answer a test. */
const MODELS_LIMIT = 20_000;
const TRY_LIMIT = 90_000;

/** What of a profile decides where conversations and keys go. */
type Destination = Pick<Profile, 'provider' | 'endpoint' | 'key_env'>;

/**
 * The profiles, for the window. Where conversations and keys may go is decided outside the page: a new address, or a key
 * for an address that never got it, is asked for through the door first. What stands in the file counts as asked.
 */
export class ProfileDesk {
  constructor(
    private readonly path: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly door: Door,
    private readonly keyring: Keyring,
    private readonly addresses: Addresses,
    private readonly versions: Versions,
    private readonly used: Used,
    private readonly witness: Pick<Witness, 'mac'>,
  ) {}

  async all(): Promise<{ profiles: Profile[]; usual: string }> {
    const { profiles, usual } = await loadProfiles(this.path);
    return { profiles: this.used.order(profiles), usual };
  }

  async named(name: string): Promise<Profile> {
    const { profiles, problem } = await loadProfiles(this.path);
    const found = profiles.find((profile) => profile.name === name);
    if (found) {
      // What stands in the file was allowed, until the person took it back.
      if (found.provider !== 'practice') await this.#askRevoked(found);
      return found;
    }
    throw problem ?? unknownProfile(name, profiles);
  }

  async list(): Promise<CommandOutput<'profiles.list'>> {
    const { profiles, usual, path, problem } = await loadProfiles(this.path);
    const builtIn = new Set(BUILT_IN.map((profile) => profile.name));
    const keys = await this.keyring.list().catch((error: unknown) => error);
    return {
      profiles: this.used.order(profiles).map((profile) => {
        const use = keyUse(profile);
        const key = Array.isArray(keys) && use ? this.keyring.find(use) : undefined;
        return {
          profile,
          builtIn: builtIn.has(profile.name),
          problem: this.#problem(profile, Array.isArray(keys) ? (keys as SecretEntry[]) : keys),
          ...(key && { key: { id: key.id, hint: key.hint } }),
        };
      }),
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

  async save(profile: Profile, was: string | undefined, key: KeptSecret | undefined): Promise<void> {
    toolsFor(profile);
    refuseKeys(profile);
    await this.#ask(profile, key?.id);
    const use = keyUse(profile);
    const { profiles } = await loadProfiles(this.path);
    const before = profiles.find(({ name }) => name === (was ?? profile.name));
    // Runs that were begun with it may be older than what is kept of them.
    if (before) await this.versions.keep(textsOf(before));
    await saveProfile(profile, was, this.path);
    if (was !== undefined) await this.keyring.renamed('key', was, profile.name);
    if (was !== undefined && was !== profile.name) await this.used.renamed(was, profile.name);
    if (key && use) await this.keyring.keep(key.id, use, key.keep);
  }

  usual(name: string): Promise<void> {
    return saveUsual(name, this.path);
  }

  async export(names: readonly string[], secrets: readonly string[]): Promise<string> {
    const { profiles } = await loadProfiles(this.path);
    return exportProfiles(profiles, names, { keyring: this.keyring, env: this.env }, secrets);
  }

  /** Each goes through `save`, so that a new address is asked for. */
  async import(text: string): Promise<ImportReport> {
    const { profiles, problem } = await loadProfiles(this.path);
    if (problem) throw problem;
    const sources = { keyring: this.keyring, env: this.env };
    return importProfiles(text, profiles, sources, (profile) => this.save(profile, undefined, undefined));
  }

  remove(name: string): Promise<void> {
    return removeProfile(name, this.path);
  }

  async models(input: CommandInput<'profiles.models'>): Promise<CommandOutput<'profiles.models'>> {
    const destination: Destination = {
      provider: input.provider,
      ...(input.endpoint !== undefined && { endpoint: checkedEndpoint(input.endpoint) }),
      ...(input.key_env !== undefined && { key_env: input.key_env }),
    };
    await this.#ask(destination, input.key);
    const at = (endpoint: string | undefined) => {
      const profile = { ...PRACTICE, ...destination, ...(endpoint && { endpoint }), model: 'any', tools: [] };
      return modelFor(profile, this.#options(input.key)).models(AbortSignal.timeout(MODELS_LIMIT));
    };
    try {
      return { models: await at(destination.endpoint) };
    } catch (error) {
      const versioned = withVersion(destination.endpoint);
      // An address that lacks its version leads to a page or to nothing; the same host with it is the same service.
      if (versioned !== undefined && isFailure(error, 'model_gone')) {
        const models = await at(versioned).catch((other: unknown) => {
          // Neither is one; else what that address says is about the key, not about the address.
          if (isFailure(other, 'model_gone')) return undefined;
          throw isFailure(other) ? setupFailure(other) : other;
        });
        if (models) return { models, endpoint: versioned };
      }
      if (isFailure(error, 'model_gone'))
        throw new Failure({
          code: 'model_gone',
          message: `There is no list of models at this address of ${endpointOf(destination).host}.`,
          todo: 'Check the address: it usually ends in /v1. If the service has no list, type the name of the model.',
          data: { field: 'endpoint' },
        });
      throw isFailure(error) ? setupFailure(error) : error;
    }
  }

  async try(profile: Profile, key: string | undefined): Promise<Tried> {
    refuseKeys(profile);
    await this.#ask(profile, key);
    return tryModel(profile, this.#options(key), AbortSignal.timeout(TRY_LIMIT));
  }

  async discover(ports: readonly number[]): Promise<CommandOutput<'profiles.discover'>> {
    const servers = await discoverLocal({ ports: [...new Set([...USUAL_PORTS, ...ports])] });
    return { servers: servers.map(({ name, endpoint, models }) => ({ name, endpoint, models })) };
  }

  /** Another key means another account at the service, which then sees the chats: that is asked like a new address. */
  async mayReplace({ service, hint, uses }: SecretEntry): Promise<void> {
    await this.#confirm(
      new URL(URL.canParse(service) ? service : `nats://${service.split(',')[0] ?? ''}`).host,
      service,
      `Another key is used for ${uses.join(', ') || 'this service'} from now on${hint && `, in place of the one that ends in ${hint}`}.`,
    );
  }

  /** With a key that is held for the window, or the one that was saved for the profile. */
  #options(key: string | undefined): ModelOptions {
    return {
      env: this.env,
      savedKey: async (profile, service) => {
        if (key === undefined) return this.keyring.valueFor({ kind: 'key', service, name: profile.name });
        const entry = (await this.keyring.list()).find((one) => one.id === key);
        if (entry?.service !== service) throw forAnother();
        return this.keyring.valueOf(key);
      },
    };
  }

  /** Throws `forbidden` when the person does not agree, or cannot be asked. */
  async #ask(to: Destination, keyId: string | undefined): Promise<void> {
    if (to.provider === 'practice') return;
    const variable = keyVariable(to);
    const { origin, host } = endpointOf(to);
    const saved = keyId === undefined ? undefined : await this.#saved(keyId);
    if (saved && saved.service !== origin) throw forAnother();
    const address: Address = saved
      ? { origin, key: ENTERED, account: await this.#account(origin, saved.id) }
      : { origin, key: variable };
    if (this.addresses.allows(address)) return;
    if (!this.addresses.isRevoked(address)) {
      // A key that is in use there was asked for when it was first used.
      if (saved ? saved.uses.length > 0 : needsNoQuestion(to)) return;
      const { profiles } = await loadProfiles(this.path);
      if (
        !saved &&
        profiles.some((profile) => profile.provider !== 'practice' && isSame(addressOf(profile), address))
      )
        return;
    }
    await this.#confirm(
      host,
      origin,
      saved
        ? `The key that you entered${saved.hint && `, which ends in ${saved.hint}`}, is sent there.`
        : variable === undefined
          ? 'No key is sent there.'
          : `The key in the environment variable ${variable} is sent there.`,
    );
    await this.addresses.allow(address);
  }

  /** Asks for what a profile of the file uses when the person took that back. */
  async #askRevoked(profile: Profile): Promise<void> {
    const saved = keyUse(profile);
    const entry =
      profile.key_env === undefined && saved && this.keyring.find(saved)
        ? (await this.keyring.list()).find(
            (one) => one.service === saved.service && one.uses.includes(profile.name),
          )
        : undefined;
    const address = addressOf(profile);
    if (this.addresses.isRevoked(address) || this.addresses.isRevoked({ ...address, key: ENTERED }))
      await this.#ask(profile, entry?.id);
  }

  async #confirm(host: string, origin: string, key: string): Promise<void> {
    const agreed = await this.door.confirm(
      questionOf(
        `Let Holdfast talk to ${host}?`,
        [`Address: ${origin}`, key, 'Chats that use this profile, and what their tools read, go there.'],
        'Allow',
      ),
    );
    if (agreed) return;
    throw new Failure({
      code: 'forbidden',
      message: `You did not allow Holdfast to talk to ${host}.`,
      kept: 'Nothing was sent and nothing was saved.',
      todo:
        this.door.kind === 'browser'
          ? `Try again and answer the question, or write the profile into ${this.path}.`
          : 'Try again to be asked again.',
    });
  }

  /** Undefined: the key can't be read now, so nothing tells whether it is the one that was allowed. */
  async #account(origin: string, id: string): Promise<string | undefined> {
    const value = await this.keyring.valueOf(id).catch(() => undefined);
    return value === undefined ? undefined : accountOf(this.witness, origin, value);
  }

  async #saved(id: string): Promise<SecretEntry> {
    const found = (await this.keyring.list()).find((entry) => entry.id === id);
    if (found) return found;
    throw new Failure({
      code: 'not_found',
      message: 'This key is no longer held.',
      kept: 'Nothing was sent.',
      todo: 'Enter the key again.',
    });
  }

  /** Why a profile cannot be used now; empty when it can. `keys`: the saved ones, or why they cannot be read. */
  #problem(profile: Profile, keys: SecretEntry[] | unknown): string {
    try {
      toolsFor(profile);
      const use = keyUse(profile);
      if (!use) return '';
      if (profile.key_env === undefined) {
        if (this.keyring.find(use)) return '';
        const elsewhere = Array.isArray(keys)
          ? (keys as SecretEntry[]).find((key) => key.kind === 'key' && key.uses.includes(profile.name))
          : undefined;
        if (elsewhere && keyVariable(profile) === undefined && !endpointOf(profile).local)
          return `Its saved key belongs to ${elsewhere.service}, and its address is ${use.service}.`;
      }
      keyOf(profile, this.env);
      return '';
    } catch (error) {
      if (isFailure(error, 'key_missing') && isFailure(keys)) return keys.message;
      return isFailure(error) ? error.message : 'It cannot be used.';
    }
  }
}

/** What the hashes of a profile's fingerprint stand for. */
function textsOf(profile: Profile): string[] {
  try {
    return versionTexts({ profile, defs: toolsFor(profile).map(({ def }) => def) });
  } catch {
    // Tools that it names are not there, so no run was begun with it.
    return [];
  }
}
