import type { EventName, EventPayload } from '../../shared/contract/contract';
import type { Port } from '../../shared/contract/frame';
import type { Handlers, Served } from '../../shared/contract/serve';
import type { StoreEntry } from '../../shared/contract/stores';
import type { AgentParts } from '../agent/session';
import type { RunStore } from '../journal/journal';
import type { Space } from '../journal/file/space';
import type { FatalRuns } from '../library/fatal-runs';
import type { Library } from '../library/library';
import type { SearchProgress } from '../library/search';
import type { RunIndex } from '../library/search/worker-index';
import type { Keyring } from '../settings/secrets/keyring';
import type { Used } from '../settings/used';
import type { Versions } from '../settings/versions';
import type { DiskSpace } from './disk-space';
import type { Addresses } from './addresses';
import type { Door } from './door';
import type { Drafts } from './drafts';
import type { Folders } from './folders';
import type { KeyDesk } from './keys';
import type { MovingDesk } from './moving/desk';
import type { Places } from './moving/places';
import type { Mover } from './moving/tasks';
import type { Prefs } from './prefs';
import type { ProfileDesk } from './profiles';
import type { Reader } from './read/reader';
import type { Searches } from './searches';
import type { Sessions, WorkingRun } from './sessions';
import type { StoreDesk } from './store-desk';
import type { Stores } from './stores';
import type { Windows } from './windows';

export interface AppOptions {
  parts: AgentParts;
  /** The usual store, which is always there, and its reader. */
  store: RunStore;
  reader: Reader;
  /** The file with the stores beside it. */
  storesPath: string;
  /** A reader for one of them, which is open. */
  readerOf(entry: StoreEntry, store: RunStore): Reader;
  /** Runs on which processes ended that read them. */
  fatal?: FatalRuns;
  /** What works on whole runs; `opened` gives a store by its name (empty: the usual one), or throws its Failures. */
  makeMover(opened: (name: string) => { entry?: StoreEntry; store: RunStore }): Mover;
  /** The search index of a store, which is open; entry absent: of the usual one. Undefined: it cannot be searched. */
  indexOf(
    entry: StoreEntry | undefined,
    store: RunStore,
    onProgress: (progress: SearchProgress) => void,
  ): RunIndex | undefined;
  door: Door;
  version: string;
  /** Name of the usual store, for people. */
  label: string;
  /** Folder of what must not be lost beside the runs: drafts, preferences, granted folders. */
  state: string;
  home: string;
  /** Folder that the sample folder is made in. */
  samples: string;
  /** Folders that the window's own picker may choose in, beside what is below `home`. */
  roots: string[];
  profilesPath: string;
  /** Keys, passwords and tokens that the person saved, and the file that they are in. */
  keyring: Keyring;
  keysFile: string;
  /** Earlier prompts and tools of the profiles. */
  versions: Versions;
  /** Which profiles were used. */
  used: Used;
  env: NodeJS.ProcessEnv;
  /** Looks at the disk that a folder is on; absent: the system's own. */
  space?: (folder: string) => Promise<Space | undefined>;
  /** Milliseconds after which a window without a connection counts as closed. Absent: a few seconds. */
  graceMs?: number;
  /** Milliseconds that runs are given to come to a safe point when everything closes. Absent: a few seconds. */
  leaveMs?: number;
  /** Told of errors that are bugs. */
  onBug?: (error: unknown, command: string) => void;
}

/** Everything behind the contract, whatever door it is shown through. */
export interface App {
  readonly handlers: Handlers;
  /** A window connected. */
  connect(port: Port): Served;
  /** Runs that would pause if the app closed now. */
  live(): WorkingRun[];
  /** Brings a run to the front of every window, or of the next one while there is none. */
  focus(id: string): void;
  menu(action: EventPayload<'app.menu'>['action']): void;
  /** The door's open questions changed. */
  asked(): void;
  /** Suspends the runs that are written here, keeps what was typed, frees everything. */
  close(): Promise<void>;
}

/** What the handlers work on. */
export interface Services extends AppOptions {
  library: Library;
  sessions: Sessions;
  stores: Stores;
  disk: DiskSpace;
  searches: Searches;
  storeDesk: StoreDesk;
  folders: Folders;
  addresses: Addresses;
  profiles: ProfileDesk;
  keys: KeyDesk;
  drafts: Drafts;
  prefs: Prefs;
  mover: Mover;
  places: Places;
  moving: MovingDesk;
  windows: Windows;
  tell<N extends EventName>(name: N, payload: EventPayload<N>): void;
}
