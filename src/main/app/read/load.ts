import { Allowance } from '../../../shared/run/allowance';
import { Failure, isFailure } from '../../../shared/run/failure';
import { Folder } from '../../../shared/run/fold';
import { readJournal, RECORD_LIMIT } from '../../../shared/run/read';
import { PROTOCOL } from '../../../shared/run/record';
import type { RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import type { RunState, RunWarning } from '../../../shared/run/state';
import type { LoadedRun, RunStore } from '../../journal/journal';
import { readRunGently, type Reading } from '../../journal/read';
import { Assembly, buildTranscript } from './build';
import { endedIn, places } from './noted';
import type { RunOverview } from './reader';
import { readEnding, scanJournal, type From, type ScanOptions, type Slice } from './scan';
import { HeldRecords, StoredRecords, type Source } from './source';
import type { ToolWords, Transcript } from './transcript';

/** A run that was read, as far as it can be. */
export interface Loaded {
  assembly: Assembly;
  transcript: Transcript;
  source: Source;
  overview: RunOverview;
  /** Somebody else writes it now. */
  writing: boolean;
  /** Where reading goes on when the journal has grown; absent: it must be read anew. */
  going?: { folder: Folder; next: From; bound: boolean; identity: string };
}

/** What is needed to read a run of a store. */
export interface Where {
  store: RunStore;
  id: string;
  tools: ToolWords;
  /** The run is written by this very program, which is not somebody else. */
  here: boolean;
  sizes?: Partial<Sizes> | undefined;
}

/** What tests make small. */
export interface Sizes {
  /** Journals from this many bytes on are shown by their end first. */
  long: number;
  /** Records that an end has at least. */
  ending: number;
  /** Bytes that are read at once: of a whole, of an end. */
  piece: number;
  end: number;
  /** Bytes of texts that are held for the next search in a run. */
  texts: number;
}

const DAMAGE = new Set(['corrupt', 'too_large', 'version', 'no_meta', 'empty']);
/** Warnings of a journal whose writer is about to end the line. */
const UNENDED = new Set<RunWarning['code']>(['torn_tail', 'missing_newline']);
const SIZES: Sizes = {
  long: 2_000_000,
  ending: 120,
  piece: 1024 * 1024,
  end: 256 * 1024,
  texts: 128 * 1024 * 1024,
};

export const sizesOf = ({ sizes }: Pick<Where, 'sizes'>): Sizes => ({ ...SIZES, ...sizes });

export const sliceOf = ({ store, id }: Pick<Where, 'store' | 'id'>): Slice | undefined =>
  store.slice && ((offset, length) => (store.slice as NonNullable<RunStore['slice']>)(id, offset, length));

/** Reads all of it. What it holds of the journal afterwards are places, not texts, where the store gives parts of it. */
export async function loadAll(
  where: Where,
  progress?: (part: number) => void,
  hold?: ScanOptions['hold'],
): Promise<Loaded> {
  const slice = sliceOf(where);
  if (!slice) return loadHeld(where);
  const { size } = await slice(0, 0);
  const notes = await notesOf(where);
  const writing = await isWritten(where);
  const assembly = new Assembly(where.tools, { bound: notes.bound }, notes.entries);
  const folder = new Folder({ keep: 1 });
  const source = new StoredRecords(slice, (await slice(0, 0)).identity);
  const take = taking(assembly, folder, source);
  const scanned = await scanJournal(slice, { offset: 0, line: 0, records: 0 }, take.each, {
    identity: source.identity,
    piece: sizesOf(where).piece,
    progress: (offset) => progress?.(size > 0 ? Math.min(1, offset / size) : 1),
    hold,
  });
  // Not even a beginning: the store itself says best what that is.
  if (take.good === 0) return loadHeld(where);
  const failure = take.failure ?? scanned.failure;
  assembly.finish(writing || failure !== undefined);
  if (failure) assembly.transcript.damage(failure.message);
  const warnings = [...scanned.warnings, ...folder.warnings];
  return {
    assembly,
    transcript: assembly.transcript,
    source,
    writing,
    overview: {
      ...overviewOf(assembly, notes.entries, folder.state),
      records: folder.records,
      bytes: scanned.size,
      warnings: (writing ? warnings.filter(({ code }) => !UNENDED.has(code)) : warnings).slice(0, 200),
      ...(failure && { failure: failure.toJSON() }),
    },
    ...(!failure && {
      going: { folder, next: scanned.next, bound: notes.bound, identity: source.identity },
    }),
  };
}

/**
 * Reads what a run has grown by; gives the items that are new or changed, `again` where they moved. Undefined: the
 * journal is not a longer one of the same, so all of it must be read.
 */
export async function loadMore(
  where: Where,
  loaded: Loaded,
): Promise<{ changed: number[]; again: boolean } | undefined> {
  const slice = sliceOf(where);
  const { going, assembly, source, overview } = loaded;
  if (!slice || !going) return undefined;
  const { folder, next, identity } = going;
  const edge = await slice(Math.max(0, next.offset - 1), 1);
  if (edge.identity !== identity || (next.offset > 0 && edge.bytes[0] !== 0x0a)) return undefined;
  const notes = await notesOf(where);
  const writing = await isWritten(where);
  if (notes.bound !== going.bound) return undefined;
  const before = { lost: assembly.transcript.lost, length: assembly.transcript.length };
  const taken = assembly.take(notes.entries);
  if (!taken.fits) return undefined;
  const take = taking(assembly, folder, source);
  const scanned = await scanJournal(slice, next, take.each, {
    identity,
    piece: sizesOf(where).piece,
  });
  if (take.failure ?? scanned.failure) return undefined;
  const changed = [...taken.changed, ...take.changed, ...assembly.finish(writing)];
  loaded.writing = writing;
  going.next = scanned.next;
  const warnings = [...scanned.warnings, ...folder.warnings];
  loaded.overview = {
    ...overview,
    ...overviewOf(assembly, notes.entries, folder.state),
    records: folder.records,
    bytes: scanned.size,
    warnings: (writing ? warnings.filter(({ code }) => !UNENDED.has(code)) : warnings).slice(0, 200),
  };
  const again = before.lost !== assembly.transcript.lost || assembly.transcript.length < before.length;
  return { changed, again };
}

/** The end of a long run, and what is known of it without the rest. Undefined: it is short, or its end tells too little. */
export async function loadEnding(where: Where): Promise<Loaded | undefined> {
  const slice = sliceOf(where);
  if (!slice) return undefined;
  const { size, identity } = await slice(0, 0);
  const sizes = sizesOf(where);
  if (size < sizes.long) return undefined;
  const [ending, meta] = await Promise.all([readEnding(slice, size, sizes), metaOf(slice)]);
  if (!ending || ending.whole || ending.identity !== identity || !meta) return undefined;
  const notes = await notesOf(where);
  const writing = await isWritten(where);
  const first = ending.records[0]?.record.seq ?? 0;
  // What is told of earlier records belongs in front.
  const entries = notes.entries.filter(
    (entry) => (entry.kind !== 'resume' && entry.kind !== 'partial') || entry.after_seq >= first,
  );
  const assembly = new Assembly(where.tools, { bound: notes.bound, tail: true }, entries);
  const source = new StoredRecords(slice, identity);
  const allowance = new Allowance();
  for (const entry of notes.entries) allowance.note(entry);
  allowance.push({ seq: 1, protocol: PROTOCOL.meta, meta });
  let iteration = -1;
  // Whether the steps of an allowance that began before this end are counted.
  let known = false;
  for (const { record, place } of ending.records) {
    source.add(record, place);
    assembly.push(record);
    allowance.push(record);
    if (record.assistant) iteration = record.assistant.iteration;
    known ||= (meta.interactive ? record.user : record.assistant) !== undefined;
  }
  assembly.finish(writing);
  const { transcript } = assembly;
  return {
    assembly,
    transcript,
    source,
    writing,
    overview: {
      ...places(notes.entries),
      ...endedIn(notes.entries, transcript.lastSeq),
      lastSeq: transcript.lastSeq,
      items: transcript.length,
      bytes: ending.size,
      warnings: [],
      chat: meta.interactive ?? false,
      prompt: meta.prompt,
      fingerprint: meta.fingerprint,
      nextIteration: iteration + 1,
      ...(known && { steps: allowance.steps }),
      tokens: allowance.tokens,
      reading: 0,
    },
  };
}

/** A run of a store that gives it only as a whole, or of which nothing can be read. */
async function loadHeld({ store, id, tools, here }: Where): Promise<Loaded> {
  let run: Pick<LoadedRun, 'records' | 'places' | 'sidecar' | 'sidecarBound' | 'size' | 'warnings'> & {
    state?: LoadedRun['state'];
    writer?: LoadedRun['writer'];
  };
  let failure: Failure | undefined;
  try {
    run = await store.load(id);
  } catch (error) {
    if (!isFailure(error) || !DAMAGE.has(error.code)) throw error;
    failure = error;
    run = readable(await readRunGently(await store.bytes(id)));
  }
  const writing = !here && (run.writer === 'elsewhere' || run.writer === 'here');
  const assembly = buildTranscript(run.records, run.sidecar, run.sidecarBound, tools, writing);
  const { transcript } = assembly;
  if (failure) transcript.damage(failure.message);
  const source = new HeldRecords(() => store.bytes(id));
  run.records.forEach((record, n) => source.add(record, run.places[n]));
  return {
    assembly,
    transcript,
    source,
    writing,
    overview: {
      ...overviewOf(assembly, run.sidecar, run.state, run.records[0]),
      records: run.records.length,
      bytes: run.size,
      warnings: run.warnings.slice(0, 200),
      ...(failure && { failure: failure.toJSON() }),
    },
  };
}

/** Takes records into all that is made of them, until one cannot follow. */
function taking(assembly: Assembly, folder: Folder, source: Source) {
  const take = {
    good: 0,
    changed: [] as number[],
    failure: undefined as Failure | undefined,
    each(record: RunRecord, place: { line: number; offset: number; bytes: number }): boolean {
      // The last record of an earlier reading, whose line had no end then.
      const { lastSeq } = folder.facts;
      if (record.seq === lastSeq && source.place(lastSeq)?.offset === place.offset) return true;
      try {
        folder.push(record, place);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const records = take.good;
        take.failure = new Failure({ ...error.toJSON(), data: { ...error.data, records } });
        return false;
      }
      take.good += 1;
      source.add(record, place);
      take.changed.push(...assembly.push(record));
      return true;
    },
  };
  return take;
}

export async function notesOf({ store, id }: Where): Promise<{ entries: SidecarEntry[]; bound: boolean }> {
  if (!store.notes) return { entries: [], bound: false };
  const { entries, bound } = await store.notes(id);
  // Notes that began with a copy say nothing of what the tools of the original did.
  return { entries, bound: bound && !entries.some((entry) => entry.kind === 'lineage' && entry.unnoted) };
}

export async function isWritten({ store, id, here }: Where): Promise<boolean> {
  if (here) return false;
  const writer = await store.writer(id);
  // In this process "here" is as far away as any other place.
  return writer === 'elsewhere' || writer === 'here';
}

/** The first record, if it begins a run. */
async function metaOf(slice: Slice): Promise<RunRecord['meta']> {
  for (let length = 16 * 1024; ; length *= 8) {
    const { bytes } = await slice(0, length);
    const end = bytes.indexOf(0x0a);
    if (end >= 0) return readJournal(bytes.subarray(0, end + 1)).records[0]?.meta;
    if (bytes.length < length || length > RECORD_LIMIT) return undefined;
  }
}

function overviewOf(
  { transcript, allowance }: Assembly,
  sidecar: readonly SidecarEntry[],
  state: RunState | undefined,
  first?: RunRecord,
): Omit<RunOverview, 'bytes' | 'warnings'> {
  return {
    ...places(sidecar),
    ...endedIn(sidecar, transcript.lastSeq),
    lastSeq: transcript.lastSeq,
    items: transcript.length,
    chat: state?.interactive ?? first?.meta?.interactive ?? false,
    ...(state && { fingerprint: state.fingerprint, counters: state.counters, prompt: state.prompt }),
    nextIteration: state?.next_iteration ?? 0,
    steps: allowance.steps,
    tokens: allowance.tokens,
  };
}

function readable(reading: Reading) {
  return {
    records: reading.records,
    places: reading.places,
    sidecar: [],
    sidecarBound: false,
    size: reading.size,
    warnings: reading.warnings,
    ...(reading.folded && { state: reading.folded.state }),
  };
}
