import { dirname } from 'node:path';
import { decodeSlip, MAX_PARTIAL_BYTES } from '../slip';
import type { Slip } from '../slip';
import { withFile } from './repair';
import { errno, ioFailure, OPEN, writeWhole } from './vfs';
import type { Vfs } from './vfs';

const SPARE = '.tmp';
/** Bytes of the first line of a slip at most. */
const HEAD = 1024;

/** What was last put; undefined where there is none, or none that can be read: nothing in it is needed to go on. */
export function readSlipFile(vfs: Vfs, path: string, meta: string | undefined): Slip | undefined {
  try {
    if (vfs.look(path) === undefined) return undefined;
    const { bytes } = vfs.slurp(path, MAX_PARTIAL_BYTES + HEAD);
    return bytes && decodeSlip(bytes, meta);
  } catch {
    return undefined;
  }
}

/** Replaces the file, or removes it. Only for whoever has the writer's place. */
export async function writeSlipFile(
  vfs: Vfs,
  path: string,
  bytes: Uint8Array | undefined,
  durable: boolean,
): Promise<void> {
  const spare = path + SPARE;
  try {
    if (bytes === undefined) {
      if (vfs.look(path) === undefined) return;
      await vfs.unlink(path);
    } else {
      // Of a writer that died at this.
      if (vfs.look(spare) !== undefined) await vfs.unlink(spare);
      await withFile(vfs, spare, OPEN.make, async (fd) => {
        await writeWhole(vfs, fd, bytes);
        if (durable) await vfs.syncAll(fd);
      });
      await vfs.rename(spare, path);
    }
    if (durable) await vfs.syncDirectory(dirname(path));
  } catch (error) {
    await vfs.unlink(spare).catch(() => undefined);
    if (bytes === undefined && errno(error) === 'ENOENT') return;
    throw ioFailure(error, 'keep what is beside this run');
  }
}
