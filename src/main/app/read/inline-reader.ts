import { TEXT_LIMIT, type TranscriptItem } from '../../../shared/contract/items';
import { FRAME_LIMIT } from '../../../shared/contract/frame';
import { encodeRecord } from '../../../shared/run/codec';
import { Failure, isFailure } from '../../../shared/run/failure';
import type { RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import type { LoadedRun, RecordPlace, RunStore } from '../../journal/journal';
import { readRunGently, type Reading } from '../../journal/read';
import { buildTranscript } from './build';
import { cut } from './call-item';
import type { ItemChange, ItemPage, Reader, RecordPart, RunOverview, TextPart } from './reader';
import { Transcript, type Hit, type LiveMarks, type ToolWords } from './transcript';

interface Held {
  transcript: Transcript;
  /** Nothing of it is stored. */
  private: boolean;
  records: Map<number, RunRecord>;
  /** Where records stand, as far as they were read from the journal. */
  places: Map<number, RecordPlace>;
  overview: RunOverview;
  used: number;
}

/** Runs that are held at the same time, watched or not, and the bytes of journal that they may have together. */
const HELD_RUNS = 8;
const HELD_BYTES = 256 * 1024 * 1024;
/** A page is made to fit its frame with room to spare. */
const PAGE_BYTES = FRAME_LIMIT * 0.7;
const LONGEST_FIND = 10_000;

const notThere = () => new Failure({ code: 'not_found', message: 'There is no such run.' });

/** Reads in the process that it is made in. In the product that is a worker, see worker-reader.ts. */
export class InlineReader implements Reader {
  readonly #held = new Map<string, Held>();
  readonly #reading = new Map<string, Promise<Held>>();
  /** Of runs that are written here; outlives what is held of them. */
  readonly #marks = new Map<string, LiveMarks>();
  #clock = 0;

  constructor(
    private readonly store: RunStore | undefined,
    private readonly tools: ToolWords,
  ) {}

  async open(id: string): Promise<RunOverview> {
    const held = this.#held.get(id);
    if (held?.private) return held.overview;
    return (await this.#read(id)).overview;
  }

  async begin(id: string): Promise<void> {
    const transcript = new Transcript(this.tools, true);
    this.#marks.set(id, { alive: true });
    transcript.mark({ alive: true });
    const overview = { lastSeq: 0, items: 0, bytes: 0, warnings: [], chat: true, nextIteration: 0 };
    this.#hold(id, {
      transcript,
      private: true,
      records: new Map(),
      places: new Map(),
      overview,
      used: 0,
    });
  }

  async feed(
    id: string,
    records: { record: RunRecord; at?: string }[],
    notes: SidecarEntry[],
  ): Promise<ItemChange> {
    const held = await this.#get(id);
    const touched: number[] = [];
    for (const note of notes) touched.push(...held.transcript.note(note));
    for (const { record, at } of records) {
      if (record.seq > held.transcript.lastSeq) held.records.set(record.seq, record);
      touched.push(...held.transcript.push(record, at));
    }
    return change(held, touched);
  }

  async refresh(id: string): Promise<{ overview: RunOverview; change: ItemChange }> {
    const before = this.#held.get(id);
    const held = await this.#read(id);
    if (!before) return { overview: held.overview, change: change(held, []) };
    const [old, now] = [before.transcript, held.transcript];
    const touched: number[] = [];
    let again = now.length < old.length;
    for (let index = 0; index < now.length && !again; index++) {
      // Items before the last few records cannot have changed, but for calls that were open.
      const is = now.item(index, 200);
      const was = index < old.length ? old.item(index, 200) : undefined;
      if (was && is && was.key !== is.key) again = true;
      else if (JSON.stringify(was) !== JSON.stringify(is)) touched.push(index);
    }
    return {
      overview: held.overview,
      change: { ...change(held, again ? [] : touched), ...(again && { again }) },
    };
  }

  async mark(id: string, marks: LiveMarks): Promise<ItemChange> {
    const held = await this.#get(id);
    if (marks.alive) this.#marks.set(id, marks);
    else this.#marks.delete(id);
    return change(held, held.transcript.mark(marks));
  }

  async items(id: string, from: number, limit: number): Promise<ItemPage> {
    const held = await this.#get(id);
    const { transcript } = held;
    const indices: number[] = [];
    for (let index = from; index < Math.min(from + limit, transcript.length); index++) indices.push(index);
    return {
      items: fitting(transcript, indices),
      from,
      total: transcript.length,
      lastSeq: transcript.lastSeq,
    };
  }

  async text(
    id: string,
    key: string,
    part: 'text' | 'input' | 'result',
    from: number,
    limit: number,
  ): Promise<TextPart> {
    const text = (await this.#get(id)).transcript.text(key, part);
    if (text === undefined)
      throw new Failure({ code: 'not_found', message: 'There is no such text in this run.' });
    return piece(text, from, limit);
  }

  async find(id: string, words: string): Promise<{ hits: Hit[]; total: number }> {
    const found = (await this.#get(id)).transcript.find(words);
    return { hits: found.hits.slice(0, LONGEST_FIND), total: found.total };
  }

  async record(id: string, seq: number, from: number, limit: number): Promise<RecordPart> {
    const held = await this.#get(id);
    const record = held.records.get(seq);
    if (!record) throw new Failure({ code: 'not_found', message: `This run has no record ${seq}.` });
    let text = encodeRecord(record);
    let place: Pick<RecordPlace, 'offset' | 'bytes'> = { offset: 0, bytes: Buffer.byteLength(text) };
    if (!held.private && this.store) {
      // What stands in the journal, not what would be written today.
      const bytes = await this.store.bytes(id);
      const found =
        held.places.get(seq) ?? (await readRunGently(bytes)).places.find((each) => each.seq === seq);
      if (found) {
        place = found;
        text = Buffer.from(bytes.subarray(found.offset, found.offset + found.bytes)).toString('utf8');
      }
    }
    const item = held.transcript.timeOf(seq);
    return {
      kind: kindOf(record),
      offset: place.offset,
      bytes: place.bytes,
      ...(item !== undefined && { at: item }),
      ...piece(text, from, limit),
    };
  }

  async drop(id: string): Promise<void> {
    this.#held.delete(id);
    this.#marks.delete(id);
  }

  async close(): Promise<void> {
    this.#held.clear();
  }

  async #get(id: string): Promise<Held> {
    const held = this.#held.get(id);
    if (held) {
      held.used = ++this.#clock;
      return held;
    }
    return this.#read(id);
  }

  /** One reading of a run at a time; who asks meanwhile gets its result. */
  #read(id: string): Promise<Held> {
    const running = this.#reading.get(id);
    if (running) return running;
    const reading = this.#readNow(id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #readNow(id: string): Promise<Held> {
    if (!this.store) throw notThere();
    let run: Pick<LoadedRun, 'records' | 'places' | 'sidecar' | 'sidecarBound' | 'size' | 'warnings'> & {
      state?: LoadedRun['state'];
    };
    let failure: Failure | undefined;
    try {
      run = await this.store.load(id);
    } catch (error) {
      if (!isFailure(error) || !DAMAGE.has(error.code)) throw error;
      failure = error;
      run = readable(await readRunGently(await this.store.bytes(id)));
    }
    const transcript = buildTranscript(run.records, run.sidecar, run.sidecarBound, this.tools);
    if (failure) transcript.damage(failure.message);
    transcript.mark(this.#marks.get(id) ?? { alive: false });
    const config = run.sidecar.findLast((entry) => entry.kind === 'config');
    const { state } = run;
    const overview: RunOverview = {
      lastSeq: transcript.lastSeq,
      items: transcript.length,
      bytes: run.size,
      warnings: run.warnings.slice(0, 200),
      ...(failure && { failure: failure.toJSON() }),
      chat: state?.interactive ?? run.records[0]?.meta?.interactive ?? false,
      ...(state && { fingerprint: state.fingerprint, counters: state.counters, prompt: state.prompt }),
      nextIteration: state?.next_iteration ?? 0,
      ...(config?.profile !== undefined && { profile: config.profile }),
      ...(config?.folder !== undefined && { folder: config.folder }),
      ...(config?.endpoint !== undefined && { endpoint: config.endpoint }),
    };
    const records = new Map(run.records.map((record) => [record.seq, record]));
    const places = new Map(run.places.map((place) => [place.seq, place]));
    return this.#hold(id, { transcript, private: false, records, places, overview, used: 0 });
  }

  #hold(id: string, held: Held): Held {
    held.used = ++this.#clock;
    this.#held.set(id, held);
    let bytes = 0;
    const byUse = [...this.#held].sort(([, a], [, b]) => b.used - a.used);
    for (const [n, [other, each]] of byUse.entries()) {
      bytes += each.overview.bytes;
      if (other !== id && !each.private && (n >= HELD_RUNS || bytes > HELD_BYTES)) this.#held.delete(other);
    }
    return held;
  }
}

const DAMAGE = new Set(['corrupt', 'version', 'no_meta', 'empty']);

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

function change(held: Held, touched: number[]): ItemChange {
  const { transcript } = held;
  held.overview.items = transcript.length;
  held.overview.lastSeq = transcript.lastSeq;
  const indices = [...new Set(touched)].sort((a, b) => a - b);
  return { items: fitting(transcript, indices), total: transcript.length, lastSeq: transcript.lastSeq };
}

/** The items, their texts cut shorter where they would not fit a frame together. */
function fitting(transcript: Transcript, indices: readonly number[]): TranscriptItem[] {
  for (let limit = TEXT_LIMIT; ; limit = Math.floor(limit / 4)) {
    const items = indices.flatMap((index) => transcript.item(index, limit) ?? []);
    if (limit < 50 || JSON.stringify(items).length * 1.5 < PAGE_BYTES) return items;
  }
}

/** A piece of a text that starts and ends between characters. */
function piece(text: string, from: number, limit: number): TextPart {
  const start = (text.charCodeAt(from) & 0xfc00) === 0xdc00 ? from + 1 : from;
  return { text: cut(text.slice(start), limit).text, total: text.length };
}

const kindOf = (record: RunRecord) =>
  (['meta', 'assistant', 'user', 'tool_result', 'terminal'] as const).find((kind) => record[kind]) ??
  record.protocol;
