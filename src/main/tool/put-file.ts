import { constants } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import type { Dir } from './folder';
import { stopIfAborted } from './stop';

/** Bytes that one call writes at most. */
export const MAX_WRITE = 8 * 1024 * 1024;

/**
 * Puts a whole file in the place of `name` by rename, so that a reader sees the old file or the new one. Its permissions
 * are those of `before`. `sure` is the last look before the rename: what it throws leaves everything as it was.
 */
export async function putFile(
  dir: Dir,
  name: string,
  bytes: Buffer,
  signal: AbortSignal,
  before: { mode: number } | undefined,
  sure?: () => Promise<void>,
): Promise<void> {
  const temp = `.${randomBytes(6).toString('hex')}.tmp`;
  const mode = before ? before.mode & 0o777 : 0o644;
  const file = await dir.file(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    try {
      if (before) await file.chmod(mode);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    stopIfAborted(signal);
    await dir.sure();
    await sure?.();
    await rename(dir.at(temp), dir.at(name));
  } catch (error) {
    await unlink(dir.at(temp)).catch(() => {});
    throw error;
  }
  await dir.sync();
}
