import { dirname, join } from 'node:path';
import type { Handlers, Served } from '../../shared/contract/serve';
import { serve } from '../../shared/contract/serve';
import { openEntry, tryEntry } from '../journal/try';
import { Library } from '../library/library';
import { knownSecrets } from '../model/keys';
import { builtInTools } from '../tool/registry';
import { closedTo, ownFolders } from '../settings/own-folders';
import { DiskSpace } from './disk-space';
import { Addresses } from './addresses';
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
import { Workshop } from './moving/workshop';
import { Prefs } from './prefs';
import { ProfileDesk } from './profiles';
import { StoreReaders } from './read/store-readers';
import { Searches } from './searches';
import { Sessions } from './sessions';
import { StoreDesk } from './store-desk';
import { Stores } from './stores';
import { within } from './within';
import { Windows } from './windows';
import type { App, AppOptions, Services } from './services';

export type { App, AppOptions, Services } from './services';

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
    isFatal: (name, id, size) => options.fatal?.hasAt(name, id, size) === true,
  });
  if (options.fatal) options.fatal.onFatal = (key) => void library.refresh(key);
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
    options.used,
    options.parts.witness,
  );
  options.used.onChange = () => tell('profiles.changed', {});
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
    breaks: () => prefs.get().breaks === true,
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
      const freed = Promise.allSettled([
        reader.close(),
        searches.close(),
        stores.close(),
        options.versions.idle(),
        options.used.idle(),
      ]);
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
