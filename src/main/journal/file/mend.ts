import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../../../shared/run/failure';
import { metaSha256 } from '../sidecar';
import { backupName } from './layout';
import type { Place } from './place';
import { withFile } from './repair';
import { SidecarWriter } from './sidecar';
import { errno, ioFailure, OPEN, writeWhole } from './vfs';
import type { Vfs } from './vfs';

const NEWLINE = 0x0a;

/**
 * See `RunStore.mend`. In this order, each step durable before the next: all bytes into a file of their own, the note of
 * what is about to be cut, the cut.
 */
export async function mendFile(
  place: Place,
  id: string,
  { offset, sha256 }: { offset: number; sha256: string },
): Promise<{ backup: string }> {
  const { vfs, path: directory } = place;
  const paths = place.paths(id);
  let backup = '';
  await place.alone(id, async () => {
    const { bytes } = await place.read(id);
    const meta = bytes.indexOf(NEWLINE);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw changed();
    if (!(meta > 0 && offset > meta && offset < bytes.length && bytes[offset - 1] === NEWLINE))
      throw new Failure({
        code: 'bad_request',
        message: 'A journal can only be cut after a whole record.',
        kept: 'Nothing was changed.',
      });
    try {
      backup = await keepWhole(vfs, directory, id, bytes);
      const notes = new SidecarWriter(vfs, paths.sidecar, metaSha256(bytes.subarray(0, meta)));
      try {
        const cut = bytes.length - offset;
        const at = new Date().toISOString();
        await notes.note({ kind: 'repair', at, offset, bytes: cut, sha256, backup });
      } finally {
        await notes.close();
      }
      await withFile(vfs, paths.journal, OPEN.repair, async (fd) => {
        await vfs.truncate(fd, offset);
        await vfs.syncAll(fd);
      });
    } catch (error) {
      throw ioFailure(error, 'repair this run');
    }
  });
  return { backup };
}

async function keepWhole(vfs: Vfs, directory: string, id: string, bytes: Uint8Array): Promise<string> {
  for (let n = 1; ; n++) {
    const name = backupName(id, n);
    const path = join(directory, name);
    try {
      await withFile(vfs, path, OPEN.make, async (fd) => {
        await writeWhole(vfs, fd, bytes);
        await vfs.syncAll(fd);
      });
    } catch (error) {
      if (errno(error) === 'EEXIST') continue;
      await vfs.unlink(path).catch(() => undefined);
      throw error;
    }
    await vfs.syncDirectory(directory);
    return name;
  }
}

const changed = (): Failure =>
  new Failure({
    code: 'conflict',
    message: 'This journal is not any more as it was when it was looked at.',
    kept: 'Nothing was changed.',
    todo: 'Look at it again, then repair it.',
  });
