import { Failure, asFailure } from '../../shared/run/failure';
import { endpointOf } from '../model/endpoint';
import { keyOf, keyVariable } from '../model/keys';
import { exchangeText, freeProfileName, readExchange, type NeededKey } from '../settings/profile-exchange';
import type { Profile } from '../settings/profile';
import type { Keyring } from '../settings/secrets/keyring';
import { keyUse } from './keys';
import { refuseKeys } from './profile-checks';

/** What tells whether a profile has its key here. */
export interface KeySources {
  keyring: Keyring;
  env: NodeJS.ProcessEnv;
}

/** What became of one profile of a file. */
export interface Imported {
  /** Its name in the file. */
  from: string;
  /** The name that it was saved under; absent: it was not saved. */
  name?: string;
  /** Why it was not saved. */
  problem?: string;
  /** The key that it needs and that is not here. */
  missing?: NeededKey;
  /** Only the variable counts, since the profile names one: a key that is entered would not be used. */
  onlyVariable?: boolean;
}

export interface ImportReport {
  imported: Imported[];
  /** What was left out of the file. */
  notes: string[];
}

/** The profiles of these names, or all that are not built in, as a file to share. `profile_unknown`. */
export async function exportProfiles(
  profiles: readonly Profile[],
  names: readonly string[],
  { keyring, env }: KeySources,
  secrets: readonly string[],
): Promise<string> {
  await keyring.warm();
  const wanted = names.map((name) => {
    const found = profiles.find((profile) => profile.name === name);
    if (found) return found;
    throw new Failure({
      code: 'profile_unknown',
      message: `There is no profile called "${name}".`,
      kept: 'Nothing was written.',
      todo: `Profiles are: ${profiles.map((one) => one.name).join(', ')}.`,
    });
  });
  const keys = wanted.flatMap((profile) => {
    const key = keyOfFile(profile);
    if (!key) return [];
    const use = keyUse(profile);
    const needed = key.variable !== undefined || (use && keyring.find(use)) || !endpointOf(profile).local;
    return needed ? [key] : [];
  });
  return exchangeText(wanted, keys, [...new Set([...secrets, ...keyring.known(), ...known(keys, env)])]);
}

const known = (keys: readonly NeededKey[], env: NodeJS.ProcessEnv): string[] =>
  keys
    .map(({ variable }) => (variable === undefined ? '' : (env[variable] ?? '').trim()))
    .filter((value) => value.length >= 8);

/**
 * Saves what a shared file names, each under a name that is free: nothing that is here is written over. One that cannot
 * be saved, or that the person refuses, stops no other. `settings_broken` for a file that is none.
 */
export async function importProfiles(
  text: string,
  taken: readonly Profile[],
  { keyring, env }: KeySources,
  save: (profile: Profile) => Promise<void>,
): Promise<ImportReport> {
  const { profiles, needKey, notes } = readExchange(text);
  const names = new Set(taken.map(({ name }) => name));
  const imported: Imported[] = [];
  await keyring.warm();
  for (const one of profiles) {
    const profile = { ...one, name: freeProfileName(one.name, names) };
    try {
      refuseKeys(profile);
      await save(profile);
      names.add(profile.name);
      const missing = missingKey(profile, needKey.has(one.name), { keyring, env });
      imported.push({
        from: one.name,
        name: profile.name,
        ...(missing && { missing, onlyVariable: profile.key_env !== undefined }),
      });
    } catch (error) {
      imported.push({ from: one.name, problem: asFailure(error).message });
    }
  }
  return { imported, notes };
}

function missingKey(profile: Profile, named: boolean, { keyring, env }: KeySources): NeededKey | undefined {
  const use = keyUse(profile);
  const key = keyOfFile(profile);
  if (!use || !key) return undefined;
  if (profile.key_env === undefined && keyring.find(use)) return undefined;
  if (key.variable === undefined) return named ? key : undefined;
  try {
    keyOf(profile, env);
    return undefined;
  } catch {
    return key;
  }
}

function keyOfFile(profile: Profile): NeededKey | undefined {
  if (profile.provider === 'practice') return undefined;
  const variable = keyVariable(profile);
  return {
    profile: profile.name,
    service: endpointOf(profile).origin,
    ...(variable !== undefined && { variable }),
  };
}
