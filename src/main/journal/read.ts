import { readJournal } from '../../shared/run/codec';
import type { JournalRead } from '../../shared/run/codec';
import { Folder } from '../../shared/run/fold';
import { Failure } from '../../shared/run/failure';
import type { RunRecord } from '../../shared/run/record';
import type { CatalogueEntry } from '../../shared/run/sidecar';
import type { FoldPoint, RunFacts, RunState, RunWarning } from '../../shared/run/state';
import type { Durability, LoadedRun, RecordPlace, RunSummary, Writer } from './journal';
import type { SidecarRead } from './sidecar';
import type { Slip } from './slip';

/** A journal's bytes, decoded and folded as far as they go. */
export interface Reading {
  records: RunRecord[];
  places: RecordPlace[];
  warnings: RunWarning[];
  tail: JournalRead['tail'];
  /** Bytes that were read. */
  size: number;
  /** The fold of `records`; absent when not even the meta record is there. */
  folded?: { state: RunState; facts: RunFacts };
  /** Where that fold stands. */
  point?: FoldPoint;
  /** Why this run cannot be loaded; `records` is then what stands before the damage. */
  failure?: Failure;
  /** No record has ever been whole: an empty file, or one torn inside its first line. Its id is free. */
  unborn: boolean;
}

/** Never throws for content: what is wrong is in `failure`. */
export function readRun(bytes: Uint8Array): Reading {
  const read = readJournal(bytes);
  const fold = new Folding(read);
  for (const record of read.records) if (!fold.push(record)) break;
  return fold.reading(bytes.length);
}

const PIECE = 256 * 1024;
const SLICE_MS = 12;

/**
 * The same reading, in slices of a few milliseconds, so that a large journal never holds up whoever else this process
 * serves. (One line is the smallest slice there is.)
 */
export async function readRunGently(
  bytes: Uint8Array,
  breather = new Breather(),
  piece = PIECE,
): Promise<Reading> {
  if (bytes.length <= piece) return readRun(bytes);
  const read = await readGently(bytes, breather, piece);
  const fold = new Folding(read);
  for (const record of read.records) {
    if (!fold.push(record)) break;
    if (breather.due) await breather.breathe();
  }
  return fold.reading(bytes.length);
}

/** Lets everything else run once a slice of time is used up. */
export class Breather {
  #since = performance.now();
  #next: Promise<void> | undefined;

  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Who shares a breather shares its slices too: all go on together, and for one slice together. */
  breathe(): Promise<void> {
    this.#next ??= new Promise((resolve) =>
      setImmediate(() => {
        this.#next = undefined;
        this.#since = performance.now();
        resolve();
      }),
    );
    return this.#next;
  }
}

/** As `readJournal`, in slices of a few milliseconds. */
export async function readGently(bytes: Uint8Array, breather: Breather, size = PIECE): Promise<JournalRead> {
  const all: JournalRead = {
    records: [],
    places: [],
    warnings: [],
    tail: { kind: 'clean', offset: bytes.length, bytes: 0 },
  };
  for (let [start, line] = [0, 0]; start < bytes.length;) {
    const end = endOfPiece(bytes, start, size);
    const piece = bytes.subarray(start, end);
    const read = readJournal(piece);
    // Damage is told with its line and byte in the whole, so the whole is read for it; that is rare enough.
    if (read.failure !== undefined || (read.tail.kind !== 'clean' && end < bytes.length))
      return readJournal(bytes);
    for (const record of read.records) all.records.push(record);
    for (const place of read.places)
      all.places.push({ ...place, line: place.line + line, offset: place.offset + start });
    for (const warning of read.warnings)
      all.warnings.push({
        ...warning,
        ...(warning.line !== undefined && { line: warning.line + line }),
        ...(warning.byte !== undefined && { byte: warning.byte + start }),
      });
    if (end === bytes.length) all.tail = { ...read.tail, offset: read.tail.offset + start };
    line += newlines(piece);
    start = end;
    if (breather.due) await breather.breathe();
  }
  return all;
}

const NEWLINE = 0x0a;

/** Pieces end with a line; one that is longer than a piece is a piece of its own. */
function endOfPiece(bytes: Uint8Array, start: number, size: number): number {
  if (bytes.length - start <= size) return bytes.length;
  const before = bytes.lastIndexOf(NEWLINE, start + size - 1);
  if (before >= start) return before + 1;
  const after = bytes.indexOf(NEWLINE, start + size);
  return after < 0 ? bytes.length : after + 1;
}

function newlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Folds what was decoded, one record after another. */
class Folding {
  readonly #folder = new Folder();
  #failure: Failure | undefined;
  #good = 0;

  constructor(readonly read: JournalRead) {
    this.#failure = read.failure;
  }

  /** false: this record cannot follow the ones before it, and nothing after it counts. */
  push(record: RunRecord): boolean {
    try {
      this.#folder.push(record, this.read.places[this.#good]);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failure = error;
      return false;
    }
    this.#good += 1;
    return true;
  }

  reading(size: number): Reading {
    const [read, good, folder] = [this.read, this.#good, this.#folder];
    const failure =
      this.#failure ?? (good === 0 ? nothingRecorded(read.tail.kind === 'bad_line') : undefined);
    const all = good === read.records.length;
    return {
      records: all ? read.records : read.records.slice(0, good),
      places: all ? read.places : read.places.slice(0, good),
      warnings: good === 0 ? read.warnings : [...read.warnings, ...folder.warnings],
      tail: read.tail,
      size,
      ...(good > 0 && { folded: { state: folder.state, facts: folder.facts }, point: folder.point }),
      ...(failure !== undefined && { failure: counted(failure, good) }),
      unborn: read.records.length === 0 && read.failure === undefined && read.tail.kind !== 'bad_line',
    };
  }
}

/** `written`: there is a whole line all the same, which is no record. */
const nothingRecorded = (written = false): Failure =>
  new Failure({
    code: 'empty',
    message: written
      ? 'The only line of this journal is no record, so nothing of this run can be read.'
      : 'Nothing was recorded in this run: it was cut off before its first record was whole.',
    todo: written
      ? 'Bring it back from a backup, or delete it.'
      : 'Delete it, or start it again under its name, which is free.',
    data: { line: 1, byte: 0 },
  });

const counted = (failure: Failure, records: number): Failure =>
  new Failure({ ...failure.toJSON(), data: { ...failure.data, records } });

/** What a store knows about a run beside the journal's bytes. */
export interface Surroundings {
  id: string;
  updated: Date;
  catalogue: CatalogueEntry;
  writer: Writer;
  durability: Durability;
}

/** What stands beside a journal. */
export type Beside = SidecarRead & { began: Slip | undefined };

/** Throws the reading's failure, if it has one. */
export function loadedRun(reading: Reading, sidecar: Beside, around: Surroundings): LoadedRun {
  if (reading.failure !== undefined) throw reading.failure;
  if (reading.folded === undefined) throw nothingRecorded();
  return {
    id: around.id,
    records: reading.records,
    places: reading.places,
    state: reading.folded.state,
    facts: reading.folded.facts,
    warnings: reading.warnings,
    sidecar: sidecar.entries,
    ...(sidecar.began && { began: sidecar.began }),
    ...(sidecar.damage && { notesDamage: sidecar.damage }),
    // Notes that began with a copy say nothing of what the tools of the original did.
    sidecarBound:
      sidecar.bound && !sidecar.entries.some((entry) => entry.kind === 'lineage' && entry.unnoted),
    catalogue: around.catalogue,
    size: reading.size,
    updated: around.updated,
    writer: around.writer,
    durability: around.durability,
  };
}

/** A row of the list, whatever the reading holds. */
export function summaryOf(reading: Reading, around: Surroundings): RunSummary {
  const { folded, failure } = reading;
  const meta = reading.records[0]?.meta;
  return {
    id: around.id,
    health: reading.unborn ? 'new' : failure ? 'damaged' : 'ok',
    ...(failure && !reading.unborn && { failure: failure.toJSON() }),
    ...(folded && summaryOfState(folded.state, folded.facts)),
    ...(meta && { created: new Date(meta.created) }),
    updated: around.updated,
    size: reading.size,
    warnings: reading.warnings.length,
    alerts: reading.warnings.filter(({ ordinary }) => !ordinary).length,
    catalogue: around.catalogue,
    writer: around.writer,
    durability: around.durability,
  };
}

function summaryOfState(state: RunState, facts: RunFacts): Partial<RunSummary> {
  const answered = new Set(state.pending?.answered);
  const pendingTools = (state.pending?.assistant.content ?? []).flatMap((block) =>
    block.tool_use && !answered.has(block.tool_use.id) ? [block.tool_use.name] : [],
  );
  return {
    runId: state.run_id,
    prompt: state.prompt,
    provider: state.fingerprint.provider,
    model: state.fingerprint.model,
    interactive: state.interactive,
    counters: { ...state.counters },
    nextIteration: state.next_iteration,
    maxIterations: state.fingerprint.max_iterations,
    maxTokens: state.fingerprint.max_tokens,
    terminal: state.terminal,
    facts,
    pendingTools,
    hasPending: state.pending !== null,
    endsOnAssistant: state.pending === null && state.messages.at(-1)?.role === 'assistant',
    lastStopReason: state.last_stop_reason,
  };
}

/** Whether a row would read as interrupted if nobody wrote it: only then is it worth asking who does. */
export const wantsWriter = (row: RunSummary): boolean =>
  row.health !== 'damaged' && row.facts?.terminalIsLast !== true && row.endsOnAssistant !== true;
