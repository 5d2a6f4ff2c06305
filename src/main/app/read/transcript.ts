import { TEXT_LIMIT, type CallState, type TranscriptItem } from '../../../shared/contract/items';
import type { Block, RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { callItem, cut, type CallFacts } from './call-item';
import { blockItem, occurrences, textOf, type Result, type Slot } from './slots';

/** What the transcript needs to know of a tool: whether it changes things, and its line for an input. */
export interface ToolWords {
  changes(tool: string): boolean | undefined;
  line(tool: string, input: string): string;
}

/** What only the process that writes the run knows of it now. */
export interface LiveMarks {
  /** Somebody writes: unanswered calls are on their way, not forgotten. */
  alive: boolean;
  running?: string | undefined;
  waiting?: string | undefined;
}

/** The iteration of what stands oddly in a message of the person. */
const ODD_ITERATION = -1;

export interface Hit {
  index: number;
  key: string;
  count: number;
}

/**
 * What a transcript shows, kept in step with its records: each push costs the same however long the run is. Calls and
 * results are paired by id over the whole conversation.
 */
export class Transcript {
  readonly #slots: Slot[] = [];
  /** Indices of calls without a result. */
  readonly #open = new Set<number>();
  /** Calls by id; where an id comes again, those of its newest record. */
  readonly #calls = new Map<string, { seq: number; indices: number[] }>();
  readonly #times = new Map<number, string>();
  readonly #intents = new Map<string, { at: string; changes: boolean }>();
  readonly #clips = new Map<string, string>();
  #end: number | undefined;
  #lost: number | undefined;
  #marks: LiveMarks = { alive: false };
  #lastSeq = 0;

  /** `bound`: the run has a sidecar of its own, so a call without an intent never started. */
  constructor(
    private readonly tools: ToolWords,
    private bound: boolean,
  ) {}

  get length(): number {
    return this.#slots.length;
  }
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Adds a record; gives the indices of the items that are new or changed. Records that were seen add nothing. */
  push(record: RunRecord, at?: string): number[] {
    const { seq } = record;
    if (seq <= this.#lastSeq) return [];
    this.#lastSeq = seq;
    const time = at ?? record.meta?.created;
    if (time !== undefined) this.#times.set(seq, time);
    const changed: number[] = [];
    if (record.terminal === undefined && this.#end !== undefined) {
      const slot = this.#slots[this.#end];
      if (slot?.kind === 'end') slot.past = true;
      changed.push(this.#end);
      this.#end = undefined;
    }
    if (record.meta && record.meta.prompt !== '') {
      changed.push(this.#add({ key: '1.0', seq, kind: 'prompt', text: record.meta.prompt }));
    }
    if (record.assistant) {
      const { iteration, message } = record.assistant;
      for (const [n, block] of (message.content ?? []).entries()) {
        changed.push(...this.#said(seq, n, block, iteration, 'text'));
      }
    }
    if (record.user) {
      for (const [n, block] of (record.user.message.content ?? []).entries()) {
        changed.push(...this.#said(seq, n, block, ODD_ITERATION, 'prompt'));
      }
    }
    if (record.tool_result) changed.push(this.#result({ key: `${seq}.0`, seq }, record.tool_result.result));
    if (record.terminal) {
      const { reason, message } = record.terminal;
      this.#end = this.#add({ key: `${seq}.0`, seq, kind: 'end', reason, message, past: false });
      changed.push(this.#end);
    }
    return changed;
  }

  /** Takes what the sidecar says; entries must come before the records they speak of, or between them in their order. */
  note(entry: SidecarEntry): number[] {
    switch (entry.kind) {
      case 'time': {
        this.#times.set(entry.seq, entry.at);
        return [];
      }
      case 'intent': {
        this.#intents.set(entry.tool_use_id, { at: entry.at, changes: entry.changes });
        return this.#callAt(entry.tool_use_id);
      }
      case 'clip': {
        this.#clips.set(entry.tool_use_id, entry.file);
        return this.#callAt(entry.tool_use_id);
      }
      case 'resume': {
        if (entry.changed.length === 0 && entry.endpoint === undefined) return [];
        return [
          this.#add({
            key: `${entry.after_seq}.seam.${entry.at}`,
            seq: entry.after_seq,
            kind: 'seam',
            entry,
          }),
        ];
      }
      default:
        return [];
    }
  }

  /** The reply that a crash cut off; there is one at most, the newest. */
  lose(entry: Extract<SidecarEntry, { kind: 'partial' }>): number[] {
    if (entry.text === '' && !entry.thinking) return [];
    const key = `${entry.after_seq}.lost`;
    if (this.#lost !== undefined && this.#slots[this.#lost]?.key === key) {
      this.#slots[this.#lost] = { key, seq: entry.after_seq, kind: 'lost', entry };
      return [this.#lost];
    }
    this.#lost = this.#add({ key, seq: entry.after_seq, kind: 'lost', entry });
    return [this.#lost];
  }

  /** Where reading stopped, for good. */
  damage(text: string): void {
    this.#add({ key: `${this.#lastSeq + 1}.damage`, seq: this.#lastSeq, kind: 'damage', text });
  }

  /** The writer's own knowledge; gives the calls whose state may be another now. */
  mark(marks: LiveMarks): number[] {
    const before = this.#marks;
    this.#marks = marks;
    if (before.alive !== marks.alive) return [...this.#open];
    const ids = new Set([before.running, before.waiting, marks.running, marks.waiting]);
    return [...ids].flatMap((id) => (id === undefined ? [] : this.#callAt(id)));
  }

  item(index: number, limit = TEXT_LIMIT): TranscriptItem | undefined {
    const slot = this.#slots[index];
    if (!slot) return undefined;
    const at = this.#times.get(slot.seq);
    const base = { key: slot.key, seq: slot.seq, ...(at !== undefined && { at }) };
    switch (slot.kind) {
      case 'prompt':
        return { kind: 'prompt', ...base, ...cut(slot.text, limit) };
      case 'block':
        return blockItem(slot.block, slot.iteration, base, limit);
      case 'call':
        return callItem(this.#facts(slot), base, limit, this.tools);
      case 'orphan':
        return {
          kind: 'orphan',
          ...base,
          toolUseId: slot.id,
          isError: slot.result.isError,
          ...cut(slot.result.content, limit),
        };
      case 'end':
        return {
          kind: 'end',
          ...base,
          reason: slot.reason,
          past: slot.past,
          ...(slot.message !== undefined && { message: slot.message.slice(0, limit) }),
        };
      case 'seam':
        return {
          kind: 'seam',
          ...base,
          at: slot.entry.at,
          forced: slot.entry.forced,
          changed: slot.entry.changed,
          ...(slot.entry.endpoint && { endpoint: slot.entry.endpoint }),
        };
      case 'lost':
        return {
          kind: 'lost',
          ...base,
          at: slot.entry.at,
          ...cut(slot.entry.text, limit),
          ...(slot.entry.thinking && { thinking: slot.entry.thinking.slice(0, limit) }),
        };
      case 'damage':
        return { kind: 'notice', ...base, tone: 'bad', ...cut(slot.text, limit) };
    }
  }

  /** When a record became durable, where that is known. */
  timeOf(seq: number): string | undefined {
    return this.#times.get(seq);
  }

  /** A whole text of an item; undefined when it has no such text. */
  text(key: string, part: 'text' | 'input' | 'result'): string | undefined {
    const slot = this.#slots.find((each) => each.key === key);
    return slot && textOf(slot, part);
  }

  /** Case-insensitive, over every text of every item. */
  find(words: string): { hits: Hit[]; total: number } {
    const wanted = words.toLowerCase();
    const hits: Hit[] = [];
    let total = 0;
    if (wanted === '') return { hits, total };
    for (const [index, slot] of this.#slots.entries()) {
      let count = 0;
      for (const part of ['text', 'input', 'result'] as const)
        count += occurrences(textOf(slot, part), wanted);
      if (slot.kind === 'call') count += occurrences(slot.tool, wanted);
      if (count === 0) continue;
      total += count;
      hits.push({ index, key: slot.key, count });
    }
    return { hits, total };
  }

  #add(slot: Slot): number {
    return this.#slots.push(slot) - 1;
  }

  #callAt(id: string): number[] {
    return this.#calls.get(id)?.indices ?? [];
  }

  /** One block is one item; a block of several kinds (nobody writes them) is one for each. */
  #said(seq: number, n: number, block: Block, iteration: number, text: 'text' | 'prompt'): number[] {
    const added: number[] = [];
    const place = (): { key: string; seq: number } => ({
      key: added.length === 0 ? `${seq}.${n}` : `${seq}.${n}.${added.length}`,
      seq,
    });
    if (text === 'prompt' && block.text?.text) {
      added.push(this.#add({ ...place(), kind: 'prompt', text: block.text.text }));
    }
    if (block.thinking?.text) {
      added.push(this.#add({ ...place(), kind: 'block', block: { thinking: block.thinking }, iteration }));
    }
    if (text === 'text' && block.text?.text) {
      added.push(this.#add({ ...place(), kind: 'block', block: { text: block.text }, iteration }));
    }
    if (block.provider) {
      added.push(this.#add({ ...place(), kind: 'block', block: { provider: block.provider }, iteration }));
    }
    if (block.tool_result) added.push(this.#result(place(), block.tool_result));
    if (block.tool_use) {
      const { id, name, input } = block.tool_use;
      const at = place();
      const index = this.#add({ ...at, kind: 'call', id, tool: name, input, iteration });
      const same = this.#calls.get(id);
      if (same && same.seq === seq) same.indices.push(index);
      else this.#calls.set(id, { seq, indices: [index] });
      this.#open.add(index);
      added.push(index);
    }
    return added;
  }

  /** Answers the newest turn's first open call of that id, else its last one anew. */
  #result(place: { key: string; seq: number }, block: NonNullable<Block['tool_result']>): number {
    const result: Result = { seq: place.seq, content: block.content, isError: block.is_error === true };
    const calls = this.#calls.get(block.tool_use_id)?.indices;
    const index = calls?.find((each) => this.#open.has(each)) ?? calls?.at(-1);
    const slot = index === undefined ? undefined : this.#slots[index];
    if (index === undefined || slot?.kind !== 'call') {
      return this.#add({ ...place, kind: 'orphan', id: block.tool_use_id, result });
    }
    this.#open.delete(index);
    slot.result = result;
    return index;
  }

  #facts(slot: Extract<Slot, { kind: 'call' }>): CallFacts {
    const intent = this.#intents.get(slot.id);
    const end = slot.result && this.#times.get(slot.result.seq);
    const kept = this.#clips.get(slot.id);
    return {
      ...slot,
      state: this.#state(slot, intent),
      changes: intent?.changes ?? this.tools.changes(slot.tool) ?? true,
      startedAt: intent?.at,
      endedAt: end,
      kept,
    };
  }

  #state(slot: Extract<Slot, { kind: 'call' }>, intent: { changes: boolean } | undefined): CallState {
    if (slot.result) {
      if (this.bound && !intent) return 'not_run';
      return slot.result.isError ? 'error' : 'ok';
    }
    if (this.#marks.running === slot.id) return 'running';
    if (this.#marks.waiting === slot.id) return 'waiting';
    if (this.#marks.alive) return 'unanswered';
    const changes = intent?.changes ?? this.tools.changes(slot.tool) ?? true;
    if (changes && (intent || !this.bound)) return 'unknown';
    return 'unanswered';
  }
}
