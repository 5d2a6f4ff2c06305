import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { toast, toastFailure } from './app';
import { Choice } from './choice';
import { Pages, withPage } from './pages';
import { libraryChanged } from './library';

type Trash = CommandOutput<'library.trash'>;
export type Trashed = Trash['rows'][number];

interface TrashState {
  total: number;
  bytes: number;
  keeps: Trash['keeps'];
  failed: Trash['failed'];
  /** Sparse. */
  rows: (Trashed | undefined)[];
  ready: boolean;
  failure: FailureInfo | undefined;
  /** Keys, also of rows that were never loaded. */
  chosen: ReadonlySet<string>;
  /** The person is being asked outside of the page whether these may go. */
  asking: number | undefined;
}

/** What is in the trash of all stores. */
export const useTrash = create<TrashState>(() => ({
  total: 0,
  bytes: 0,
  keeps: [],
  failed: [],
  rows: [],
  ready: false,
  failure: undefined,
  chosen: new Set<string>(),
  asking: undefined,
}));

const set = useTrash.setState;
const get = useTrash.getState;

let open = false;

const pages = new Pages(
  (page) => call('library.trash', page),
  ({ rows, total, bytes, keeps, failed }, offset) =>
    set({
      rows: withPage(get().rows, rows, offset, total),
      total,
      bytes,
      keeps,
      failed,
      ready: true,
      failure: undefined,
    }),
  (error) => set({ failure: failureOf(error), ready: true }),
);

export const trashChoice = new Choice({
  get,
  set,
  keyAt: (index) => get().rows[index]?.row.id,
  keys: (places) => call('library.trashKeys', places),
});

export const showTrashed = (from: number, to: number) => pages.show(from, to);

export function refreshTrash(): void {
  if (!open) return;
  pages.refresh();
  void trashChoice.keep();
}

export function openTrash(): () => void {
  open = true;
  // Nothing that was chosen at an earlier look is deleted for good with what is chosen now.
  set({ rows: [], ready: false, chosen: new Set() });
  pages.restart();
  return () => {
    open = false;
    trashChoice.none();
  };
}

/** Deletes for good. The main process asks first, outside of the page. */
async function purge(
  count: number,
  work: () => Promise<CommandOutput<'runs.purge'>>,
  ids: readonly string[] = [...get().chosen],
): Promise<void> {
  if (get().asking !== undefined) return;
  set({ asking: count });
  try {
    const { done, failed } = await work();
    const stay = new Set(failed.map(({ id }) => id));
    trashChoice.leave(ids.filter((id) => !stay.has(id)));
    const [first] = failed;
    toast({
      tone: first ? 'warn' : 'info',
      text:
        `${done.toLocaleString('en')} ${done === 1 ? 'run was' : 'runs were'} deleted for good.` +
        (first ? ` ${failed.length} could not be: ${first.failure.message}` : ''),
    });
  } catch (error) {
    toastFailure(error);
  } finally {
    set({ asking: undefined });
    libraryChanged();
    refreshTrash();
  }
}

export const purgeRuns = (ids: readonly string[]): Promise<void> =>
  purge(ids.length, () => call('runs.purge', { ids: [...ids] }), ids);
export const emptyTrash = (total: number): Promise<void> =>
  purge(total, () => call('library.emptyTrash', { total }));
