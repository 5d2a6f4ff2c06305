import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App } from './app/app';
import type { Door } from './app/door';
import { WorkerReader } from './app/read/worker-reader';
import { defaultStoreUrl, openStore } from './journal/registry';
import { agentParts } from './parts';
import { folders } from './settings/paths';
import { profilesPath } from './settings/profiles';

export interface Composition {
  door: Door;
  /** Address of the store; absent: the usual one. */
  store: string | undefined;
  /** Folders that a window without a native dialog may choose in, beside the home folder. */
  roots: string[];
  /** Folder of the built files, where the reader's thread is. */
  built: URL;
  onBug(error: unknown, command: string): void;
}

/** The core behind a window, the same for each door. Fails with the store's Failures. */
export async function composeApp({ door, store: url, roots, built, onBug }: Composition): Promise<App> {
  const store = await openStore(url ?? defaultStoreUrl());
  const home = homedir();
  const { state } = folders();
  const documents = join(home, 'Documents');
  return createApp({
    parts: agentParts(),
    store,
    reader: new WorkerReader(new URL('reader.js', built), store.url),
    door,
    version: version(built),
    label: url === undefined ? 'This computer' : store.url.replace(/^file:/, ''),
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
