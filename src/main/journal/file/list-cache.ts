import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { RunSummary } from '../journal';
import { Breather } from '../read';
import { LIST_CACHE } from './layout';
import type { Row } from './list';
import { errno, OPEN, writeWhole } from './vfs';
import type { Vfs } from './vfs';
import { linesIn } from '../../../shared/run/slices';

/** Changes with everything that goes into a row: rows of another version are made anew. */
const VERSION = 4;
/** So many rows must be new before the file is written again. */
const WORTH_SAVING = 100;
/** A half-written file of somebody who died is in the way no longer than this many ms. */
const ABANDONED_MS = 60_000;

interface Line {
  stat: Row['stat'];
  unended: boolean;
  ending?: Row['ending'];
  bare: Omit<RunSummary, 'created' | 'updated'> & { created?: number; updated: number };
}

/**
 * Rows of the list across restarts, in the store's own folder, so that they are as private as the journals and go with
 * them. All of it can be lost: rows are told by their file's identity, size and times, and made anew where these differ.
 */
export class ListCache {
  #saving: Promise<void> | undefined;

  constructor(
    readonly vfs: Vfs,
    readonly directory: () => string,
    /** Whether this folder may be written to. */
    readonly allowed: () => boolean,
  ) {}

  /** What was saved; nothing if there is none, or it is of another version. Never rejects. */
  async read(breather: Breather): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>();
    try {
      const path = join(this.directory(), LIST_CACHE);
      if (!this.allowed() || this.vfs.look(path) === undefined) return rows;
      const { bytes = Buffer.alloc(0) } = this.vfs.slurp(path, Infinity);
      const end = bytes.indexOf(0x0a);
      const body = bytes.subarray(end + 1);
      if (bytes.subarray(0, Math.max(0, end)).toString('utf8') !== header(body)) return rows;
      for (const text of linesIn(body.toString('utf8'))) {
        const row = parse(text);
        if (row !== undefined) rows.set(row.bare.id, row);
        if (breather.due) await breather.breathe();
      }
    } catch {
      // It is only a saving of time.
    }
    return rows;
  }

  /** Saves in the background, if enough rows are new. */
  save(rows: ReadonlyMap<string, Row>, made: number): void {
    if (made < WORTH_SAVING || this.#saving !== undefined || !this.allowed()) return;
    this.#saving = this.#write([...rows.values()])
      .catch(() => undefined)
      .finally(() => (this.#saving = undefined));
  }

  /** What was deleted for good must not live on here. Never rejects. */
  async drop(): Promise<void> {
    await this.#saving;
    await this.vfs.unlink(join(this.directory(), LIST_CACHE)).catch(() => undefined);
  }

  async idle(): Promise<void> {
    await this.#saving;
  }

  async #write(rows: Row[]): Promise<void> {
    const breather = new Breather();
    const lines: string[] = [];
    for (const { stat, unended, bare, ending } of rows) {
      const line: Line = {
        stat,
        unended,
        ...(ending && { ending }),
        bare: { ...bare, created: bare.created?.getTime(), updated: bare.updated.getTime() } as Line['bare'],
      };
      if (stat.ino >= 0) lines.push(JSON.stringify(line));
      if (breather.due) await breather.breathe();
    }
    const path = join(this.directory(), LIST_CACHE);
    const spare = `${path}.tmp`;
    const fd = await this.#spare(spare);
    if (fd === undefined) return;
    try {
      const body = Buffer.from(lines.join('\n'));
      await writeWhole(this.vfs, fd, Buffer.concat([Buffer.from(`${header(body)}\n`), body]));
      await this.vfs.rename(spare, path);
    } catch (error) {
      await this.vfs.unlink(spare).catch(() => undefined);
      throw error;
    } finally {
      await this.vfs.close(fd);
    }
  }

  /** Whoever made the spare file first writes; the others leave it at that. */
  async #spare(path: string): Promise<number | undefined> {
    try {
      return await this.vfs.open(path, OPEN.make);
    } catch (error) {
      if (errno(error) !== 'EEXIST') throw error;
      const age = Date.now() - (this.vfs.look(path)?.mtimeMs ?? Date.now());
      if (age > ABANDONED_MS) await this.vfs.unlink(path);
      return undefined;
    }
  }
}

/** A row is believed only while not a bit of the file is other than it was written. */
const header = (body: Uint8Array): string =>
  JSON.stringify({ holdfast: 'list', version: VERSION, sha256: hash('sha256', body, 'hex') });

function parse(text: string): Row | undefined {
  if (text === '') return undefined;
  try {
    const { stat, unended, bare, ending } = JSON.parse(text) as Line;
    if (typeof stat.size !== 'number' || typeof bare.id !== 'string') return undefined;
    const { created, updated, ...rest } = bare;
    return {
      stat,
      unended,
      bare: {
        ...rest,
        ...(created !== undefined && { created: new Date(created) }),
        updated: new Date(updated),
      },
      full: undefined,
      ending,
    };
  } catch {
    return undefined;
  }
}
