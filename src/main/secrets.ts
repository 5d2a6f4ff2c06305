import { join } from 'node:path';
import { knownSecrets } from './model/keys';
import type { Profile } from './settings/profile';
import { folders } from './settings/paths';
import { FileSecrets, noSeal } from './settings/secrets/file-secrets';
import { Keyring } from './settings/secrets/keyring';

/** Where keys are saved that only the mode of their file protects; shared by the browser door and the command. */
export const plainKeysPath = (): string => join(folders().config, 'keys.json');

/** The keys that the browser door and the command use. */
export const plainKeyring = (): Keyring => new Keyring(new FileSecrets(plainKeysPath(), noSeal));

/** Every secret value that this process knows of, longest first: whatever is written or shown is searched for them. */
export function allSecrets(
  env: NodeJS.ProcessEnv,
  profiles: readonly Pick<Profile, 'key_env'>[],
  keyring: Keyring | undefined,
): string[] {
  const values = new Set([...knownSecrets(env, profiles), ...(keyring?.known() ?? [])]);
  return [...values].sort((a, b) => b.length - a.length);
}
