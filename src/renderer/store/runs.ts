import { create } from 'zustand';
import { CHANGE_LIMIT, KEYS_LIMIT } from '../../shared/contract/library';
import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import type { RunRow } from '../../shared/contract/views';
import { Failure, type FailureInfo } from '../../shared/run/failure';
import { call } from '../client';
import { go, toast, toastFailure, useApp, type Toast } from './app';
import { browseChoice } from './browse';
import { libraryChanged } from './library';
import { trashChoice } from './trash';

/** What a person does with one run or with many: title, pin, tags, trash. */

type Report = CommandOutput<'runs.trash'>;

/** Something that is being done to many runs, piece by piece. */
interface Work {
  /** "Moving to the trash" */
  doing: string;
  done: number;
  of: number;
  stopped: boolean;
}
export const useWork = create<{ work: Work | undefined }>(() => ({ work: undefined }));

export function stopWork(): void {
  const { work } = useWork.getState();
  if (work) useWork.setState({ work: { ...work, stopped: true } });
}

/** Runs whose tags are being changed. */
export const useTagging = create<{ ids: readonly string[] | undefined }>(() => ({ ids: undefined }));
export const tagRuns = (ids: readonly string[] | undefined) => useTagging.setState({ ids });

/** Many at a time, with progress where it takes longer than a moment. Stops where the person said so. */
async function inPieces(
  doing: string,
  ids: readonly string[],
  piece: (ids: string[]) => Promise<Report>,
): Promise<Report> {
  const all: Report = { done: [], failed: [] };
  const many = ids.length > CHANGE_LIMIT;
  try {
    for (let at = 0; at < ids.length; at += CHANGE_LIMIT) {
      if (useWork.getState().work?.stopped) break;
      if (many) useWork.setState({ work: { doing, done: at, of: ids.length, stopped: false } });
      const { done, failed } = await piece(ids.slice(at, at + CHANGE_LIMIT));
      all.done.push(...done);
      all.failed.push(...failed);
    }
  } finally {
    if (many) useWork.setState({ work: undefined });
    libraryChanged();
  }
  return all;
}

const runs = (n: number) => `${n.toLocaleString('en')} ${n === 1 ? 'run' : 'runs'}`;

/** What was not done, and why, as a sentence; empty where all was. */
function left({ failed }: Report): string {
  if (failed.length === 0) return '';
  const busy = failed.filter(({ failure }) => failure.code === 'busy' || failure.code === 'locked').length;
  const other = failed.find(({ failure }) => failure.code !== 'busy' && failure.code !== 'locked');
  return [
    ...(busy > 0
      ? [` ${runs(busy)} ${busy === 1 ? 'is' : 'are'} in use and ${busy === 1 ? 'stays' : 'stay'}.`]
      : []),
    ...(other ? [` ${runs(failed.length - busy)} could not be changed: ${other.failure.message}`] : []),
  ].join('');
}

type Told = Report['failed'][number]['failure'];
const failureInfo = ({ code, message, kept, todo }: Told): FailureInfo => ({
  code,
  message,
  ...(kept !== undefined && { kept }),
  ...(todo !== undefined && { todo }),
});

/** Says how it went; with nothing done, as the failure that it is. */
function say(report: Report, text: string, action?: Toast['action']): void {
  const { done, failed } = report;
  if (done.length === 0 && failed[0]) {
    const { failure } = failed[0];
    if (failed.length === 1) toastFailure(new Failure(failureInfo(failure)));
    else toast({ tone: 'bad', text: `Nothing was changed.${left(report)}` });
    return;
  }
  toast({ tone: failed.length > 0 ? 'warn' : 'info', text: text + left(report), ...(action && { action }) });
}

export async function renameRun(id: string, title: string): Promise<void> {
  try {
    await call('run.rename', { id, title: title.trim().slice(0, 300) });
    libraryChanged();
  } catch (error) {
    toastFailure(error);
  }
}

type Change = Omit<CommandInput<'runs.label'>, 'ids'>;

async function label(ids: readonly string[], doing: string, change: Change, text: (n: number) => string) {
  try {
    const report = await inPieces(doing, ids, (piece) => call('runs.label', { ids: piece, ...change }));
    // What shows at once where one looks needs no message.
    if (ids.length > 1 || report.failed.length > 0) say(report, text(report.done.length));
  } catch (error) {
    toastFailure(error);
  }
}

export const pinRuns = (ids: readonly string[], pinned: boolean): Promise<void> =>
  label(
    ids,
    pinned ? 'Pinning' : 'Unpinning',
    { pinned },
    (n) => `${runs(n)} ${n === 1 ? 'was' : 'were'} ${pinned ? 'pinned' : 'unpinned'}.`,
  );

/** What these runs have come to needs nobody any more, or does again. */
export const markDone = (ids: readonly string[], done: boolean): Promise<void> =>
  label(
    ids,
    done ? 'Marking as done' : 'Marking as not done',
    { done },
    (n) => `${runs(n)} ${n === 1 ? 'was' : 'were'} marked as ${done ? 'done' : 'not done'}.`,
  );

export const changeTags = (ids: readonly string[], add: string[], remove: string[]): Promise<void> =>
  label(
    ids,
    'Tagging',
    { ...(add.length > 0 && { add }), ...(remove.length > 0 && { remove }) },
    (n) => `The tags of ${runs(n)} were changed.`,
  );

async function restore(ids: readonly string[], text: (n: number) => string): Promise<void> {
  try {
    const report = await inPieces('Bringing back', ids, (piece) => call('runs.restore', { ids: piece }));
    trashChoice.leave(report.done);
    say(report, text(report.done.length));
  } catch (error) {
    toastFailure(error);
  }
}

export const restoreRuns = (ids: readonly string[]): Promise<void> =>
  restore(ids, (n) => `${runs(n)} ${n === 1 ? 'is' : 'are'} back.`);

/** Which of these runs are in the trash now: others were brought back, or deleted for good, elsewhere. */
async function trashedOf(ids: readonly string[]): Promise<string[]> {
  const there = new Set<string>();
  for (let offset = 0; ; offset += KEYS_LIMIT) {
    const { keys, total } = await call('library.trashKeys', { offset, limit: KEYS_LIMIT });
    for (const key of keys) there.add(key);
    if (keys.length === 0 || offset + keys.length >= total) break;
  }
  return ids.filter((id) => there.has(id));
}

/** To the trash, with one way back for all of them. */
export async function deleteRuns(ids: readonly string[], title?: string): Promise<void> {
  let report: Report;
  try {
    report = await inPieces('Moving to the trash', ids, (piece) => call('runs.trash', { ids: piece }));
  } catch (error) {
    toastFailure(error);
    return;
  }
  const { done } = report;
  leave(done);
  browseChoice.leave(done);
  const named = done.length === 1 && title !== undefined;
  const undo = async () =>
    restore(await trashedOf(done).catch(() => done), (n) =>
      named ? `“${title}” is back.` : `${runs(n)} ${n === 1 ? 'is' : 'are'} back.`,
    );
  say(
    report,
    named ? `“${title}” was moved to the trash.` : `${runs(done.length)} moved to the trash.`,
    done.length === 0
      ? undefined
      : {
          label: 'Undo',
          run: () => void undo(),
          holds: async () => (await trashedOf(done)).length > 0,
        },
  );
}

/** Nothing shows a run that is gone. */
function leave(gone: readonly string[]): void {
  const { place } = useApp.getState();
  if (place.view === 'run' && gone.includes(place.id)) go({ view: 'new' });
}

export async function deleteRun(row: RunRow): Promise<void> {
  if (!row.private) return deleteRuns([row.id], row.title);
  try {
    await call('run.trash', { id: row.id });
  } catch (error) {
    toastFailure(error);
    return;
  }
  leave([row.id]);
  libraryChanged();
  toast({ tone: 'info', text: 'The private chat is forgotten.' });
}
