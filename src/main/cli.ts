#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processConsole } from './cli/console';
import { holdfast } from './cli/program';
import type { Keyring } from './settings/secrets/keyring';

/** The root of the `holdfast` command: what it is built from, loaded when a command needs it. */

function version(): string {
  // cli.ts and the built cli.js lie equally deep below package.json.
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

let keyring: Promise<Keyring> | undefined;
const keys = () => (keyring ??= import('./secrets').then(({ plainKeyring }) => plainKeyring()));

const exit = await holdfast(process.argv.slice(2), {
  screen: processConsole(),
  version: version(),
  parts: async () => {
    const [{ agentParts }, { ownVersions }, { ownUsed }, keyring] = await Promise.all([
      import('./parts'),
      import('./settings/versions'),
      import('./settings/used'),
      keys(),
    ]);
    // What is saved must be known before anything is recorded, so that it can be kept out.
    await keyring.warm();
    return agentParts(process.env, keyring, { versions: ownVersions(), used: ownUsed() });
  },
  store: async (word) => {
    const [{ openNamed }, { loginUse }, keyring] = await Promise.all([
      import('./journal/named'),
      import('./journal/login'),
      keys(),
    ]);
    return openNamed(word, {
      saved: async (entry) => {
        const use = loginUse(entry);
        const found = use && (await keyring.entryFor(use));
        return found && { kind: found.kind, value: await keyring.valueOf(found.id) };
      },
    });
  },
  keys: async () => ({
    keyring: await keys(),
    file: (await import('./secrets')).plainKeysPath(),
    env: process.env,
  }),
  storeEntry: async (name) =>
    (await (await import('./settings/stores')).loadStores()).stores.find((one) => one.name === name),
  used: async () => (await import('./settings/used')).ownUsed(),
  profiles: async () => (await import('./settings/profiles')).loadProfiles(),
  profile: async (name) => (await import('./settings/profiles')).profileNamed(name),
});

// Sockets that models keep warm, or a watcher, must not hold the shell's prompt back.
process.exit(exit);
