import { dirname } from 'node:path';
import { Failure } from '../../../shared/run/failure';
import { SYNCED_KINDS } from '../../../shared/run/sidecar';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { linesIn } from '../../../shared/run/slices';
import { bindEntry, encodeEntries, NO_NOTES, NOTES_UNWRITABLE, readSidecar, withPartial } from '../sidecar';
import type { SidecarRead } from '../sidecar';
import type { Beside } from '../read';
import { Turns } from '../turns';
import { slipPath } from './layout';
import type { Place } from './place';
import { readSlipFile } from './slip';
import { checkPlain, ioFailure, OPEN, readAll, writeWhole } from './vfs';
import type { Vfs } from './vfs';

/** A power cut takes what was written ahead in the last moment; syncing each would cost as much as the record. ms. */
const SYNC_SOON_MS = 200;

/** Bytes of notes that are read; more than a run ever has, and none of it is needed. */
const LARGEST = 256 * 1024 * 1024;
const linesOf = (bytes: Buffer): Iterable<string> => linesIn(bytes.toString('utf8'));

/** The notes beside a journal; none at all if the file is missing or cannot be read, since nothing in it is needed. */
function readSidecarFile(vfs: Vfs, path: string, sha256: string | undefined): SidecarRead {
  try {
    if (vfs.look(path) === undefined) return NO_NOTES;
    const { bytes } = vfs.slurp(path, LARGEST);
    return bytes ? readSidecar(linesOf(bytes), sha256) : NO_NOTES;
  } catch {
    return NO_NOTES;
  }
}

/** Marks what a file says that is read-only, or no file at all; a full or failing disk is another matter. */
function asUnwritable(failure: Failure): Failure {
  const { code, data } = failure;
  const is = code === 'store_read_only' || code === 'store_unsafe' || data?.['errno'] === 'EISDIR';
  return is
    ? new Failure({ ...failure.toJSON(), data: { ...data, ...NOTES_UNWRITABLE } }, { cause: failure })
    : failure;
}

type Around = Pick<Place, 'vfs' | 'path' | 'paths'>;

/** What is noted beside a journal, the text of an answer under way included. */
export function readNotes(place: Around, id: string, sha256: string | undefined): SidecarRead {
  const { vfs, path } = place;
  const read = readSidecarFile(vfs, place.paths(id).sidecar, sha256);
  return withPartial(read, readSlipFile(vfs, slipPath(path, id, 'partial'), sha256));
}

/** All that stands beside a journal and is loaded with it. */
export function readBeside(place: Around, id: string, sha256: string | undefined): Beside {
  const began = readSlipFile(place.vfs, slipPath(place.path, id, 'began'), sha256);
  return { ...readNotes(place, id, sha256), began };
}

/**
 * The writer's end of `<id>.aux.jsonl`. Made only when there is something to note. A write or sync that fails ends it:
 * from then on lazy entries are dropped and synced ones fail, while the journal itself goes on.
 */
export class SidecarWriter {
  readonly #turns = new Turns();
  #fd: number | undefined;
  #waiting: SidecarEntry[] = [];
  /** Of the last line that is written. */
  #sum = '';
  /** Ends a line that a writer before this one left without its end, on the disk if not in what is read. */
  #start = '';
  #broken: unknown;
  #nameDurable = false;
  #syncSoon: NodeJS.Timeout | undefined;

  constructor(
    readonly vfs: Vfs,
    readonly path: string,
    readonly sha256: string,
  ) {}

  /** See `Journal.note`. */
  note(entry: SidecarEntry): Promise<void> {
    this.#waiting.push(structuredClone(entry));
    if (SYNCED_KINDS.has(entry.kind)) return this.#turns.run(() => this.#flush(true));
    this.#turns.run(() => this.#flush(false)).catch(() => undefined);
    return Promise.resolve();
  }

  /** The entry is written, though not synced, when this resolves: a killed process leaves it behind. Never rejects. */
  async ahead(entry: SidecarEntry): Promise<void> {
    this.#waiting.push(structuredClone(entry));
    await this.#turns.run(() => this.#flush(false)).catch(() => undefined);
    this.#syncSoon ??= setTimeout(() => {
      this.#syncSoon = undefined;
      this.#turns.run(() => this.#flush(true)).catch(() => undefined);
    }, SYNC_SOON_MS);
    this.#syncSoon.unref();
  }

  /** Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#syncSoon);
    await this.#turns.idle();
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await this.vfs.close(fd).catch(() => undefined);
  }

  async #flush(durable: boolean): Promise<void> {
    try {
      if (this.#broken !== undefined) throw this.#broken;
      const fd = (this.#fd ??= await this.#open());
      const { lines, sum } = encodeEntries(this.#waiting, this.#sum);
      this.#waiting = [];
      if (lines.length > 0) await writeWhole(this.vfs, fd, Buffer.from(this.#start + lines.join('')));
      [this.#sum, this.#start] = [sum, ''];
      if (!durable) return;
      await this.vfs.sync(fd);
      if (this.#nameDurable) return;
      await this.vfs.syncDirectory(dirname(this.path));
      this.#nameDurable = true;
    } catch (error) {
      this.#broken = error;
      this.#waiting = [];
      const failure = ioFailure(error, 'note what is about to happen');
      throw this.#fd === undefined ? asUnwritable(failure) : failure;
    }
  }

  /**
   * Whatever an earlier writer left stays. This one begins a line of its own and binds it anew: the last words of a
   * writer whose sync failed are read as if they were there, and may be gone after a power cut.
   */
  async #open(): Promise<number> {
    const fd = await this.vfs.open(this.path, OPEN.appendOrMake);
    try {
      checkPlain(this.vfs.fstat(fd));
      const before = await readAll(this.vfs, fd);
      this.#sum = readSidecar(linesOf(before), this.sha256).sum;
      // Also behind what ends with a line end: it may be gone from the disk, and only be read from memory.
      this.#start = before.length === 0 ? '' : '\n';
      this.#waiting.unshift(bindEntry(this.sha256));
      return fd;
    } catch (error) {
      await this.vfs.close(fd).catch(() => undefined);
      throw error;
    }
  }
}
