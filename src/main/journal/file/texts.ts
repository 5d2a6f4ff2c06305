import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { notFound } from '../check';
import { withFile } from './repair';
import { errno, ioFailure, OPEN, PRIVATE_DIRECTORY, readAll, checkPlain, writeWhole } from './vfs';
import type { Vfs } from './vfs';
import { startOf } from '../../../shared/run/slices';

const NAME = /^[A-Za-z0-9_-]{1,80}\.txt$/;

/**
 * Keeps a text in `<id>.files/`, durably, and gives its name. A model chooses the ids of its calls, so a name is made of
 * their harmless characters and of a hash that keeps different ids apart.
 */
export async function keepText(vfs: Vfs, folder: string, toolUseId: string, text: string): Promise<string> {
  const safe = startOf(toolUseId, 400)
    .replace(/[^A-Za-z0-9_-]/g, '')
    .slice(0, 40);
  const hash = createHash('sha256').update(toolUseId).digest('hex').slice(0, 12);
  try {
    if (vfs.look(folder) === undefined) {
      await vfs.mkdir(folder, PRIVATE_DIRECTORY);
      await vfs.syncDirectory(dirname(folder));
    }
    for (let n = 1; ; n++) {
      const name = `${safe}-${hash}${n === 1 ? '' : `-${n}`}.txt`;
      try {
        await writeNew(vfs, join(folder, name), text);
      } catch (error) {
        if (errno(error) === 'EEXIST') continue;
        throw error;
      }
      await vfs.syncDirectory(folder);
      return name;
    }
  } catch (error) {
    throw ioFailure(error, 'keep the full text of a tool result');
  }
}

async function writeNew(vfs: Vfs, path: string, text: string): Promise<void> {
  await withFile(vfs, path, OPEN.make, async (fd) => {
    await writeWhole(vfs, fd, Buffer.from(text));
    await vfs.syncAll(fd);
  });
}

/** Throws `not_found` for every name that `keepText` never gave. */
export async function readText(vfs: Vfs, folder: string, name: string): Promise<string> {
  const missing = (): Error => notFound('That text is not kept beside this run.');
  if (!NAME.test(name)) throw missing();
  try {
    return await withFile(vfs, join(folder, name), OPEN.read, async (fd) => {
      checkPlain(vfs.fstat(fd));
      return (await readAll(vfs, fd)).toString('utf8');
    });
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') throw missing();
    throw ioFailure(error, 'read a kept text');
  }
}
