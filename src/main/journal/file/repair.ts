import { join } from 'node:path';
import type { Reading } from '../read';
import { tornName } from './layout';
import { checkLength, errno, OPEN, writeWhole } from './vfs';
import type { FileStat, Vfs } from './vfs';

const NEWLINE = new Uint8Array([0x0a]);

/**
 * Brings the end of a journal into a state that something can be appended to, under the lock, and gives its size then.
 *
 * What is cut is kept first: its bytes are durable in a file of their own before they leave the journal. Then the last
 * line is written once more over itself, with the newline that it may lack, and synced: its writer may have died of a
 * sync that failed, and then it is read as if it were there, while the kernel takes it for written and no later sync
 * would bring it to the disk.
 *
 * @throws Node's own errors, with every whole record where it was
 */
export async function repairEnd(
  vfs: Vfs,
  directory: string,
  id: string,
  path: string,
  read: Reading,
  { bytes, stat }: { bytes: Uint8Array; stat: FileStat },
): Promise<number> {
  const { kind, offset: end } = read.tail;
  if (kind === 'torn' || kind === 'bad_line') await cutFrom(vfs, directory, id, path, bytes, end);
  const last = read.places.at(-1);
  if (last === undefined) return end;
  const line = Buffer.concat([bytes.subarray(last.offset, last.offset + last.bytes), NEWLINE]);
  await withFile(vfs, path, OPEN.repair, async (fd) => {
    checkLength(await vfs.overwrite(fd, line, last.offset), line.length);
    await vfs.sync(fd);
    // Who only looked in has not changed the run.
    if (kind === 'clean') await vfs.setTime(fd, stat.mtime);
  });
  return Math.max(end, last.offset + line.length);
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
