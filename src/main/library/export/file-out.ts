import { link, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../../shared/run/failure';
import { Breather } from '../../journal/read';
import { clearParts, makePart, type Part } from './part';

export interface WriteOptions {
  overwrite?: boolean | undefined;
  signal?: AbortSignal | undefined;
  onBytes?: ((bytes: number) => void) | undefined;
  /** Told of the unfinished file before it is made. */
  onPart?: ((path: string) => void) | undefined;
  /** Folders in which what killed exports left has been cleared; this one's is added. */
  cleared?: Set<string> | undefined;
}

const PIECE = 64 * 1024;

export const cancelled = (): Failure =>
  new Failure({
    code: 'cancelled',
    message: 'The export was stopped.',
    kept: 'Nothing half-written was left behind; what had been finished before is there.',
  });

/**
 * Writes a file that is there whole or not at all, for this person's eyes only. The folder is made if need be.
 *
 * @throws Failure `exists`, `cancelled`, `no_space`, `io`
 */
export async function writeFileWhole(
  path: string,
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { overwrite = false, signal, onBytes, onPart, cleared = new Set() }: WriteOptions = {},
): Promise<number> {
  const folder = dirname(path);
  let part: Part | undefined;
  let written = 0;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!overwrite) await checkFree(path);
    if (!cleared.has(folder)) await clearParts(folder);
    cleared.add(folder);
    part = await makePart(path, onPart);
    const { file } = part;
    try {
      const breather = new Breather();
      let waiting: Uint8Array[] = [];
      let size = 0;
      const flush = async (): Promise<void> => {
        if (size === 0) return;
        await file.writeFile(Buffer.concat(waiting, size));
        written += size;
        onBytes?.(size);
        [waiting, size] = [[], 0];
      };
      for await (const chunk of chunks) {
        if (signal?.aborted) throw cancelled();
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        waiting.push(bytes);
        size += bytes.length;
        if (size >= PIECE) await flush();
        if (breather.due) await breather.breathe();
      }
      if (signal?.aborted) throw cancelled();
      await flush();
      await file.sync();
      await arrive(part.path, path, overwrite);
    } finally {
      await file.close();
    }
    return written;
  } catch (error) {
    if (part) await rm(part.path, { force: true }).catch(() => undefined);
    throw outFailure(error, path);
  }
}

/** Gives the finished file its name; never over another one, unless that was asked for. */
async function arrive(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path);
  try {
    await link(part, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST') throw isThere(path);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'].includes(code)) throw error;
    // A file system without links.
    await checkFree(path);
    return rename(part, path);
  }
  await rm(part, { force: true });
}

/** @throws Failure `exists` */
export async function checkFree(path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) throw isThere(path);
}

const isThere = (path: string): Failure =>
  new Failure({
    code: 'exists',
    message: `There is a file of that name already: ${path}`,
    kept: 'It is untouched.',
    todo: 'Choose another name, or allow it to be replaced.',
    data: { path },
  });

export function outFailure(error: unknown, path: string): Failure {
  if (error instanceof Failure) return error;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new Failure(
    {
      code: full ? 'no_space' : 'io',
      message: full ? `There is no space left to write ${path}.` : `${path} cannot be written (${code}).`,
      kept: 'The runs are untouched, and nothing half-written was left behind.',
      todo: full ? 'Make room, or choose another place.' : 'Choose another place.',
      data: { path, code },
    },
    { cause: error },
  );
}
