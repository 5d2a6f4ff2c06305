import ksuid from 'ksuid';
import type { AgentParts } from './agent/session';
import { knownSecrets } from './model/keys';
import { modelFor } from './model/registry';
import { closedTo, ownFolders, storeFolders } from './settings/own-folders';
import type { Profile } from './settings/profile';
import { toolsFor } from './tool/registry';

/** What the core's loop is built from, the same behind every door. */
export function agentParts(env: NodeJS.ProcessEnv = process.env): AgentParts {
  // Variables that profiles name for their keys hold secrets as well, from their first use on.
  const used = new Map<string, Pick<Profile, 'key_env'>>();
  return {
    model(profile) {
      if (profile.key_env !== undefined) used.set(profile.key_env, { key_env: profile.key_env });
      return modelFor(profile);
    },
    tools: toolsFor,
    closed: (store) => closedTo([...ownFolders(env), ...storeFolders(store?.url)]),
    secrets: () => knownSecrets(env, [...used.values()]),
    now: () => new Date(),
    newId: () => ksuid.randomSync().string,
  };
}
