import { dirname, join } from 'node:path';
import type { EventName, EventPayload } from '../../shared/contract/contract';
import type { Port } from '../../shared/contract/frame';
import { serve, type Handlers, type Served } from '../../shared/contract/serve';
import type { StoreEntry } from '../../shared/contract/stores';
import type { AgentParts } from '../agent/session';
import type { RunStore } from '../journal/journal';
import type { Space } from '../journal/file/space';
import { openEntry, tryEntry } from '../journal/try';
import { Library } from '../library/library';
import type { SearchProgress } from '../library/search';
import type { RunIndex } from '../library/search/worker-index';
import { knownSecrets } from '../model/keys';
import { builtInTools } from '../tool/registry';
import { closedTo, ownFolders } from '../settings/own-folders';
import type { Keyring } from '../settings/secrets/keyring';
import type { Versions } from '../settings/versions';
import { DiskSpace } from './disk-space';
import { Addresses } from './addresses';
import type { Door } from './door';
import { Drafts } from './drafts';
import { Folders } from './folders';
import { deskHandlers } from './handlers-desk';
import { keyHandlers } from './handlers-keys';
import { libraryHandlers } from './handlers-library';
import { movingHandlers } from './handlers-moving';
import { permissionHandlers } from './handlers-permissions';
import { readingHandlers } from './handlers-reading';
import { runHandlers } from './handlers-run';
import { searchHandlers } from './handlers-search';
import { storeHandlers } from './handlers-stores';
import { KeyDesk } from './keys';
import { MovingDesk } from './moving/desk';
import { Places } from './moving/places';
import type { Mover } from './moving/tasks';
import { Workshop } from './moving/workshop';
import { Prefs } from './prefs';
import { ProfileDesk } from './profiles';
import type { Reader } from './read/reader';
import { StoreReaders } from './read/store-readers';
import { Searches } from './searches';
import { Sessions, type WorkingRun } from './sessions';
import { StoreDesk } from './store-desk';
import { Stores } from './stores';
import { within } from './within';
import { Windows } from './windows';

export interface AppOptions {
  parts: AgentParts;
  /** The usual store, which is always there, and its reader. */
  store: RunStore;
  reader: Reader;
  /** The file with the stores beside it. */
  storesPath: string;
  /** A reader for one of them, which is open. */
  readerOf(entry: StoreEntry, store: RunStore): Reader;
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

export function createApp(options: AppOptions): App {
  const { store, state, door } = options;
  const pages = new Set<Served>();
  const tell: Services['tell'] = (name, payload) => {
    for (const page of pages) page.emit(name, payload);
  };
  const changing = new Map(builtInTools('practice').map((tool) => [tool.def.name, tool.changes]));

  const reader = new StoreReaders(options.reader, (name) => {
    const { entry, store: opened } = stores.opened(name);
    return options.readerOf(entry, opened);
  });
  const library: Library = new Library({
    live: () => sessions.live(),
    onChange: (ids) => tell('library.changed', { ids }),
    onStoreChange: (change) => {
      sessions.storeChanged(change);
      searches.changed(change.id);
    },
    onTrouble: (name, failure) => stores.trouble(name, failure),
  });
  const stores: Stores = new Stores({
    usual: store,
    label: options.label,
    path: options.storesPath,
    open: (entry) => openEntry(entry, options.env, keys.login),
    onOpened: (name, label, opened) => {
      library.add(name, label, opened);
      library.warm(name);
      void disk.look();
      sessions.storeBack(name);
      searches.added(name);
    },
    onLeft: (name) => {
      library.remove(name);
      reader.forget(name);
      searches.forget(name);
      void sessions.leaveStore(name);
    },
    onBack: (name) => {
      library.again(name);
      sessions.storeBack(name);
      searches.added(name);
    },
    onChange: () => tell('stores.changed', {}),
    space: (name) => disk.of(name),
  });
  const disk: DiskSpace = new DiskSpace({
    folders: () => stores.folderOf(),
    onChange: () => tell('stores.changed', {}),
    busy: () => sessions.working().length > 0,
    ...(options.space && { look: options.space }),
  });
  const own = () => [...ownFolders(options.env), state, dirname(options.profilesPath), ...stores.folders()];
  const sessions: Sessions = new Sessions({
    parts: { ...options.parts, closed: (at) => closedTo(own(), options.parts.closed?.(at)) },
    store: (name) => stores.at(name),
    reader,
    row: (id) => library.row(id),
    title: (id) => library.known(id)?.title,
    changes: (tool) => changing.get(tool) ?? true,
    onTouched: (id) => library.touch(id),
    onLeft: (id) => void library.refresh(id),
    onAttention: (event) => door.attention?.(event),
  });
  const searches: Searches = new Searches({
    stores: () =>
      stores.views().map(({ name, usual, label, reason }) => ({
        name: usual ? '' : name,
        label,
        ...(reason && { reason }),
      })),
    open: (name, onProgress) =>
      options.indexOf(name === '' ? undefined : stores.opened(name).entry, stores.at(name), onProgress),
    row: async (key) => library.known(key) ?? library.row(key).catch(() => undefined),
    onProgress: (progress) => tell('search.progress', progress),
  });
  const prefs = new Prefs(join(state, 'prefs.json'));
  const drafts = new Drafts(
    join(state, 'drafts'),
    (key) => key.startsWith('private') || sessions.isPrivate(key.replace(/^\w+:/, '')),
  );
  const windows = new Windows({
    graceMs: options.graceMs ?? GRACE_MS,
    onGone: (window) => {
      drafts.forget(window);
      sessions.windowGone(window);
    },
  });
  const permitted = () => tell('permissions.changed', {});
  const folders = new Folders({
    file: join(state, 'folders.json'),
    home: options.home,
    samples: options.samples,
    picker: door.pickFolder ? undefined : { roots: options.roots },
    own,
    confirm: (question) => door.confirm(question),
    onChange: permitted,
  });
  const { keyring } = options;
  const addresses = new Addresses(join(state, 'addresses.json'), permitted);
  const profiles = new ProfileDesk(
    options.profilesPath,
    options.env,
    door,
    keyring,
    addresses,
    options.versions,
  );
  const keys = new KeyDesk(
    keyring,
    options.keysFile,
    options.env,
    async () => (await profiles.all()).profiles,
  );
  // In the background: what is saved is to be known to whatever hides it, before a run begins.
  void keyring.warm();
  const mover = options.makeMover((name) => (name === '' ? { store } : stores.opened(name)));
  const places = new Places(door, folders, options.home);
  const moving = new MovingDesk({
    mover,
    places,
    workshop: new Workshop(join(state, 'moving')),
    title: async (key) => (await library.row(key)).title,
    secrets: async () => [
      ...new Set([
        ...options.parts.secrets(),
        ...knownSecrets(options.env, (await profiles.all()).profiles),
        ...keyring.known(),
      ]),
    ],
    onArrived: async (keys) => {
      // One after the other: an import may bring thousands.
      for (const key of keys) await library.refresh(key);
    },
    tell: (job, gone) => tell('moving.job', { job, gone }),
  });
  const services: Services = {
    ...options,
    reader,
    stores,
    searches,
    disk,
    storeDesk: new StoreDesk(options.storesPath, stores, door, keyring, (entry, saved) =>
      tryEntry(entry, options.env, saved),
    ),
    library,
    sessions,
    prefs,
    drafts,
    windows,
    tell,
    folders,
    addresses,
    profiles,
    keys,
    mover,
    places,
    moving,
  };
  library.add('', options.label, store);
  library.warm('');
  door.theme?.(prefs.get().theme);
  const handlers: Handlers = {
    ...runHandlers(services),
    ...deskHandlers(services),
    ...keyHandlers(services),
    ...storeHandlers(services),
    ...libraryHandlers(services),
    ...readingHandlers(services),
    ...searchHandlers(services),
    ...movingHandlers(services),
    ...permissionHandlers(services),
  };
  const { 'library.page': page } = handlers;
  handlers['library.page'] = async (...asked) => {
    const answer = await page(...asked);
    searches.begin();
    return answer;
  };
  /** The run to show to the next window, while there is none. */
  let awaited = '';
  const { 'app.hello': hello } = handlers;
  handlers['app.hello'] = async (input, peer) => {
    const answer = await hello(input, peer);
    if (awaited !== '') peer.emit('app.focus', { id: awaited });
    awaited = '';
    return answer;
  };

  return {
    handlers,
    connect(port) {
      const served = serve(handlers, port, options.onBug === undefined ? {} : { onBug: options.onBug });
      pages.add(served);
      served.onClose(() => pages.delete(served));
      return served;
    },
    live: () => sessions.working(),
    focus(id) {
      awaited = pages.size === 0 ? id : '';
      tell('app.focus', { id });
    },
    menu: (action) => tell('app.menu', { action }),
    asked: permitted,
    async close() {
      const left = Promise.allSettled([sessions.close(), drafts.flush(), moving.close()]);
      await within(options.leaveMs ?? LEAVE_MS, left);
      windows.close();
      library.close();
      disk.close();
      // A store that is closed keeps no writer waiting any more.
      const freed = Promise.allSettled([reader.close(), searches.close(), stores.close()]);
      await within(options.leaveMs ?? LEAVE_MS, Promise.all([left, freed]));
      // Last, for what a window sent as it was closed.
      await prefs.flush();
    },
  };
}

/**
 * How long runs are given to come to a safe point when everything closes. A store that is away would hold them up for as
 * long as its writers are patient; what is recorded is safe by then, and the rest is as after a crash. ms.
 */
const LEAVE_MS = 5_000;

/** How long a page may take to load again before its window counts as closed. ms. */
const GRACE_MS = 5_000;
