import type { Breather } from '../read';
import { grow, guardStart } from './growth';
import type { Grown } from './growth';
import type { Row } from './list';
import { withFile } from './repair';
import { OPEN } from './vfs';
import type { Vfs } from './vfs';

const PIECE = 1024 * 1024;
const NEWLINE = 0x0a;

/** How a row is made of the first piece of a journal, and what it becomes with a further one. */
export interface Rows {
  begin(bytes: Uint8Array): Promise<Row>;
  more(grown: Grown): Row;
}

/**
 * The row of a large journal, which is read piece by piece as if it grew: so it never stands in memory as a whole.
 * undefined where that cannot be done (damage, say) and the whole is to be read.
 */
export function readLarge(
  vfs: Vfs,
  path: string,
  rows: Rows,
  breather: Breather,
  size = PIECE,
): Promise<Row | undefined> {
  return withFile(vfs, path, OPEN.read, async (fd) => {
    let row: Row | undefined;
    for (let length = size; ;) {
      const ending = row?.ending;
      const from = ending ? guardStart(ending.offset) : 0;
      const bytes = await readPart(vfs, fd, from, length);
      const last = bytes.length < length;
      const piece = last ? bytes : bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
      // A line that is longer than a piece is read in ever larger ones.
      if (!last && from + piece.length <= (ending?.offset ?? 0)) {
        length *= 4;
        continue;
      }
      length = size;
      if (row && ending) {
        const grown = await grow(row.bare, ending, piece, breather);
        if (!grown) return undefined;
        row = rows.more(grown);
      } else row = await rows.begin(piece);
      if (!row.ending) return undefined;
      if (last) return row;
      if (breather.due) await breather.breathe();
    }
  });
}

/** Fewer bytes than wanted where the file ends before. */
async function readPart(vfs: Vfs, fd: number, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const got = await vfs.read(fd, buffer.subarray(read), from + read);
    if (got === 0) break;
    read += got;
  }
  return buffer.subarray(0, read);
}
