import { join } from 'node:path';
import { notFound } from '../check';
import type { Writer } from '../journal';
import type { Reading } from '../read';
import { metaSha256 } from '../sidecar';
import { StoreDirectory } from './directory';
import { flockProgram, seesFlock } from './flock';
import { isLocal, kernelLocks } from './kernel';
import { runPaths, TRASH } from './layout';
import type { RunPaths } from './layout';
import { probeLock, takeLock } from './lock';
import type { Held, Locking } from './lock';
import { withFile } from './repair';
import { checkPlain, errno, ioFailure, nodeVfs, OPEN, readAll } from './vfs';
import type { FileStat, Vfs } from './vfs';
import type { FileJournal } from './writer';

/** proper-lockfile's own default; longer than any pause of a healthy process. */
const STALE_MS = 10_000;

/** Journals that this process has open, by whichever store object, under the path of their file. */
const here = new Map<string, FileJournal>();

const FOREIGN =
  'This folder was not made by Holdfast: its runs are read, and go on in your own store, where they are copied first.';
const REDUCED =
  'Reduced protection: on this file system locks do not show every writer, so do not open a run on two machines at once. After a crash it can take ten seconds until it opens again.';
const ALONE =
  'Let only one program write runs here: Holdfast does not see the locks of other programs on this {place}.';
const INSTALL = ' To change that, install util-linux, which has the program flock, and start Holdfast again.';

/** A folder of runs with what it takes to work in it: the file layer, its locks, and who holds what. */
export class Place {
  readonly vfs: Vfs;
  readonly folder: StoreDirectory;
  readonly locking: Locking;

  /** @throws Failure `store_config` */
  constructor(directory: string, vfs: Vfs = nodeVfs, locking: Partial<Locking> = {}) {
    this.vfs = vfs;
    this.folder = new StoreDirectory(vfs, directory);
    const kernel = kernelLocks !== undefined && isLocal(this.folder.path);
    this.locking = { kernel, proper: true, staleMs: STALE_MS, ...locking };
  }

  get path(): string {
    return this.folder.path;
  }

  get trash(): string {
    return join(this.path, TRASH);
  }

  /** What a person should know before relying on this store. */
  get caution(): string | undefined {
    if (this.folder.foreign) return FOREIGN;
    return this.locking.kernel ? undefined : REDUCED;
  }

  /** See `RunStore.oneProgram`. */
  get oneProgram(): string | undefined {
    const { kernel, flock } = this.locking;
    if (this.folder.foreign || (kernel && flock !== false && seesFlock())) return undefined;
    const text = ALONE.replace('{place}', kernel ? 'computer' : 'file system');
    return kernel && process.platform === 'linux' && flockProgram() === undefined ? text + INSTALL : text;
  }

  /** `id` must have been checked. */
  paths(id: string): RunPaths {
    return runPaths(this.path, id);
  }

  has(id: string): boolean {
    return this.#exists(this.paths(id).journal);
  }

  hasTrashed(id: string): boolean {
    return this.#exists(runPaths(this.trash, id).journal);
  }

  hasTrash(): boolean {
    return this.#exists(this.trash);
  }

  #exists(path: string): boolean {
    if (!this.folder.readable) return false;
    try {
      return this.vfs.look(path) !== undefined;
    } catch (error) {
      throw ioFailure(error, 'look for this run');
    }
  }

  /** A journal's bytes as they are now. Failures: `not_found`, `store_unsafe`, `io`. */
  async read(id: string): Promise<{ bytes: Buffer; stat: FileStat }> {
    if (!this.has(id)) throw notFound();
    try {
      return await withFile(this.vfs, this.paths(id).journal, OPEN.read, async (fd) => {
        const stat = this.vfs.fstat(fd);
        checkPlain(stat);
        return { bytes: await readAll(this.vfs, fd), stat };
      });
    } catch (error) {
      throw errno(error) === 'ENOENT' ? notFound() : ioFailure(error, 'read this run');
    }
  }

  /** Takes the writer's place for `work`, which keeps it by resolving; when it rejects, it is free again. */
  async locked<T>(id: string, work: (held: Held) => Promise<T>): Promise<T> {
    const held = await takeLock(this.vfs, this.paths(id), this.locking);
    try {
      return await work(held);
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  /** Does something to a run that nobody may write meanwhile. */
  async alone(id: string, work: () => Promise<void>): Promise<void> {
    await this.folder.prepare();
    await this.locked(id, async (held) => {
      await work();
      await held.release();
    });
  }

  /** The journal that this process has open. */
  journalHere(id: string): FileJournal | undefined {
    return here.get(this.paths(id).journal);
  }

  hold(journal: FileJournal): void {
    here.set(this.paths(journal.id).journal, journal);
  }

  letGo(journal: FileJournal): void {
    const path = this.paths(journal.id).journal;
    if (here.get(path) === journal) here.delete(path);
  }

  writer(id: string): Writer {
    const paths = this.paths(id);
    if (here.has(paths.journal)) return 'here';
    // Another program's locks cannot be seen from here; that it has locked this run at some time can.
    if (!this.folder.writable) return this.#exists(paths.lock) ? 'unknown' : 'none';
    return probeLock(paths, this.locking);
  }
}

/** What ties a sidecar to the run that was read; undefined where there is no meta line. */
export function shaOfMeta(bytes: Uint8Array, reading: Reading): string | undefined {
  const place = reading.places[0];
  return place && metaSha256(bytes.subarray(place.offset, place.offset + place.bytes));
}
