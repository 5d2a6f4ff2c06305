import { join } from 'node:path';
import type { Stats } from 'node:fs';
import { asFailure } from '../../../shared/run/failure';
import type { Failure } from '../../../shared/run/failure';
import type { CatalogueEntry } from '../../../shared/run/sidecar';
import type { RunSummary, Writer } from '../journal';
import { Breather, readRun, readRunGently, summaryOf, wantsWriter } from '../read';
import { unavailable } from './directory';
import { idOfJournal, JOURNAL_ENDING, LOCK_DIRECTORY_ENDING } from './layout';
import { errno, ioFailure } from './vfs';
import type { Vfs } from './vfs';

/** A row as its journal alone gives it, and the state of the file that it was made from. */
interface Row {
  stat: Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;
  bare: RunSummary;
  /** Its last line has no newline: torn, or just being written. */
  unended: boolean;
  /** The row as it was last given out; given again while nothing about it changed. */
  full: RunSummary | undefined;
}

/** What a list needs beside the journals. */
export interface ListParts {
  vfs: Vfs;
  directory: string;
  catalogue: ReadonlyMap<string, CatalogueEntry>;
  /** Asked only for runs that would otherwise read as interrupted. */
  writer(id: string): Writer;
}

const NO_LABELS: CatalogueEntry = {};
/** Larger files are folded in slices of their own. */
const LARGE = 512 * 1024;

/**
 * Rows for all journals of a folder. A row is made again only when its file is another one, or has another size or
 * time: so a second list costs little more than asking the file system about each name.
 *
 * Looking and reading are synchronous, in slices of a few milliseconds: ten thousand trips through the thread pool
 * would cost ten times what the work itself does.
 */
export class Lister {
  readonly #rows = new Map<string, Row>();

  /** @throws Failure `store_unavailable` */
  async list(parts: ListParts): Promise<RunSummary[]> {
    const breather = new Breather();
    const names = readNames(parts.vfs, parts.directory);
    const signs = new Set(names.filter((name) => name.endsWith(LOCK_DIRECTORY_ENDING)));
    const seen = new Set<string>();
    const all: RunSummary[] = [];
    for (const name of names) {
      const id = idOfJournal(name);
      if (id === undefined) continue;
      const held = signs.has(id + LOCK_DIRECTORY_ENDING);
      const row = await this.#row(parts, id, held, breather);
      if (breather.due) await breather.breathe();
      if (row === undefined) continue;
      seen.add(id);
      all.push(row);
    }
    for (const id of this.#rows.keys()) if (!seen.has(id)) this.#rows.delete(id);
    return all;
  }

  /** One row; undefined where there is no journal of that id. */
  one(parts: ListParts, id: string): Promise<RunSummary | undefined> {
    return this.#row(parts, id, true, new Breather());
  }

  async #row(
    parts: ListParts,
    id: string,
    held: boolean,
    breather: Breather,
  ): Promise<RunSummary | undefined> {
    const path = join(parts.directory, id + JOURNAL_ENDING);
    let row = this.#rows.get(id);
    try {
      const stat = parts.vfs.look(path);
      if (stat === undefined) return undefined;
      if (row === undefined || !same(row.stat, stat)) {
        row = await readRow(parts.vfs, path, id, stat, breather);
        this.#rows.set(id, row);
      }
    } catch (error) {
      if (errno(error) === 'ENOENT') return undefined;
      return unreadable(id, ioFailure(error, 'read this run'), parts.catalogue.get(id));
    }
    return complete(row, parts, id, held);
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

const same = (a: Row['stat'], b: Row['stat']): boolean =>
  a.size === b.size &&
  a.mtimeMs === b.mtimeMs &&
  a.ino === b.ino &&
  a.ctimeMs === b.ctimeMs &&
  a.dev === b.dev;

async function readRow(vfs: Vfs, path: string, id: string, looked: Stats, breather: Breather): Promise<Row> {
  const { bytes, stat } = vfs.slurp(path);
  const reading = bytes.length > LARGE ? await readRunGently(bytes, breather) : readRun(bytes);
  const around = {
    id,
    updated: stat.mtime,
    catalogue: NO_LABELS,
    writer: 'none',
    durability: 'disk',
  } as const;
  return {
    // A file that grew while it was read is read again next time.
    stat: bytes.length === stat.size ? stat : looked,
    bare: summaryOf(reading, around),
    unended: reading.tail.kind === 'torn' || reading.tail.kind === 'no_newline',
    full: undefined,
  };
}

function complete(row: Row, parts: ListParts, id: string, held: boolean): RunSummary {
  const catalogue = parts.catalogue.get(id) ?? NO_LABELS;
  const writer = held && wantsWriter(row.bare) ? parts.writer(id) : 'none';
  if (row.full?.catalogue !== catalogue || row.full.writer !== writer) {
    row.full = { ...row.bare, catalogue, writer };
    // While somebody writes, that is a line on its way.
    if (writer !== 'none' && row.unended) row.full.warnings -= 1;
  }
  return row.full;
}

function unreadable(id: string, failure: Failure, catalogue: CatalogueEntry = NO_LABELS): RunSummary {
  return {
    id,
    health: 'damaged',
    failure: asFailure(failure).toJSON(),
    updated: new Date(0),
    size: 0,
    warnings: 0,
    catalogue,
    writer: 'none',
    durability: 'disk',
  };
}
