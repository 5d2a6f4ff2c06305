import { shownText } from '../../../shared/markdown/shown';
import type { Block, RunRecord } from '../../../shared/run/record';
import { foundAs } from '../../../shared/text/find';
import { Breather } from '../../journal/read';
import { Lane } from '../lane';
import { REDACTED, type Slot } from './slots';
import type { Source } from './source';

/** Which text of a record: the block that it stands in, and what of that. */
const KINDS = { prompt: 0, text: 1, thinking: 2, provider: 3, input: 4, result: 5 } as const;
const KIND_COUNT = 6;
type Kind = keyof typeof KINDS;
/** One number for a place in a record; block -1: the record itself. */
const placeOf = (kind: Kind, block: number, user = false): number =>
  ((block + 1) * 2 + (user ? 1 : 0)) * KIND_COUNT + KINDS[kind];

/** Where the texts of an item stand: records, and places in them. */
export function placesOf(slot: Slot): { seq: number; place: number }[] {
  const result = (of: { seq: number; block: number }) => ({
    seq: of.seq,
    place: placeOf('result', of.block),
  });
  switch (slot.kind) {
    case 'prompt':
      return [
        {
          seq: slot.seq,
          place: slot.block < 0 ? placeOf('prompt', -1) : placeOf('text', slot.block, true),
        },
      ];
    case 'block':
      return [{ seq: slot.seq, place: placeOf(slot.part, slot.block, slot.said === 'user') }];
    case 'call':
      return [
        { seq: slot.seq, place: placeOf('input', slot.block, slot.said === 'user') },
        ...(slot.result ? [result(slot.result)] : []),
      ];
    case 'orphan':
      return [result(slot.result)];
    default:
      return [];
  }
}

/** An answer as it is read. */
type AsShown = (text: string) => string;

function* textsOf(record: RunRecord, asShown: AsShown): Generator<[place: number, text: string | undefined]> {
  const { meta, assistant, user, tool_result: answer } = record;
  if (meta) yield [placeOf('prompt', -1), meta.prompt];
  if (answer) yield [placeOf('result', -1), answer.result.content];
  const answered = new Set<number>();
  function* inside(blocks: readonly Block[] | null, own: boolean): Generator<[number, string | undefined]> {
    for (const [n, { text, thinking, provider, tool_use: call, tool_result: result }] of (
      blocks ?? []
    ).entries()) {
      if (text) yield [placeOf('text', n, own), own ? text.text : asShown(text.text)];
      if (thinking) yield [placeOf('thinking', n, own), thinking.text];
      // Thinking that a service keeps to itself is not shown either.
      if (provider && provider.kind !== REDACTED) yield [placeOf('provider', n, own), provider.raw];
      if (call) yield [placeOf('input', n, own), call.input];
      // Where both messages have one, that of the model counts, as in what is shown.
      if (result && !answered.has(n)) yield [placeOf('result', n), result.content];
      if (result) answered.add(n);
    }
  }
  if (assistant) yield* inside(assistant.message.content, false);
  if (user) yield* inside(user.message.content, true);
}

/** Texts as they are compared, one behind the other. */
interface Chunk {
  bytes: Buffer;
  ends: number[];
  seqs: number[];
  places: number[];
}

/** Characters of answers that one search reads as they are shown, which takes about a second a million. */
const MOST_SHOWN = 4_000_000;
/** Bytes of texts that are looked through at once. */
const CHUNK = 1024 * 1024;

/** Tells of a text in which the words stand, and how often. */
type Found = (seq: number, place: number, count: number) => void;

/**
 * The texts of one run as a search needs them, so that the next search need not decode its journal again: what came since
 * is added to them. They are bytes outside of the heap, and no more than `held`: of a longer run the rest is read each time.
 */
export class SearchTexts {
  readonly #chunks: Chunk[] = [];
  readonly #lane = new Lane();
  #bytes = 0;
  /** The last record that is held, and whether there is room for more. */
  #upTo = 0;
  #full = false;

  constructor(
    private readonly source: Source,
    private readonly held: number,
  ) {}

  /** @param words as `foundAs` gives them */
  find(words: string, found: Found): Promise<void> {
    // One at a time: the next one has what this one read.
    return this.#lane.run(() => this.#find(words, found));
  }

  async #find(words: string, found: Found): Promise<void> {
    const breather = new Breather();
    const wanted = Buffer.from(words);
    for (const chunk of this.#chunks) {
      look(chunk, wanted, found);
      if (breather.due) await breather.breathe();
    }
    const fresh = new Gatherer();
    // Of a run with very many words, those behind are looked for as they were written.
    let left = MOST_SHOWN;
    const asShown: AsShown = (text) => ((left -= text.length) < 0 ? text : shownText(text));
    const take = () => {
      const chunk = fresh.take();
      if (!chunk) return;
      look(chunk, wanted, found);
      this.#keep(chunk, fresh.last);
    };
    await this.source.each((record) => {
      for (const [place, text] of textsOf(record, asShown)) fresh.add(record.seq, place, text);
      fresh.last = record.seq;
      if (fresh.bytes >= CHUNK) take();
      return true;
    }, this.#upTo);
    take();
  }

  #keep(chunk: Chunk, last: number): void {
    this.#full ||= this.#bytes + chunk.bytes.length > this.held;
    if (this.#full) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.bytes.length;
    this.#upTo = last;
  }
}

class Gatherer {
  #texts: Buffer[] = [];
  #chunk = { ends: [] as number[], seqs: [] as number[], places: [] as number[] };
  bytes = 0;
  last = 0;

  add(seq: number, place: number, text: string | undefined): void {
    if (!text) return;
    const bytes = Buffer.from(foundAs(text));
    this.#texts.push(bytes);
    this.bytes += bytes.length;
    this.#chunk.ends.push(this.bytes);
    this.#chunk.seqs.push(seq);
    this.#chunk.places.push(place);
  }

  take(): Chunk | undefined {
    if (this.last === 0) return undefined;
    const chunk = { bytes: Buffer.concat(this.#texts), ...this.#chunk };
    this.#texts = [];
    this.#chunk = { ends: [], seqs: [], places: [] };
    this.bytes = 0;
    return chunk;
  }
}

function look({ bytes, ends, seqs, places }: Chunk, wanted: Buffer, found: Found): void {
  let entry = 0;
  let count = 0;
  const tell = () => {
    if (count > 0) found(seqs[entry] as number, places[entry] as number, count);
    count = 0;
  };
  for (let at = bytes.indexOf(wanted); at >= 0;) {
    if (at >= (ends[entry] as number)) {
      tell();
      entry = entryAt(ends, at, entry);
    }
    // One that begins in a text and ends in the next is none.
    const inside = at + wanted.length <= (ends[entry] as number);
    if (inside) count += 1;
    at = bytes.indexOf(wanted, at + (inside ? wanted.length : 1));
  }
  tell();
}

/** The first entry from `from` on that ends behind `at`. */
function entryAt(ends: readonly number[], at: number, from: number): number {
  let [low, high] = [from, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
