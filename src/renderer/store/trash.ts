import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { toast, toastFailure } from './app';
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
  asking: undefined,
}));

const set = useTrash.setState;
const get = useTrash.getState;

const PAGE = 100;
let epoch = 0;
let asked = new Set<number>();
let visible = { from: 0, to: PAGE - 1 };
let open = false;

function loadVisible(): void {
  for (let page = Math.floor(visible.from / PAGE); page <= Math.floor(visible.to / PAGE); page++) {
    if (asked.has(page)) continue;
    asked.add(page);
    const mine = epoch;
    call('library.trash', { offset: page * PAGE, limit: PAGE }).then(
      ({ total, bytes, keeps, failed, rows: part }) => {
        if (mine !== epoch) return;
        const rows = get().rows.slice(0, total);
        part.forEach((row, at) => (rows[page * PAGE + at] = row));
        set({ total, bytes, keeps, failed, rows, ready: true, failure: undefined });
      },
      (error: unknown) => {
        if (mine !== epoch) return;
        asked.delete(page);
        set({ failure: failureOf(error), ready: true });
      },
    );
  }
}

export function showTrashed(from: number, to: number): void {
  visible = { from, to };
  loadVisible();
}

export function refreshTrash(): void {
  if (!open) return;
  epoch += 1;
  asked = new Set();
  loadVisible();
}

export function openTrash(): () => void {
  open = true;
  visible = { from: 0, to: PAGE - 1 };
  set({ rows: [], ready: false });
  refreshTrash();
  return () => {
    open = false;
  };
}

/** Deletes for good. The main process asks first, outside of the page. */
async function purge(count: number, work: () => Promise<CommandOutput<'runs.purge'>>): Promise<void> {
  if (get().asking !== undefined) return;
  set({ asking: count });
  try {
    const { done, failed } = await work();
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

export const purgeRun = (id: string): Promise<void> => purge(1, () => call('runs.purge', { ids: [id] }));
export const emptyTrash = (total: number): Promise<void> =>
  purge(total, () => call('library.emptyTrash', { total }));
