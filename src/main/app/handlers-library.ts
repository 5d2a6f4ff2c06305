import type { libraryCommands } from '../../shared/contract/library';
import type { Handlers } from '../../shared/contract/serve';
import { USUAL_STORE } from '../../shared/contract/stores';
import type { Services } from './app';
import { nowhere } from './nowhere';

const done = (value: boolean) => ({ done: value });

/** The list of the runs of all stores, and what is done with its rows. */
export function libraryHandlers(services: Services): Pick<Handlers, keyof typeof libraryCommands> {
  const { library, sessions, stores } = services;
  return {
    'library.page': async ({ stores: wanted, ...query }) => {
      const names = wanted && new Set(wanted.map((name) => (name === USUAL_STORE ? '' : name)));
      const { byStore, ...page } = await library.page({ ...query, stores: names });
      return {
        ...page,
        stores: stores.views().map(({ name, label, usual, state, reason }) => ({
          name,
          label,
          count: byStore.get(usual ? '' : name) ?? 0,
          state,
          ...(reason && { reason }),
        })),
      };
    },
    'run.rename': async ({ id, title }) => {
      if (sessions.isPrivate(id)) {
        throw nowhere('so it has no name');
      }
      await library.rename(id, title);
      return done(true);
    },
    'run.trash': async ({ id }) => {
      const isPrivate = sessions.isPrivate(id);
      await sessions.release(id);
      if (!isPrivate) await library.trash(id);
      return done(true);
    },
    'run.restore': async ({ id }) => {
      await library.restore(id);
      return done(true);
    },
  };
}
