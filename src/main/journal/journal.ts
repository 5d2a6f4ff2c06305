import type { RunRecord } from '../../shared/run/record';
import type { RunFacts, RunState, RunWarning } from '../../shared/run/state';
import type { CatalogueEntry, SidecarEntry } from '../../shared/run/sidecar';
import type { FailureInfo } from '../../shared/run/failure';
import type { RunParcel } from './parcel';
import type { NotesDamage } from './sidecar';
import type { Slip, SlipName } from './slip';

/** Where a record is once `append` resolved: `disk` after fdatasync, `acknowledged` by NATS, `memory` nowhere that lasts. */
export type Durability = 'disk' | 'acknowledged' | 'memory';

export { RUN_ID } from '../../shared/run/names';

/** Where one record stands in its journal. Bytes count the line without its newline. */
export interface RecordPlace {
  seq: number;
  line: number;
  offset: number;
  bytes: number;
}

/** Who writes a run now. `here`: a journal that this process opened. `unknown`: the file system cannot say. */
export type Writer = 'none' | 'here' | 'elsewhere' | 'unknown';

export interface LoadedRun {
  id: string;
  records: RunRecord[];
  /** One for each record, same order. */
  places: RecordPlace[];
  state: RunState;
  facts: RunFacts;
  warnings: RunWarning[];
  /** Empty when there is none or it belongs to another run. */
  sidecar: SidecarEntry[];
  /** The slip of that name: see slip.ts. */
  began?: Slip;
  /** What is not as it was written in the sidecar. */
  notesDamage?: NotesDamage[];
  /** false: no sidecar that is bound to this run, so every pending state-changing tool is unknown. */
  sidecarBound: boolean;
  catalogue: CatalogueEntry;
  /** Bytes of the journal, torn tail included. */
  size: number;
  updated: Date;
  writer: Writer;
  durability: Durability;
}

/** A row of the list. Every journal whose name is an id has one: damage is told, never hidden. */
export interface RunSummary {
  id: string;
  /** `new`: no whole meta record (empty file or torn inside it); its id is free to create again. */
  health: 'ok' | 'damaged' | 'new';
  /** For `damaged`: code, message, data {line, byte, records: readable before the damage}. */
  failure?: FailureInfo;
  /** The run_id inside; may differ from `id` after a copy or a fork. */
  runId?: string;
  prompt?: string;
  created?: Date;
  updated: Date;
  /** Another one after each change of the journal, also one that keeps size and time; absent: the store cannot tell. */
  mark?: string;
  size: number;
  provider?: string;
  model?: string;
  interactive?: boolean;
  counters?: RunState['counters'];
  nextIteration?: number;
  maxIterations?: number;
  maxTokens?: number;
  terminal?: { reason: string; message?: string } | null;
  facts?: RunFacts;
  /** Names of unanswered tools of a pending turn. */
  pendingTools?: string[];
  hasPending?: boolean;
  /** The conversation's last message is the assistant's. */
  endsOnAssistant?: boolean;
  lastStopReason?: string;
  warnings: number;
  /** Those of them that are no fact of an ordinary run. */
  alerts: number;
  catalogue: CatalogueEntry;
  /** Only looked up for runs that would otherwise read as interrupted; else `none`. */
  writer: Writer;
  durability: Durability;
  /** When it was moved to the trash, where the store can tell. */
  trashed?: Date;
}

/** Something in a store changed, seen from any process. `grown`: the journal has more records. */
export interface StoreChange {
  id: string;
  what: 'added' | 'grown' | 'removed' | 'catalogue' | 'writer';
}

export interface JournalSlice {
  bytes: Uint8Array;
  /** What the file is (another value: another file), so that a reader can tell growth from exchange. */
  identity: string;
  /** Bytes of the whole journal now. */
  size: number;
}

export interface StoreSupports {
  /** Locks say whether another writer holds a run. JetStream has no locks: its fence bites at append. */
  lock: boolean;
  /** A writer that lost the run is rejected at append even without a lock. */
  fence: boolean;
  tornTail: boolean;
  delete: boolean;
  /** Records may be appended at all; false for folders we only read. */
  write: boolean;
  /** A trashed run keeps its id: `create` and `import` under it are `exists` until it is restored or purged. */
  trashKeepsId?: boolean;
}

/** Whether a store that is reached over a network is there now. `reconnecting`: it is looked for, for ever. */
export interface StoreConnection {
  readonly state: 'connected' | 'reconnecting' | 'closed';
  onState(listener: (state: StoreConnection['state']) => void): () => void;
}

/**
 * A place where runs are kept.
 *
 * Promises: ids are checked (`invalid_id`) before they become a path or a subject; `load`, `list` and `readPage`
 * never take a lock and never wait for a writer; nothing here ever shortens what was acknowledged.
 */
export interface RunStore {
  /** `file:/abs/dir`, `memory:`, `nats://host:port/STREAM`. */
  readonly url: string;
  readonly durability: Durability;
  readonly supports: StoreSupports;
  /** A sentence when protection is less than usual (network file system, single replica …). */
  readonly caution?: string;
  /** Why only one program may write here, where Holdfast does not see what other programs lock. */
  readonly oneProgram?: string;
  /** Why runs cannot be deleted here, where that is the store's own doing. */
  readonly keeps?: string;
  /** Absent for stores that need none. */
  readonly connection?: StoreConnection;

  /**
   * Makes a run and appends its meta record (seq 1) durably; the writer is held when this resolves.
   * Exclusive among processes: `exists` when a run with a whole meta record is there, even damaged further on.
   * An empty file or a torn meta line does not burn the id. `own`: as for `Journal.append`.
   */
  create(id: string, meta: RunRecord, own?: string): Promise<Journal>;
  /**
   * Takes the writer's place: `locked` at once when another has it (the message blames nobody), `not_found`,
   * `corrupt`, `version`, `store_read_only`. A torn tail is cut first, its bytes kept; a whole last line gets its newline.
   */
  open(id: string): Promise<Journal>;
  /** Reads and folds all, unlocked. Failures: `not_found`, `empty`, `no_meta`, `version`, `corrupt` (data: line, byte). */
  load(id: string): Promise<LoadedRun>;
  /** The journal's exact bytes as they are now, for copy and export. Unlocked. */
  bytes(id: string): Promise<Uint8Array>;
  /** Unsorted; never throws for one bad run. Throws `store_unavailable` rather than look empty when the store cannot be read. */
  list(): Promise<RunSummary[]>;
  /** One row of the list. `not_found`. */
  summary(id: string): Promise<RunSummary>;
  /** Moves a run aside, restorable. Takes the lock: `locked` when it is being written. `not_found`. */
  trash(id: string): Promise<void>;
  /** Brings a trashed run back under its id. `not_found`, `exists`. */
  restore(id: string): Promise<void>;
  trashed(): Promise<RunSummary[]>;
  /** Deletes for good, from the trash or the store. Takes the lock. `not_found`. */
  purge(id: string): Promise<void>;
  /** Merges into the run's catalogue row; `undefined` removes a field. Needs no lock. */
  label(id: string, patch: { [K in keyof CatalogueEntry]?: CatalogueEntry[K] | undefined }): Promise<void>;
  /** Who writes the run now. */
  writer(id: string): Promise<Writer>;
  /** Calls back (debounced, at least once per change) until the returned function is called. */
  watch(onChange: (change: StoreChange) => void): () => void;
  /** Text kept beside the journal by `Journal.keep`. `not_found`. */
  kept(id: string, name: string): Promise<string>;
  /**
   * A small text beside the run as it was last put; undefined: there is none, or it belongs to an earlier run of this id.
   * Unlocked. Slips go where the run goes: trash, restore, purge; copies and exports leave them. `not_found`.
   */
  slip(id: string, name: SlipName): Promise<Slip | undefined>;
  /**
   * Replaces a slip of a run at rest, durably; `undefined` removes it. Takes the writer's place for that moment, or goes
   * through the journal that this process has open. `locked`, `not_found`, `too_large`, `no_space`, `store_read_only`.
   */
  putSlip(id: string, name: 'queue', text: string | undefined): Promise<void>;
  /**
   * Writes a whole run with exactly these lines, gaps in their numbers included, and what stands beside it. It is seen
   * only once it is whole; nothing of it stays when this fails. `exists`, `too_large`, `locked`. Absent: no runs can be
   * brought here. See copy.ts.
   */
  import?(id: string, parcel: RunParcel): Promise<void>;
  /** What is noted beside a run, also where the run is too damaged to be loaded. `not_found`. */
  notes?(id: string): Promise<{ entries: SidecarEntry[]; bound: boolean; damage?: NotesDamage[] }>;
  /**
   * A part of a journal's bytes, without reading the rest; shorter where the journal ends before. `not_found`.
   */
  slice?(id: string, offset: number, length: number): Promise<JournalSlice>;
  /**
   * Cuts a damaged journal off at `offset`, under the writer's lock: only if its bytes are exactly those whose SHA-256
   * (hex) was looked at (`conflict` otherwise). First the whole file is kept, durably, and what is done is noted beside
   * the run. Gives the name of the copy. `locked`, `not_found`, `store_read_only`. Absent: this store cannot be mended.
   */
  mend?(id: string, cut: { offset: number; sha256: string }): Promise<{ backup: string }>;
  close(): Promise<void>;
}

/**
 * The one writer of a run.
 *
 * `append`: seq <= lastSeq with the same bytes is a silent duplicate, with other bytes it fails (`conflict`);
 * lastSeq + 1 is written; anything else is `seq_gap`. It resolves after the record is durable, and only then
 * has `lastSeq` moved. Any failed or short write or sync, a lost lock or a file that is not as this writer
 * left it (`fenced`) makes the journal dead: that call and all later ones fail (`journal_dead`, cause kept),
 * and nothing more is written. Calls run one after another in the order they were made.
 *
 * `own` is what proves that this machine wrote the record (see agent/origin.ts). It comes back as a note of kind `own`,
 * and is there whenever the record is, also when the process is killed at that moment; losing it fails nothing.
 */
export interface Journal {
  readonly id: string;
  readonly store: RunStore;
  readonly lastSeq: number;
  readonly durability: Durability;
  /** Largest record in bytes this store takes, if it has a limit. */
  readonly maxRecordBytes?: number;
  /** Set once the journal is dead. */
  readonly dead: FailureInfo | undefined;
  append(record: RunRecord, own?: string): Promise<RecordPlace>;
  /** Reads and folds again, under the lock. */
  load(): Promise<LoadedRun>;
  /**
   * Adds to the sidecar; resolves after it is durable for SYNCED_KINDS, after it is queued for the others.
   * Failing lazy entries are dropped silently (comfort); failing synced ones reject, and the effect must not happen;
   * unless `areUnwritable`, and something else makes a later reader ask (see `Ledger.note`).
   */
  note(entry: SidecarEntry): Promise<void>;
  /** Keeps a text beside the journal (0600, synced) and returns its name for `RunStore.kept`. */
  keep(toolUseId: string, text: string): Promise<string>;
  /**
   * Replaces a slip of this run as a whole; `undefined` removes it. `durably`: it is durable when this resolves, and
   * until then the one before is. `lazily`: comfort, it never rejects, and a store may leave it. A crash leaves the one
   * before or the new one; after a power cut a lazy one may be damaged. Calls run in the order they were made.
   */
  putSlip(name: SlipName, text: string | undefined, how: 'durably' | 'lazily'): Promise<void>;
  /** Called once, when the journal dies for a reason other than `append`'s own failure (lost lock). */
  onDead(listener: (failure: FailureInfo) => void): void;
  /** Frees the writer's place. Idempotent; never throws. */
  close(): Promise<void>;
}
