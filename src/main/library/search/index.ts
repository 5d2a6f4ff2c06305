import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, isFailure } from '../../../shared/run/failure';
import type { RunStore } from '../../journal/journal';
import { Breather } from '../../journal/read';
import { openDatabase, removeDatabase } from './database';
import type { Database } from './database';
import { Finder } from './finder';
import type { Row } from './finder';
import { Indexer, type EachRun } from './indexer';
import { KeptTexts } from './kept';
import { LineReader, textAt } from './lines';
import { hold } from './slot';
import { PARTS, queryOf, snippetOf } from './texts';
import type { Part, Query, Snippet } from './texts';
import type { Term } from '../../../shared/text/query';

export type { Part, Snippet } from './texts';

export interface Hit {
  run: string;
  /** Record to jump to. */
  seq: number;
  part: Part;
  tool?: string;
  /** It stands in the whole text of a clipped result, which is kept beside the run. */
  kept?: boolean;
  snippet: Snippet;
  /** `SearchQuery.after` for what follows it. */
  at: string;
}

export interface SearchQuery {
  words: string;
  /** Only in this run. */
  run?: string;
  /** Only texts of these parts; none: of all. */
  parts?: readonly Part[];
  /** Most hits; default 50. */
  limit?: number;
  /** Goes on after the page that gave it. */
  after?: string;
}

export interface SearchPage {
  /** Each run once, that with the newest text first; in a run the last first. Fewer than asked for where it takes long. */
  hits: Hit[];
  /** For the next page, which may be empty; absent: there is none. */
  next?: string;
  /** Set while the index is not whole yet: what is found is right, but may not be all. */
  building?: SearchProgress;
  /** Nothing in the words can be looked for. */
  empty?: true;
  /** The index was damaged, or deleted while it was open: what is found is not all before the next update. */
  lost?: true;
}

export interface SearchProgress {
  /** Runs, of those that have to be read. */
  done: number;
  total: number;
  /** Bytes of journals read. */
  bytes: number;
}

export interface SearchStatus {
  runs: number;
  texts: number;
  /** Characters of all texts that are in the index. */
  chars: number;
  building?: SearchProgress;
}

/** Begins the mark of a page whose last word was taken as unfinished. */
const OPEN = 'o';
/** More processes than this do not search one store at once. */
const SLOTS = 8;
/** An index that was not opened for this long is made again when it is wanted. */
const UNUSED_MS = 60 * 86_400_000;
/** A page that takes longer is cut where it is. */
const PAGE_MS = 400;
/** A search waits so long for an update to notice that the index is damaged, and looks so often. */
const NOTICE_MS = 1_000;
const LOOK_MS = 10;

/**
 * Full-text search over every prompt, answer, thought, tool input and output of a store. The index holds no text, only
 * where words stand; what is shown comes from the journals. It lives in the cache folder and can be deleted at any time.
 *
 * One process has an index to itself; a second one that searches the same store at the same time uses one of its own.
 */
export class SearchIndex {
  #building: SearchProgress | undefined;
  #updating: Promise<void> | undefined;
  #closed = false;
  /** It was begun anew since it was last whole. */
  #lost = false;

  private constructor(
    private readonly store: RunStore,
    private db: Database,
    /** File of the index. */
    readonly path: string,
    private readonly release: () => Promise<void>,
  ) {}

  /** @param cache folder for what can be made again */
  static async open(store: RunStore, cache: string): Promise<SearchIndex> {
    const folder = join(cache, 'search');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(store.url).digest('hex').slice(0, 20);
    for (let slot = 1; slot <= SLOTS; slot++) {
      const path = join(folder, `${name}.${slot}.db`);
      const release = await hold(path);
      if (!release) continue;
      try {
        await forgetUnused(folder);
        const db = openDatabase(path, store.url);
        // In use, also where nothing new is written.
        utimesSync(path, new Date(), new Date());
        return new SearchIndex(store, db, path, release);
      } catch (error) {
        await release();
        throw error;
      }
    }
    throw new Failure({
      code: 'busy',
      message: 'Too many programs search these runs at once.',
      kept: 'The runs are untouched.',
      todo: 'Close one of them and try again.',
    });
  }

  /**
   * Brings the index up to what the store holds now: runs that did not change are not read, those that grew are read
   * from where they ended. Asked again meanwhile, it is the same work.
   *
   * @param ids only these runs may have changed; absent: any. After a loss all runs are read.
   */
  update(
    onProgress?: (progress: SearchProgress) => void,
    signal?: AbortSignal,
    ids?: readonly string[],
    each: EachRun = {},
  ): Promise<void> {
    this.#updating ??= this.#update(onProgress, signal, ids, each).finally(() => {
      this.#updating = undefined;
      this.#building = undefined;
    });
    return this.#updating;
  }

  async #update(
    onProgress: ((progress: SearchProgress) => void) | undefined,
    signal: AbortSignal | undefined,
    ids: readonly string[] | undefined,
    each: EachRun,
  ): Promise<void> {
    const told = (progress: SearchProgress): void => {
      this.#building = progress;
      onProgress?.(progress);
    };
    for (let attempt = 1; ; attempt++) {
      try {
        const stopped = (): boolean => this.#closed || signal?.aborted === true;
        await new Indexer(this.store, this.db, stopped).run(told, this.#lost ? undefined : ids, each);
        if (!stopped()) this.#lost = false;
        return;
      } catch (error) {
        if (isFailure(error) || this.#closed) throw error;
        if (/disk is full/.test(String(error))) throw noRoom(error);
        if (attempt > 1) throw error;
        this.#begin();
      }
    }
  }

  /** Finds texts that hold all the words. Fast whatever is being built. */
  async search({ words: typed, run, parts, limit = 50, after }: SearchQuery): Promise<SearchPage> {
    const query = queryOf(typed, parts);
    if (query.match === undefined) return { hits: [], empty: true, ...this.#progress };
    const hits: Hit[] = [];
    const lines = new LineReader(this.store);
    const breather = new Breather();
    const cutAt = performance.now() + PAGE_MS;
    let next = after;
    // What the index finds may be left out for its punctuation: then more is looked for, until time is up.
    do {
      const { rows, opened } = await this.#pageOf(query, run, limit - hits.length, next);
      const page = rows.slice(0, limit - hits.length);
      next = undefined;
      for (const [n, row] of page.entries()) {
        const at = `${opened ? OPEN : ''}${row.at}`;
        const hit = await this.#hit(row, query.terms, opened, lines);
        if (hit) hits.push({ ...hit, at });
        if (n + 1 < rows.length && (n + 1 === page.length || performance.now() > cutAt)) {
          next = at;
          break;
        }
        if (breather.due) await breather.breathe();
      }
    } while (next !== undefined && hits.length < limit && performance.now() <= cutAt);
    return {
      hits,
      ...(next !== undefined && { next }),
      ...this.#progress,
      ...(this.#lost && { lost: true }),
    };
  }

  /** Up to `limit` texts and one more, which tells that there are more. */
  async #pageOf(
    { match = '', open }: Query,
    run: string | undefined,
    limit: number,
    after: string | undefined,
  ): Promise<{ rows: Row[]; opened: boolean }> {
    // Words as they stand first: looking for all that begin so is slow where there are many, and then not wanted.
    const rows = after?.startsWith(OPEN) ? [] : await this.#rows(match, run, limit + 1, after);
    if (open === undefined || rows.length > limit || (after !== undefined && !after.startsWith(OPEN)))
      return { rows, opened: false };
    return { rows: await this.#rows(open, run, limit + 1, after?.slice(OPEN.length)), opened: true };
  }

  status(): SearchStatus {
    const row = this.db.get('SELECT count(*) AS runs, total(texts) AS texts, total(chars) AS chars FROM run');
    const { runs, texts, chars } = (row ?? {}) as Record<string, number>;
    return {
      runs: runs ?? 0,
      texts: texts ?? 0,
      chars: chars ?? 0,
      ...this.#progress,
    };
  }

  get #progress(): { building?: SearchProgress } {
    const { done, total } = this.#building ?? { done: 0, total: 0 };
    return this.#building && done < total ? { building: { ...this.#building } } : {};
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#updating?.catch(() => undefined);
    this.db.close();
    await this.release();
  }

  /** Throws the index away and begins anew. */
  #begin(): void {
    this.#lost = true;
    this.db.close();
    removeDatabase(this.path);
    this.db = openDatabase(this.path, this.store.url);
  }

  async #rows(
    match: string,
    run: string | undefined,
    limit: number,
    after: string | undefined,
  ): Promise<Row[]> {
    const patience = performance.now() + NOTICE_MS;
    for (;;) {
      const { db } = this;
      try {
        const finder = new Finder(db, match);
        return run === undefined ? finder.rows(limit, after) : finder.ofRun(run, limit, after);
      } catch (error) {
        if (this.#closed || performance.now() > patience) throw error;
        if (!this.#updating) {
          // A damaged index is made again by the next update.
          this.#begin();
          return [];
        }
        // The update that is under way finds the same and begins anew, or it was about to end.
        while (this.#updating !== undefined && this.db === db && performance.now() <= patience)
          await delay(LOOK_MS);
      }
    }
  }

  async #hit(
    row: Row,
    terms: readonly Term[],
    opened: boolean,
    lines: LineReader,
  ): Promise<Omit<Hit, 'at'> | undefined> {
    const { id: run, seq, offset, bytes, nth, part, piece } = row;
    const line = await lines.read(run, Number(offset), Number(bytes));
    // It was deleted or exchanged since it was read for the index.
    const found = line === undefined ? undefined : textAt(line, Number(seq), Number(nth));
    if (found === undefined) return undefined;
    const kept = Number(piece) > 0;
    const text = kept ? (await new KeptTexts(this.store, run).of(found))?.[Number(piece) - 1] : found.text;
    if (text === undefined) return undefined;
    const snippet = snippetOf(text, opened ? terms : terms.map((term) => ({ ...term, open: false })));
    if (!snippet) return undefined;
    return {
      run,
      seq: Number(seq),
      part: PARTS[Number(part)] ?? found.part,
      ...(found.tool !== undefined && { tool: found.tool }),
      ...(kept && { kept }),
      snippet,
    };
  }
}

/** Removes indexes that nobody used for long: of stores that are gone, and of second processes of some time ago. */
async function forgetUnused(folder: string): Promise<void> {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    try {
      if (!file.endsWith('.db') || Date.now() - statSync(path).mtimeMs < UNUSED_MS) continue;
      const release = await hold(path);
      if (!release) continue;
      removeDatabase(path);
      await release();
    } catch {
      // It takes room, and nothing else.
    }
  }
}

const noRoom = (cause: unknown): Failure =>
  new Failure(
    {
      code: 'no_space',
      message: 'There is no room on the disk for the index that makes searching fast.',
      kept: 'The runs are untouched; what was read already can be found.',
      todo: 'Make room on this disk; reading then goes on by itself.',
    },
    { cause },
  );
