import type { Database } from './database';

/** A text that matches, and the page that goes on after it. */
export interface Row {
  rowid: number;
  /** Of the run in the index, and its id. */
  key: number;
  id: string;
  nth: number;
  part: number;
  seq: number;
  offset: number;
  bytes: number;
  /** Of the whole text that is kept beside the run, from 1; 0: the text of the record. */
  piece: number;
  at: string;
}

type Range = [first: number, last: number];
type Stored = Omit<Row, 'at'>;
const TOP = Number.MAX_SAFE_INTEGER;

/** Newer texts have higher numbers, so the index itself gives the newest first. */
const FIND =
  'SELECT f.*, r.id FROM (SELECT w.rowid AS rowid, p.nth, p.part, p.seq, p.offset, p.bytes, p.piece,' +
  ' (SELECT b.run FROM block b WHERE b.first <= w.rowid ORDER BY b.first DESC LIMIT 1) AS key FROM' +
  ' (SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) w' +
  ' JOIN place p ON p.rowid = w.rowid) f JOIN run r ON r.key = f.key ORDER BY f.rowid DESC';

/** Looks texts up so that each run comes once with all of its texts, that with the newest text first. */
export class Finder {
  readonly #blocks = new Map<number, Range[]>();

  constructor(
    private readonly db: Database,
    private readonly match: string,
  ) {}

  /** @param after the `at` of the last one of the page before; anything else begins anew */
  rows(limit: number, after: string | undefined): Row[] {
    const [, anchor, at] = /^(?:(\d{1,16})\.)?(\d{1,16})$/.exec(after ?? '') ?? [];
    const found: Row[] = [];
    let below = at === undefined ? TOP : Number(at);
    if (anchor !== undefined) {
      // The page before ended within a run that stands in several places.
      const key = this.db.get('SELECT run FROM block WHERE first = ?', [Number(anchor)])?.run;
      if (key !== undefined) found.push(...this.#group(Number(key), Number(anchor), below, limit));
      below = Number(anchor);
    }
    while (found.length < limit) {
      const chunk = this.#texts(0, below, limit - found.length);
      for (const row of chunk) {
        if (found.length === limit) break;
        if (row.rowid >= below) continue;
        below = this.#take(row, found, limit);
      }
      if (chunk.length === 0) break;
    }
    return found;
  }

  /** As `rows`, in one run only. */
  ofRun(id: string, limit: number, after: string | undefined): Row[] {
    const key = this.db.get('SELECT key FROM run WHERE id = ?', [id])?.key;
    const below = /^\d{1,16}$/.test(after ?? '') ? Number(after) : TOP;
    if (key === undefined) return [];
    return this.#group(Number(key), 0, below, limit).map((row) => ({ ...row, at: String(row.rowid) }));
  }

  /** Takes a text, or its whole run where that stands in several places; tells below what to go on. */
  #take(row: Stored, found: Row[], limit: number): number {
    const blocks = this.#blocksOf(row.key);
    if (blocks.length < 2) {
      found.push({ ...row, at: String(row.rowid) });
      return row.rowid;
    }
    const first = blocks.find(([from]) => from <= row.rowid)?.[0] ?? row.rowid;
    const shown = blocks.some(([from, to]) => from > row.rowid && this.#texts(from, to + 1, 1).length > 0);
    if (!shown) found.push(...this.#group(row.key, first, TOP, limit - found.length));
    return first;
  }

  #group(key: number, anchor: number, below: number, limit: number): Row[] {
    const rows: Row[] = [];
    for (const [first, last] of this.#blocksOf(key)) {
      const to = Math.min(last + 1, below);
      if (rows.length >= limit || first >= to) continue;
      for (const row of this.#texts(first, to, limit - rows.length))
        rows.push({ ...row, at: `${anchor}.${row.rowid}` });
    }
    return rows;
  }

  /** Where the texts of a run are numbered, the newest first. */
  #blocksOf(key: number): Range[] {
    let blocks = this.#blocks.get(key);
    if (!blocks) {
      blocks = this.db
        .all('SELECT first, last FROM block WHERE run = ? ORDER BY first DESC', [key])
        .map(({ first, last }): Range => [Number(first), Number(last)]);
      this.#blocks.set(key, blocks);
    }
    return blocks;
  }

  #texts(from: number, to: number, limit: number): Stored[] {
    return this.db.all(FIND, [this.match, from, to, limit]) as unknown as Stored[];
  }
}
