import type { movingCommands } from '../../shared/contract/moving';
import { runKey, splitKey } from '../../shared/contract/run-key';
import type { Handlers } from '../../shared/contract/serve';
import { Failure } from '../../shared/run/failure';
import type { Services } from './app';
import { nowhere } from './nowhere';
import type { RunAt } from './moving/tasks';

const done = (value: boolean) => ({ done: value });

/** Export, import, fork, repair, comparison. */
export function movingHandlers(services: Services): Pick<Handlers, keyof typeof movingCommands> {
  const { moving, mover, places, sessions, stores, library, door } = services;

  /** A run by its key, which must be kept somewhere that is open. */
  const at = (key: string, so: string): RunAt => {
    if (sessions.isPrivate(key)) throw nowhere(so);
    stores.place(key);
    return { key, ...splitKey(key) };
  };
  const label = (key: string) => {
    const { store } = splitKey(key);
    return stores.views().find((view) => (view.usual ? '' : view.name) === store)?.label ?? store;
  };

  return {
    'export.prepare': ({ ids, format }) => moving.prepare(ids, format),
    'export.choose': ({ name, format, many }) => places.choose(name, format, many),
    'export.start': async (input) => {
      for (const id of input.ids) at(id, 'so there is nothing to export');
      return { job: await moving.export(input) };
    },
    'import.begin': async ({ store, files }, peer) => {
      const name = stores.named(store);
      if (!stores.at(name).supports.write)
        throw new Failure({
          code: 'store_read_only',
          message: 'Runs are only read in this store.',
          kept: 'Nothing was taken in.',
          todo: 'Import into a store of your own.',
        });
      const job = await moving.beginImport(name, files);
      // What is half sent by a window that went away cannot go on.
      peer.onClose(() => job.view.state === 'receiving' && moving.cancel(job.id));
      return { job: job.id };
    },
    'import.chunk': async (input) => {
      await moving.chunk(input);
      return done(true);
    },
    'import.end': async ({ job }) => {
      await moving.endImport(job);
      return done(true);
    },
    'moving.jobs': () => ({ jobs: moving.jobs() }),
    'moving.cancel': ({ job }) => done(moving.cancel(job)),
    'moving.forget': ({ job }) => done(moving.forget(job)),
    'moving.show': ({ job }) => {
      if (!door.show)
        throw new Failure({ code: 'unsupported', message: 'Folders are not shown through this door.' });
      door.show(moving.wrote(job));
      return done(true);
    },

    'run.compare': async ({ a, b }) => {
      const so = 'so it cannot be laid beside another run';
      const sides = await mover.run<'compare'>({ kind: 'compare', a: at(a, so), b: at(b, so) });
      return {
        a: { ...sides.a, id: a, store: label(a) },
        b: { ...sides.b, id: b, store: label(b) },
      };
    },
    'run.forkPoints': ({ id }) =>
      mover.run<'points'>({ kind: 'points', run: at(id, 'so no other run can begin from it') }),
    'run.fork': async ({ id, at: seq, to }) => {
      const run = at(id, 'so no other run can begin from it');
      const target = to === undefined ? run.store : stores.named(to);
      stores.at(target);
      const made = await mover.run<'fork'>({
        kind: 'fork',
        run,
        to: target,
        ...(seq !== undefined && { at: seq }),
      });
      const key = runKey(target, made.id);
      await library.refresh(key);
      return { id: key, through: made.through, records: made.records };
    },
    'run.repairPlan': async ({ id }) => {
      const run = at(id, 'so nothing of it can be damaged');
      const plan = await mover.run<'plan'>({ kind: 'plan', run });
      const { store } = stores.place(id);
      const refused =
        store.supports.write && store.mend !== undefined
          ? undefined
          : 'Runs of this store cannot be repaired where they are. Export what is intact, and import that.';
      return { ...plan, id, ...(refused !== undefined && { refused }) };
    },
    'run.repair': async ({ id, sha256, inside }) => {
      const run = at(id, 'so nothing of it can be repaired');
      await sessions.release(id);
      const { backup, keeps } = await mover.run<'repair'>({ kind: 'repair', run, sha256, inside });
      await library.refresh(id);
      sessions.storeChanged({ id, what: 'grown' });
      return { backup, keeps };
    },
  };
}
