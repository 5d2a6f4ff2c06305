import { isAbsolute, join, resolve } from 'node:path';
import { STORE_NAME, USUAL_STORE, storeEntry, type StoreEntry } from '../../shared/contract/stores';
import { Failure } from '../../shared/run/failure';
import { isDeviceName } from '../../shared/run/names';
import { z } from '../../shared/zod';
import { folders } from './paths';
import { replaceFile } from './replace-file';
import { readSettings, type SettingsFile } from './yaml-file';

/**
 * The stores beside the usual one: where each is, and what holds its secrets. No secret is ever in the file. The usual
 * store is in no file, so nothing that happens to one hides it.
 */
const FILE = {
  called: 'The file of stores',
  shape: z.strictObject({ stores: z.array(storeEntry).default([]) }),
  kept: 'The file is as it was, and so is every run. The usual store works without it.',
};

export interface Stores {
  /** In the file's order. */
  stores: StoreEntry[];
  path: string;
  /** Why the file was not read: `settings_broken` with data path, line and column. */
  problem?: Failure;
}

export const storesPath = (): string => join(folders().config, 'stores.yaml');

/** Reads the file, which need not exist. Never rejects for what is in it: see `problem`. */
export async function loadStores(path = storesPath()): Promise<Stores> {
  try {
    const { value } = await read(path);
    return { stores: value.stores, path };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { stores: [], path, problem: error };
  }
}

/** The store of this name; undefined for the usual one. `not_found` names those that exist; `settings_broken`. */
export async function storeNamed(name: string, path = storesPath()): Promise<StoreEntry | undefined> {
  if (name === USUAL_STORE) return undefined;
  const { stores, problem } = await loadStores(path);
  const found = stores.find((one) => one.name === name);
  if (found) return found;
  if (problem) throw problem;
  throw new Failure({
    code: 'store_unknown',
    message: `There is no store called "${name}".`,
    todo: `Stores are: ${[USUAL_STORE, ...stores.map((one) => one.name)].join(', ')}. An address works too, like file:DIR or nats://host:4222/STREAM.`,
    data: { path },
  });
}

/** Whether a word is meant as the name of a store, not as an address. */
export const isStoreName = (word: string): boolean => STORE_NAME.test(word);

/**
 * An entry as it will stand in the file: its folder absolute, its address whole. `bad_request` says what of it cannot be:
 * a name that is taken or the usual store's, an address with a secret in it, two ways to log in.
 */
export function checkedStore(entry: StoreEntry): StoreEntry {
  const wanted = storeEntry.parse(entry);
  if (wanted.name.toLowerCase() === USUAL_STORE) throw refused('The usual store has this name.');
  if (wanted.url.startsWith('file:')) {
    const folder = wanted.url.slice('file:'.length);
    if (!isAbsolute(folder) || folder.startsWith('//') || folder.includes('\u0000'))
      throw refused('The address of a folder is "file:" and its whole path, like file:/home/me/runs.');
    if (wanted.auth || wanted.inbox_prefix || wanted.domain) throw refused('A folder needs no login.');
    return { name: wanted.name, url: `file:${resolve(folder)}` };
  }
  if (!/^(nats|tls):\/\//.test(wanted.url))
    throw refused('An address begins with file: or nats://, like nats://host:4222/RUNS.');
  if (/[@?#]/.test(wanted.url))
    throw refused(
      'The address holds only servers and the stream. A password or token stays in an environment variable, of which only the name is kept.',
    );
  const { user, password_env: password, token_env: token, creds, nkey } = wanted.auth ?? {};
  if ([user ?? password, token, creds, nkey].filter((way) => way !== undefined).length > 1)
    throw refused('One way to log in is enough: user and password, token, credentials file or nkey.');
  if (password !== undefined && user === undefined) throw refused('A password needs a user.');
  const files = [creds, nkey, wanted.auth?.tls?.ca, wanted.auth?.tls?.cert, wanted.auth?.tls?.key];
  if (files.some((file) => file !== undefined && !isAbsolute(file)))
    throw refused('Files for the login are named by their whole path.');
  return wanted;
}

/**
 * Writes one entry into the file, in the place of `was` or at the end. Comments and other entries stay as they are. A
 * broken file is never written over (`settings_broken`). `bad_request`, `store_unknown`.
 */
export function saveStore(entry: StoreEntry, was?: string, path = storesPath()): Promise<void> {
  return oneAfterAnother(async () => {
    const wanted = checkedStore(entry);
    if (wanted.name !== was && isDeviceName(wanted.name))
      throw refused(`A store cannot be called "${wanted.name}": Windows keeps this name for a device.`);
    const { document, value } = await read(path);
    const at = value.stores.findIndex(({ name }) => name === was);
    if (was !== undefined && at < 0) throw gone(was);
    const same = (name: string) => name.toLowerCase() === wanted.name.toLowerCase();
    if (value.stores.some(({ name }, index) => index !== at && same(name)))
      throw refused(`There is a store called "${wanted.name}" already.`);
    if (!document.has('stores')) document.set('stores', document.createNode([]));
    if (at >= 0) document.setIn(['stores', at], document.createNode(wanted));
    else document.addIn(['stores'], document.createNode(wanted));
    await replaceFile(path, document.toString(LAYOUT));
  });
}

/** Takes an entry out of the file; what is in the store stays. `store_unknown`. */
export function removeStore(name: string, path = storesPath()): Promise<void> {
  return oneAfterAnother(async () => {
    const { document, value } = await read(path);
    const at = value.stores.findIndex((one) => one.name === name);
    if (at < 0) throw gone(name);
    document.deleteIn(['stores', at]);
    await replaceFile(path, document.toString(LAYOUT));
  });
}

let last: Promise<unknown> = Promise.resolve();
/** Two edits at once must not lose one of them. */
function oneAfterAnother<T>(task: () => Promise<T>): Promise<T> {
  const turn = last.then(task);
  last = turn.catch(() => undefined);
  return turn;
}

const LAYOUT = { lineWidth: 0, flowCollectionPadding: false };

async function read(path: string): Promise<SettingsFile<z.infer<typeof FILE.shape>>> {
  const file = await readSettings(path, FILE);
  const names = new Set([USUAL_STORE]);
  for (const [index, entry] of file.value.stores.entries()) {
    const broken = (what: string) => file.broken(what.replace(/\.$/, ''), ['stores', index, 'name']);
    try {
      checkedStore(entry);
    } catch (error) {
      throw broken(`${entry.name}: ${error instanceof Error ? error.message : 'it cannot be used'}`);
    }
    if (names.has(entry.name.toLowerCase())) throw broken(`the name "${entry.name}" is there twice`);
    names.add(entry.name.toLowerCase());
  }
  return file;
}

const refused = (message: string) =>
  new Failure({ code: 'bad_request', message, kept: 'Nothing was saved.' });

const gone = (name: string) =>
  new Failure({
    code: 'store_unknown',
    message: `There is no store called "${name}" in the file.`,
    kept: 'The file is as it was.',
  });
