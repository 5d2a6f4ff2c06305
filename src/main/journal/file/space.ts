import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SpaceLevel } from '../../../shared/contract/stores';

/** Free bytes of the file system that a folder is on, for people without privileges, and its whole size. */
export interface Space {
  free: number;
  size: number;
}

/** `low`: enough for a while. `critical`: the next runs may not be written whole. `full`: nothing more fits. */
export type { SpaceLevel };

/** Bytes; on a small disk the share counts, so that a small disk is not always low. */
const LOW = { bytes: 1_000_000_000, share: 0.1 };
const CRITICAL = { bytes: 100_000_000, share: 0.02 };
/** Bytes that the next record and its notes may need. */
const FULL = 32 * 1024;
/** What was low is not low no more before there is so much more, so that a warning does not come and go. */
const RELIEF = 1.1;

const limit = ({ bytes, share }: typeof LOW, size: number) => Math.min(bytes, size * share);

/** undefined: there is enough. `before`: what was said last. */
export function levelOf({ free, size }: Space, before?: SpaceLevel): SpaceLevel | undefined {
  const below = (line: typeof LOW, said: boolean) => free < limit(line, size) * (said ? RELIEF : 1);
  if (free < FULL * (before === 'full' ? 2 : 1)) return 'full';
  if (below(CRITICAL, before === 'critical' || before === 'full')) return 'critical';
  return below(LOW, before !== undefined) ? 'low' : undefined;
}

/** The space where a folder is, or will be once it is made. undefined where nobody can tell. */
export async function spaceOf(folder: string): Promise<Space | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      const { bavail, bsize, blocks } = await statfs(path);
      return { free: bavail * bsize, size: blocks * bsize };
    } catch {
      if (dirname(path) === path) return undefined;
    }
  }
}
