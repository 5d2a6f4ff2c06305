import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isLocal, kernelLocks } from '../../journal/file/kernel';

/** What an unfinished file is called; nobody else's files are. */
export const PART_NAME = /^\..{1,70}\.holdfast-[0-9a-f]{8}\.part$/s;
const MOST_TRIES = 10;

export interface Part {
  path: string;
  /** While it is open, whoever clears up sees that its writer lives. */
  file: FileHandle;
}

/** Makes the unfinished file of a file. `told`: of its name, before it is there. */
export async function makePart(path: string, told?: (part: string) => void): Promise<Part> {
  const [folder, name] = [dirname(path), basename(path).slice(0, 70)];
  for (let tries = 1; ; tries++) {
    const part = join(folder, `.${name}.holdfast-${randomBytes(4).toString('hex')}.part`);
    told?.(part);
    const file = await open(part, 'wx', 0o600);
    // Somebody may have met it before it was locked, and have taken it for a dead one's.
    if (lock(file) !== false && (await file.stat()).nlink > 0) return { path: part, file };
    await file.close();
    if (tries === MOST_TRIES) throw Object.assign(new Error('part'), { code: 'EBUSY' });
  }
}

/**
 * Removes unfinished files that exports left in a folder when they were killed: those that nobody writes any more. Where
 * that cannot be told for certain (no locks, or a file system that other machines share) all stay. Never rejects.
 */
export async function clearParts(folder: string): Promise<void> {
  if (!kernelLocks || !isLocal(folder)) return;
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) if (PART_NAME.test(name)) await clear(join(folder, name)).catch(() => undefined);
}

async function clear(path: string): Promise<void> {
  const seen = await lstat(path);
  if (!seen.isFile() || (process.getuid && seen.uid !== process.getuid())) return;
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    if (lock(file) !== true) return;
    const [mine, there] = [await file.stat(), await lstat(path)];
    if (mine.ino === there.ino && mine.dev === there.dev) await unlink(path);
  } finally {
    await file.close();
  }
}

/** false: somebody else has it. undefined: there are no locks here. */
function lock(file: FileHandle): boolean | undefined {
  try {
    return kernelLocks?.tryLock(file.fd);
  } catch {
    return undefined;
  }
}
