import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import type { StoreEntry } from '../../shared/contract/stores';
import { asFailure, Failure } from '../../shared/run/failure';
import { loginUse } from '../journal/login';
import { endpointOf } from '../model/endpoint';
import { keyVariable } from '../model/keys';
import type { Profile } from '../settings/profile';
import { EnvironmentSecrets } from '../settings/secrets/environment-secrets';
import type { Keyring, SecretUse } from '../settings/secrets/keyring';
import type { SecretEntry } from '../settings/secrets/secret-store';

/** What a saved key of this profile would be found by; undefined for a model that needs no network. */
export function keyUse(profile: Pick<Profile, 'name' | 'provider' | 'endpoint'>): SecretUse | undefined {
  if (profile.provider === 'practice') return undefined;
  return { kind: 'key', service: endpointOf(profile).origin, name: profile.name };
}

/** The saved keys, for the window: it learns ids and last characters, and gives values away as they are entered. */
export class KeyDesk {
  constructor(
    private readonly keyring: Keyring,
    private readonly file: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly profiles: () => Promise<Profile[]>,
  ) {}

  async list(): Promise<CommandOutput<'keys.list'>> {
    const environment = new EnvironmentSecrets(this.env, () => this.#variables());
    const [saved, fromEnvironment] = await Promise.allSettled([this.keyring.list(), environment.list()]);
    const protection = await this.keyring.store.protection().catch(() => 'unprotected' as const);
    return {
      keys: [
        ...(saved.status === 'fulfilled' ? saved.value : []),
        ...(fromEnvironment.status === 'fulfilled' ? fromEnvironment.value : []),
      ],
      protection,
      file: this.file,
      ...(saved.status === 'rejected' && { problem: asFailure(saved.reason).toJSON() }),
    };
  }

  hold({ kind, service, value }: CommandInput<'keys.hold'>): Promise<SecretEntry> {
    return this.keyring.hold({ kind, service: serviceOf(kind, service), value });
  }

  /** Another value. The person is asked by the caller. */
  replace(id: string, value: string): Promise<SecretEntry> {
    return this.keyring.replace(id, value);
  }

  async entry(id: string): Promise<SecretEntry> {
    const found = (await this.keyring.list()).find((entry) => entry.id === id);
    if (found) return found;
    throw new Failure({ code: 'not_found', message: 'This key is no longer saved.' });
  }

  remove(id: string): Promise<boolean> {
    return this.keyring.remove(id);
  }

  /** The password or token that was saved for a store. */
  login = async (entry: StoreEntry): Promise<{ kind: string; value: string } | undefined> => {
    const use = loginUse(entry);
    if (!use) return undefined;
    const found = await this.keyring.entryFor(use);
    return found && { kind: found.kind, value: await this.keyring.valueOf(found.id) };
  };

  async #variables(): Promise<{ name: string; service: string; uses: string[] }[]> {
    const found = new Map<string, { name: string; service: string; uses: string[] }>();
    for (const profile of await this.profiles()) {
      const name = keyVariable(profile);
      if (name === undefined) continue;
      const { origin } = endpointOf(profile);
      const one = found.get(`${name} ${origin}`) ?? { name, service: origin, uses: [] };
      one.uses.push(profile.name);
      found.set(`${name} ${origin}`, one);
    }
    return [...found.values()];
  }
}

/** For a key the origin of its service; for a login the servers as they stand in the store's address. */
function serviceOf(kind: SecretEntry['kind'], service: string): string {
  if (kind !== 'key') return service;
  if (URL.canParse(service) && /^https?:$/.test(new URL(service).protocol)) return new URL(service).origin;
  throw new Failure({ code: 'bad_request', message: 'A key needs the address of its service.' });
}
