import { readFile } from 'node:fs/promises';
import type { StoreEntry } from '../../shared/contract/stores';
import { folderOf } from './own-folders';
import { loadProfiles, profilesPath } from './profiles';
import { loadStores, storesPath } from './stores';

/** Bytes of a file with a login that are read. */
const LONGEST_LOGIN = 64 * 1024;

/**
 * What this person's settings name: folders and files that no tool may touch, and values that must not be recorded. It is
 * known from the start, whatever of it this process uses, and read again before each run begins or goes on.
 */
export class Surroundings {
  #places: string[] = [];
  #secrets: string[] = [];
  #keyVariables: string[] = [];

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly paths: { profiles?: string; stores?: string } = {},
  ) {}

  /** Folders of all stores in the list, and files with logins. */
  places(): readonly string[] {
    return this.#places;
  }

  /** Keys of all profiles, and passwords, tokens and seeds of all stores. */
  secrets(): readonly string[] {
    return this.#secrets;
  }

  /** Variables that a profile names for its key. */
  keyVariables(): readonly string[] {
    return this.#keyVariables;
  }

  /** Reads the settings again. A file that cannot be read takes nothing away that was known. */
  async refresh(): Promise<void> {
    const { profiles: all, problem } = await loadProfiles(this.paths.profiles ?? profilesPath());
    const { stores, problem: broken } = await loadStores(this.paths.stores ?? storesPath());
    const variables = new Set(all.flatMap(({ key_env: name }) => name ?? []));
    const secrets = new Set<string>();
    for (const name of variables) this.#add(secrets, this.env[name]);
    for (const entry of stores) {
      const { password_env: password, token_env: token, creds, nkey, tls } = entry.auth ?? {};
      for (const name of [password, token]) if (name !== undefined) this.#add(secrets, this.env[name]);
      for (const file of [creds, nkey, tls?.key])
        if (file !== undefined) for (const value of await valuesIn(file)) secrets.add(value);
      for (const value of inAddress(entry.url)) secrets.add(value);
    }
    const known = problem || broken;
    this.#places = [...new Set([...(known ? this.#places : []), ...stores.flatMap(placesOf)])];
    this.#secrets = [...new Set([...(known ? this.#secrets : []), ...secrets])];
    this.#keyVariables = [...new Set([...(known ? this.#keyVariables : []), ...variables])];
  }

  #add(to: Set<string>, value: string | undefined): void {
    const text = value?.trim();
    if (text) to.add(text);
  }
}

function placesOf({ url, auth }: StoreEntry): string[] {
  const folder = folderOf(url);
  const files = [auth?.creds, auth?.nkey, auth?.tls?.key];
  return [folder, ...files].filter((place) => place !== undefined);
}

/** What a file with a login holds: each line that is no heading. */
async function valuesIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .slice(0, LONGEST_LOGIN)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= 20 && !/^[-*#]|\s/.test(line));
}

/** User, password and token of an address, as they are and as they stand in it. */
export function inAddress(url: string): string[] {
  const login = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(url)?.[1];
  if (login === undefined) return [];
  const [first = '', ...rest] = login.split(':');
  // A name alone is a token; before a password it is no secret.
  const value = rest.length > 0 ? rest.join(':') : first;
  try {
    return [...new Set([value, decodeURIComponent(value)])];
  } catch {
    return [value];
  }
}
