import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, each with mode 0700. Node's own way asks for ever where a file system says ENOENT
 * although the folder above is there, as /proc and mounts that are made on demand do; this one throws what the system said.
 */
export function makeFolder(path: string): void {
  try {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      const above = dirname(path);
      if (codeOf(error) !== 'ENOENT' || existsSync(above)) throw error;
      makeFolder(above);
      mkdirSync(path, { mode: 0o700 });
    }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
