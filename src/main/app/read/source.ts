import { readJournal } from '../../../shared/run/codec';
import type { RunRecord } from '../../../shared/run/record';
import type { RecordPlace } from '../../journal/journal';
import { moved, scanJournal, type Slice } from './scan';
import type { Records } from './slots';

export type Place = Pick<RecordPlace, 'offset' | 'bytes'>;

export interface Neighbours {
  nth: number;
  of: number;
  before: number | undefined;
  after: number | undefined;
}

/** Where the records of a run are got from. Fails with the store's Failures. */
export interface Source {
  /** These records, as far as the run has them. */
  fetch(seqs: readonly number[]): Promise<Records>;
  /** Where a record stands; undefined where that is not known. */
  place(seq: number): Place | undefined;
  /** Which of the records known here it is, counted from 1, of how many, and the numbers of those beside it. */
  around(seq: number): Neighbours;
  /** The bytes of a record as the journal has them; undefined: not stored. */
  line(seq: number): Promise<Uint8Array | undefined>;
  /** All records behind record `after` in their order, until `visit` says false. */
  each(visit: (record: RunRecord) => boolean, after?: number): Promise<void>;
  add(record: RunRecord, place: Place | undefined): void;
}

/** Records that are nowhere but here (private runs), or came from a store that gives them only as a whole. */
export class HeldRecords implements Source {
  readonly #records = new Map<number, RunRecord>();
  readonly #places = new Map<number, Place>();

  /** `bytes`: the journal, where there is one; what stands there is shown, not what would be written today. */
  constructor(private readonly bytes?: () => Promise<Uint8Array>) {}

  async fetch(): Promise<Records> {
    return this.#records;
  }
  place(seq: number): Place | undefined {
    return this.#places.get(seq);
  }
  around(seq: number): Neighbours {
    return beside([...this.#records.keys()], seq);
  }
  async line(seq: number): Promise<Uint8Array | undefined> {
    const place = this.#places.get(seq);
    const bytes = place && (await this.bytes?.());
    return place && bytes?.subarray(place.offset, place.offset + place.bytes);
  }
  async each(visit: (record: RunRecord) => boolean, after = 0): Promise<void> {
    for (const record of this.#records.values()) if (record.seq > after && !visit(record)) return;
  }
  add(record: RunRecord, place: Place | undefined): void {
    this.#records.set(record.seq, record);
    if (place) this.#places.set(record.seq, { offset: place.offset, bytes: place.bytes });
  }
}

/** Bytes of journal whose records are kept decoded. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Records that lie this near to each other are read together, up to so many bytes. */
const NEAR = 64 * 1024;
const TOGETHER = 8 * 1024 * 1024;
/** Bytes that are read at once when all are read. */
const PIECE = 1024 * 1024;

/**
 * Records that are read from their journal when they are wanted: held are their places, two numbers each, and the few
 * that were wanted last.
 */
export class StoredRecords implements Source {
  /** In the order of the journal, which is that of their numbers. */
  readonly #seqs: number[] = [];
  readonly #offsets: number[] = [];
  readonly #bytes: number[] = [];
  readonly #kept = new Map<number, RunRecord>();
  #keptBytes = 0;

  constructor(
    private readonly slice: Slice,
    readonly identity: string,
  ) {}

  add(record: RunRecord, place: Place | undefined): void {
    if (!place || record.seq <= (this.#seqs.at(-1) ?? 0)) return;
    this.#seqs.push(record.seq);
    this.#offsets.push(place.offset);
    this.#bytes.push(place.bytes);
  }

  place(seq: number): Place | undefined {
    const at = this.#find(seq);
    return at === undefined ? undefined : { offset: this.#offsets[at] ?? 0, bytes: this.#bytes[at] ?? 0 };
  }

  around(seq: number): Neighbours {
    return beside(this.#seqs, seq, this.#find(seq));
  }

  async fetch(seqs: readonly number[]): Promise<Records> {
    const found = new Map<number, RunRecord>();
    const missing: number[] = [];
    for (const seq of new Set(seqs)) {
      const kept = this.#kept.get(seq);
      if (kept) {
        this.#keep(seq, kept);
        found.set(seq, kept);
      } else if (this.#find(seq) !== undefined) missing.push(seq);
    }
    missing.sort((a, b) => a - b);
    for (let at = 0; at < missing.length;) at = await this.#fetchNear(missing, at, found);
    return found;
  }

  async line(seq: number): Promise<Uint8Array | undefined> {
    const place = this.place(seq);
    return place && this.#read(place.offset, place.bytes);
  }

  async each(visit: (record: RunRecord) => boolean, after = 0): Promise<void> {
    const last = this.#seqs.at(-1) ?? 0;
    if (last <= after) return;
    const known = this.place(after);
    await scanJournal(
      this.slice,
      { offset: known ? known.offset + known.bytes + 1 : 0, line: 0, records: 0 },
      (record) => record.seq <= last && visit(record),
      { identity: this.identity, piece: PIECE },
    );
  }

  /** Reads the wanted record at `at` and those that lie right behind it; gives where to go on. */
  async #fetchNear(wanted: readonly number[], at: number, found: Map<number, RunRecord>): Promise<number> {
    const places = wanted.slice(at).map((seq) => this.place(seq) as Place);
    const start = (places[0] as Place).offset;
    let count = 1;
    let end = start + (places[0] as Place).bytes;
    for (let place = places[count]; place; place = places[count]) {
      const to = place.offset + place.bytes;
      if (place.offset - end > NEAR || to - start > TOGETHER) break;
      end = to;
      count += 1;
    }
    const bytes = await this.#read(start, end - start);
    for (let n = 0; n < count; n++) {
      const place = places[n] as Place;
      const seq = wanted[at + n] as number;
      const record = decode(bytes.subarray(place.offset - start, place.offset - start + place.bytes));
      if (record.seq !== seq) throw moved();
      found.set(seq, record);
      this.#keep(seq, record);
    }
    return at + count;
  }

  async #read(offset: number, length: number): Promise<Uint8Array> {
    const { bytes, identity } = await this.slice(offset, length);
    if (identity !== this.identity || bytes.length < length) throw moved();
    return bytes;
  }

  /** Puts it behind the others; the first ones go when they are too many. One that is larger than all is not kept. */
  #keep(seq: number, record: RunRecord): void {
    const size = (of: number) => this.place(of)?.bytes ?? 0;
    if (this.#kept.delete(seq)) this.#keptBytes -= size(seq);
    if (size(seq) > KEPT_BYTES / 2) return;
    this.#kept.set(seq, record);
    this.#keptBytes += size(seq);
    for (const [first] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) return;
      this.#kept.delete(first);
      this.#keptBytes -= size(first);
    }
  }

  #find(seq: number): number | undefined {
    let [low, high] = [0, this.#seqs.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const there = this.#seqs[middle] ?? 0;
      if (there === seq) return middle;
      if (there < seq) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}

const beside = (seqs: readonly number[], seq: number, at = seqs.indexOf(seq)): Neighbours => ({
  nth: at + 1,
  of: seqs.length,
  before: seqs[at - 1],
  after: seqs[at + 1],
});

function decode(line: Uint8Array): RunRecord {
  const [record] = readJournal(line).records;
  if (!record) throw moved();
  return record;
}
