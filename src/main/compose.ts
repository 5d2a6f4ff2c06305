import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App } from './app/app';
import type { Door } from './app/door';
import { bringSample } from './app/sample-run';
import { WorkerMover } from './app/moving/mover';
import { WorkerReader } from './app/read/worker-reader';
import { FatalRuns } from './library/fatal-runs';
import { WorkerIndex } from './library/search/worker-index';
import type { StoreEntry } from '../shared/contract/stores';
import { loginOf, loginUse } from './journal/login';
import { defaultStoreUrl, openStore } from './journal/registry';
import { openEntry } from './journal/try';
import { agentParts } from './parts';
import { plainKeyring, plainKeysPath } from './secrets';
import type { Keyring } from './settings/secrets/keyring';
import { folders } from './settings/paths';
import { profilesPath } from './settings/profiles';
import { ownUsed } from './settings/used';
import { ownVersions } from './settings/versions';
import { isStoreName, storeNamed, storesPath } from './settings/stores';

export interface Composition {
  door: Door;
  /** Where keys are saved; absent: a file that only its mode protects. */
  secrets?: { keyring: Keyring; file: string };
  /** Address of the usual store, or a name out of the file of stores; absent: the person's own folder of runs. */
  store: string | undefined;
  /** Folders that a window without a native dialog may choose in, beside the home folder. */
  roots: string[];
  /** Folder of the built files, where the parts that run in processes of their own are. */
  built: URL;
  onBug(error: unknown, command: string): void;
  /** Puts a path into the system's trash, where the door has one. */
  trashItem?: (path: string) => Promise<void>;
}

/** The core behind a window, the same for each door. Fails with the store's Failures. */
export async function composeApp({
  door,
  store: url,
  roots,
  built,
  onBug,
  trashItem,
  secrets = { keyring: plainKeyring(), file: plainKeysPath() },
}: Composition): Promise<App> {
  const entry = url !== undefined && isStoreName(url) ? await storeNamed(url) : undefined;
  const address = url === undefined || isStoreName(url) ? defaultStoreUrl() : url;
  const { keyring } = secrets;
  // Parts are given what they log in with; what was saved is read before, and known from then on.
  if (entry) await keyring.warm();
  const loginFor = (one: StoreEntry) => {
    const use = loginUse(one);
    return loginOf(one, process.env, use && keyring.knownFor(use));
  };
  const store = entry
    ? await openEntry(entry, process.env, async (one) => {
        const use = loginUse(one);
        return use && keyring.knownFor(use);
      })
    : await openStore(address);
  const file = new URL('reader.js', built);
  const usual = entry ? { url: entry.url, login: loginFor(entry) } : { url: address, login: {} };
  const searcher = new URL('search.js', built);
  const home = homedir();
  const { state, cache } = folders();
  const own = entry ? { store: entry.url, login: loginFor(entry) } : { store: address, login: {} };
  const versions = ownVersions();
  const used = ownUsed();
  const parts = agentParts(process.env, keyring, { versions, used, trashItem });
  // Tests that count runs begin without it.
  if (url === undefined && process.env['HOLDFAST_SAMPLE'] !== 'off') await bringSample(store, state, parts);
  const documents = join(home, 'Documents');
  const fatal = new FatalRuns();
  return createApp({
    parts,
    versions,
    used,
    keyring,
    keysFile: secrets.file,
    store,
    fatal,
    reader: new WorkerReader(file, own, fatal),
    storesPath: storesPath(),
    makeMover: (opened) =>
      new WorkerMover(
        new URL('mover.js', built),
        (name) => {
          const { entry: other } = opened(name);
          return other ? { url: other.url, login: loginFor(other) } : usual;
        },
        fatal,
      ),
    readerOf: (other) =>
      new WorkerReader(file, { store: other.url, login: loginFor(other) }, fatal, other.name),
    indexOf: (other, opened, onProgress) => {
      // What is in memory is nowhere else, so no other process sees it, and nothing of it may come to the disk.
      if (opened.durability === 'memory') return undefined;
      const at = other ? { store: other.url, login: loginFor(other) } : own;
      return new WorkerIndex(searcher, { ...at, cache }, onProgress, fatal, other?.name ?? '');
    },
    door,
    version: version(built),
    label: entry?.name ?? (url === undefined ? 'This computer' : store.url.replace(/^file:/, '')),
    state,
    home,
    samples: existsSync(documents) ? documents : state,
    roots,
    profilesPath: profilesPath(),
    env: process.env,
    onBug,
  });
}

/** The built files lie two folders below package.json. */
export function version(built: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', built), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
