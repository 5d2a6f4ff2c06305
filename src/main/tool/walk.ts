import { lstat } from 'node:fs/promises';
import { isCode } from './folder';
import type { Entry, Dir } from './folder';
import { stopIfAborted } from './stop';
import { Breather } from '../journal/read';

/** Folders that hold nothing a person wrote; they are named but not entered. */
const SKIPPED = new Set(['.git', 'node_modules']);
/** No walk looks at more entries than this. */
export const MAX_ENTRIES = 20_000;

export interface Found extends Entry {
  /** Relative to where the walk began, with `/`. */
  path: string;
  dir: Dir;
  skipped: boolean;
}

/**
 * Visits everything below `start` in name order, a folder before what is in it, links never followed. `visit` may
 * answer false to end the walk. Other work of the process goes on meanwhile, whatever there is below. `cut`: the cap ended
 * the walk. `deep`: folders below the deepest level were not entered.
 */
export async function walk(
  start: Dir,
  options: { depth: number; signal: AbortSignal; entries?: number },
  visit: (found: Found) => Promise<boolean | void> | boolean | void,
): Promise<{ cut: boolean; deep: boolean }> {
  const breather = new Breather();
  let deep = false;
  let left = options.entries ?? MAX_ENTRIES;
  let ended = false;
  const into = async (dir: Dir, prefix: string, depth: number): Promise<void> => {
    for (const entry of await readable(dir, left + 1)) {
      if (breather.due) await breather.breathe();
      stopIfAborted(options.signal);
      if (left-- <= 0) return;
      const skipped = entry.kind === 'folder' && SKIPPED.has(entry.name);
      const path = prefix + entry.name;
      if ((await visit({ ...entry, path, dir, skipped })) === false) ended = true;
      if (ended) return;
      if (entry.kind !== 'folder' || skipped) continue;
      if (depth <= 1) {
        deep = true;
        continue;
      }
      const child = await dir.child(entry.name).catch(() => undefined);
      if (!child) continue;
      try {
        await into(child, `${path}/`, depth - 1);
      } finally {
        await child.close();
      }
      if (ended) return;
    }
  };
  await into(start, '', options.depth);
  return { cut: left < 0, deep };
}

const readable = (dir: Dir, most: number) =>
  dir.entries(most).catch((error: unknown) => {
    if (isCode(error, 'EACCES') || isCode(error, 'EPERM') || isCode(error, 'ENOENT')) return [] as Entry[];
    throw error;
  });

/** Size in bytes and time of change; undefined when it vanished meanwhile. */
export async function sizeOf(found: Found): Promise<{ size: number; changed: Date } | undefined> {
  const stat = await lstat(found.dir.at(found.name)).catch(() => undefined);
  return stat && { size: stat.size, changed: stat.mtime };
}

export const bytesText = (bytes: number): string =>
  `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
