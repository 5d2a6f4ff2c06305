import { isStoreName, storeNamed, storesPath } from '../settings/stores';
import type { RunStore } from './journal';
import { defaultStoreUrl, openStore } from './registry';
import { openEntry, type SavedLogin } from './try';

export interface NamedOptions {
  /** Address of the usual store. */
  usual?: string;
  /** The file of stores. */
  path?: string;
  env?: NodeJS.ProcessEnv;
  saved?: SavedLogin;
}

/**
 * Opens the store that a person named on a command line: an address, a name out of the file of stores, `default`; the
 * usual one when nothing was named. Fails as `openStore` does; `store_unknown` lists the names that exist.
 */
export async function openNamed(word: string | undefined, options: NamedOptions = {}): Promise<RunStore> {
  const { usual = defaultStoreUrl(), path = storesPath(), env = process.env, saved } = options;
  if (word === undefined) return openStore(usual);
  if (!isStoreName(word)) return openStore(word);
  const entry = await storeNamed(word, path);
  return entry ? openEntry(entry, env, saved) : openStore(usual);
}
