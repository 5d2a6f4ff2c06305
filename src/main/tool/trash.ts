import { randomBytes } from 'node:crypto';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isCode } from './folder';
import { stopIfAborted } from './stop';
import type { ToolContext } from './tool';

type Trash = NonNullable<ToolContext['trash']>;

/** The trash of the system, which knows names only. */
export const systemTrash =
  (trashItem: (path: string) => Promise<void>): Trash =>
  async ({ real }) => {
    await trashItem(real);
    return 'the trash of this computer';
  };

/** A folder of ours in the place of a trash: each thing in a folder of its own, under its own name. Nothing empties it. */
export const folderTrash =
  (folder: string): Trash =>
  async ({ real, at, signal }) => {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const own = join(folder, `${stamp}-${randomBytes(4).toString('hex')}`);
    const there = join(own, basename(real));
    await mkdir(own, { recursive: true, mode: 0o700 });
    try {
      await rename(at, there).catch(async (error: unknown) => {
        if (!isCode(error, 'EXDEV')) throw error;
        // Another disk: whole there before anything is gone here.
        await cp(at, there, {
          recursive: true,
          verbatimSymlinks: true,
          preserveTimestamps: true,
        });
        stopIfAborted(signal);
        await rm(at, { recursive: true });
      });
    } catch (error) {
      if (isCode(error, 'ENOENT') || signal.aborted) await rm(own, { recursive: true, force: true });
      throw error;
    }
    return there;
  };
