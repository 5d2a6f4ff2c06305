import type { StoreEntry } from '../../shared/contract/stores';
import type { AgentParts } from '../agent/session';
import { levelOf, spaceOf } from '../journal/file/space';
import type { Space } from '../journal/file/space';
import type { RunStore } from '../journal/journal';
import type { Profile } from '../settings/profile';
import type { Profiles } from '../settings/profiles';
import type { Used } from '../settings/used';
import type { Console } from './console';
import type { CommandKeys } from './keys';
import { oneLine } from './text';

/** What the commands are built on; made in cli.ts. */
export interface Cli {
  screen: Console;
  version: string;
  parts(): Promise<AgentParts>;
  /** The store at this address or of this name, or the usual one. */
  store(word: string | undefined): Promise<RunStore>;
  /** The profile of this name, or the one that new runs use. `profile_unknown`. */
  profile(name: string | undefined): Promise<Profile>;
  /** All of them, to find one that was renamed; absent: none is looked for. */
  profiles?: () => Promise<Profiles>;
  /** Which of them were used; absent: that is not noted. */
  used?: () => Promise<Used>;
  /** The keys that were saved, and where. */
  keys(): Promise<CommandKeys>;
  /** A store out of the file of stores; absent: there are none. */
  storeEntry?: (name: string) => Promise<StoreEntry | undefined>;
  /** Looks at the disk that a folder is on; absent: the system's own. */
  space?: (folder: string) => Promise<Space | undefined>;
}

export interface CommonFlags {
  store?: string;
  json?: boolean;
}
export interface RunFlags extends CommonFlags {
  chat?: boolean;
  private?: boolean;
  id?: string;
  profile?: string;
  folder?: string;
  allow?: string[];
}
export interface ResumeFlags extends CommonFlags {
  profile?: string;
  folder?: string;
  allow?: string[];
  force?: boolean;
  unknown?: 'run' | 'skip';
  acceptEndpoint?: boolean;
}

/** Opens a store for one command and closes it after. */
export async function withStore<T>(
  cli: Cli,
  flags: CommonFlags,
  use: (store: RunStore) => Promise<T>,
): Promise<T> {
  const store = await cli.store(flags.store);
  // A server that is away must not look like a command that hangs.
  const unheard = store.connection?.onState((state) => {
    if (state !== 'closed')
      cli.screen.err(
        `holdfast: the NATS server is ${state === 'connected' ? 'back' : 'away; waiting for it'}\n`,
      );
  });
  try {
    if (store.caution) cli.screen.err(`holdfast: ${oneLine(store.caution)}\n`);
    return await use(store);
  } finally {
    unheard?.();
    await store.close();
  }
}

/** Before anything is run: whether the disk under the store has room for it. Never fails. */
export async function sayIfLow(cli: Cli, store: RunStore): Promise<void> {
  if (!store.url.startsWith('file:')) return;
  const space = await (cli.space ?? spaceOf)(store.url.slice('file:'.length)).catch(() => undefined);
  const level = space && levelOf(space);
  if (!level) return;
  const free = `${Math.floor(space.free / 1_000_000).toLocaleString('en')} MB free`;
  cli.screen.err(
    level !== 'low'
      ? `holdfast: almost no space is left on the disk of your runs: ${free}; a run stops where its next record does not fit\n`
      : `holdfast: space is getting low on the disk of your runs: ${free}\n`,
  );
}
