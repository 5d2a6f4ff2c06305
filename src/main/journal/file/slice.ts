import { readJournal } from '../../../shared/run/codec';
import { RECORD_LIMIT } from '../../../shared/run/read';
import { notFound } from '../check';
import type { JournalSlice } from '../journal';
import { metaSha256 } from '../sidecar';
import type { Place } from './place';
import { withFile } from './repair';
import { checkPlain, errno, ioFailure, OPEN } from './vfs';

/** See `RunStore.slice`. `id` must have been checked. */
export async function readSlice(
  place: Place,
  id: string,
  offset: number,
  length: number,
): Promise<JournalSlice> {
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
      return {
        bytes: into.subarray(0, filled),
        identity: `${stat.dev}.${stat.ino}`,
        size: Number(stat.size),
      };
    });
  } catch (error) {
    throw errno(error) === 'ENOENT' ? notFound() : ioFailure(error, 'read this run');
  }
}

/** Bytes that a first record mostly fits into. */
const FIRST = 16 * 1024;

/** What ties notes to a run: the hash of its first record, read without the rest. `id` must have been checked. */
export async function metaHash(place: Place, id: string): Promise<string | undefined> {
  for (let length = FIRST; ; length *= 8) {
    const { bytes, size } = await readSlice(place, id, 0, length);
    const whole = bytes.length >= size;
    const read = readJournal(whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
    const first = read.places[0];
    if (first) return metaSha256(bytes.subarray(first.offset, first.offset + first.bytes));
    if (whole || read.failure || length > RECORD_LIMIT) return undefined;
  }
}
