import * as fs from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { linesIn } from '../../../shared/run/slices';
import { runWithFile } from '../../program';
import type { FileStat } from './vfs';

/** Long enough for a machine that is busy; the program itself never waits for the lock. */
const PATIENCE_MS = 5_000;
/** Where util-linux and busybox have it, before what PATH says. */
const USUAL = ['/usr/bin', '/bin'];

let found: { path: string | undefined } | undefined;

/** The program that takes `flock` on a descriptor; undefined where there is none. Looked for once. */
export function flockProgram(): string | undefined {
  found ??= { path: process.platform === 'linux' ? lookFor(process.env['PATH'] ?? '') : undefined };
  return found.path;
}

function lookFor(searchPath: string): string | undefined {
  for (const directory of [...USUAL, ...linesIn(searchPath, delimiter)]) {
    const path = join(directory, 'flock');
    try {
      if (!isAbsolute(directory)) continue;
      fs.accessSync(path, fs.constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** Whether the locks of other programs, which take `flock`, are seen: on macOS the kernel lock that we take is one. */
export const seesFlock = (platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'darwin' || flockProgram() !== undefined;

/**
 * Takes `flock` on an open file for as long as somebody has this descriptor open: the lock belongs to the open file,
 * which the program shares with us, so it stays when the program ends and goes when we do, however we do.
 *
 * `theirs`: another program has it. `none`: it cannot be had, and nobody else's is seen. Never rejects.
 */
export async function takeFlock(fd: number, program = flockProgram()): Promise<'ours' | 'theirs' | 'none'> {
  if (program === undefined) return 'none';
  const code = await runWithFile(program, ['-x', '-n', '3'], fd, PATIENCE_MS);
  return code === 0 ? 'ours' : code === 1 ? 'theirs' : 'none';
}

/** Who has `flock` on this file, and whether somebody waits for it, as far as the kernel tells. A look, no lock. */
export function lookAtFlock({ dev, ino }: Pick<FileStat, 'dev' | 'ino'>): {
  held: boolean;
  awaited: boolean;
} {
  const seen = { held: false, awaited: false };
  if (process.platform !== 'linux') return seen;
  const hex = (number: bigint): string => number.toString(16).padStart(2, '0');
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  const file = ` ${hex(major)}:${hex(minor)}:${ino} `;
  try {
    for (const line of linesIn(fs.readFileSync('/proc/locks', 'latin1')))
      if (line.includes(file) && line.includes(' FLOCK '))
        seen[line.includes(' -> ') ? 'awaited' : 'held'] = true;
  } catch {
    // The kernel does not tell.
  }
  return seen;
}
