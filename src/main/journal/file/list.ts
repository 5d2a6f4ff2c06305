import { sep } from 'node:path';
import type { Stats } from 'node:fs';
import type { Failure } from '../../../shared/run/failure';
import type { CatalogueEntry } from '../../../shared/run/sidecar';
import type { RunSummary, Writer } from '../journal';
import { Breather, readRun, readRunGently, summaryOf, wantsWriter } from '../read';
import type { Reading } from '../read';
import { unavailable } from './directory';
import { endingOf, grow, guardStart, readGrowth } from './growth';
import type { Ending, Grown } from './growth';
import { readLarge } from './large';
import { idOfJournal, JOURNAL_ENDING, LOCK_DIRECTORY_ENDING } from './layout';
import type { ListCache } from './list-cache';
import { withFile } from './repair';
import { errno, ioFailure, OPEN, readAll } from './vfs';
import type { Vfs } from './vfs';

/** A row as its journal alone gives it, and the state of the file that it was made from. */
export interface Row {
  stat: Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;
  bare: RunSummary;
  /** Its last line has no newline: torn, or just being written. */
  unended: boolean;
  /** The row as it was last given out; given again while nothing about it changed. */
  full: RunSummary | undefined;
  /** Absent: the journal is read whole when it changed. */
  ending: Ending | undefined;
}

/** Makes a row where that takes longer than a moment. */
type Slow = (breather: Breather) => Promise<Row>;

/** What a list needs beside the journals. */
export interface ListParts {
  vfs: Vfs;
  directory: string;
  catalogue: ReadonlyMap<string, CatalogueEntry>;
  /** Asked only for runs that would otherwise read as interrupted. */
  writer(id: string): Writer;
}

const NO_LABELS: CatalogueEntry = {};
/** Bytes; larger files are read by the thread pool and folded in slices. */
const LARGE = 512 * 1024;

/**
 * Rows for all journals of a folder. A row is made again only when its file is another one, or has another size or
 * time, and of a journal that grew only what came since is read: so a second list costs little more than asking the file system about each name.
 *
 * Looking and reading are synchronous, in slices of a few milliseconds: ten thousand trips through the thread pool
 * would cost ten times what the work itself does.
 */
export class Lister {
  #rows = new Map<string, Row>();
  #begun = false;

  constructor(readonly cache: ListCache | undefined) {}

  /** @throws Failure `store_unavailable` */
  async list(parts: ListParts): Promise<RunSummary[]> {
    const breather = new Breather();
    const names = readNames(parts.vfs, parts.directory);
    const signs = new Set(names.filter((name) => name.endsWith(LOCK_DIRECTORY_ENDING)));
    if (!this.#begun && this.cache) {
      this.#begun = true;
      this.#rows = new Map([...(await this.cache.read(breather)), ...this.#rows]);
    }
    const rows = new Map<string, Row>();
    let made = 0;
    const all: RunSummary[] = [];
    for (const name of names) {
      const id = idOfJournal(name);
      if (id === undefined) continue;
      let row = this.#look(parts, id);
      if (typeof row === 'function') row = await this.#later(row, parts, id, breather);
      if (row !== undefined) {
        if (row !== this.#rows.get(id)) made += 1;
        rows.set(id, row);
        all.push(complete(row, parts, id, signs.size > 0 && signs.has(id + LOCK_DIRECTORY_ENDING)));
      }
      if (breather.due) await breather.breathe();
    }
    this.#rows = rows;
    this.cache?.save(rows, made);
    return all;
  }

  /** One row; undefined where there is no journal of that id. */
  async one(parts: ListParts, id: string): Promise<RunSummary | undefined> {
    let row = this.#look(parts, id);
    if (typeof row === 'function') row = await this.#later(row, parts, id, new Breather());
    if (row === undefined) return undefined;
    this.#rows.set(id, row);
    return complete(row, parts, id, true);
  }

  /** When the file that a row was made from last changed in any way, its place included. */
  changed(id: string): Date | undefined {
    const { ctimeMs = -1 } = this.#rows.get(id)?.stat ?? {};
    return ctimeMs < 0 ? undefined : new Date(ctimeMs);
  }

  async #later(make: Slow, parts: ListParts, id: string, breather: Breather): Promise<Row | undefined> {
    try {
      return await make(breather);
    } catch (error) {
      return troubled(error, id, parts);
    }
  }

  /** The row of a file, made anew if need be; undefined where there is no file. */
  #look(parts: ListParts, id: string): Row | Slow | undefined {
    const path = parts.directory + sep + id + JOURNAL_ENDING;
    const known = this.#rows.get(id);
    try {
      if (known === undefined) return readRow(parts.vfs, path, id);
      const stat = parts.vfs.look(path);
      if (stat === undefined) return undefined;
      if (same(known.stat, stat)) return known;
      const grown = isSameFile(known.stat, stat) && stat.size > known.stat.size;
      return grown && known.ending
        ? growRow(parts.vfs, path, known, known.ending, stat)
        : readRow(parts.vfs, path, id);
    } catch (error) {
      return troubled(error, id, parts);
    }
  }
}

const troubled = (error: unknown, id: string, parts: ListParts): Row | undefined =>
  errno(error) === 'ENOENT'
    ? undefined
    : unreadable(id, ioFailure(error, 'read this run'), changedAt(parts, id));

/** When what stands there was changed, so that it has its place among the others. */
function changedAt({ vfs, directory }: ListParts, id: string): Date {
  try {
    return vfs.look(directory + sep + id + JOURNAL_ENDING)?.mtime ?? new Date(0);
  } catch {
    return new Date(0);
  }
}

/** Names of everything in a folder. */
export function readNames(vfs: Vfs, directory: string): string[] {
  try {
    return vfs.readdirNow(directory);
  } catch (error) {
    throw unavailable(error);
  }
}

/** Exact to the tick of the file system's clock, which the time that is shown is not. Devices are counted anew by each start of the system. */
const markOf = ({ ino, mtimeMs, ctimeMs }: Row['stat']): Pick<RunSummary, 'mark'> =>
  ino < 0 ? {} : { mark: `${ino}.${mtimeMs}.${ctimeMs}` };

const same = (a: Row['stat'], b: Row['stat']): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && isSameFile(a, b);

const isSameFile = (a: Row['stat'], b: Row['stat']): boolean => a.ino === b.ino && a.dev === b.dev;

function readRow(vfs: Vfs, path: string, id: string): Row | Slow {
  const { bytes, stat } = vfs.slurp(path, LARGE);
  if (bytes !== undefined) return rowOf(readRun(bytes), bytes, id, stat);
  return async (breather) => {
    const begin = async (piece: Uint8Array) => rowOf(await readRunGently(piece, breather), piece, id, stat);
    const ended = (before: Row | undefined, failure: Failure): Row => ({
      ...(before ?? unreadable(id, failure, stat.mtime)),
      stat: { dev: stat.dev, ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs },
      bare: {
        ...(before ?? unreadable(id, failure, stat.mtime)).bare,
        health: 'damaged',
        failure: failure.toJSON(),
        size: stat.size,
      },
      ending: undefined,
    });
    const more = (grown: Grown) => grownRow(grown, stat);
    const row = await readLarge(vfs, path, { begin, more, ended }, breather);
    if (row) return row;
    const whole = await withFile(vfs, path, OPEN.read, (fd) => readAll(vfs, fd));
    return rowOf(await readRunGently(whole, breather), whole, id, stat);
  };
}

/** The row of a journal that has more bytes than the last time; read whole where more than that happened to it. */
function growRow(vfs: Vfs, path: string, known: Row, from: Ending, stat: Stats): Slow {
  return async (breather) => {
    const read = vfs.slurp(path, LARGE, guardStart(from.offset));
    const bytes = read.bytes ?? (await readGrowth(vfs, path, from));
    const grown = await grow(known.bare, from, bytes, breather);
    if (!grown) {
      const row = readRow(vfs, path, known.bare.id);
      return typeof row === 'function' ? row(breather) : row;
    }
    return grownRow(grown, stat);
  };
}

const grownRow = (grown: Grown, { dev, ino, mtimeMs, ctimeMs, mtime }: Stats): Row => ({
  stat: { dev, ino, size: grown.size, mtimeMs, ctimeMs },
  bare: { ...grown.bare, updated: mtime },
  unended: grown.unended,
  full: undefined,
  ending: grown.ending,
});

const rowOf = (reading: Reading, bytes: Uint8Array, id: string, stat: Stats): Row => ({
  // With the size that was read: a file that has grown since is read again next time.
  stat: { dev: stat.dev, ino: stat.ino, size: reading.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs },
  bare: summaryOf(reading, {
    id,
    updated: stat.mtime,
    catalogue: NO_LABELS,
    writer: 'none',
    durability: 'disk',
  }),
  unended: reading.tail.kind === 'torn' || reading.tail.kind === 'no_newline',
  full: undefined,
  ending: endingOf(reading, bytes),
});

function complete(row: Row, parts: ListParts, id: string, held: boolean): RunSummary {
  const catalogue = parts.catalogue.get(id) ?? NO_LABELS;
  const writer = held && wantsWriter(row.bare) ? parts.writer(id) : 'none';
  if (row.full?.catalogue !== catalogue || row.full.writer !== writer) {
    row.full = { ...row.bare, catalogue, writer, ...markOf(row.stat) };
    // While somebody writes, that is a line on its way.
    if (writer !== 'none' && row.unended) {
      row.full.warnings -= 1;
      row.full.alerts -= 1;
    }
  }
  return row.full;
}

/** A row for what cannot even be read; made anew each time, since its state says nothing. */
const unreadable = (id: string, failure: Failure, updated: Date): Row => ({
  stat: { dev: -1, ino: -1, size: -1, mtimeMs: -1, ctimeMs: -1 },
  bare: {
    id,
    health: 'damaged',
    failure: failure.toJSON(),
    updated,
    size: 0,
    warnings: 0,
    alerts: 0,
    catalogue: NO_LABELS,
    writer: 'none',
    durability: 'disk',
  },
  unended: false,
  full: undefined,
  ending: undefined,
});
