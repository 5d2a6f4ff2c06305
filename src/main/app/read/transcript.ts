import { TEXT_LIMIT, type CallState, type TranscriptItem } from '../../../shared/contract/items';
import type { TurnRow } from '../../../shared/contract/reading';
import { isEmptyAnswer } from '../../../shared/run/empty-answer';
import { CallPairs } from '../../../shared/run/pairs';
import type { Block, RunRecord, ToolResultBlock } from '../../../shared/run/record';
import { resultOutcome } from '../../../shared/run/result-words';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { callItem, type CallFacts } from './call-item';
import { Outline } from './outline';
import {
  recordsOf,
  resultOf,
  slotItem,
  textOf,
  type Records,
  type Result,
  type Said,
  type Slot,
} from './slots';

/** What the transcript needs to know of a tool: whether it changes things, and its line for an input. */
export interface ToolWords {
  changes(tool: string): boolean | undefined;
  line(tool: string, input: string): string;
}

/** What only the process that writes the run knows of it now. */
export interface LiveMarks {
  /** Somebody writes: unanswered calls are on their way, not forgotten. */
  alive: boolean;
  /** It is another process that writes: what runs there shows in the notes only. */
  elsewhere?: boolean;
  running?: string | undefined;
  waiting?: string | undefined;
}

/** The iteration of what stands oddly in a message of the person. */
const ODD_ITERATION = -1;
/** So many items from the end may still learn their time. */
const LATE = 300;

export interface TranscriptOptions {
  /** The run has a sidecar of its own, so a call without an intent never started. */
  bound: boolean;
  /** Nothing of it is written: whatever happened came by here. */
  private?: boolean;
  /** Only the end of the run is given: a result whose call is not there answers an earlier one. */
  tail?: boolean;
}

/**
 * What a transcript shows, kept in step with its records: each push costs the same however long the run is. Calls and
 * results are paired by id over the whole conversation. Texts are not held: whoever asks for an item brings its records.
 */
export class Transcript {
  readonly outline = new Outline();
  readonly #slots: Slot[] = [];
  readonly #pairs = new CallPairs<number>();
  /** Calls without a result. */
  readonly #open = new Set<number>();
  readonly #times = new Map<number, string>();
  /** Turns that the notes are known to have seen. */
  readonly #seen = new Set<number>();
  readonly #intents = new Map<string, { at: string; changes: boolean }>();
  readonly #clips = new Map<string, string>();
  #end: number | undefined;
  /** The reply that a crash cut off, and the slot in front of which it is shown. */
  #lost: { slot: Slot; before: number } | undefined;
  #marks: LiveMarks = { alive: false };
  #lastSeq = 0;
  #begun = 0;
  readonly #bound: boolean;
  readonly #private: boolean;
  readonly #tail: boolean;

  constructor(
    private readonly tools: ToolWords,
    options: TranscriptOptions,
  ) {
    this.#bound = options.bound;
    this.#private = options.private === true;
    this.#tail = options.tail ?? false;
  }

  get length(): number {
    return this.#slots.length + (this.#lost ? 1 : 0);
  }
  get lastSeq(): number {
    return this.#lastSeq;
  }
  /** Where the next record's items begin, not counting a lost reply. */
  get slots(): number {
    return this.#slots.length;
  }

  /** Adds a record; gives the indices of the items that are new or changed. Records that were seen add nothing. */
  push(record: RunRecord, at?: string): number[] {
    const { seq } = record;
    if (seq <= this.#lastSeq) return at === undefined ? [] : this.#timed(seq, at);
    this.#lastSeq = seq;
    // When a run began says its own record.
    const time = record.meta?.created ?? at;
    if (record.meta) this.#begun = seq;
    if (time !== undefined) this.#times.set(seq, time);
    const changed: number[] = [];
    if (record.terminal === undefined && this.#end !== undefined) {
      const slot = this.#slots[this.#end];
      if (slot?.kind === 'end') slot.past = true;
      changed.push(this.#end);
      this.#end = undefined;
    }
    this.outline.push(record, this.#slots.length);
    if (record.meta && record.meta.prompt !== '')
      changed.push(this.#add({ key: '1.0', seq, kind: 'prompt', block: -1 }));
    if (record.assistant) {
      const { iteration, message } = record.assistant;
      for (const [n, block] of (message.content ?? []).entries())
        changed.push(...this.#said(seq, n, block, iteration, 'assistant'));
      if (isEmptyAnswer(message, record.assistant.stop_reason))
        changed.push(this.#add({ key: `${seq}.empty`, seq, kind: 'empty', iteration }));
    }
    for (const [n, block] of (record.user?.message.content ?? []).entries())
      changed.push(...this.#said(seq, n, block, ODD_ITERATION, 'user'));
    if (record.tool_result) {
      const { result } = record.tool_result;
      changed.push(...this.#result({ key: `${seq}.0`, seq }, result, { seq, block: -1 }));
    }
    if (record.terminal) {
      const { reason, message } = record.terminal;
      this.#end = this.#add({ key: `${seq}.0`, seq, kind: 'end', reason, message, past: false });
      changed.push(this.#end);
    }
    return changed.map((slot) => this.#shown(slot));
  }

  /** Takes what the sidecar says; a seam goes to the end, so it must come between the records that it stands between. */
  note(entry: SidecarEntry): number[] {
    switch (entry.kind) {
      case 'time':
        return this.#timed(entry.seq, entry.at);
      case 'intent': {
        this.#intents.set(entry.tool_use_id, { at: entry.at, changes: entry.changes });
        return this.#callAt(entry.tool_use_id);
      }
      case 'turn':
        if (entry.sha256 !== '') this.#seen.add(entry.seq);
        return [];
      case 'clip': {
        this.#clips.set(entry.tool_use_id, entry.file);
        return this.#callAt(entry.tool_use_id);
      }
      case 'resume': {
        if (entry.changed.length === 0 && entry.endpoint === undefined) return [];
        const key = `${entry.after_seq}.seam.${entry.at}`;
        return [this.#shown(this.#add({ key, seq: entry.after_seq, kind: 'seam', entry }))];
      }
      default:
        return [];
    }
  }

  /** The reply that a crash cut off; there is one at most. `before`: the slot in front of which it is shown. */
  lose(entry: Extract<SidecarEntry, { kind: 'partial' }> | undefined, before = this.#slots.length): void {
    this.#lost = entry && {
      slot: { key: `${entry.after_seq}.lost`, seq: entry.after_seq, kind: 'lost', entry },
      before,
    };
  }
  get lost(): Extract<SidecarEntry, { kind: 'partial' }> | undefined {
    return this.#lost?.slot.kind === 'lost' ? this.#lost.slot.entry : undefined;
  }

  /** Where reading stopped, for good. */
  damage(text: string): void {
    this.#add({ key: `${this.#lastSeq + 1}.damage`, seq: this.#lastSeq, kind: 'damage', text });
  }

  /** The writer's own knowledge; gives the calls whose state may be another now. */
  mark(marks: LiveMarks): number[] {
    const before = this.#marks;
    this.#marks = marks;
    if (before.alive !== marks.alive || before.elsewhere !== marks.elsewhere)
      return [...this.#open].map((slot) => this.#shown(slot));
    const ids = new Set([before.running, before.waiting, marks.running, marks.waiting]);
    return [...ids].flatMap((id) => (id === undefined ? [] : this.#callAt(id)));
  }

  /** The item, from its records; a text that they do not have is shown as missing. */
  item(index: number, records: Records, limit = TEXT_LIMIT): TranscriptItem | undefined {
    const slot = this.slot(index);
    if (!slot) return undefined;
    const at = this.#times.get(slot.seq);
    const fork = this.#fork(slot);
    const base = {
      key: slot.key,
      seq: slot.seq,
      ...(at !== undefined && { at }),
      ...(fork !== undefined && { fork }),
    };
    if (slot.kind === 'call') return callItem(this.#facts(slot, records), base, limit, this.tools);
    return slotItem(slot, base, records, limit);
  }

  /** When a record became durable, where that is known. */
  timeOf(seq: number): string | undefined {
    return this.#times.get(seq);
  }

  /** A row of the outline as it is told: with its time, and its item counted as the window counts. */
  row(at: number): TurnRow | undefined {
    const row = this.outline.rows[at];
    const time = row && this.#times.get(row.seq);
    return row && { ...row, index: this.#rowIndex(row.index), ...(time !== undefined && { at: time }) };
  }

  /** A whole text of item `index`; undefined when it has no such text. */
  async text(
    index: number,
    part: 'text' | 'input' | 'result',
    source: { fetch(seqs: readonly number[]): Promise<Records> },
  ): Promise<string | undefined> {
    const slot = this.slot(index);
    return slot && textOf(slot, part, await source.fetch(recordsOf(slot)));
  }

  /** What item `index` is made of. */
  slot(index: number): Slot | undefined {
    const lost = this.#lost;
    if (!lost || index < lost.before) return this.#slots[index];
    return index === lost.before ? lost.slot : this.#slots[index - 1];
  }

  /** Where a slot is among the items: a lost reply stands between them. */
  #shown(slot: number): number {
    return this.#lost && slot >= this.#lost.before ? slot + 1 : slot;
  }
  /** A row may begin where nothing follows: then its item is the last one. */
  #rowIndex(slot: number): number {
    return Math.max(0, Math.min(this.length - 1, this.#shown(slot)));
  }

  #add(slot: Slot): number {
    return this.#slots.push(slot) - 1;
  }

  /** When a record became durable; gives the items that show it. Such notes come soon after their records. */
  #timed(seq: number, at: string): number[] {
    if (seq === this.#begun || this.#times.get(seq) === at) return [];
    this.#times.set(seq, at);
    const changed: number[] = [];
    for (let index = this.#slots.length - 1, steps = 0; index >= 0 && steps < LATE; index--, steps++) {
      const slot = this.#slots[index];
      if (slot?.seq === seq || (slot?.kind === 'call' && slot.result?.seq === seq)) changed.push(index);
    }
    return changed.map((slot) => this.#shown(slot));
  }

  #callAt(id: string): number[] {
    return this.#pairs.of(id).map((slot) => this.#shown(slot));
  }

  #fork(slot: Slot): number | undefined {
    const seq = slot.kind === 'call' && slot.result ? slot.result.seq : slot.seq;
    return this.outline.mayFork(seq) && slot.kind !== 'damage' ? seq : undefined;
  }

  /** One block is one item; a block of several kinds (nobody writes them) is one for each. */
  #said(seq: number, n: number, block: Block, iteration: number, said: Said): number[] {
    const added: number[] = [];
    let parts = 0;
    const place = () => ({ key: parts++ === 0 ? `${seq}.${n}` : `${seq}.${n}.${parts - 1}`, seq });
    const part = (name: 'text' | 'thinking' | 'provider') =>
      added.push(this.#add({ ...place(), kind: 'block', said, block: n, part: name, iteration }));
    if (said === 'user' && block.text?.text) added.push(this.#add({ ...place(), kind: 'prompt', block: n }));
    if (block.thinking?.text) part('thinking');
    if (said === 'assistant' && block.text?.text) part('text');
    if (block.provider) part('provider');
    if (block.tool_result) {
      added.push(...this.#result(place(), block.tool_result, { seq, block: n }));
    }
    if (block.tool_use) {
      const { id, name } = block.tool_use;
      const slot = this.#add({ ...place(), kind: 'call', said, block: n, id, tool: name, iteration });
      this.#pairs.asked(id, seq, slot);
      this.#open.add(slot);
      added.push(slot);
    }
    return added;
  }

  #result(
    place: { key: string; seq: number },
    said: ToolResultBlock,
    where: Pick<Result, 'seq' | 'block'>,
  ): number[] {
    const id = said.tool_use_id;
    const result: Result = { ...where, isError: said.is_error === true, outcome: resultOutcome(said) };
    const index = this.#pairs.answered(id);
    const slot = index === undefined ? undefined : this.#slots[index];
    if (index === undefined || slot?.kind !== 'call') {
      if (this.#tail) return [];
      return [this.#add({ ...place, kind: 'orphan', id, result })];
    }
    this.#open.delete(index);
    const failed = Number(result.isError) - Number(slot.result?.isError ?? false);
    if (failed !== 0) this.outline.failed(slot.seq, failed > 0 ? 1 : -1);
    slot.result = result;
    return [index];
  }

  #facts(slot: Extract<Slot, { kind: 'call' }>, records: Records): CallFacts {
    const intent = this.#intents.get(slot.id);
    const result = slot.result && resultOf(records, slot.result);
    const end = slot.result && this.#times.get(slot.result.seq);
    const kept = this.#clips.get(slot.id);
    return {
      id: slot.id,
      tool: slot.tool,
      iteration: slot.iteration,
      input: textOf(slot, 'input', records) ?? '',
      ...(slot.result && {
        result: { seq: slot.result.seq, isError: slot.result.isError, content: result?.content ?? '' },
      }),
      state: this.stateOf(slot),
      changes: intent?.changes ?? this.tools.changes(slot.tool) ?? true,
      startedAt: intent?.at,
      endedAt: end,
      kept,
    };
  }

  stateOf(slot: Extract<Slot, { kind: 'call' }>): CallState {
    const intent = this.#intents.get(slot.id);
    if (slot.result) {
      if (this.#bound && !intent) return 'not_run';
      // It began: a tool that is never asked about said so itself, any other was refused or stopped after a resume.
      if (intent && slot.result.outcome === 'not_run')
        return intent.changes ? 'unknown' : slot.result.isError ? 'error' : 'ok';
      return slot.result.outcome;
    }
    if (this.#marks.running === slot.id) return 'running';
    if (this.#marks.waiting === slot.id) return 'waiting';
    if (this.#marks.elsewhere) return intent ? 'running' : 'elsewhere';
    if (this.#marks.alive) return 'unanswered';
    const changes = intent?.changes ?? this.tools.changes(slot.tool) ?? true;
    if (changes && (intent || !(this.#private || this.#seen.has(slot.seq)))) return 'unknown';
    return 'unanswered';
  }
}
