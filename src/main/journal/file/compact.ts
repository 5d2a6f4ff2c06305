import { dirname } from 'node:path';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { linesIn } from '../../../shared/run/slices';
import { decodeLine, encodeEntry } from '../sidecar';
import { encodeSlip } from '../slip';
import { withFile } from './repair';
import { writeSlipFile } from './slip';
import { OPEN, writeWhole } from './vfs';
import type { Vfs } from './vfs';

/** Notes that are smaller are left as they are, and so are those of which less than half would go. */
const SMALL = 32 * 1024;
/** Longer ones are no notes of ours. */
const LARGEST = 256 * 1024 * 1024;
const SPARE = '.tmp';

type Partial = Extract<SidecarEntry, { kind: 'partial' }>;

/**
 * Rewrites the notes of a run without what nobody needs any more, under the lock of the run: texts of answers under way,
 * of which earlier versions noted each state, and what saw turns before the last. What the notes prove stays the same, and
 * what is damaged in them too. Never rejects: where it cannot be done they stay long.
 */
export async function compactNotes(
  vfs: Vfs,
  paths: { sidecar: string; partial: string },
  meta: string,
): Promise<void> {
  try {
    const size = vfs.look(paths.sidecar)?.size ?? 0;
    if (size < SMALL) return;
    const { bytes } = vfs.slurp(paths.sidecar, LARGEST);
    if (bytes === undefined) return;
    const { text, partial } = compacted([...linesIn(bytes.toString('utf8'))], meta);
    const shorter = Buffer.from(text);
    if (shorter.length > bytes.length / 2) return;
    if (partial !== undefined && vfs.look(paths.partial) === undefined)
      await writeSlipFile(vfs, paths.partial, encodeSlip(meta, 'partial', JSON.stringify(partial)), true);
    await replace(vfs, paths.sidecar, shorter);
  } catch {
    // Comfort only.
  }
}

async function replace(vfs: Vfs, path: string, bytes: Uint8Array): Promise<void> {
  const spare = path + SPARE;
  try {
    // Of a writer that died at this.
    if (vfs.look(spare) !== undefined) await vfs.unlink(spare);
    await withFile(vfs, spare, OPEN.make, async (fd) => {
      await writeWhole(vfs, fd, bytes);
      await vfs.syncAll(fd);
    });
    await vfs.rename(spare, path);
    await vfs.syncDirectory(dirname(path));
  } catch (error) {
    await vfs.unlink(spare).catch(() => undefined);
    throw error;
  }
}

function compacted(lines: readonly string[], meta: string): { text: string; partial: Partial | undefined } {
  const read = lines.filter((line) => line !== '').map((line) => ({ line, ...decodeLine(line) }));
  const lastTurn = read.findLastIndex((one) => 'entry' in one && one.entry?.kind === 'turn');
  const out: string[] = [];
  let partial: Partial | undefined;
  let ours = false;
  /** Sums of the line before, as it stood and as it stands now. */
  let [was, is, first] = ['', '', true];
  for (const [n, one] of read.entries()) {
    const entry = one.kind === 'damaged' ? undefined : one.entry;
    if (entry?.kind === 'bind') ours = entry.meta_sha256 === meta;
    if (entry?.kind === 'partial' && ours) partial = entry;
    const follows = one.kind === 'sound' && (first || was !== '') && one.prev === was;
    was = one.kind === 'sound' ? one.sum : '';
    first = false;
    const goes = entry?.kind === 'partial' || (entry?.kind === 'turn' && n !== lastTurn);
    // A line that does not follow the one before must not seem to by what goes between them.
    if (goes && (follows || one.kind === 'plain')) continue;
    if (one.kind !== 'sound' || entry === undefined) {
      out.push(`${one.line}\n`);
      is = one.kind === 'sound' ? one.sum : '';
      continue;
    }
    const again = encodeEntry(entry, follows ? is : one.prev);
    out.push(again.line);
    is = again.sum;
  }
  return { text: out.join(''), partial };
}
