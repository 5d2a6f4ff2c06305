import type { libraryCommands } from '../../shared/contract/library';
import type { movingCommands } from '../../shared/contract/moving';
import type { permissionCommands } from '../../shared/contract/permissions';
import type { readingCommands } from '../../shared/contract/reading';
import type { searchCommands } from '../../shared/contract/search';
import type { Handlers } from '../../shared/contract/serve';
import { Failure } from '../../shared/run/failure';
import type { Services } from './app';
import { outsideLink } from './link';
import { promiseOf } from './stores';

type DeskHandlers = Omit<
  Handlers,
  | Extract<keyof Handlers, `run.${string}` | `stores.${string}` | `keys.${string}`>
  | keyof typeof libraryCommands
  | keyof typeof readingCommands
  | keyof typeof searchCommands
  | keyof typeof movingCommands
  | keyof typeof permissionCommands
>;

const done = (value: boolean) => ({ done: value });

/** Everything that belongs to no run. */
export function deskHandlers(services: Services): DeskHandlers {
  const { parts, door, store, drafts, prefs, profiles, folders, tell, windows, versions } = services;
  return {
    'app.hello': ({ window }, peer) => {
      windows.of(peer, window);
      return {
        version: services.version,
        door: door.kind,
        platform: process.platform,
        store: {
          url: store.url,
          label: services.label,
          durability: promiseOf(store),
          ...(store.caution !== undefined && { caution: store.caution }),
        },
        nativeDialogs: door.pickFolder !== undefined,
        home: services.home,
      };
    },

    'draft.get': async ({ key }, peer) => ({ text: await drafts.get(key, windows.of(peer)) }),
    'draft.set': async ({ key, text }, peer) => {
      await drafts.set(key, text, windows.of(peer));
      return done(true);
    },

    'profiles.list': () => profiles.list(),
    'profiles.save': async ({ profile, was, key }) => {
      await profiles.save(profile, was, key);
      tell('profiles.changed', {});
      if (key || was !== undefined) tell('keys.changed', {});
      return done(true);
    },
    'profiles.remove': async ({ name }) => {
      await profiles.remove(name);
      tell('profiles.changed', {});
      return done(true);
    },
    'profiles.usual': async ({ name }) => {
      await profiles.usual(name);
      tell('profiles.changed', {});
      return done(true);
    },
    'profiles.export': async ({ names }) => ({ text: await profiles.export(names, parts.secrets()) }),
    'profiles.import': async ({ text }) => {
      const report = await profiles.import(text);
      tell('profiles.changed', {});
      return report;
    },
    'profiles.versions': () => ({ ...versions.count(), folder: versions.folder }),
    'profiles.forget': () => {
      versions.clear();
      return done(true);
    },
    'profiles.models': (input) => profiles.models(input),
    'profiles.try': ({ profile, key }) => profiles.try(profile, key),
    'profiles.discover': ({ ports = [] }) => profiles.discover(ports),

    'folder.pick': async () => {
      if (!door.pickFolder) {
        throw new Failure({ code: 'unsupported', message: 'This door has no dialog of the system.' });
      }
      const folder = await door.pickFolder();
      return { folder: folder === '' ? '' : await folders.grant(folder) };
    },
    'folder.use': async ({ path }) => ({ folder: await folders.check(path) }),
    'folder.list': ({ path }) => folders.list(path),
    'folder.sample': async () => ({ folder: await folders.sample() }),
    'folder.recent': () => folders.recent(),

    'link.open': async ({ url }) => {
      const link = outsideLink(url);
      if (!door.openOutside) {
        throw new Failure({
          code: 'forbidden',
          message: 'Links are opened by your browser here.',
          kept: 'Nothing was opened.',
          todo: `Click the link to ${link.host} yourself.`,
          data: { host: link.host, href: link.href },
        });
      }
      return done(await door.openOutside(link));
    },

    'prefs.get': () => prefs.get(),
    'prefs.set': async ({ theme, zoom, profile, store: wanted, columns, breaks }) => {
      await prefs.set({
        ...(theme !== undefined && { theme }),
        ...(zoom !== undefined && { zoom }),
        ...(profile !== undefined && { profile }),
        ...(wanted !== undefined && { store: wanted }),
        ...(columns !== undefined && { columns }),
        ...(breaks !== undefined && { breaks }),
      });
      if (theme !== undefined) door.theme?.(theme);
      return done(true);
    },
  };
}
