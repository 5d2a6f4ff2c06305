import { notFound } from '../check';
import type { Place } from './place';
import { withFile } from './repair';
import { checkPlain, errno, ioFailure, OPEN } from './vfs';

/** See `RunStore.slice`. `id` must have been checked. */
export async function readSlice(
  place: Place,
  id: string,
  offset: number,
  length: number,
): Promise<{ bytes: Uint8Array; identity: string }> {
  if (!place.has(id)) throw notFound();
  const { vfs } = place;
  try {
    return await withFile(vfs, place.paths(id).journal, OPEN.read, async (fd) => {
      const stat = vfs.fstat(fd);
      checkPlain(stat);
      const into = Buffer.alloc(Math.max(0, Math.min(length, Number(stat.size) - offset)));
      let filled = 0;
      while (filled < into.length) {
        const read = await vfs.read(fd, into.subarray(filled), offset + filled);
        if (read === 0) break;
        filled += read;
      }
      return { bytes: into.subarray(0, filled), identity: `${stat.dev}.${stat.ino}` };
    });
  } catch (error) {
    throw errno(error) === 'ENOENT' ? notFound() : ioFailure(error, 'read this run');
  }
}
