import type { RunRecord } from '../../../shared/run/record';
import { checkPatch } from '../catalogue';
import { checkId, checkNewId, notFound } from '../check';
import type { Journal, LoadedRun, RunStore, RunSummary, StoreSupports, Writer } from '../journal';
import type { RunParcel } from '../parcel';
import { encodeSlip } from '../slip';
import type { Slip, SlipName } from '../slip';
import { loadedRun, readRunGently } from '../read';
import type { Reading } from '../read';
import { createJournal, openJournal } from './begin';
import type { Beginning } from './begin';
import { FileCatalogue } from './catalogue';
import { importFile } from './import';
import { slipPath } from './layout';
import { Lister } from './list';
import type { ListParts } from './list';
import { ListCache } from './list-cache';
import { mendFile } from './mend';
import type { Locking } from './lock';
import { Place, shaOfMeta } from './place';
import { readBeside, readNotes } from './sidecar';
import { metaHash, readSlice } from './slice';
import { readSlipFile, writeSlipFile } from './slip';
import { spaceOf } from './space';
import type { Space } from './space';
import { readText } from './texts';
import { deleteFrom, moveFromTrash, moveToTrash } from './trash';
import type { Vfs } from './vfs';
import { StoreWatch } from './watch';
import type { FileJournal } from './writer';

export interface FileStoreOptions {
  /** The file layer. Tests put one between that fails where they want. */
  vfs?: Vfs;
  /** Overrides what the folder's file system would decide. */
  locking?: Partial<Locking>;
  /** false only in the tests that show what the fence is for. */
  fence?: boolean;
  /** How much room there is, where a test says so. */
  space?: (folder: string) => Promise<Space | undefined>;
  /** ms: how watch gathers changes, and how often it looks at everything. */
  watch?: { debounceMs?: number; pollMs?: number };
}

const DEBOUNCE_MS = 40;
const POLL_MS = 30_000;
/** A reader that meets half a line looks again, this often and after these ms. */
const REREADS = 4;
const REREAD_MS = 3;

/**
 * Runs in a folder, one file each: `<id>.json`, its bytes those of the record format and nothing else.
 *
 * @param directory absolute; made when the first run is
 * @throws Failure `store_config` for a relative path or the working directory
 */
export function fileStore(directory: string, options: FileStoreOptions = {}): RunStore {
  return new FileStore(directory, options);
}

class FileStore implements RunStore {
  readonly durability = 'disk';
  readonly url: string;
  readonly caution?: string;
  readonly oneProgram?: string;
  readonly supports: StoreSupports;
  readonly #place: Place;
  readonly #options: FileStoreOptions;
  readonly #catalogue: FileCatalogue;
  readonly #listCache: ListCache;
  readonly #lister: Lister;
  readonly #trashLister = new Lister(undefined);
  readonly #watches = new Set<StoreWatch>();
  readonly #journals = new Set<FileJournal>();
  readonly #beginning: Beginning;

  constructor(directory: string, options: FileStoreOptions) {
    const place = new Place(directory, options.vfs, options.locking);
    this.#place = place;
    this.#options = options;
    this.#catalogue = new FileCatalogue(place.vfs, () => place.path, place.locking);
    this.#listCache = new ListCache(
      place.vfs,
      () => place.path,
      () => place.folder.writable,
    );
    this.#lister = new Lister(this.#listCache);
    this.url = `file:${directory}`;
    if (place.caution !== undefined) this.caution = place.caution;
    if (place.oneProgram !== undefined) this.oneProgram = place.oneProgram;
    this.supports = {
      lock: true,
      fence: true,
      tornTail: true,
      get delete() {
        return place.folder.writable;
      },
      get write() {
        return place.folder.writable;
      },
    };
    this.#beginning = {
      place,
      store: this,
      fence: options.fence ?? true,
      space: options.space ?? spaceOf,
      catalogue: (id) => this.#catalogue.of(id),
      onOpen: (journal) => this.#journals.add(journal),
      onClose: (journal) => this.#journals.delete(journal),
    };
  }

  async create(id: string, meta: RunRecord, own?: string): Promise<Journal> {
    checkNewId(id);
    const fresh = !this.#place.folder.readable;
    await this.#place.folder.prepare();
    if (fresh) for (const one of this.#watches) one.wake();
    return createJournal(this.#beginning, id, meta, own);
  }

  async open(id: string): Promise<Journal> {
    checkId(id);
    return openJournal(this.#beginning, id);
  }

  async load(id: string): Promise<LoadedRun> {
    checkId(id);
    for (let again = 0; ; again++) {
      const { bytes, stat } = await this.#place.read(id);
      let reading = await readRunGently(bytes);
      const writer = this.#place.writer(id);
      if (onItsWay(reading) && writer !== 'none') {
        if (again < REREADS) {
          await new Promise((resolve) => setTimeout(resolve, REREAD_MS));
          continue;
        }
        reading = { ...reading, warnings: reading.warnings.filter(({ code }) => !UNENDED.has(code)) };
      }
      const beside = readBeside(this.#place, id, shaOfMeta(bytes, reading));
      const catalogue = this.#catalogue.of(id);
      return loadedRun(reading, beside, { id, updated: stat.mtime, catalogue, writer, durability: 'disk' });
    }
  }

  async bytes(id: string): Promise<Uint8Array> {
    checkId(id);
    return (await this.#place.read(id)).bytes;
  }

  async list(): Promise<RunSummary[]> {
    return this.#place.folder.readable ? this.#lister.list(this.#parts()) : [];
  }

  async summary(id: string): Promise<RunSummary> {
    checkId(id);
    const row = this.#place.has(id) ? await this.#lister.one(this.#parts(), id) : undefined;
    if (row === undefined) throw notFound();
    return row;
  }

  async trash(id: string): Promise<void> {
    checkId(id);
    const { vfs, path, trash } = this.#place;
    if (!this.#place.has(id)) throw notFound();
    await this.#place.alone(id, () => moveToTrash(vfs, path, trash, id));
  }

  async restore(id: string): Promise<void> {
    checkId(id);
    const { vfs, path, trash } = this.#place;
    if (!this.#place.hasTrashed(id)) throw notFound('There is no run of that name in the trash.');
    await this.#place.alone(id, () => moveFromTrash(vfs, path, trash, id));
  }

  async trashed(): Promise<RunSummary[]> {
    const { trash } = this.#place;
    if (!this.#place.hasTrash()) return [];
    const rows = await this.#trashLister.list({ ...this.#parts(), directory: trash, writer: () => 'none' });
    // Moving a file is the last thing that happens to it there, and its change time says when.
    return rows.map((row) => {
      const trashed = this.#trashLister.changed(row.id);
      return trashed ? { ...row, trashed } : row;
    });
  }

  async purge(id: string): Promise<void> {
    checkId(id);
    const { vfs, path, trash } = this.#place;
    if (!this.#place.hasTrashed(id) && !this.#place.has(id)) throw notFound();
    await this.#place.alone(id, async () => {
      await deleteFrom(vfs, this.#place.hasTrashed(id) ? trash : path, id);
      if (!this.#place.has(id)) await this.#catalogue.forget(id);
      await this.#listCache.drop();
    });
  }

  async label(id: string, patch: Parameters<RunStore['label']>[1]): Promise<void> {
    checkId(id);
    checkPatch(patch);
    if (!this.#place.has(id)) throw notFound();
    await this.#place.folder.prepare();
    await this.#catalogue.label(id, patch);
  }

  async writer(id: string): Promise<Writer> {
    checkId(id);
    return this.#place.writer(id);
  }

  watch(onChange: Parameters<RunStore['watch']>[0]): () => void {
    const one = new StoreWatch({
      vfs: this.#place.vfs,
      directory: this.#place.path,
      catalogue: () => this.#catalogue.entries(),
      onChange,
      debounceMs: this.#options.watch?.debounceMs ?? DEBOUNCE_MS,
      pollMs: this.#options.watch?.pollMs ?? POLL_MS,
    });
    this.#watches.add(one);
    return () => {
      one.close();
      this.#watches.delete(one);
    };
  }

  async kept(id: string, name: string): Promise<string> {
    checkId(id);
    return readText(this.#place.vfs, this.#place.paths(id).texts, name);
  }

  async slip(id: string, name: SlipName): Promise<Slip | undefined> {
    checkId(id);
    const meta = await metaHash(this.#place, id);
    return readSlipFile(this.#place.vfs, slipPath(this.#place.path, id, name), meta);
  }

  async putSlip(id: string, name: 'queue', text: string | undefined): Promise<void> {
    checkId(id);
    if (!this.#place.has(id)) throw notFound();
    const open = this.#place.journalHere(id);
    if (open !== undefined && open.dead === undefined) return open.putSlip(name, text, 'durably');
    await this.#place.alone(id, async () => {
      const meta = await metaHash(this.#place, id);
      if (meta === undefined) throw notFound();
      const bytes = text === undefined ? undefined : encodeSlip(meta, name, text);
      await writeSlipFile(this.#place.vfs, slipPath(this.#place.path, id, name), bytes, true);
    });
  }

  async import(id: string, parcel: RunParcel): Promise<void> {
    checkNewId(id);
    await this.#place.folder.prepare();
    await importFile(this.#place, id, parcel, this.#catalogue);
  }

  async notes(id: string): ReturnType<NonNullable<RunStore['notes']>> {
    checkId(id);
    const meta = await metaHash(this.#place, id);
    return readNotes(this.#place, id, meta);
  }

  async slice(id: string, offset: number, length: number): ReturnType<NonNullable<RunStore['slice']>> {
    checkId(id);
    return readSlice(this.#place, id, offset, length);
  }

  async mend(id: string, cut: { offset: number; sha256: string }): Promise<{ backup: string }> {
    checkId(id);
    if (!this.#place.has(id)) throw notFound();
    return mendFile(this.#place, id, cut);
  }

  async close(): Promise<void> {
    for (const one of this.#watches) one.close();
    this.#watches.clear();
    await Promise.all([...this.#journals].map((journal) => journal.close()));
    await this.#listCache.idle();
  }

  #parts(): ListParts {
    return {
      vfs: this.#place.vfs,
      directory: this.#place.path,
      catalogue: this.#catalogue.entries(),
      writer: (id) => this.#place.writer(id),
    };
  }
}

const UNENDED = new Set(['torn_tail', 'missing_newline']);

/** While somebody writes, a line without its end is one on its way, and so is a run without its first. */
const onItsWay = ({ tail, unborn }: Reading): boolean =>
  unborn || tail.kind === 'torn' || tail.kind === 'no_newline';
