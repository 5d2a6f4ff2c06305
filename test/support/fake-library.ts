import { entryOf } from '../../src/main/library/entry';
import { Queries, type RunQuery } from '../../src/main/library/query';
import type { libraryCommands } from '../../src/shared/contract/library';
import { splitKey } from '../../src/shared/contract/run-key';
import type { Handlers } from '../../src/shared/contract/serve';
import { USUAL_STORE } from '../../src/shared/contract/stores';
import type { RunRow } from '../../src/shared/contract/views';
import type { Scene } from './fake-app';

/** The list of a scene's rows, found and sorted by the real code; the trash is a list beside them. */
export function fakeLibrary(scene: Scene): Pick<Handlers, keyof typeof libraryCommands> {
  const trash: { row: RunRow; at: string; size: number }[] = [];
  const find = ({ stores, ...query }: Omit<RunQuery, 'stores'> & { stores?: string[] | undefined }) => {
    const queries = new Queries();
    queries.set(scene.rows.map((row) => entryOf(row, splitKey(row.id).store, '')));
    const inner = (name: string) => (name === USUAL_STORE ? '' : name);
    return queries.find({ ...query, stores: stores && new Set(stores.map(inner)) });
  };
  const change = (ids: string[], to: (row: RunRow) => RunRow) => {
    scene.rows = scene.rows.map((row) => (ids.includes(row.id) ? to(row) : row));
    return { done: ids, failed: [] };
  };
  const remove = (ids: string[]) => {
    for (const row of scene.rows)
      if (ids.includes(row.id)) trash.push({ row, at: new Date().toISOString(), size: 4_096 });
    scene.rows = scene.rows.filter((row) => !ids.includes(row.id));
    return { done: ids, failed: [] };
  };
  const restore = (ids: string[]) => {
    for (const one of trash.splice(0)) {
      if (ids.includes(one.row.id)) scene.rows = [one.row, ...scene.rows];
      else trash.push(one);
    }
    return { done: ids, failed: [] };
  };
  const purge = (ids: string[]) => {
    const left = trash.filter(({ row }) => !ids.includes(row.id));
    trash.splice(0, trash.length, ...left);
    return { done: ids.length, failed: [] };
  };
  return {
    'library.page': ({ offset, limit, facets: wanted, ...query }) => {
      const { entries, pinned, days, counts, byStore, facets } = find(query);
      return {
        total: entries.length,
        all: scene.rows.length,
        counts,
        pinned,
        days,
        rows: entries.slice(offset, offset + limit).map(({ row }) => row),
        trashed: trash.length,
        stores: scene.stores.map(({ name, usual, label, state, reason }) => ({
          name,
          label,
          count: byStore.get(usual ? '' : name) ?? 0,
          state,
          ...(reason && { reason }),
        })),
        ...(wanted && { facets }),
      };
    },
    'library.keys': ({ offset, limit, ...query }) => {
      const { entries } = find(query);
      return {
        keys: entries.slice(offset, offset + limit).map(({ row }) => row.id),
        total: entries.length,
      };
    },
    'library.tags': ({ ids }) => {
      const rows = scene.rows.filter(({ id }) => ids.includes(id));
      const tags = [...new Set(rows.flatMap((row) => row.tags))];
      return {
        tags: tags.map((value) => ({ value, count: rows.filter((row) => row.tags.includes(value)).length })),
        pinned: rows.filter((row) => row.pinned).length,
      };
    },
    'library.trash': ({ offset, limit }) => ({
      total: trash.length,
      bytes: trash.length * 4_096,
      rows: trash.slice(offset, offset + limit),
      keeps: scene.stores.flatMap(({ label, keeps }) => (keeps === undefined ? [] : { label, why: keeps })),
      failed: [],
    }),
    'library.trashKeys': ({ offset, limit }) => ({
      keys: trash.slice(offset, offset + limit).map(({ row }) => row.id),
      total: trash.length,
    }),
    'run.rename': ({ id, title }) => {
      change([id], (row) => ({ ...row, title, renamed: true }));
      return { done: true };
    },
    'run.trash': ({ id }) => ({ done: remove([id]).done.length > 0 }),
    'run.restore': ({ id }) => ({ done: restore([id]).done.length > 0 }),
    'runs.label': ({ ids, pinned, add = [], remove: gone = [] }) =>
      change(ids, (row) => ({
        ...row,
        pinned: pinned ?? row.pinned,
        tags: [...new Set([...row.tags.filter((tag) => !gone.includes(tag)), ...add])],
      })),
    'runs.trash': ({ ids }) => remove(ids),
    'runs.restore': ({ ids }) => restore(ids),
    'runs.purge': ({ ids }) => purge(ids),
    'library.emptyTrash': () => purge(trash.map(({ row }) => row.id)),
  };
}
