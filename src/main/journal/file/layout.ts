import { join } from 'node:path';
import { RUN_ID } from '../journal';
import type { SlipName } from '../slip';

/** Every path of one run in one folder. Ids hold no dot, so a run's files are exactly those that begin with `<id>.`. */
export interface RunPaths {
  journal: string;
  sidecar: string;
  /** Kernel lock. */
  lock: string;
  /** proper-lockfile's directory. */
  lockDirectory: string;
  texts: string;
}

export const JOURNAL_ENDING = '.json';
export const SIDECAR_ENDING = '.aux.jsonl';
export const LOCK_ENDING = '.lock';
export const LOCK_DIRECTORY_ENDING = '.lock.d';
export const TEXTS_ENDING = '.files';
export const TRASH = 'trash';
/** Store-wide files begin with a dot, which no id can. */
export const MARKER = '.holdfast-store';
export const CATALOGUE = '.catalogue.jsonl';
export const LIST_CACHE = '.list-cache.jsonl';
export const CATALOGUE_LOCK = '.catalogue';

/** `id` must have been checked. */
export const runPaths = (directory: string, id: string): RunPaths => ({
  journal: join(directory, id + JOURNAL_ENDING),
  sidecar: join(directory, id + SIDECAR_ENDING),
  lock: join(directory, id + LOCK_ENDING),
  lockDirectory: join(directory, id + LOCK_DIRECTORY_ENDING),
  texts: join(directory, id + TEXTS_ENDING),
});

/** `id` must have been checked. */
export const slipPath = (directory: string, id: string, name: SlipName): string =>
  join(directory, `${id}.${name}`);

/** Name of the nth file of cut bytes: `<id>.torn`, `<id>.2.torn` … */
export const tornName = (id: string, n: number): string => (n === 1 ? `${id}.torn` : `${id}.${n}.torn`);

/** Name of the nth whole copy that was kept before a repair: `<id>.backup`, `<id>.2.backup` … */
export const backupName = (id: string, n: number): string => (n === 1 ? `${id}.backup` : `${id}.${n}.backup`);

/** The id of a journal's file name; undefined for every other file, whose name then is none of a run. */
export function idOfJournal(name: string): string | undefined {
  if (!name.endsWith(JOURNAL_ENDING)) return undefined;
  const id = name.slice(0, -JOURNAL_ENDING.length);
  return RUN_ID.test(id) ? id : undefined;
}

/** Files that go where the run goes: all of it but its journal, which moves on its own, and its locks, which do not. */
export const companionsOf = (names: string[], id: string): string[] =>
  names.filter(
    (name) =>
      name.startsWith(`${id}.`) &&
      name !== id + JOURNAL_ENDING &&
      name !== id + LOCK_ENDING &&
      name !== id + LOCK_DIRECTORY_ENDING,
  );
