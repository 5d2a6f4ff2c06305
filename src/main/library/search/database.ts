import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import sqlite from 'node-sqlite3-wasm';

export type Database = InstanceType<typeof sqlite.Database>;
export type Statement = ReturnType<Database['prepare']>;

/** Another version is built anew. */
const VERSION = 6;
/** Bytes of new words that are held in memory before they are written, and how many such pieces are merged at once. */
const HELD = 4 * 1024 * 1024;
const MERGED = 16;
const TABLES = `
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run (
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, size INTEGER NOT NULL,
  mark TEXT NOT NULL, seen INTEGER NOT NULL, last_offset INTEGER NOT NULL, last_sha TEXT NOT NULL,
  texts INTEGER NOT NULL, chars INTEGER NOT NULL, next INTEGER NOT NULL, last INTEGER NOT NULL);
CREATE TABLE block (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, run INTEGER NOT NULL);
CREATE INDEX block_run ON block (run);
CREATE TABLE place (rowid INTEGER PRIMARY KEY, nth INTEGER NOT NULL, part INTEGER NOT NULL, seq INTEGER NOT NULL,
  offset INTEGER NOT NULL, bytes INTEGER NOT NULL, piece INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(text, joined, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* Co'");
INSERT INTO words(words, rank) VALUES ('hashsize', ${HELD}), ('automerge', ${MERGED}), ('crisismerge', ${2 * MERGED});
`;

/** The lock that SQLite makes beside its file; of a process that was killed, it stays. */
const leftover = (path: string): string => `${path}.lock`;

/**
 * Opens the index of a store, which this process must have to itself. One that is damaged, of another version or of
 * another store is thrown away and begun anew: everything in it is in the journals.
 */
export function openDatabase(path: string, store: string): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(leftover(path), { recursive: true, force: true });
  try {
    return tuned(path, store);
  } catch {
    removeDatabase(path);
    return tuned(path, store);
  }
}

/** Pages of the index that one step of `tidy` writes: some tens of milliseconds. */
const STEP = 150;

/** Merges the pieces of the index into one and gives back what that frees, step by step: calls `breathe` in between. */
export async function tidy(db: Database, breathe: () => Promise<boolean>): Promise<void> {
  const changes = (): number => Number(db.get('SELECT total_changes() AS n')?.n);
  for (let step = -STEP; await breathe(); step = STEP) {
    const before = changes();
    db.run("INSERT INTO words(words, rank) VALUES ('merge', ?)", [step]);
    // FTS5 says in this way that there is nothing left to merge.
    if (step > 0 && changes() - before < 2) break;
  }
  while (Number(db.get('PRAGMA freelist_count')?.freelist_count ?? 0) > 0 && (await breathe()))
    db.all(`PRAGMA incremental_vacuum(${10 * STEP})`);
}

export function removeDatabase(path: string): void {
  for (const file of [path, `${path}-journal`, leftover(path)])
    rmSync(file, { recursive: true, force: true });
}

function tuned(path: string, store: string): Database {
  const db = new sqlite.Database(path);
  try {
    // What a power cut may do to it is found out when it is read, and then it is made again.
    db.exec('PRAGMA synchronous=OFF; PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY');
    const known = db.get("SELECT name FROM sqlite_master WHERE name = 'about'");
    if (known === null) {
      // Must come before the first table: room that merging frees is given back to the disk.
      db.exec('PRAGMA auto_vacuum=INCREMENTAL');
      db.exec(`BEGIN;${TABLES}`);
      db.run('INSERT INTO about VALUES (?, ?), (?, ?)', ['version', String(VERSION), 'store', store]);
      db.exec('COMMIT');
    }
    const about = Object.fromEntries(
      db.all('SELECT key, value FROM about').map((row) => [row.key, row.value]),
    ) as Record<string, unknown>;
    if (about.version !== String(VERSION) || about.store !== store) throw new Error('another index');
    db.get('SELECT count(*) AS n FROM run');
    db.get('SELECT rowid FROM words LIMIT 1');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
