import { create } from 'zustand';
import type { CommandInput } from '../../shared/contract/contract';
import type { MoveJob } from '../../shared/contract/moving';
import { call } from '../client';
import { announce } from './announce';
import { exportOf, importRuns, openRun, toast, toastFailure, useApp } from './app';
import { libraryChanged } from './library';
import { sendFiles, type Picked } from './sending';

export type ExportInput = CommandInput<'export.start'>;

interface MovingState {
  jobs: readonly MoveJob[];
  /** The job whose progress and report are shown. */
  shown: string | undefined;
  /** The run that another one is to be made from; `seq`: near this record. */
  forking: { id: string; seq?: number } | undefined;
  repairing: string | undefined;
  /** The run that another one is to be laid beside. */
  comparing: { id: string; onPick: (other: string) => void } | undefined;
  /** Files that were dropped onto the window or chosen, not yet sent. */
  picked: readonly Picked[];
}

export const useMoving = create<MovingState>(() => ({
  jobs: [],
  shown: undefined,
  forking: undefined,
  repairing: undefined,
  comparing: undefined,
  picked: [],
}));
const set = useMoving.setState;
const get = useMoving.getState;

/** Jobs that were started in this window, with what they were asked for. */
const mine = new Map<string, ExportInput | undefined>();

export const showJob = (shown: string | undefined) => set({ shown });
export const forkOf = (id: string | undefined, seq?: number) =>
  set({ forking: id === undefined ? undefined : { id, ...(seq !== undefined && { seq }) } });
export const repairOf = (repairing: string | undefined) => set({ repairing });
export const compareWith = (comparing: MovingState['comparing']) => set({ comparing });
export const pick = (picked: readonly Picked[]) => set({ picked });
export const atWork = ({ state }: MoveJob) => state === 'running' || state === 'receiving';
/** What an export was asked for, where this window asked. */
export const askedFor = (job: string): ExportInput | undefined => mine.get(job);

/** Files came onto the window: they are shown before anything is taken in. */
export function offerFiles(files: readonly Picked[]): void {
  pick([...get().picked, ...files]);
  importRuns();
}

export async function loadJobs(): Promise<void> {
  const { jobs } = await call('moving.jobs', {});
  set({ jobs });
}

export function takeJob(job: MoveJob, gone: boolean): void {
  const { jobs } = get();
  const before = jobs.find(({ id }) => id === job.id);
  const others = jobs.filter(({ id }) => id !== job.id);
  set({
    jobs: gone ? others : [...others, job],
    ...(gone && get().shown === job.id && { shown: undefined }),
  });
  if (gone || atWork(job) || (before && !atWork(before))) return;
  if (job.kind === 'import') libraryChanged();
  const text = endOf(job);
  announce(text);
  if (!mine.has(job.id) || get().shown === job.id) return;
  toast({
    tone: job.state === 'failed' ? 'bad' : 'info',
    text,
    action: { label: 'Details', run: () => showJob(job.id) },
  });
}

const runs = (n: number) => (n === 1 ? 'One run' : `${n} runs`);

function endOf({ kind, state, exported, imported, failure }: MoveJob): string {
  if (state === 'cancelled') return kind === 'export' ? 'The export was stopped.' : 'The import was stopped.';
  if (state === 'failed') return failure?.message ?? 'It did not work.';
  if (exported)
    return exported.failed === 0
      ? `${runs(exported.runs)} exported.`
      : `${runs(exported.runs)} exported, ${exported.failed} not.`;
  if (imported)
    return imported.failed === 0
      ? `${runs(imported.imported)} imported.`
      : `${runs(imported.imported)} imported; of the files, ${imported.failed} did not come in.`;
  return 'Done.';
}

/** Begins an export and shows how it goes. */
export async function startExport(input: ExportInput): Promise<void> {
  const { job } = await call('export.start', input);
  mine.set(job, input);
  exportOf(undefined);
  showJob(job);
  await loadJobs();
}

/** Sends the files and shows how it goes. Fails with the Failure of the first refusal. */
export async function startImport(files: readonly Picked[], store: string | undefined): Promise<void> {
  const sent = files.map(({ name, file }) => ({ name: name.slice(0, 1000), size: file.size }));
  const { job } = await call('import.begin', { files: sent, ...(store !== undefined && { store }) });
  mine.set(job, undefined);
  closeImport();
  showJob(job);
  void loadJobs();
  try {
    await sendFiles(job, files);
    await call('import.end', { job });
  } catch (error) {
    // Where the job itself ended, its report tells.
    if (get().jobs.some((one) => one.id === job && !atWork(one))) return;
    cancelJob(job);
    toastFailure(error);
  }
}

export function closeImport(): void {
  pick([]);
  importRuns(false);
}

export function cancelJob(job: string): void {
  call('moving.cancel', { job }).catch(toastFailure);
}

export function forgetJob(job: string): void {
  showJob(undefined);
  mine.delete(job);
  call('moving.forget', { job }).catch(() => undefined);
}

/** A new run from the beginning of another, opened at once. Rejects with the Failure. */
export async function fork(id: string, at?: number, to?: string): Promise<void> {
  const made = await call('run.fork', {
    id,
    ...(at !== undefined && { at }),
    ...(to !== undefined && { to }),
  });
  forkOf(undefined);
  libraryChanged();
  openRun(made.id);
}

/** A run of a store that is only read goes on as a copy in one of our own. */
export function continueHere(id: string): void {
  const { store } = useApp.getState();
  const home = store !== undefined && !id.startsWith(`${store}.`) ? store : 'default';
  fork(id, undefined, home).catch(toastFailure);
}
