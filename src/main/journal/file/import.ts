import { join } from 'node:path';
import { runExists } from '../check';
import { RUN_ID } from '../journal';
import { broughtNotes } from '../parcel';
import type { RunParcel } from '../parcel';
import { readRunGently } from '../read';
import { bindEntry, encodeEntries, metaSha256 } from '../sidecar';
import type { FileCatalogue } from './catalogue';
import type { RunPaths } from './layout';
import type { Place } from './place';
import { cutFrom, withFile } from './repair';
import { errno, ioFailure, OPEN, PRIVATE_DIRECTORY, writeWhole } from './vfs';
import type { Vfs } from './vfs';

/** What a kept text may be called; notes that come with a run name whatever they like. */
const TEXT_NAME = /^[A-Za-z0-9_-]{1,80}\.txt$/;
const NEWLINE = new Uint8Array([0x0a]);
const PART = '.part';

/**
 * Writes a run with exactly these lines, under its lock. The journal takes its name last, when everything beside it is
 * there, so the run is there whole or not at all. The folder must have been prepared.
 */
export async function importFile(
  place: Place,
  id: string,
  parcel: RunParcel,
  catalogue: Pick<FileCatalogue, 'forget' | 'label'>,
): Promise<void> {
  const { vfs, path: directory } = place;
  const paths = place.paths(id);
  const part = join(directory, `.${id}${PART}`);
  await clear(place, id);
  let [labelled, arrived] = [false, false];
  await place.alone(id, async () => {
    if (place.has(id)) {
      const { bytes } = await place.read(id);
      if (!(await readRunGently(bytes)).unborn) throw runExists();
      await cutFrom(vfs, directory, id, paths.journal, bytes, 0);
    }
    try {
      // Of an import that was cut short.
      await remove(vfs, paths, part);
      // First, since by its name whoever clears up knows that the rest is only half there.
      await writeNew(vfs, part, Buffer.concat(parcel.lines.flatMap((line) => [line, NEWLINE])));
      await writeTexts(vfs, paths.texts, parcel);
      await writeNotes(vfs, paths.sidecar, parcel);
      labelled = true;
      await catalogue.forget(id);
      if (Object.keys(parcel.catalogue).length > 0) await catalogue.label(id, parcel.catalogue);
      await vfs.rename(part, paths.journal);
      arrived = true;
      await vfs.syncDirectory(directory);
    } catch (error) {
      // It is told of as not there, so nothing of it may be.
      if (arrived) await unlinkIfThere(vfs, paths.journal).catch(() => undefined);
      await remove(vfs, paths, part).catch(() => undefined);
      if (labelled) await catalogue.forget(id).catch(() => undefined);
      throw ioFailure(error, 'bring this run here');
    }
  });
}

/** Folders that were looked through by this process. */
const cleared = new WeakSet<Place>();

/**
 * Removes what imports left that a crash cut short, before the first of a process: each under its run's lock, which one
 * that is at work holds.
 */
async function clear(place: Place, id: string): Promise<void> {
  if (cleared.has(place)) return;
  cleared.add(place);
  const { vfs, path: directory } = place;
  for (const name of await vfs.readdir(directory).catch(() => [])) {
    const left = name.startsWith('.') && name.endsWith(PART) ? name.slice(1, -PART.length) : '';
    if (left === id || !RUN_ID.test(left)) continue;
    const paths = place.paths(left);
    await place
      .alone(left, async () => {
        if (place.has(left)) await unlinkIfThere(vfs, join(directory, name));
        else await remove(vfs, paths, join(directory, name));
      })
      .catch(() => undefined);
  }
}

/** All of an import but its journal; the unfinished file last, by which the rest is known. */
async function remove(vfs: Vfs, paths: RunPaths, part: string): Promise<void> {
  await unlinkIfThere(vfs, paths.sidecar);
  await vfs.removeTree(paths.texts);
  await unlinkIfThere(vfs, part);
}

async function writeTexts(vfs: Vfs, folder: string, { texts }: RunParcel): Promise<void> {
  const named = texts.filter(({ name }) => TEXT_NAME.test(name));
  if (named.length === 0) return;
  await vfs.mkdir(folder, PRIVATE_DIRECTORY);
  for (const { name, text } of named) await writeNew(vfs, join(folder, name), Buffer.from(text));
  await vfs.syncDirectory(folder);
}

async function writeNotes(vfs: Vfs, path: string, { lines, sidecar }: RunParcel): Promise<void> {
  const meta = lines[0];
  if (sidecar === undefined || meta === undefined) return;
  const notes = [bindEntry(metaSha256(meta)), ...broughtNotes(sidecar)];
  await writeNew(vfs, path, Buffer.from(encodeEntries(notes).lines.join('')));
}

async function writeNew(vfs: Vfs, path: string, bytes: Uint8Array): Promise<void> {
  await withFile(vfs, path, OPEN.make, async (fd) => {
    await writeWhole(vfs, fd, bytes);
    await vfs.syncAll(fd);
  });
}

async function unlinkIfThere(vfs: Vfs, path: string): Promise<void> {
  try {
    await vfs.unlink(path);
  } catch (error) {
    if (errno(error) !== 'ENOENT') throw error;
  }
}
