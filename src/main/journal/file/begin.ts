import { encodeLine } from '../../../shared/run/codec';
import { isFailure } from '../../../shared/run/failure';
import type { RunRecord } from '../../../shared/run/record';
import type { CatalogueEntry } from '../../../shared/run/sidecar';
import { checkCountable, checkFirst, checkSize, notFound, runExists } from '../check';
import type { RunStore } from '../journal';
import { loadedRun, readRunGently } from '../read';
import type { Reading } from '../read';
import { metaSha256 } from '../sidecar';
import { compactNotes } from './compact';
import { slipPath } from './layout';
import type { Held } from './lock';
import { shaOfMeta } from './place';
import type { Place } from './place';
import { cutFrom, repairEnd } from './repair';
import { readBeside, SidecarWriter } from './sidecar';
import { errno, ioFailure, OPEN, writeWhole } from './vfs';
import { FileJournal } from './writer';
import type { WriterParts } from './writer';

/** Where writers begin, and the store they belong to. */
export interface Beginning {
  place: Place;
  store: RunStore;
  fence: boolean;
  space: WriterParts['space'];
  catalogue(id: string): CatalogueEntry;
  onOpen(journal: FileJournal): void;
  onClose(journal: FileJournal): void;
}

/** See `RunStore.create`. The folder must have been prepared. */
export async function createJournal(
  at: Beginning,
  id: string,
  meta: RunRecord,
  own?: string,
): Promise<FileJournal> {
  checkFirst(meta);
  const line = encodeLine(meta);
  checkSize(line);
  const { place } = at;
  if (await isTaken(place, id)) throw runExists();
  try {
    return await place.locked(id, (held) => beginFile(at, id, line, held, own));
  } catch (error) {
    // Somebody makes the same run at this moment; once theirs is there, ours is simply too late.
    if (isFailure(error, 'locked') && (await isTaken(place, id))) throw runExists();
    throw error;
  }
}

/** A name is taken by whatever might hold a record; an empty file, or one torn inside its first line, holds none. */
async function isTaken(place: Place, id: string): Promise<boolean> {
  if (!place.has(id)) return false;
  const { bytes } = await place.read(id);
  return !(await readRunGently(bytes)).unborn;
}

async function beginFile(
  at: Beginning,
  id: string,
  line: Uint8Array,
  held: Held,
  own: string | undefined,
): Promise<FileJournal> {
  const { vfs, path: directory } = at.place;
  const paths = at.place.paths(id);
  let made = true;
  let fd: number | undefined;
  let sidecar: SidecarWriter | undefined;
  try {
    try {
      fd = await vfs.open(paths.journal, OPEN.make);
    } catch (error) {
      if (errno(error) !== 'EEXIST') throw error;
      made = false;
      const { bytes } = await at.place.read(id);
      if (!(await readRunGently(bytes)).unborn) throw runExists();
      await cutFrom(vfs, directory, id, paths.journal, bytes, 0);
      fd = await vfs.open(paths.journal, OPEN.append);
    }
    const file = vfs.fstat(fd);
    const sha256 = metaSha256(line.subarray(0, -1));
    sidecar = new SidecarWriter(vfs, paths.sidecar, sha256);
    if (own !== undefined) await sidecar.ahead({ kind: 'own', seq: 1, mac: own });
    await writeWhole(vfs, fd, line);
    await vfs.syncAll(fd);
    await vfs.syncDirectory(directory);
    const places = [{ seq: 1, line: 1, offset: 0, bytes: line.length - 1 }];
    return hold(at, id, {
      held,
      fd,
      file,
      size: line.length,
      places,
      metaSha256: sha256,
      sidecar,
      opened: undefined,
    });
  } catch (error) {
    if (fd !== undefined) await vfs.close(fd).catch(() => undefined);
    await sidecar?.close();
    // Nobody was told of this run, so nothing of it should stay; where that fails too, its name is free all the same.
    if (made && fd !== undefined) await vfs.unlink(paths.journal).catch(() => undefined);
    throw ioFailure(error, 'begin this run');
  }
}

/** See `RunStore.open`. */
export async function openJournal(at: Beginning, id: string): Promise<FileJournal> {
  const { place } = at;
  if (!place.has(id)) throw notFound();
  await place.folder.prepare();
  return place.locked(id, async (held) => {
    try {
      return await openFile(at, id, held);
    } catch (error) {
      throw ioFailure(error, 'open this run');
    }
  });
}

async function openFile(at: Beginning, id: string, held: Held): Promise<FileJournal> {
  const { vfs, path: directory } = at.place;
  const paths = at.place.paths(id);
  const read = await at.place.read(id);
  const { bytes, stat } = read;
  const reading = await readRunGently(bytes);
  if (reading.failure !== undefined) throw reading.failure;
  const sha256 = shaOfMeta(bytes, reading);
  if (sha256 === undefined) throw notFound();
  checkCountable(reading.places.at(-1)?.seq ?? 0);
  const size = await repairEnd(vfs, directory, id, paths.journal, reading, read);
  await compactNotes(vfs, { sidecar: paths.sidecar, partial: slipPath(directory, id, 'partial') }, sha256);
  const sound: Reading = { ...reading, size, tail: { kind: 'clean', offset: size, bytes: 0 } };
  const opened: WriterParts['opened'] = () =>
    loadedRun(sound, readBeside(at.place, id, sha256), {
      id,
      updated: stat.mtime,
      catalogue: at.catalogue(id),
      writer: 'here',
      durability: 'disk',
    });
  const fd = await vfs.open(paths.journal, OPEN.append);
  const places = [...reading.places];
  return hold(at, id, { held, fd, file: stat, size, places, metaSha256: sha256, opened });
}

type Parts = Omit<WriterParts, 'vfs' | 'id' | 'store' | 'paths' | 'fence' | 'space' | 'onClose'>;

function hold(at: Beginning, id: string, parts: Parts): FileJournal {
  const { vfs } = at.place;
  const journal: FileJournal = new FileJournal({
    ...parts,
    vfs,
    id,
    store: at.store,
    paths: at.place.paths(id),
    fence: at.fence,
    space: at.space,
    onClose: () => {
      at.place.letGo(journal);
      at.onClose(journal);
    },
  });
  at.place.hold(journal);
  at.onOpen(journal);
  return journal;
}
