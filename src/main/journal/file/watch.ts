import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { CatalogueEntry } from '../../../shared/run/sidecar';
import { RUN_ID } from '../journal';
import type { StoreChange } from '../journal';
import { Breather } from '../read';
import { CATALOGUE, idOfJournal, JOURNAL_ENDING, LOCK_DIRECTORY_ENDING } from './layout';
import type { Vfs } from './vfs';

export interface WatchParts {
  vfs: Vfs;
  directory: string;
  catalogue(): ReadonlyMap<string, CatalogueEntry>;
  onChange(change: StoreChange): void;
  /** ms in which changes are gathered. */
  debounceMs: number;
  /** ms between looks at everything, for what the system did not tell. */
  pollMs: number;
}

/** What was last told about a journal; no numbers until it was looked at for the first time. */
type Known = { size: number; mtimeMs: number; ino: number } | 'listed';

/** Without the system's help everything is looked at this often. */
const BLIND_POLL_MS = 1_000;

/**
 * Tells of changes in a folder, from whichever process. The system's own notices come first; they get lost in bursts and
 * on network file systems, and end when the folder is replaced, so a slow look at everything stands behind them.
 */
export class StoreWatch {
  readonly #parts: WatchParts;
  #known = new Map<string, Known>();
  #labels: ReadonlyMap<string, CatalogueEntry> = new Map();
  #watcher: FSWatcher | undefined;
  #watched: bigint | undefined;
  #touched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #over = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#attach();
    // What there is now is not news.
    for (const id of this.#ids())
      this.#known.set(id, this.#watcher ? 'listed' : (this.#lookAt(id) ?? 'listed'));
    this.#labels = new Map(parts.catalogue());
    if (this.#watcher) this.#looking = this.#lookAtAll().finally(() => (this.#looking = undefined));
    this.#schedulePoll();
  }

  close(): void {
    this.#over = true;
    this.#detach();
    clearTimeout(this.#timer);
    clearTimeout(this.#poll);
  }

  /** Looks at everything now: for when the folder was just made. */
  wake(): void {
    this.#looking ??= this.#lookAtAll().finally(() => (this.#looking = undefined));
  }

  #attach(): void {
    const identity = this.#parts.vfs.lstat(this.#parts.directory)?.ino;
    if (this.#over || identity === undefined || (this.#watcher && identity === this.#watched)) return;
    this.#detach();
    try {
      this.#watcher = watch(this.#parts.directory, { persistent: false }, (_event, name) => {
        if (name !== null) this.#touched.add(name);
        this.#soon();
      });
      this.#watched = identity;
      this.#watcher.on('error', () => this.#detach());
    } catch {
      // No notices to be had (too many watches, or none on this file system): the poll does it.
    }
  }

  #detach(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #soon(): void {
    if (this.#over || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, this.#parts.debounceMs);
    this.#timer.unref();
  }

  #flush(): void {
    const names = this.#touched;
    this.#touched = new Set();
    for (const name of names) {
      const id = idOfJournal(name);
      if (id !== undefined) this.#compare(id, this.#lookAt(id), true);
      else if (name === CATALOGUE) this.#compareLabels();
      else if (name.endsWith(LOCK_DIRECTORY_ENDING)) {
        const held = name.slice(0, -LOCK_DIRECTORY_ENDING.length);
        if (RUN_ID.test(held)) this.#tell(held, 'writer');
      }
    }
  }

  #lookAt(id: string): Known | undefined {
    try {
      const stat = this.#parts.vfs.look(join(this.#parts.directory, id + JOURNAL_ENDING));
      return stat && { size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino };
    } catch {
      return this.#known.get(id);
    }
  }

  #compare(id: string, now: Known | undefined, touched: boolean): void {
    const before = this.#known.get(id);
    if (now === undefined) {
      if (this.#known.delete(id)) this.#tell(id, 'removed');
      return;
    }
    this.#known.set(id, now);
    if (before === undefined) this.#tell(id, 'added');
    else if (touched || differ(before, now)) this.#tell(id, 'grown');
  }

  #compareLabels(): void {
    const before = this.#labels;
    const now = this.#parts.catalogue();
    for (const id of new Set([...before.keys(), ...now.keys()]))
      if (before.get(id) !== now.get(id) && JSON.stringify(before.get(id)) !== JSON.stringify(now.get(id)))
        this.#tell(id, 'catalogue');
    this.#labels = new Map(now);
  }

  #schedulePoll(): void {
    if (this.#over) return;
    this.#poll = setTimeout(
      () => {
        this.wake();
        void this.#looking?.then(() => this.#schedulePoll());
      },
      this.#watcher ? this.#parts.pollMs : BLIND_POLL_MS,
    );
    this.#poll.unref();
  }

  /** Never rejects. */
  async #lookAtAll(): Promise<void> {
    const breather = new Breather();
    const gone = new Set(this.#known.keys());
    this.#attach();
    for (const id of this.#ids()) {
      if (this.#over) return;
      gone.delete(id);
      this.#compare(id, this.#lookAt(id), false);
      if (breather.due) await breather.breathe();
    }
    for (const id of gone) this.#compare(id, this.#lookAt(id), false);
    this.#compareLabels();
  }

  #ids(): string[] {
    try {
      return this.#parts.vfs.readdirNow(this.#parts.directory).flatMap((name) => idOfJournal(name) ?? []);
    } catch {
      // A folder that is not there (yet) has no runs.
      return [];
    }
  }

  #tell(id: string, what: StoreChange['what']): void {
    if (this.#over) return;
    try {
      this.#parts.onChange({ id, what });
    } catch {
      // A listener's trouble is its own.
    }
  }
}

const differ = (before: Known, now: Known): boolean =>
  before !== 'listed' &&
  (now === 'listed' || before.size !== now.size || before.mtimeMs !== now.mtimeMs || before.ino !== now.ino);
