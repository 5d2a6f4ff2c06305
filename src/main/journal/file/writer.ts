import { dirname } from 'node:path';
import { encodeLine } from '../../../shared/run/codec';
import { Failure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import type { RunRecord } from '../../../shared/run/record';
import { SYNCED_KINDS } from '../../../shared/run/sidecar';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { checkAppend, checkSize, closed, conflict, journalDead } from '../check';
import type { Journal, LoadedRun, RecordPlace, RunStore } from '../journal';
import { encodeSlip } from '../slip';
import type { SlipName } from '../slip';
import { Turns } from '../turns';
import { slipPath } from './layout';
import type { RunPaths } from './layout';
import type { Held } from './lock';
import { SidecarWriter } from './sidecar';
import { writeSlipFile } from './slip';
import { levelOf } from './space';
import type { Space } from './space';
import { keepText } from './texts';
import { ioFailure, writeWhole } from './vfs';
import type { FileStat, Vfs } from './vfs';

/** How often the room on the disk is looked at. ms. */
const LOOK_MS = 1_000;

/** What a writer is made of: an open journal whose end is sound, under a lock. */
export interface WriterParts {
  vfs: Vfs;
  id: string;
  store: RunStore;
  paths: RunPaths;
  held: Held;
  /** Opened for appending; the writer closes it. */
  fd: number;
  /** The file as this writer found it, at `size` bytes. */
  file: Pick<FileStat, 'dev' | 'ino'>;
  size: number;
  places: RecordPlace[];
  metaSha256: string;
  /** Where something was noted before the journal began; absent: none was. */
  sidecar?: SidecarWriter;
  /** What was read when the run was opened, under the same lock; given out by the first `load` if nothing came after it. */
  opened: (() => LoadedRun) | undefined;
  /** false only in the tests that show what the fence is for. */
  fence: boolean;
  /** Room where the journal is. */
  space(folder: string): Promise<Space | undefined>;
  onClose(): void;
}

/** The one writer of a journal file. See `Journal` for its promises. */
export class FileJournal implements Journal {
  readonly durability = 'disk';
  readonly #parts: WriterParts;
  readonly #turns = new Turns();
  /** Of their own: a record never waits for a slip. */
  readonly #slips = new Turns();
  readonly #sidecar: SidecarWriter;
  readonly #places: RecordPlace[];
  #size: number;
  #scarce = false;
  #lookAgain = 0;
  #lines: number;
  #opened: WriterParts['opened'];
  #dead: Failure | undefined;
  #closing: Promise<void> | undefined;
  #onDead: ((failure: FailureInfo) => void) | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#places = parts.places;
    this.#size = parts.size;
    this.#lines = parts.places.at(-1)?.line ?? 0;
    this.#opened = parts.opened;
    this.#sidecar = parts.sidecar ?? new SidecarWriter(parts.vfs, parts.paths.sidecar, parts.metaSha256);
    parts.held.onLost((failure) => this.#lose(failure));
    if (parts.held.lost) this.#lose(parts.held.lost);
  }

  get id(): string {
    return this.#parts.id;
  }

  get store(): RunStore {
    return this.#parts.store;
  }

  get lastSeq(): number {
    return this.#places.at(-1)?.seq ?? 0;
  }

  get dead(): FailureInfo | undefined {
    return this.#dead?.toJSON();
  }

  async append(record: RunRecord, own?: string): Promise<RecordPlace> {
    this.#checkOpen();
    return this.#turns.run(() => this.#append(record, own));
  }

  load(): Promise<LoadedRun> {
    if (this.#closing !== undefined) return this.store.load(this.id);
    return this.#turns.run(async () => {
      if (this.#dead === undefined) this.#checkFence();
      const opened = this.#opened;
      this.#opened = undefined;
      if (opened !== undefined && this.#dead === undefined) return opened();
      const loaded = await this.store.load(this.id);
      if (this.#dead === undefined && loaded.size !== this.#size) throw this.#die(fenced());
      return loaded;
    });
  }

  async note(entry: SidecarEntry): Promise<void> {
    this.#checkOpen();
    const comfort = !SYNCED_KINDS.has(entry.kind);
    if (comfort) void this.#look();
    if (!(comfort && this.#scarce)) await this.#sidecar.note(entry);
  }

  async keep(toolUseId: string, text: string): Promise<string> {
    this.#checkOpen();
    return keepText(this.#parts.vfs, this.#parts.paths.texts, toolUseId, text);
  }

  async putSlip(name: SlipName, text: string | undefined, how: 'durably' | 'lazily'): Promise<void> {
    const { vfs, paths, metaSha256, id } = this.#parts;
    try {
      this.#checkOpen();
      await this.#slips.run(async () => {
        this.#checkAlive();
        if (how === 'lazily') await this.#look();
        const gives = text === undefined || (how === 'lazily' && this.#scarce);
        const bytes = gives ? undefined : encodeSlip(metaSha256, name, text);
        await writeSlipFile(vfs, slipPath(dirname(paths.journal), id, name), bytes, how === 'durably');
      });
    } catch (error) {
      if (how === 'durably') throw error;
    }
  }

  onDead(listener: (failure: FailureInfo) => void): void {
    this.#onDead = listener;
    const lost = this.#parts.held.lost;
    if (lost !== undefined) queueMicrotask(() => this.#tellDead(lost));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#turns.idle(), this.#slips.idle()]);
    this.#dead ??= closed();
    await this.#sidecar.close();
    await this.#parts.vfs.close(this.#parts.fd).catch(() => undefined);
    await this.#parts.held.release();
    this.#parts.onClose();
  }

  async #append(record: RunRecord, own: string | undefined): Promise<RecordPlace> {
    this.#checkAlive();
    const step = checkAppend(this.lastSeq, record.seq);
    const line = encodeLine(record);
    if (step === 'seen') return this.#seen(record.seq, line);
    checkSize(line);

    if (own !== undefined) await this.#sidecar.ahead({ kind: 'own', seq: record.seq, mac: own });
    // The lock may have been lost while that was written.
    this.#checkAlive();
    const { vfs, fd } = this.#parts;
    this.#checkFence();
    let alone: boolean;
    try {
      await writeWhole(vfs, fd, line);
      const durable = vfs.sync(fd);
      // The disk is busy for longer than this look takes.
      alone = this.#isLength(this.#size + line.length);
      await durable;
    } catch (error) {
      throw this.#die(ioFailure(error, `write record ${record.seq}`));
    }
    if (!alone) throw this.#die(fenced());
    // A lock that was lost while the disk was busy: the record is there, but whoever came next may not know of it.
    this.#checkAlive();

    const place = { seq: record.seq, line: this.#lines + 1, offset: this.#size, bytes: line.length - 1 };
    this.#places.push(place);
    this.#size += line.length;
    this.#lines += 1;
    this.#opened = undefined;
    return place;
  }

  async #seen(seq: number, line: Uint8Array): Promise<RecordPlace> {
    const place = this.#places.find((one) => one.seq === seq);
    if (place === undefined || place.bytes !== line.length - 1) throw conflict(seq);
    const { vfs, fd } = this.#parts;
    const there = Buffer.alloc(place.bytes);
    try {
      for (let got = 0; got < there.length;) {
        const more = await vfs.read(fd, there.subarray(got), place.offset + got);
        if (more === 0) break;
        got += more;
      }
    } catch (error) {
      throw ioFailure(error, `look at record ${seq}`);
    }
    if (!there.equals(line.subarray(0, -1))) throw conflict(seq);
    return place;
  }

  /** Looks from time to time whether the disk is nearly full: what is left of it is for records, not for comfort. */
  async #look(): Promise<void> {
    const now = performance.now();
    if (now < this.#lookAgain) return;
    this.#lookAgain = now + LOOK_MS;
    const space = await this.#parts.space(dirname(this.#parts.paths.journal)).catch(() => undefined);
    const level = space && levelOf(space);
    this.#scarce = level === 'critical' || level === 'full';
  }

  #checkAlive(): void {
    if (this.#dead !== undefined) throw journalDead(this.#dead);
  }

  /** For calls that begin now: while closing, only what was handed in before still runs. */
  #checkOpen(): void {
    this.#checkAlive();
    if (this.#closing !== undefined) throw closed();
  }

  /** Before each write: the name still leads to the same file, exactly as this writer left it. */
  #checkFence(): void {
    if (!this.#parts.fence) return;
    const { vfs, paths, file } = this.#parts;
    let stat: FileStat | undefined;
    try {
      stat = vfs.lstat(paths.journal);
    } catch (error) {
      throw this.#die(ioFailure(error, 'look at the journal before writing'));
    }
    if (stat?.ino === file.ino && stat.dev === file.dev && Number(stat.size) === this.#size) return;
    throw this.#die(fenced());
  }

  /** And after it: if nobody else wrote between the look and the write, the record is where it is said to be. */
  #isLength(size: number): boolean {
    if (!this.#parts.fence) return true;
    try {
      return Number(this.#parts.vfs.fstat(this.#parts.fd).size) === size;
    } catch {
      return false;
    }
  }

  #die(failure: Failure): Failure {
    this.#dead ??= failure;
    return journalDead(this.#dead);
  }

  #lose(failure: Failure): void {
    if (this.#dead !== undefined) return;
    this.#dead = failure;
    this.#tellDead(failure);
  }

  #tellDead(failure: Failure): void {
    const listener = this.#onDead;
    this.#onDead = undefined;
    try {
      listener?.(failure.toJSON());
    } catch {
      // A listener's trouble must not reach the timer that found the lock gone.
    }
  }
}

const fenced = (): Failure =>
  new Failure({
    code: 'fenced',
    message: 'The file of this run is not as this writer left it: something else wrote, moved or removed it.',
    kept: 'Every record that was acknowledged was on disk; nothing more was written from here.',
    todo: 'Open the run again to see what it holds now.',
  });
