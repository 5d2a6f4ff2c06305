import { createHash } from 'node:crypto';
import { readJournal } from '../../../shared/run/codec';
import { RECORD_LIMIT } from '../../../shared/run/read';
import { isFailure } from '../../../shared/run/failure';
import type { RunStore, RunSummary } from '../../journal/journal';
import { Breather } from '../../journal/read';
import { tidy } from './database';
import type { Database, Statement } from './database';
import type { SearchProgress } from './index';
import { KeptTexts } from './kept';
import { PARTS, indexed, textsOf } from './texts';

/**
 * Texts are numbered so that newer runs have higher numbers, close together since gaps cost room: each run gets a block
 * of numbers as large as its journal may need, and further ones at the top when it outgrows that. Blocks of the first
 * pass, which begins with the run that was written last, go down from here, all later ones up.
 */
const MIDDLE = 2 ** 40;
const BYTES_EACH = 64;
const FEWEST = 16;
const FURTHER = 1024;
/** A run that says something new moves before all others, but no more often than this: each place is looked into. */
const MOST_BLOCKS = 32;
/**
 * Runs that are written together, and bytes of theirs: what is written at once holds up whoever searches meanwhile, and
 * is lost when the process is killed.
 */
const BATCH = 100;
const BATCH_BYTES = 2 * 1024 * 1024;
const PIECE = 1024 * 1024;
const NEWLINE = 0x0a;

interface Known {
  key: number;
  id: string;
  identity: string;
  size: number;
  mark: string;
  seen: number;
  last_offset: number;
  last_sha: string;
  texts: number;
  /** The next number in its newest block, and the last there. */
  next: number;
  last: number;
}

/** What is told of, and left out of, the runs that a pass reads. */
export interface EachRun {
  /** Ids of runs that are not read. */
  skip?: readonly string[];
  /** Told before a run is read. */
  onRun?: (id: string) => void;
}

/** One pass over a store. */
export class Indexer {
  readonly #breather = new Breather();
  #bytes = 0;
  readonly #word: Statement;
  readonly #place: Statement;

  constructor(
    private readonly store: RunStore,
    private readonly db: Database,
    private readonly stopped: () => boolean,
  ) {
    this.#word = db.prepare('INSERT INTO words(rowid, text, joined) VALUES (?, ?, ?)');
    this.#place = db.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)');
  }

  /** @param ids only these runs, where the store was read whole before; absent: all that changed */
  async run(
    onProgress: (progress: SearchProgress) => void,
    ids?: readonly string[],
    each: EachRun = {},
  ): Promise<void> {
    try {
      await this.#run(onProgress, ids, each);
    } finally {
      this.#word.finalize();
      this.#place.finalize();
    }
  }

  async #run(
    onProgress: (progress: SearchProgress) => void,
    ids: readonly string[] | undefined,
    { skip = [], onRun }: EachRun,
  ): Promise<void> {
    const first = this.db.get("SELECT 1 AS one FROM about WHERE key = 'whole'") === null;
    const only = first ? undefined : ids;
    const rows = (await this.#rows(only)).filter(({ health }) => health !== 'new');
    const known = new Map(this.#known(only).map((run) => [run.id, run]));
    const there = new Set(rows.map(({ id }) => id));
    this.#together(() => {
      for (const run of known.values()) if (!there.has(run.id)) this.#forget(run);
    });
    const skipped = new Set(skip);
    const changed = rows
      .filter((row) => {
        if (skipped.has(row.id)) return false;
        const run = known.get(row.id);
        return run === undefined || run.size !== row.size || run.mark !== markOf(row);
      })
      .sort((a, b) => timeOf(b) - timeOf(a));
    let done = 0;
    onProgress({ done, total: changed.length, bytes: 0 });
    for (const batch of batches(changed)) {
      this.db.exec('BEGIN');
      try {
        let at = first ? this.#bottom() - batch.reduce((sum, row) => sum + width(row), 0) : undefined;
        for (const row of batch) {
          if (this.stopped()) return;
          onRun?.(row.id);
          await this.#take(row, known.get(row.id), at, batch.length === 1);
          if (at !== undefined) at += width(row);
          onProgress({ done: ++done, total: changed.length, bytes: this.#bytes });
          if (this.#breather.due) await this.#breather.breathe();
        }
      } finally {
        this.db.exec('COMMIT');
      }
    }
    if (!first) return;
    this.db.run("INSERT INTO about VALUES ('whole', '1')");
    await tidy(this.db, async () => {
      await this.#breather.breathe();
      return !this.stopped();
    });
  }

  async #rows(ids: readonly string[] | undefined): Promise<RunSummary[]> {
    if (!ids) return this.store.list();
    const rows: RunSummary[] = [];
    for (const id of ids) {
      try {
        rows.push(await this.store.summary(id));
      } catch (error) {
        if (!isFailure(error, 'not_found')) throw error;
      }
    }
    return rows;
  }

  #known(ids: readonly string[] | undefined): Known[] {
    if (!ids) return this.db.all('SELECT * FROM run') as unknown as Known[];
    return ids.flatMap((id) => this.db.all('SELECT * FROM run WHERE id = ?', [id]) as unknown as Known[]);
  }

  #bottom(): number {
    return Number(this.db.get('SELECT min(first) AS at FROM block')?.at ?? MIDDLE);
  }

  /** A block of numbers for a run, at `at` or above all others. */
  #block(run: Known, size: number, at?: number): void {
    const first = at ?? Number(this.db.get('SELECT max(last) AS at FROM block')?.at ?? MIDDLE) + 1;
    run.next = first;
    run.last = first + size - 1;
    this.db.run('INSERT INTO block VALUES (?, ?, ?)', [first, run.last, run.key]);
  }

  /**
   * Reads one run into the index; what cannot be read now is left for another time.
   *
   * @param alone nothing else is written with it, so that it may be written in parts
   */
  async #take(
    row: RunSummary,
    known: Known | undefined,
    at: number | undefined,
    alone: boolean,
  ): Promise<void> {
    try {
      const grown = known && (await this.#grown(row, known));
      if (known && !grown) this.#forget(known);
      const run = grown ?? this.#fresh(row, at);
      if (grown) this.#toTop(run);
      const kept = new KeptTexts(this.store, row.id);
      for (;;) {
        const piece = await this.#piece(row.id, run);
        const end = piece.lastIndexOf(NEWLINE) + 1;
        if (end === 0) break;
        const more = await this.#index(run, piece.subarray(0, end), kept);
        this.#bytes += end;
        if (!more || !this.store.slice) break;
        // Not told to be whole, so it goes on from here the next time.
        if (this.stopped()) return;
        if (alone) this.db.exec('COMMIT; BEGIN');
        if (this.#breather.due) await this.#breather.breathe();
      }
      this.db.run('UPDATE run SET size = ?, mark = ? WHERE key = ?', [row.size, markOf(row), run.key]);
    } catch (error) {
      // A run that cannot be read is left out; a store that cannot be read is no store without runs.
      if (!isFailure(error) || isFailure(error, 'store_unavailable')) throw error;
    }
  }

  /** What a run says from now on is newer than all that other runs said until now. */
  #toTop(run: Known): void {
    const { blocks, top } = this.db.get(
      'SELECT count(*) AS blocks, max(last) = (SELECT max(last) FROM block) AS top FROM block WHERE run = ?',
      [run.key],
    ) as { blocks: number; top: number };
    if (Number(top) === 0 && Number(blocks) < MOST_BLOCKS) run.last = run.next - 1;
  }

  /** The bytes after those that are indexed, up to the end of a line where there is one within reach. */
  async #piece(id: string, run: Known): Promise<Uint8Array> {
    if (!this.store.slice) return (await this.store.bytes(id)).subarray(run.seen);
    for (let length = PIECE; ; length *= 4) {
      const { bytes, identity } = await this.store.slice(id, run.seen, length);
      if (run.identity === '') {
        run.identity = identity;
        this.db.run('UPDATE run SET identity = ? WHERE key = ?', [identity, run.key]);
      }
      if (bytes.length < length || bytes.includes(NEWLINE) || length > RECORD_LIMIT) return bytes;
    }
  }

  /** false: what follows cannot be read. */
  async #index(run: Known, bytes: Uint8Array, kept: KeptTexts): Promise<boolean> {
    const { records, places, failure } = readJournal(bytes);
    const from = run.seen;
    let chars = 0;
    for (const [n, record] of records.entries()) {
      const place = places[n];
      if (!place) break;
      for (const [nth, text] of textsOf(record).entries()) {
        const whole = await kept.of(text);
        for (const [n, piece] of (whole ?? [text.text]).entries()) {
          if (run.next > run.last) this.#block(run, FURTHER);
          const rowid = run.next++;
          run.texts++;
          const { words, joined } = indexed({ ...text, text: piece });
          this.#word.run([rowid, words, joined]);
          const [part, offset] = [PARTS.indexOf(text.part), from + place.offset];
          this.#place.run([rowid, nth, part, record.seq, offset, place.bytes, whole ? n + 1 : 0]);
          chars += piece.length;
        }
      }
    }
    const last = places[records.length - 1];
    if (last) {
      run.last_offset = from + last.offset;
      run.last_sha = sha256(bytes.subarray(last.offset, last.offset + last.bytes));
      run.seen = from + Math.min(bytes.length, last.offset + last.bytes + 1);
    }
    this.db.run(
      'UPDATE run SET seen = ?, last_offset = ?, last_sha = ?, texts = ?, chars = chars + ?, next = ?, last = ? WHERE key = ?',
      [run.seen, run.last_offset, run.last_sha, run.texts, chars, run.next, run.last, run.key],
    );
    return failure === undefined && records.length > 0;
  }

  /** What is known of a run, if its journal only became longer. */
  async #grown(row: RunSummary, known: Known): Promise<Known | undefined> {
    // One that changed and is no longer than it was is not what was read, whatever its last line says.
    if (!this.store.slice || known.seen === 0 || row.size < known.seen || row.size === known.size)
      return undefined;
    const length = known.seen - known.last_offset - 1;
    const { bytes, identity } = await this.store.slice(row.id, known.last_offset, length);
    return identity === known.identity && sha256(bytes) === known.last_sha ? { ...known } : undefined;
  }

  #fresh(row: RunSummary, at: number | undefined): Known {
    const { lastInsertRowid: key } = this.db.run(
      "INSERT INTO run VALUES (NULL, ?, '', -1, '', 0, 0, '', 0, 0, 0, -1)",
      [row.id],
    );
    const run: Known = {
      key: Number(key),
      id: row.id,
      identity: '',
      size: -1,
      mark: '',
      seen: 0,
      last_offset: 0,
      last_sha: '',
      texts: 0,
      next: 0,
      last: -1,
    };
    this.#block(run, width(row), at);
    return run;
  }

  #forget({ key }: Known): void {
    for (const { first, last } of this.db.all('SELECT first, last FROM block WHERE run = ?', [key])) {
      const range = [Number(first), Number(last)];
      this.db.run(
        'DELETE FROM words WHERE rowid IN (SELECT rowid FROM place WHERE rowid BETWEEN ? AND ?)',
        range,
      );
      this.db.run('DELETE FROM place WHERE rowid BETWEEN ? AND ?', range);
    }
    this.db.run('DELETE FROM block WHERE run = ?', [key]);
    this.db.run('DELETE FROM run WHERE key = ?', [key]);
  }

  #together(work: () => void): void {
    this.db.exec('BEGIN');
    try {
      work();
    } finally {
      this.db.exec('COMMIT');
    }
  }
}

/** The newest runs first; inside a batch the oldest first, as the index likes it. */
function* batches(newestFirst: readonly RunSummary[]): Generator<RunSummary[]> {
  let batch: RunSummary[] = [];
  let bytes = 0;
  for (const row of newestFirst) {
    if (batch.length > 0 && (batch.length === BATCH || bytes + row.size > BATCH_BYTES)) {
      yield batch.reverse();
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += row.size;
  }
  if (batch.length > 0) yield batch.reverse();
}

const width = ({ size }: RunSummary): number => FEWEST + Math.ceil(size / BYTES_EACH);

function timeOf({ updated }: RunSummary): number {
  const time = updated.getTime();
  return Number.isFinite(time) ? time : 0;
}

const markOf = ({ mark, updated }: RunSummary): string => mark ?? String(updated.getTime());

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');
