import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../shared/run/failure';
import { folders } from '../settings/paths';
import { fileStore } from './file';
import type { NatsAuth } from './jetstream/address';
import type { RunStore } from './journal';
import { memoryStore } from './memory';

/** One way to open a store; `url` is whole, with its scheme. */
type Opener = (url: string, login: NatsAuth) => Promise<RunStore>;

/** Every kind of store there is, by the scheme of its address. */
const OPENERS: Record<string, Opener> = {
  file: async (url) => fileStore(pathOf(url)),
  memory: async () => memoryStore(),
  // Loaded when it is wanted: most people keep their runs in a folder.
  nats: async (url, auth) => (await import('./jetstream')).natsStore(url, { auth }),
  tls: async (url, auth) => (await import('./jetstream')).natsStore(url, { auth }),
};

/**
 * Opens the store at an address: `file:DIR`, `memory:`, `nats://host:port/STREAM`.
 *
 * @param login how to prove oneself; wins over what the address says
 * @throws Failure `store_unknown` for a scheme that does not exist (the message names those that do), `store_config`
 *   for an address that the store cannot use, `store_unavailable` where it cannot be reached
 */
export async function openStore(url: string, login: NatsAuth = {}): Promise<RunStore> {
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(url)?.[1] ?? '';
  const opener = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined;
  if (opener === undefined) throw unknownScheme(scheme);
  return opener(url, login);
}

/** Where runs are kept unless somebody says otherwise. */
export const defaultStoreUrl = (): string => `file:${folders().runs}`;

/** `file:DIR` as a person types it, or a proper file URL. A relative DIR is one below the working directory. */
function pathOf(url: string): string {
  const rest = url.slice('file:'.length);
  try {
    if (rest !== '') return rest.startsWith('//') ? fileURLToPath(url) : resolve(rest);
  } catch {
    // Not a file URL of this machine: told below.
  }
  throw new Failure({
    code: 'store_config',
    message: 'That address names no folder on this machine.',
    todo: 'Name it after "file:", for example file:/home/me/runs.',
  });
}

const unknownScheme = (scheme: string): Failure =>
  new Failure({
    code: 'store_unknown',
    message: `There is no kind of store called "${scheme}".`,
    todo: `Use one of: ${Object.keys(OPENERS)
      .map((name) => `${name}:`)
      .join(', ')}.`,
    data: { schemes: Object.keys(OPENERS) },
  });
