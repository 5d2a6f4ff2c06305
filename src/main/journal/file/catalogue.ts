import { join } from 'node:path';
import { catalogueEntry } from '../../../shared/run/sidecar';
import type { CatalogueEntry } from '../../../shared/run/sidecar';
import { patched } from '../catalogue';
import type { CataloguePatch } from '../catalogue';
import { CATALOGUE, CATALOGUE_LOCK, runPaths } from './layout';
import { takeLock } from './lock';
import type { Locking } from './lock';
import { withFile } from './repair';
import { checkPlain, ioFailure, OPEN, readAll, writeWhole } from './vfs';
import type { Vfs } from './vfs';
import { linesIn } from '../../../shared/run/slices';

/** One line: what changes for a run. `gone`: forget all of it. */
interface Line {
  id: string;
  set?: CatalogueEntry;
  unset?: string[];
  gone?: boolean;
}

/** Rewritten once it is this large, and this many times larger than what it still says. */
const COMPACT_BYTES = 64 * 1024;
const COMPACT_RATIO = 4;

/**
 * Titles, pins and tags of a whole store in one file that only grows: `.catalogue.jsonl`, one change a line.
 *
 * One file because a list of ten thousand runs must not open ten thousand more; lines because several processes may
 * write at once without a lock, and appending one small buffer never mixes with another's, where rewriting a common
 * file would lose somebody's change. The last line about a field wins. A line begins with a newline as well, so that a
 * torn one spoils nothing but itself.
 */
export class FileCatalogue {
  #entries = new Map<string, CatalogueEntry>();
  #read = { file: '', offset: 0 };

  constructor(
    readonly vfs: Vfs,
    readonly directory: () => string,
    readonly locking: Locking,
  ) {}

  /** What it says now; the map is this object's own. Never throws: labels are comfort. */
  entries(): ReadonlyMap<string, CatalogueEntry> {
    try {
      const path = this.#path();
      const stat = this.vfs.look(path);
      const file = stat ? `${stat.dev}:${stat.ino}` : '';
      if (file !== this.#read.file || (stat?.size ?? 0) < this.#read.offset) {
        this.#entries = new Map();
        this.#read = { file, offset: 0 };
      }
      if (stat === undefined || stat.size === this.#read.offset) return this.#entries;
      const { bytes = Buffer.alloc(0) } = this.vfs.slurp(path, Infinity);
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end > this.#read.offset) this.#take(bytes.subarray(this.#read.offset, end).toString('utf8'));
      this.#read.offset = Math.max(end, this.#read.offset);
    } catch {
      // An unreadable catalogue leaves the runs without titles, not the person without runs.
    }
    return this.#entries;
  }

  of(id: string): CatalogueEntry {
    return this.entries().get(id) ?? {};
  }

  async label(id: string, patch: CataloguePatch): Promise<void> {
    const [set, unset]: [Record<string, unknown>, string[]] = [{}, []];
    for (const [key, value] of Object.entries(patch))
      if (value === undefined) unset.push(key);
      else set[key] = value;
    await this.#append({ id, set, ...(unset.length > 0 && { unset }) });
    await this.#compact();
  }

  /** Nothing of the run stays. Never throws. */
  async forget(id: string): Promise<void> {
    if (!this.entries().has(id)) return;
    await this.#append({ id, gone: true }).catch(() => undefined);
  }

  #path(): string {
    return join(this.directory(), CATALOGUE);
  }

  #take(text: string): void {
    for (const one of linesIn(text)) {
      const line = parse(one);
      if (line === undefined) continue;
      if (line.gone) {
        this.#entries.delete(line.id);
        continue;
      }
      const removed = Object.fromEntries((line.unset ?? []).map((key) => [key, undefined]));
      this.#entries.set(line.id, patched(this.#entries.get(line.id) ?? {}, { ...line.set, ...removed }));
    }
  }

  async #append(line: Line): Promise<void> {
    const text = Buffer.from(`\n${JSON.stringify(line)}\n`);
    const path = this.#path();
    try {
      // Written to a file that was replaced meanwhile? Then once more, to the one that is there now.
      for (let done = false; !done;) {
        done = await withFile(this.vfs, path, OPEN.appendOrMake, async (fd) => {
          const ours = this.vfs.fstat(fd);
          checkPlain(ours);
          await writeWhole(this.vfs, fd, text);
          await this.vfs.sync(fd);
          return this.vfs.lstat(path)?.ino === ours.ino;
        });
      }
    } catch (error) {
      throw ioFailure(error, 'keep this label');
    }
  }

  /**
   * Rewrites the file to what it still says. Whoever appends to the old file while it is replaced either did so before
   * the last look at it here, and is copied, or sees afterwards that the name leads elsewhere, and appends again.
   */
  async #compact(): Promise<void> {
    const path = this.#path();
    const spare = `${path}.tmp`;
    try {
      const size = this.vfs.look(path)?.size ?? 0;
      if (size < COMPACT_BYTES || size < COMPACT_RATIO * textOf(this.entries()).length) return;
      const locking = { ...this.locking, flock: false };
      const held = await takeLock(this.vfs, runPaths(this.directory(), CATALOGUE_LOCK), locking);
      try {
        await withFile(this.vfs, path, OPEN.append, (old) => this.#rewrite(path, spare, old));
      } catch {
        await this.vfs.unlink(spare).catch(() => undefined);
      } finally {
        await held.release();
      }
    } catch {
      // Somebody else is at it, or it cannot be done: it stays long until another time.
    }
  }

  async #rewrite(path: string, spare: string, old: number): Promise<void> {
    const text = textOf(this.entries());
    const seen = this.#read.offset;
    // Of somebody who died at this: the lock says that nobody else is at it now.
    if (this.vfs.look(spare) !== undefined) await this.vfs.unlink(spare);
    await withFile(this.vfs, spare, OPEN.make, async (fd) => {
      await writeWhole(this.vfs, fd, Buffer.from(text));
      await this.vfs.syncAll(fd);
      await this.vfs.rename(spare, path);
      await this.vfs.syncDirectory(this.directory());
      const late = (await readAll(this.vfs, old)).subarray(seen);
      if (late.length > 0) await writeWhole(this.vfs, fd, late);
      await this.vfs.sync(fd);
    });
  }
}

const textOf = (entries: ReadonlyMap<string, CatalogueEntry>): string =>
  [...entries].map(([id, set]) => `${JSON.stringify({ id, set })}\n`).join('');

function parse(text: string): Line | undefined {
  if (text.trim() === '') return undefined;
  try {
    const line = JSON.parse(text) as Line;
    if (typeof line.id !== 'string') return undefined;
    const set = catalogueEntry.safeParse(line.set ?? {});
    const unset = Array.isArray(line.unset) ? line.unset : [];
    return set.success ? { id: line.id, set: set.data, unset, gone: line.gone === true } : undefined;
  } catch {
    return undefined;
  }
}
