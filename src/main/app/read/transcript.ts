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
  readonly #open = new Map<string, number>();
  readonly #calls = new Map<string, number>();
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
    if (record.meta) changed.push(this.#add({ key: '1.0', seq, kind: 'prompt', text: record.meta.prompt }));
    if (record.assistant) {
      const { iteration, message } = record.assistant;
      for (const [n, block] of (message.content ?? []).entries())
        changed.push(this.#block(seq, n, block, iteration));
    }
    if (record.user) {
      for (const [n, block] of (record.user.message.content ?? []).entries()) {
        if (block.text)
          changed.push(this.#add({ key: `${seq}.${n}`, seq, kind: 'prompt', text: block.text.text }));
        else if (block.tool_result) changed.push(this.#result(seq, n, block.tool_result));
        else changed.push(this.#block(seq, n, block, 0));
      }
    }
    if (record.tool_result) changed.push(this.#result(seq, 0, record.tool_result.result));
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
    if (before.alive !== marks.alive) return [...this.#open.values()];
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
    const index = this.#calls.get(id);
    return index === undefined ? [] : [index];
  }

  #block(seq: number, n: number, block: Block, iteration: number): number {
    const key = `${seq}.${n}`;
    if (!block.tool_use) return this.#add({ key, seq, kind: 'block', block, iteration });
    const { id, name, input } = block.tool_use;
    const index = this.#add({ key, seq, kind: 'call', id, tool: name, input, iteration });
    this.#open.set(id, index);
    this.#calls.set(id, index);
    return index;
  }

  #result(seq: number, n: number, block: NonNullable<Block['tool_result']>): number {
    const result: Result = { seq, content: block.content, isError: block.is_error === true };
    const index = this.#open.get(block.tool_use_id);
    const slot = index === undefined ? undefined : this.#slots[index];
    if (index === undefined || slot?.kind !== 'call') {
      return this.#add({ key: `${seq}.${n}`, seq, kind: 'orphan', id: block.tool_use_id, result });
    }
    this.#open.delete(block.tool_use_id);
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
