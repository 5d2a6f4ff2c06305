import { TAGS_LIMIT, type libraryCommands } from '../../shared/contract/library';
import type { CommandInput } from '../../shared/contract/contract';
import type { Handlers } from '../../shared/contract/serve';
import { USUAL_STORE } from '../../shared/contract/stores';
import { Failure } from '../../shared/run/failure';
import type { CatalogueEntry } from '../../shared/run/sidecar';
import type { CataloguePatch } from '../journal/catalogue';
import type { Report } from '../library/library';
import type { RunQuery } from '../library/query';
import { some } from '../library/words';
import { doneAt } from '../library/rows';
import type { Services } from './app';
import { nowhere } from './nowhere';
import { questionOf } from './question';

const done = (value: boolean) => ({ done: value });
const inner = (name: string) => (name === USUAL_STORE ? '' : name);
const outer = (name: string) => (name === '' ? USUAL_STORE : name);

const told = ({ done: ids, failed }: Report) => ({ done: ids, failed: toldFailures(failed) });
const toldFailures = (failed: Report['failed']) =>
  failed.map(({ id, failure }) => ({ id, failure: failure.toJSON() }));
const counted = ({ done: ids, failed }: Report) => ({ done: ids.length, failed: toldFailures(failed) });

/** Runs that a question names before it says "and so many more". */
const NAMED = 10;

/** The list of the runs of all stores, and what is done with its rows. */
export function libraryHandlers(services: Services): Pick<Handlers, keyof typeof libraryCommands> {
  const { library, sessions, stores, door } = services;

  const query = ({
    stores: wanted,
    ...rest
  }: Omit<CommandInput<'library.keys'>, 'offset' | 'limit'>): RunQuery => ({
    ...rest,
    stores: wanted && new Set(wanted.map(inner)),
  });

  const labels = () => stores.views().map(({ name, label }) => [inner(name), label] as const);

  /** The person agrees outside the page, for it cannot be undone. Throws `forbidden`. */
  const askToDelete = async (keys: readonly string[]) => {
    const { runs } = await library.trashed();
    const wanted = new Set(keys);
    const titles = runs.filter(({ row }) => wanted.has(row.id)).map(({ row }) => `“${row.title}”`);
    const agreed = await door.confirm(
      questionOf(
        `Delete ${some(keys.length, 'run')} for good?`,
        [
          'Their records cannot be brought back by anything.',
          ...titles.slice(0, NAMED),
          ...(titles.length > NAMED ? [`and ${titles.length - NAMED} more`] : []),
        ],
        'Delete for good',
      ),
    );
    if (agreed) return;
    throw new Failure({
      code: 'forbidden',
      message: 'You did not agree to delete this for good.',
      kept: 'Nothing was deleted.',
      todo:
        door.kind === 'browser'
          ? 'Try it again and answer the question in the window.'
          : 'Try it again to be asked again.',
    });
  };

  return {
    'library.page': async ({ facets: wanted, offset, limit, ...rest }) => {
      const { byStore, facets, ...page } = await library.page({ ...query(rest), offset, limit });
      return {
        ...page,
        stores: stores.views().map(({ name, label, state, reason }) => ({
          name,
          label,
          count: byStore.get(inner(name)) ?? 0,
          state,
          ...(reason && { reason }),
        })),
        ...(wanted && {
          facets: {
            ...facets,
            stores: facets.stores.map(({ value, count }) => ({ value: outer(value), count })),
          },
        }),
      };
    },
    'library.keys': ({ offset, limit, ...rest }) => library.keys({ ...query(rest), offset, limit }),
    'library.tags': async ({ ids }) => {
      const tags = new Map<string, number>();
      const rows = await library.some(ids);
      for (const tag of rows.flatMap((row) => row.tags)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
      return {
        tags: [...tags].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count),
        pinned: rows.filter((row) => row.pinned).length,
      };
    },
    'library.trash': async ({ offset, limit }) => {
      const { runs, failed } = await library.trashed();
      const names = new Map(labels());
      return {
        total: runs.length,
        bytes: runs.reduce((sum, { size }) => sum + size, 0),
        rows: runs
          .slice(offset, offset + limit)
          .map(({ row, at, size }) => ({ row, size, ...(at && { at: at.toISOString() }) })),
        keeps: stores
          .views()
          .flatMap(({ label, keeps }) => (keeps === undefined ? [] : { label, why: keeps })),
        failed: failed.map(({ store, failure }) => ({
          label: names.get(store) ?? store,
          failure: failure.toJSON(),
        })),
      };
    },
    'library.trashKeys': async ({ offset, limit }) => {
      const { runs } = await library.trashed();
      return { keys: runs.slice(offset, offset + limit).map(({ row }) => row.id), total: runs.length };
    },

    'run.rename': async ({ id, title }) => {
      if (sessions.isPrivate(id)) throw nowhere('so it has no name');
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

    'runs.label': async ({ ids, ...change }) =>
      told(
        await library.each(ids, async (id) => {
          if (sessions.isPrivate(id)) throw nowhere('so it is neither pinned nor tagged');
          await library.label(id, (labels, run) => patchOf(labels, change, doneAt(run)));
        }),
      ),
    'runs.trash': async ({ ids }) =>
      told(
        await library.each(ids, async (id) => {
          // One of many must not be lost by the way: forgetting it cannot be undone.
          if (sessions.isPrivate(id)) throw nowhere('so it cannot be moved to the trash');
          await sessions.release(id);
          await library.trash(id);
        }),
      ),
    'runs.restore': async ({ ids }) => told(await library.each(ids, (id) => library.restore(id))),
    'runs.purge': async ({ ids }) => {
      await askToDelete(ids);
      return counted(await library.purge(ids));
    },
    'library.emptyTrash': async ({ total }) => {
      const { runs } = await library.trashed();
      if (runs.length !== total) throw changed(runs.length);
      const ids = runs.map(({ row }) => row.id);
      await askToDelete(ids);
      return counted(await library.purge(ids));
    },
  };
}

/** What a change comes to for a run that has these labels; nothing where it has them so already. Throws `bad_request`. */
function patchOf(
  labels: CatalogueEntry,
  { pinned, done: isDone, add = [], remove = [] }: Omit<CommandInput<'runs.label'>, 'ids'>,
  at: number,
): CataloguePatch {
  const before = labels.tags ?? [];
  const gone = new Set(remove);
  const tags = [...new Set([...before.filter((tag) => !gone.has(tag)), ...add.map((tag) => tag.trim())])];
  if (tags.length > TAGS_LIMIT)
    throw new Failure({
      code: 'bad_request',
      message: `A run can have ${TAGS_LIMIT} tags.`,
      kept: 'Its tags are as they were.',
      todo: 'Take some away first.',
    });
  const same = tags.length === before.length && tags.every((tag, n) => tag === before[n]);
  return {
    ...(pinned !== undefined && pinned !== (labels.pinned ?? false) && { pinned: pinned || undefined }),
    ...(isDone !== undefined && isDone !== (labels.done === at) && { done: isDone ? at : undefined }),
    ...(!same && { tags: tags.length === 0 ? undefined : tags }),
  };
}

const changed = (now: number) =>
  new Failure({
    code: 'conflict',
    message: `There ${now === 1 ? 'is 1 run' : `are ${now} runs`} in the trash now, which is not what was shown.`,
    kept: 'Nothing was deleted.',
    todo: 'Look at the trash again.',
  });
