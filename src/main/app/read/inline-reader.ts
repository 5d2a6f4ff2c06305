import { foundAs } from '../../../shared/text/find';
import type { Stand } from '../../../shared/contract/reading';
import { Failure, isFailure } from '../../../shared/run/failure';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import type { RunStore } from '../../journal/journal';
import { loadAround } from './around';
import { Assembly } from './build';
import { loadAll, loadEnding, loadMore, sizesOf, type Loaded, type Sizes, type Where } from './load';
import { compare, inFront } from './compare';
import { itemsAt } from './page';
import { Finder, indexOfKey, locate, modelsOf, type Hit, type Target } from './places';
import type {
  AroundPage,
  Fed,
  ItemChange,
  ItemPage,
  Reader,
  RecordPart,
  RunOverview,
  TextPart,
  TurnPage,
} from './reader';
import { piece, recordPart } from './record-part';
import { SearchTexts } from './search-texts';
import { HeldRecords } from './source';
import { standAt } from './stand';
import type { LiveMarks, ToolWords } from './transcript';

interface Held extends Loaded {
  /** Nothing of it is stored. */
  private: boolean;
  used: number;
}

/** A reading of a whole run that is under way. */
interface Under {
  part: number;
  held: Promise<Held>;
}

/** Runs that are held at the same time, watched or not, and the bytes of journal that they may have together. */
const HELD_RUNS = 8;
const HELD_BYTES = 256 * 1024 * 1024;
const LONGEST_FIND = 10_000;
/** Milliseconds for which the texts of a run are held after a search in it. */
const SEARCHED_MS = 60_000;
/** Items that are given before and behind the one in which a record stands. */
const AROUND_BEFORE = 40;
const AROUND_BEHIND = 80;

const notThere = () => new Failure({ code: 'not_found', message: 'There is no such run.' });

/** Reads in the process that it is made in. In the product that is a worker, see worker-reader.ts. */
export class InlineReader implements Reader {
  readonly #held = new Map<string, Held>();
  /** Ends of long runs, until all of them is read. */
  readonly #endings = new Map<string, Held>();
  readonly #reading = new Map<string, Under>();
  /** Of runs that are written here; outlives what is held of them. */
  readonly #marks = new Map<string, LiveMarks>();
  /** What is waited for by somebody who reads: whole runs are read on after it. */
  #sooner: Promise<unknown> | undefined;
  /** The texts of the run that was searched last, for the next search in it. */
  #searched: { held: Held; texts: SearchTexts } | undefined;
  #unsearched: NodeJS.Timeout | undefined;
  #clock = 0;

  constructor(
    private readonly store: RunStore | undefined,
    private readonly tools: ToolWords,
    private readonly sizes?: Partial<Sizes> | undefined,
  ) {}

  async open(id: string, quick = false, here = false): Promise<RunOverview> {
    if (here && !this.#marks.has(id)) this.#marks.set(id, { alive: true });
    const held = this.#held.get(id);
    if (held?.private) return held.overview;
    if (held) return (await this.refresh(id)).overview;
    const ending = quick ? await this.#ending(id) : undefined;
    return ending?.overview ?? (await this.#read(id)).overview;
  }

  async whole(id: string): Promise<{ overview: RunOverview; before?: number }> {
    const ending = this.#endings.get(id);
    const held = await this.#get(id);
    this.#endings.delete(id);
    const before = ending && inFront(ending.transcript, held.transcript);
    return { overview: held.overview, ...(before !== undefined && { before }) };
  }

  async progress(id: string): Promise<number> {
    return this.#reading.get(id)?.part ?? 1;
  }

  async begin(id: string): Promise<void> {
    const assembly = new Assembly(this.tools, { bound: true, private: true }, []);
    this.#marks.set(id, { alive: true });
    assembly.transcript.mark({ alive: true });
    this.#hold(id, {
      assembly,
      transcript: assembly.transcript,
      source: new HeldRecords(),
      writing: false,
      overview: { lastSeq: 0, records: 0, items: 0, bytes: 0, warnings: [], chat: true, nextIteration: 0 },
      private: true,
      used: 0,
    });
  }

  async feed(id: string, records: Fed[], notes: SidecarEntry[]): Promise<ItemChange> {
    const held = await this.#get(id);
    const { assembly, transcript, source } = held;
    const touched: number[] = [];
    let again = false;
    const take = (told: { changed: number[]; again: boolean }): void => {
      touched.push(...told.changed);
      again ||= told.again;
    };
    for (const note of notes)
      if (note.kind === 'partial') take(assembly.cut(note));
      else touched.push(...transcript.note(note));
    for (const { record, at, place } of records) {
      if (record.seq > transcript.lastSeq) source.add(record, place);
      take(assembly.fed(record, at));
    }
    const change = await this.#change(held, again ? [] : touched);
    return again ? { ...change, again } : change;
  }

  async refresh(id: string): Promise<{ overview: RunOverview; change: ItemChange }> {
    const before = this.#held.get(id);
    if (before?.private) return { overview: before.overview, change: await this.#change(before, []) };
    const more = before && (await this.#more(id, before));
    if (before && more) {
      const change = await this.#change(before, more.again ? [] : more.changed);
      return { overview: before.overview, change: { ...change, ...(more.again && { again: true }) } };
    }
    const held = await this.#read(id);
    if (!before) return { overview: held.overview, change: await this.#change(held, []) };
    const { touched, again } = await compare(before, held);
    const change = await this.#change(held, again ? [] : touched);
    return { overview: held.overview, change: { ...change, ...(again && { again }) } };
  }

  async mark(id: string, marks: LiveMarks): Promise<ItemChange> {
    const held = await this.#get(id);
    if (marks.alive) this.#marks.set(id, marks);
    else this.#marks.delete(id);
    return this.#change(held, held.transcript.mark(this.#marksOf(id, held)));
  }

  async items(id: string, from: number, limit: number): Promise<ItemPage> {
    const ending = this.#endings.get(id);
    const { transcript, source } = ending ?? (await this.#get(id));
    const indices: number[] = [];
    for (let index = from; index < Math.min(from + limit, transcript.length); index++) indices.push(index);
    const { length: total, lastSeq } = transcript;
    const items = await itemsAt(transcript, source, indices);
    return { items, from, total, lastSeq, ...(ending && { tail: true }) };
  }

  async text(
    id: string,
    key: string,
    part: 'text' | 'input' | 'result',
    from: number,
    limit: number,
  ): Promise<TextPart> {
    const ending = this.#endings.get(id);
    // Items around a record of a run that is not read yet are not among those of its end.
    const known = ending && indexOfKey(ending.transcript, key) !== undefined ? ending : undefined;
    const { transcript, source } = known ?? (await this.#get(id));
    const index = indexOfKey(transcript, key);
    const text = index === undefined ? undefined : await transcript.text(index, part, source);
    if (text === undefined)
      throw new Failure({ code: 'not_found', message: 'There is no such text in this run.' });
    return piece(text, from, limit);
  }

  async find(id: string, words: string): Promise<{ hits: Hit[]; total: number }> {
    const held = await this.#get(id);
    const wanted = foundAs(words);
    if (wanted === '') return { hits: [], total: 0 };
    const texts =
      this.#searched?.held === held
        ? this.#searched.texts
        : new SearchTexts(held.source, sizesOf({ sizes: this.sizes }).texts);
    this.#searched = { held, texts };
    clearTimeout(this.#unsearched);
    this.#unsearched = setTimeout(() => (this.#searched = undefined), SEARCHED_MS).unref();
    const finder = new Finder(held.transcript, wanted);
    await texts.find(wanted, finder.found);
    return finder.all(LONGEST_FIND);
  }

  async record(id: string, seq: number, from: number, limit: number): Promise<RecordPart> {
    const ending = this.#endings.get(id);
    const known = ending?.source.place(seq) ? ending : undefined;
    const { transcript, source } = known ?? (await this.#get(id));
    return recordPart(transcript, source, seq, from, limit, known === undefined);
  }

  async around(id: string, seq: number): Promise<AroundPage> {
    if (!this.#endings.has(id)) return { items: [], at: 0 };
    const loading = loadAround(this.#where(id), seq);
    this.#sooner = loading.catch(() => undefined);
    const near = await loading;
    const index = near && locate(near.transcript, { seq });
    if (!near || index === undefined) return { items: [], at: 0 };
    const { transcript, source } = near;
    transcript.mark(this.#marksOf(id, near));
    const from = Math.max(0, index - AROUND_BEFORE);
    const to = Math.min(transcript.length, index + AROUND_BEHIND);
    const indices = Array.from({ length: to - from }, (_, n) => from + n);
    return { items: await itemsAt(transcript, source, indices), at: index - from };
  }

  async locate(id: string, target: Target): Promise<{ index?: number; key?: string }> {
    const { transcript } = await this.#get(id);
    const index = locate(transcript, target);
    const key = index === undefined ? undefined : transcript.slot(index)?.key;
    return index === undefined || key === undefined ? {} : { index, key };
  }

  async turns(id: string, from: number, limit: number): Promise<TurnPage> {
    const { transcript, overview } = await this.#get(id);
    const { rows } = transcript.outline;
    const wanted = rows.slice(from, from + limit);
    return {
      rows: wanted.flatMap((_, n) => transcript.row(from + n) ?? []),
      total: rows.length,
      lastSeq: transcript.lastSeq,
      turns: rows.filter(({ kind }) => kind === 'turn').length,
      models: modelsOf(transcript, overview.fingerprint),
    };
  }

  async stand(id: string, seq: number): Promise<Stand> {
    return standAt((await this.#get(id)).source, seq);
  }

  async drop(id: string): Promise<void> {
    if (this.#searched?.held === this.#held.get(id)) this.#searched = undefined;
    this.#held.delete(id);
    this.#endings.delete(id);
    this.#marks.delete(id);
  }

  async close(): Promise<void> {
    clearTimeout(this.#unsearched);
    this.#searched = undefined;
    this.#held.clear();
    this.#endings.clear();
  }

  async #get(id: string): Promise<Held> {
    const held = this.#held.get(id);
    if (held) {
      held.used = ++this.#clock;
      return held;
    }
    return this.#read(id);
  }

  #where(id: string): Where {
    if (!this.store) throw notThere();
    const here = this.#marks.get(id)?.alive === true;
    return { store: this.store, id, tools: this.tools, here, sizes: this.sizes };
  }

  /** The end of a long run; all of it is read meanwhile. */
  async #ending(id: string): Promise<Held | undefined> {
    const known = this.#endings.get(id);
    if (known && this.#reading.has(id)) return known;
    const loaded = await loadEnding(this.#where(id));
    if (!loaded || this.#held.has(id)) return undefined;
    const held = { ...loaded, private: false, used: 0 };
    held.transcript.mark(this.#marksOf(id, held));
    this.#endings.set(id, held);
    // Who waits for the whole is told of what went wrong; here only that the end alone is no more to be shown.
    this.#read(id).catch(() => this.#endings.delete(id));
    return held;
  }

  /** One reading of a run at a time; who asks meanwhile gets its result. */
  #read(id: string): Promise<Held> {
    const running = this.#reading.get(id);
    if (running) return running.held;
    const under: Under = { part: 0, held: this.#all(id, (part) => (under.part = part)) };
    this.#reading.set(id, under);
    const over = () => {
      if (this.#reading.get(id) === under) this.#reading.delete(id);
    };
    under.held.then(over, over);
    return under.held;
  }

  async #all(id: string, progress: (part: number) => void): Promise<Held> {
    const loaded = await loadAll(this.#where(id), progress, () => this.#sooner);
    const held: Held = { ...loaded, private: false, used: 0 };
    held.transcript.mark(this.#marksOf(id, held));
    return this.#hold(id, held);
  }

  async #more(id: string, held: Held): Promise<{ changed: number[]; again: boolean } | undefined> {
    try {
      const more = await loadMore(this.#where(id), held);
      if (!more) return undefined;
      return { ...more, changed: [...more.changed, ...held.transcript.mark(this.#marksOf(id, held))] };
    } catch (error) {
      if (isFailure(error, 'conflict')) return undefined;
      throw error;
    }
  }

  #marksOf(id: string, held: Pick<Loaded, 'writing'>): LiveMarks {
    return this.#marks.get(id) ?? (held.writing ? { alive: true, elsewhere: true } : { alive: false });
  }

  async #change(held: Held, touched: number[]): Promise<ItemChange> {
    const { transcript, source } = held;
    held.overview.items = transcript.length;
    // What is written live has no gaps.
    if (held.overview.records !== undefined)
      held.overview.records += transcript.lastSeq - held.overview.lastSeq;
    held.overview.lastSeq = transcript.lastSeq;
    const { length: total, lastSeq } = transcript;
    const indices = [...new Set(touched)].sort((a, b) => a - b);
    return { items: await itemsAt(transcript, source, indices), total, lastSeq };
  }

  #hold(id: string, held: Held): Held {
    held.used = ++this.#clock;
    this.#held.set(id, held);
    let bytes = 0;
    const byUse = [...this.#held].sort(([, a], [, b]) => b.used - a.used);
    for (const [n, [other, each]] of byUse.entries()) {
      bytes += each.going ? 0 : each.overview.bytes;
      if (other !== id && !each.private && (n >= HELD_RUNS || bytes > HELD_BYTES)) this.#held.delete(other);
    }
    return held;
  }
}
