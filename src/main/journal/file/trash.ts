import { join } from 'node:path';
import { Failure } from '../../../shared/run/failure';
import { notFound, runExists } from '../check';
import { companionsOf, JOURNAL_ENDING } from './layout';
import { errno, ioFailure, PRIVATE_DIRECTORY } from './vfs';
import type { Vfs } from './vfs';

/**
 * Moving a run between its folder and the trash, and deleting it. All of these run under the run's lock.
 *
 * The journal says where a run is, so a crash in between leaves it in one place: it moves first into the trash, last
 * out of it, and is deleted last. Whatever else belongs to the run is found by its name wherever it stands.
 */
export async function moveToTrash(vfs: Vfs, directory: string, trash: string, id: string): Promise<void> {
  await attempt('move this run to the trash', async () => {
    if (vfs.look(join(trash, id + JOURNAL_ENDING)) !== undefined) throw inTrashAlready();
    if (vfs.look(trash) === undefined) {
      await vfs.mkdir(trash, PRIVATE_DIRECTORY);
      await vfs.syncDirectory(directory);
    }
    // Left there by a deletion that did not come to its end.
    for (const name of companionsOf(await vfs.readdir(trash), id)) await vfs.removeTree(join(trash, name));
    await vfs.rename(join(directory, id + JOURNAL_ENDING), join(trash, id + JOURNAL_ENDING));
    for (const name of companionsOf(await vfs.readdir(directory), id))
      await vfs.rename(join(directory, name), join(trash, name));
    await vfs.syncDirectory(trash);
    await vfs.syncDirectory(directory);
  });
}

export async function moveFromTrash(vfs: Vfs, directory: string, trash: string, id: string): Promise<void> {
  await attempt('bring this run back', async () => {
    if (vfs.look(join(trash, id + JOURNAL_ENDING)) === undefined) throw notInTrash();
    if (vfs.look(join(directory, id + JOURNAL_ENDING)) !== undefined) throw runExists();
    for (const name of companionsOf(await vfs.readdir(trash), id)) {
      await vfs.removeTree(join(directory, name));
      await vfs.rename(join(trash, name), join(directory, name));
    }
    await vfs.rename(join(trash, id + JOURNAL_ENDING), join(directory, id + JOURNAL_ENDING));
    await vfs.syncDirectory(directory);
    await vfs.syncDirectory(trash);
  });
}

/** Deletes a run and everything that belongs to it from one folder. */
export async function deleteFrom(vfs: Vfs, directory: string, id: string): Promise<void> {
  await attempt('delete this run', async () => {
    for (const name of companionsOf(await vfs.readdir(directory), id))
      await vfs.removeTree(join(directory, name));
    await vfs.unlink(join(directory, id + JOURNAL_ENDING));
    await vfs.syncDirectory(directory);
  });
}

const notInTrash = (): Failure => notFound('There is no run of that name in the trash.');

const inTrashAlready = (): Failure =>
  new Failure({
    code: 'exists',
    message: 'There is a run of that name in the trash already.',
    kept: 'Both are untouched.',
    todo: 'Delete the one in the trash for good first, or bring it back under another store.',
  });

async function attempt(doing: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw errno(error) === 'ENOENT' ? notFound() : ioFailure(error, doing);
  }
}
