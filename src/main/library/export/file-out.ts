import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../../shared/run/failure';
import { Breather } from '../../journal/read';

export interface WriteOptions {
  overwrite?: boolean | undefined;
  signal?: AbortSignal | undefined;
  onBytes?: ((bytes: number) => void) | undefined;
  /** Told of the unfinished file before it is made. */
  onPart?: ((path: string) => void) | undefined;
}

const PIECE = 64 * 1024;
/** What an unfinished file is called; nobody else's files are. */
export const PART_NAME = /^\..{1,80}\.[0-9a-f]{8}\.part$/;

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
  { overwrite = false, signal, onBytes, onPart }: WriteOptions = {},
): Promise<number> {
  const part = join(dirname(path), `.${basename(path).slice(0, 80)}.${randomBytes(4).toString('hex')}.part`);
  let written = 0;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!overwrite) await checkFree(path);
    onPart?.(part);
    const file = await open(part, 'wx', 0o600);
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
    } finally {
      await file.close();
    }
    await arrive(part, path, overwrite);
    return written;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
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
