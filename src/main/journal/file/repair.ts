import { join } from 'node:path';
import type { Reading } from '../read';
import { tornName } from './layout';
import { errno, OPEN, writeWhole } from './vfs';
import type { Vfs } from './vfs';

const NEWLINE = new Uint8Array([0x0a]);

/**
 * Brings the end of a journal into a state that something can be appended to, under the lock. What is cut is kept
 * first: the bytes are durable in a file of their own before they leave the journal. Gives the journal's size after it.
 *
 * @throws Node's own errors, with the journal unchanged or already whole
 */
export async function repairTail(
  vfs: Vfs,
  directory: string,
  id: string,
  path: string,
  read: Reading,
  bytes: Uint8Array,
): Promise<number> {
  const { kind, offset } = read.tail;
  if (kind === 'clean') return bytes.length;
  if (kind === 'no_newline') {
    await withFile(vfs, path, OPEN.append, async (fd) => {
      await writeWhole(vfs, fd, NEWLINE);
      await vfs.syncAll(fd);
    });
    return bytes.length + 1;
  }
  await cutFrom(vfs, directory, id, path, bytes, offset);
  return offset;
}

/** Keeps everything from `offset` on beside the journal, then cuts it off. */
export async function cutFrom(
  vfs: Vfs,
  directory: string,
  id: string,
  path: string,
  bytes: Uint8Array,
  offset: number,
): Promise<void> {
  if (offset < bytes.length) await keepTorn(vfs, directory, id, bytes.subarray(offset));
  await withFile(vfs, path, OPEN.repair, async (fd) => {
    await vfs.truncate(fd, offset);
    await vfs.syncAll(fd);
  });
}

async function keepTorn(vfs: Vfs, directory: string, id: string, bytes: Uint8Array): Promise<void> {
  for (let n = 1; ; n++) {
    const path = join(directory, tornName(id, n));
    let fd: number;
    try {
      fd = await vfs.open(path, OPEN.make);
    } catch (error) {
      if (errno(error) === 'EEXIST') continue;
      throw error;
    }
    try {
      try {
        await writeWhole(vfs, fd, bytes);
        await vfs.syncAll(fd);
      } finally {
        await vfs.close(fd);
      }
      return await vfs.syncDirectory(directory);
    } catch (error) {
      // Half a copy would only confuse; the bytes themselves are still in the journal.
      await vfs.unlink(path).catch(() => undefined);
      throw error;
    }
  }
}

/** Opens, works, closes: also when the work fails. */
export async function withFile<T>(
  vfs: Vfs,
  path: string,
  flags: number,
  work: (fd: number) => Promise<T>,
): Promise<T> {
  const fd = await vfs.open(path, flags);
  try {
    return await work(fd);
  } finally {
    await vfs.close(fd);
  }
}
