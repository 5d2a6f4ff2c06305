import { runKey } from '../../shared/contract/run-key';
import type { Handlers } from '../../shared/contract/serve';
import { Failure } from '../../shared/run/failure';
import { copyRun } from '../journal/copy';
import type { Services } from './app';

type StoreHandlers = Pick<Handlers, Extract<keyof Handlers, `stores.${string}`> | 'run.copy'>;

const done = (value: boolean) => ({ done: value });

/** The stores side by side. */
export function storeHandlers(services: Services): StoreHandlers {
  const { library, sessions, stores, storeDesk } = services;

  const notAtWork = (name: string) => {
    if (!sessions.worksIn(name)) return;
    throw new Failure({
      code: 'busy',
      message: `A run in "${name}" is at work.`,
      kept: 'Nothing was changed.',
      todo: 'Pause it first.',
    });
  };

  return {
    'stores.list': () => storeDesk.list(),
    'stores.test': async ({ store, secret }) => ({ checks: await storeDesk.test(store, secret) }),
    'stores.save': async ({ store, was, secret }) => {
      if (was !== undefined) notAtWork(was);
      await storeDesk.save(store, was, secret);
      return done(true);
    },
    'stores.remove': async ({ name }) => {
      notAtWork(name);
      await storeDesk.remove(name);
      return done(true);
    },

    'run.copy': async ({ id: key, to }) => {
      if (sessions.isPrivate(key)) {
        throw new Failure({
          code: 'unsupported',
          message: 'A private chat is kept nowhere, so there is nothing to copy.',
        });
      }
      const { store: from, name, id } = stores.place(key);
      const target = stores.named(to);
      if (target === name) {
        throw new Failure({
          code: 'bad_request',
          message: 'The run is in that store already.',
          kept: 'Nothing was changed.',
        });
      }
      const report = await copyRun(from, stores.at(target), id);
      const copy = runKey(target, report.as);
      await library.refresh(copy);
      return {
        id: copy,
        store: to,
        records: report.records,
        bytes: report.bytes,
        sha256: report.sha256,
        dropped: report.dropped,
        missingTexts: report.missingTexts.length,
      };
    },
  };
}
