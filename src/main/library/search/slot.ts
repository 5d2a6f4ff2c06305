import { closeSync, openSync } from 'node:fs';
import lockfile from 'proper-lockfile';
import { kernelLocks } from '../../journal/file/kernel';

const STALE_MS = 10_000;

/**
 * Keeps a file to this process alone, for as long as it lives: a process that was killed holds nothing.
 *
 * @returns how to let go; undefined: somebody else has it
 */
export async function hold(path: string): Promise<(() => Promise<void>) | undefined> {
  return kernelLocks ? held(path, kernelLocks) : guarded(path);
}

async function held(path: string, locks: NonNullable<typeof kernelLocks>): ReturnType<typeof hold> {
  const fd = openSync(`${path}.held`, 'a', 0o600);
  try {
    if (locks.tryLock(fd)) return async () => closeSync(fd);
    closeSync(fd);
    return undefined;
  } catch {
    // A file system without locks.
    closeSync(fd);
    return guarded(path);
  }
}

async function guarded(path: string): ReturnType<typeof hold> {
  try {
    // Whoever loses it was asleep for long; what two write into one index is found out and made again.
    const release = await lockfile.lock(path, {
      realpath: false,
      stale: STALE_MS,
      lockfilePath: `${path}.guard`,
      onCompromised: () => undefined,
    });
    return () => release().catch(() => undefined);
  } catch (error) {
    if ((error as { code?: string }).code === 'ELOCKED') return undefined;
    throw error;
  }
}
