import { Failure } from '../../../shared/run/failure';
import { RECORD_LIMIT } from '../../../shared/run/read';
import type { Breather } from '../read';
import { GUARDED, grow, guardStart } from './growth';
import type { Grown } from './growth';
import type { Row } from './list';
import { withFile } from './repair';
import { OPEN } from './vfs';
import type { Vfs } from './vfs';

const PIECE = 1024 * 1024;
/** Journals from this many bytes on are never read as a whole for a row. */
const WHOLE = 256 * 1024 * 1024;
const NEWLINE = 0x0a;

/** How a row is made of the first piece of a journal, and what it becomes with a further one. */
export interface Rows {
  begin(bytes: Uint8Array): Promise<Row>;
  more(grown: Grown): Row;
  /** The row of what is not looked through to its end. `row`: of what stands before that. */
  ended(row: Row | undefined, failure: Failure): Row;
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
    const total = Number(vfs.fstat(fd).size);
    let row: Row | undefined;
    for (let length = size; ;) {
      const ending = row?.ending;
      const from = ending ? guardStart(ending.offset) : 0;
      const bytes = await readPart(vfs, fd, from, length);
      const last = bytes.length < length;
      const piece = last ? bytes : bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
      // A line that is longer than a piece is read in ever larger ones.
      if (!last && from + piece.length <= (ending?.offset ?? 0)) {
        if (bytes.length > RECORD_LIMIT + GUARDED) return rows.ended(row, tooLong());
        length = Math.min(length * 4, RECORD_LIMIT + size);
        continue;
      }
      length = size;
      if (row && ending) {
        const grown = await grow(row.bare, ending, piece, breather);
        if (!grown) return total > WHOLE ? rows.ended(row, unseen()) : undefined;
        row = rows.more(grown);
      } else row = await rows.begin(piece);
      if (!row.ending) return total > WHOLE ? rows.ended(row, unseen()) : undefined;
      if (last) return row;
      if (breather.due) await breather.breathe();
    }
  });
}

const tooLong = (): Failure =>
  new Failure({
    code: 'too_large',
    message: `This run is too large to show: one of its records has more than ${RECORD_LIMIT / 1_000_000} MB.`,
    kept: 'The records before it are readable, and the file is untouched.',
    todo: 'Export it as a journal to get its exact bytes.',
  });

const unseen = (): Failure =>
  new Failure({
    code: 'corrupt',
    message:
      'This run is damaged, and too large to be searched for the place. Open it to see what is readable.',
    kept: 'The file is untouched.',
    todo: 'Export what can be read, or restore the run from a copy.',
  });

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
