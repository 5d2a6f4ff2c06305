import { join } from 'node:path';
import ksuid from 'ksuid';
import type { AgentParts } from './agent/session';
import type { ModelOptions } from './model/client';
import { allSecrets } from './secrets';
import { inAddress, Surroundings } from './settings/surroundings';
import { modelFor } from './model/registry';
import { closedTo, ownFolders, storeFolders } from './settings/own-folders';
import type { Profile } from './settings/profile';
import { folders } from './settings/paths';
import type { Keyring } from './settings/secrets/keyring';
import type { Used } from './settings/used';
import type { Versions } from './settings/versions';
import { machineWitness } from './settings/witness';
import type { Witness } from './settings/witness';
import { toolsFor } from './tool/registry';
import { folderTrash, systemTrash } from './tool/trash';

export interface PartsOptions {
  witness?: Witness;
  /** What the person's settings name; absent: as their files have it. */
  around?: Surroundings;
  /** Where earlier prompts and tools are kept; absent: nowhere. */
  versions?: Versions;
  /** Where it is noted which profiles were used; absent: nowhere. */
  used?: Used;
  /** Puts a path into the system's trash; absent: what tools delete goes into a folder of ours. */
  trashItem?: ((path: string) => Promise<void>) | undefined;
}

/** What the core's loop is built from, the same behind every door. */
export function agentParts(
  env: NodeJS.ProcessEnv = process.env,
  keyring?: Keyring,
  { witness = ownWitness(env), around = new Surroundings(env), versions, used, trashItem }: PartsOptions = {},
): AgentParts {
  // Of a profile that is in no file.
  const variables = new Map<string, Pick<Profile, 'key_env'>>();
  return {
    model(profile) {
      if (profile.key_env !== undefined) variables.set(profile.key_env, { key_env: profile.key_env });
      return modelFor(profile, modelOptions(env, keyring));
    },
    tools: toolsFor,
    closed: (store) => closedTo([...ownFolders(env), ...storeFolders(store?.url), ...around.places()]),
    secrets: (store) => [
      ...new Set([
        ...allSecrets(env, [...variables.values()], keyring),
        ...around.secrets(),
        ...(store ? inAddress(store.url) : []),
      ]),
    ],
    lookAround: async () => {
      await Promise.all([around.refresh(), keyring?.warm()]);
    },
    witness,
    trash: trashItem ? systemTrash(trashItem) : folderTrash(join(folders(env).state, 'deleted')),
    ...(versions && { versions }),
    ...(used && { used }),
    now: () => new Date(),
    newId: () => ksuid.randomSync().string,
  };
}

/** The secret and the runs of this person on this machine. */
function ownWitness(env: NodeJS.ProcessEnv): Witness {
  const { state, runs } = folders(env);
  return machineWitness(state, runs);
}

/** How models find what they need: keys that a person saved, and the environment. */
export const modelOptions = (env: NodeJS.ProcessEnv, keyring: Keyring | undefined): ModelOptions => ({
  env,
  ...(keyring && {
    savedKey: (profile, service) => keyring.valueFor({ kind: 'key', service, name: profile.name }),
  }),
});
