import type { Landmark } from '../../../shared/contract/reading';
import { occurrences, recordsOf, textOf, type Records, type Slot } from './slots';
import { placesOf } from './search-texts';
import type { Transcript } from './transcript';

export interface Hit {
  index: number;
  key: string;
  count: number;
}

/** Ends that are no failure. */
const CALM_ENDS = new Set(['completed', 'suspended']);

/** What somebody may want to be brought to. */
export interface Target {
  /** The item in which this record stands. */
  seq?: number | undefined;
  /** The item that this step (from 1) begins with. */
  step?: number | undefined;
  next?: Landmark | undefined;
  previous?: Landmark | undefined;
  /** Item that `next` and `previous` count from; absent: before the first, behind the last. */
  from?: number | undefined;
}

/** Index of the item to show; undefined where there is none. */
export function locate(transcript: Transcript, target: Target): number | undefined {
  const { seq, step, next, previous, from } = target;
  if (seq !== undefined) return ofRecord(transcript, seq);
  if (step !== undefined) return ofStep(transcript, step);
  if (next) return landmark(transcript, next, from ?? -1, 1);
  if (previous) return landmark(transcript, previous, from ?? transcript.length, -1);
  return undefined;
}

/** Index of the item of this key. */
export function indexOfKey(transcript: Transcript, key: string): number | undefined {
  for (let index = transcript.length - 1; index >= 0; index--)
    if (transcript.slot(index)?.key === key) return index;
  return undefined;
}

/** The item in which a record shows: its own first, the call that it answers, else the one before it. */
function ofRecord(transcript: Transcript, seq: number): number | undefined {
  let before: number | undefined;
  for (let index = 0; index < transcript.length; index++) {
    const slot = transcript.slot(index);
    if (!slot) continue;
    if (slot.kind !== 'seam' && slot.kind !== 'lost' && slot.seq === seq) return index;
    if (slot.kind === 'call' && slot.result?.seq === seq) return index;
    if (slot.seq <= seq) before = index;
  }
  return before ?? (transcript.length > 0 ? 0 : undefined);
}

function ofStep(transcript: Transcript, step: number): number | undefined {
  const { rows } = transcript.outline;
  const at = rows.findIndex((row) => row.kind === 'turn' && row.iteration >= step - 1);
  return transcript.row(at)?.index;
}

function landmark(transcript: Transcript, what: Landmark, from: number, by: 1 | -1): number | undefined {
  for (let index = from + by; index >= 0 && index < transcript.length; index += by) {
    const slot = transcript.slot(index);
    if (slot && (what === 'prompt' ? slot.kind === 'prompt' : isBad(transcript, slot))) return index;
  }
  return undefined;
}

function isBad(transcript: Transcript, slot: Slot): boolean {
  switch (slot.kind) {
    case 'call':
      return slot.result ? slot.result.isError : transcript.stateOf(slot) === 'unknown';
    case 'orphan':
      return slot.result.isError;
    case 'end':
      return !CALM_ENDS.has(slot.reason);
    case 'damage':
    case 'lost':
      return true;
    default:
      return false;
  }
}

/** The models that were asked, by the records after which that began. */
export function modelsOf(
  transcript: Transcript,
  recorded: { provider: string; model: string } | undefined,
): { after: number; provider: string; model: string }[] {
  const models = recorded ? [{ after: 0, provider: recorded.provider, model: recorded.model }] : [];
  for (let index = 0; index < transcript.length; index++) {
    const slot = transcript.slot(index);
    if (slot?.kind !== 'seam') continue;
    const { provider, model } = slot.entry.accepted;
    models.push({ after: slot.entry.after_seq, provider, model });
  }
  return models;
}

/** Gathers where words occur, case-insensitive, from what is found in the records. */
export class Finder {
  readonly #byPlace = new Map<number, { place: number; index: number }[]>();
  readonly #counts = new Map<number, number>();

  /** @param wanted as `foundAs` gives it, not empty */
  constructor(
    private readonly transcript: Transcript,
    wanted: string,
  ) {
    for (let index = 0; index < transcript.length; index++) {
      const slot = transcript.slot(index);
      if (!slot) continue;
      // What stands in no record, and the names of tools.
      const own =
        slot.kind === 'call' ? slot.tool : recordsOf(slot).length === 0 && textOf(slot, 'text', NONE);
      if (own) this.#add(index, occurrences(own, wanted));
      for (const { seq, place } of placesOf(slot)) {
        const list = this.#byPlace.get(seq);
        if (list) list.push({ place, index });
        else this.#byPlace.set(seq, [{ place, index }]);
      }
    }
  }

  /** The words stand in this text of a record, so many times. */
  found = (seq: number, place: number, count: number): void => {
    for (const one of this.#byPlace.get(seq) ?? []) if (one.place === place) this.#add(one.index, count);
  };

  /** At most `limit` items, in their order, and the number of all occurrences. */
  all(limit: number): { hits: Hit[]; total: number } {
    const hits = [...this.#counts]
      .sort(([a], [b]) => a - b)
      .map(([index, count]) => ({ index, count, key: this.transcript.slot(index)?.key ?? '' }));
    return { hits: hits.slice(0, limit), total: hits.reduce((sum, { count }) => sum + count, 0) };
  }

  #add(index: number, count: number): void {
    if (count > 0) this.#counts.set(index, (this.#counts.get(index) ?? 0) + count);
  }
}

const NONE: Records = new Map();
