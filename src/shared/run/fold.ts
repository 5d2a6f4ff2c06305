import { Conversation, toolUseIds, userText } from './conversation';
import { corrupt, emptyRun, noMeta, wentOn, where, wrongVersion } from './fold-failures';
import { pointOf, turnAt, unanswered, type OpenTurn } from './fold-turn';
import { PROTOCOL, RECORD_VERSION } from './record';
import { readJournal } from './read';
import type { JournalRead } from './read';
import type { AssistantPayload, Message, RecordKind, RunRecord, ToolResultPayload } from './record';
import type { Counters, FoldPoint, RunFacts, RunState, RunWarning } from './state';

export { Conversation, toolUseIds, userText } from './conversation';
export { stateText } from './state-text';

/** Where a record stands, so that failures and warnings can say it. */
export interface Place {
  line: number;
  offset: number;
}

const NONE: ReadonlySet<string> = new Set();

const KINDS = new Map<string, RecordKind>(
  Object.entries(PROTOCOL).map(([kind, id]) => [id, kind as RecordKind]),
);
/** Of one kind of warning, so many are listed; a broken journal could have millions. */
const WARNINGS_PER_CODE = 100;

/**
 * Folds records one by one into the state of their run. Pure: no clock, no input or output, the same records give the
 * same state, and a journal read in one go gives what the live run had.
 *
 * `push` costs the same however long the run is. It either takes a record whole or throws a Failure and leaves
 * everything as it was: `no_meta`, `version`, `corrupt` (data: seq, line, byte where known). Records must not be changed
 * after they were pushed.
 *
 * `state` is made when it is read after a push, at the cost of a copy of the list of messages, and kept until the next
 * push. Later pushes never change a state that was handed out. Messages and blocks are shared with the records: read-only.
 */
export class Folder {
  #meta: RunRecord['meta'];
  #conversation = new Conversation();
  #open: OpenTurn | undefined;
  #counters: Counters = {
    llm_calls: 0,
    tool_calls: 0,
    remote_tool_calls: 0,
    in_tokens: 0,
    out_tokens: 0,
    cache_read_tokens: 0,
    cache_create_tokens: 0,
  };
  #nextIteration = 0;
  #stopReason = '';
  #terminal: RunState['terminal'] = null;
  #afterTerminal = false;
  #lastSeq = 0;
  #lastKind = '';
  #warnings: RunWarning[] = [];
  #warned = new Map<RunWarning['code'], number>();
  #alerts = 0;
  #records = 0;
  #state: RunState | undefined;
  /** What is being pushed, for warnings. */
  #seq = 0;
  #place: Place | undefined;
  readonly #keep: number;

  /** `keep`: so many messages are kept, the last ones; for whoever folds a long run and does not send it anywhere. */
  constructor({ keep = Infinity }: { keep?: number } = {}) {
    this.#keep = Math.max(1, keep);
  }

  /** Messages that stand before those of `state`, because only the last ones are kept. */
  get forgotten(): number {
    return this.#conversation.forgotten;
  }

  /** A fold that goes on where another one stood. `meta`: as it was pushed there. */
  static from(meta: NonNullable<RunRecord['meta']>, point: FoldPoint): Folder {
    const folder = new Folder();
    folder.#meta = meta;
    folder.#conversation.user({ role: 'user', content: [] });
    folder.#counters = { ...point.counters };
    folder.#nextIteration = point.next_iteration;
    folder.#stopReason = point.last_stop_reason;
    folder.#terminal = point.terminal;
    folder.#afterTerminal = point.terminal !== null && !point.facts.terminalIsLast;
    folder.#lastSeq = point.facts.lastSeq;
    folder.#lastKind = point.facts.lastKind;
    folder.#warned = new Map(point.warned);
    folder.#alerts = point.alerts ?? 0;
    if (point.open) folder.#open = turnAt(point.open, point.last_stop_reason);
    return folder;
  }

  /** Where this fold stands. Throws Failure `empty` before the first record. */
  get point(): FoldPoint {
    if (!this.#meta) throw emptyRun();
    const open = this.#open;
    return {
      counters: { ...this.#counters },
      next_iteration: this.#nextIteration,
      last_stop_reason: this.#stopReason,
      terminal: this.#terminal && { ...this.#terminal },
      facts: this.facts,
      warned: [...this.#warned],
      alerts: this.#alerts,
      ...(open && { open: pointOf(open) }),
    };
  }

  push(record: RunRecord, place?: Place): void {
    const kind = this.#check(record, place);
    this.#seq = record.seq;
    this.#place = place;
    const expected = this.#meta ? this.#lastSeq + 1 : 1;
    if (record.seq !== expected)
      this.#warn('seq_gap', `Record ${record.seq} stands where record ${expected} was expected.`);
    if (kind !== 'terminal' && this.#terminal && !this.#afterTerminal) {
      this.#afterTerminal = true;
      const { reason } = this.#terminal;
      this.#warn('records_after_terminal', wentOn(reason), reason !== 'completed');
    }
    if (record.meta && kind === 'meta') {
      this.#meta = record.meta;
      this.#conversation.user(userText(record.meta.prompt));
    } else if (record.assistant && kind === 'assistant') this.#assistant(record.assistant);
    else if (record.user && kind === 'user') this.#user(record.user.message);
    else if (record.tool_result && kind === 'tool_result') this.#toolResult(record.tool_result);
    else if (record.terminal) {
      this.#terminal = { ...record.terminal };
      this.#afterTerminal = false;
    }
    this.#records++;
    this.#lastSeq = record.seq;
    this.#lastKind = kind;
    this.#state = undefined;
    // Twice as many at first, so that dropping them costs little.
    if (this.#conversation.length > 2 * this.#keep) this.#conversation.forget(this.#keep);
  }

  /** Throws Failure `empty` before the first record. */
  get state(): RunState {
    this.#state ??= this.#make();
    return this.#state;
  }

  get facts(): RunFacts {
    return {
      terminalIsLast: this.#terminal !== null && !this.#afterTerminal,
      lastSeq: this.#lastSeq,
      lastKind: this.#lastKind,
    };
  }

  /** In the order of the records. At most 100 of each code; the last of them says that there are more. */
  get warnings(): RunWarning[] {
    return [...this.#warnings];
  }

  /** How many of them are not ordinary, those before a point included. */
  get alertCount(): number {
    return this.#alerts;
  }

  /** How many records were pushed. Their numbers may jump, so the last one's number does not tell. */
  get records(): number {
    return this.#records;
  }

  /** How many `warnings` there would be, those before a point included. */
  get warningCount(): number {
    return [...this.#warned.values()].reduce((sum, n) => sum + Math.min(n, WARNINGS_PER_CODE), 0);
  }

  #check(record: RunRecord, place: Place | undefined): RecordKind {
    const { seq } = record;
    const kind = KINDS.get(record.protocol);
    if (!this.#meta) {
      if (kind !== 'meta' || !record.meta) throw noMeta(where(seq, place));
      const { version } = record.meta;
      if (version !== RECORD_VERSION) throw wrongVersion(version, where(seq, place));
      return kind;
    }
    if (
      !this.#isBehind(seq) &&
      kind &&
      kind !== 'meta' &&
      record[kind] &&
      (kind !== 'tool_result' || this.#open)
    )
      return kind;
    throw corrupt(this.#contradiction(record, kind), where(seq, place));
  }

  /** Numbers beyond 2^53 that follow each other may look the same here, and that is no damage. */
  #isBehind(seq: number): boolean {
    return seq < this.#lastSeq || (seq === this.#lastSeq && Number.isSafeInteger(seq));
  }

  #contradiction({ seq }: RunRecord, kind: RecordKind | undefined): string {
    if (this.#isBehind(seq)) return `record ${seq} comes after record ${this.#lastSeq}`;
    if (kind === undefined) return `record ${seq} is of a kind that nobody knows`;
    if (kind === 'meta') return `record ${seq} starts the run a second time`;
    if (kind === 'tool_result' && !this.#open) return `record ${seq} answers a tool where none was asked for`;
    return `record ${seq} has no content`;
  }

  #assistant(payload: AssistantPayload): void {
    this.#commit();
    const { message, iteration, stop_reason: stopReason = '' } = payload;
    if (message.role !== 'assistant')
      this.#warn('odd_role', `An answer of the model has the role "${message.role}".`);
    const ids = toolUseIds(message);
    const asked = ids.length === 0 ? NONE : new Set(ids);
    this.#open = { assistant: message, iteration, stopReason, asked, results: [], answered: undefined };
    this.#nextIteration = iteration + 1;
    this.#stopReason = stopReason;
    const counters = this.#counters;
    counters.llm_calls++;
    counters.in_tokens += payload.in_tokens;
    counters.out_tokens += payload.out_tokens;
    counters.cache_read_tokens += payload.cache_read_tokens ?? 0;
    counters.cache_create_tokens += payload.cache_create_tokens ?? 0;
  }

  #user(message: Message): void {
    this.#commit();
    if (message.role !== 'user')
      this.#warn('odd_role', `A message of the person has the role "${message.role}".`);
    this.#conversation.user(message);
  }

  #toolResult(payload: ToolResultPayload): void {
    const { tool_use_id: id, result, remote } = payload;
    const open = this.#open;
    if (!open) return;
    if (!open.asked.has(id))
      this.#warn('orphan_result', `A result answers "${id}", which the turn before it did not ask for.`);
    else if (open.answered?.has(id))
      this.#warn('double_result', `The tool call "${id}" has more than one result.`);
    if (result.tool_use_id !== id)
      this.#warn(
        'id_mismatch',
        `A result is recorded for "${id}" but says that it answers "${result.tool_use_id}".`,
      );
    open.answered ??= new Set();
    open.answered.add(id);
    open.results.push(result);
    this.#counters.tool_calls++;
    if (remote) this.#counters.remote_tool_calls++;
  }

  #commit(): void {
    const open = this.#open;
    if (!open) return;
    const missing = unanswered(open);
    if (missing.length > 0)
      this.#warn(
        'unanswered_turn',
        `The run went on though these tool calls had no result: ${missing.join(', ')}.`,
      );
    this.#conversation.turn(open.assistant, open.results);
    this.#open = undefined;
  }

  #make(): RunState {
    const meta = this.#meta;
    if (!meta) throw emptyRun();
    const messages = this.#conversation.list();
    const open = this.#open;
    let pending: RunState['pending'] = null;
    if (open && unanswered(open).length > 0) {
      const { assistant, iteration, stopReason, results, answered } = open;
      pending = {
        assistant,
        iteration,
        stop_reason: stopReason,
        results: [...results],
        answered: [...(answered ?? [])],
      };
    } else if (open) {
      const tail = new Conversation();
      tail.turn(open.assistant, open.results);
      messages.push(...tail.list());
    }
    return {
      version: meta.version,
      run_id: meta.run_id,
      prompt: meta.prompt,
      interactive: meta.interactive ?? false,
      fingerprint: { ...meta.fingerprint },
      messages,
      counters: { ...this.#counters },
      next_iteration: this.#nextIteration,
      pending,
      last_stop_reason: this.#stopReason,
      terminal: this.#terminal && { ...this.#terminal },
      completed: this.#terminal?.reason === 'completed',
    };
  }

  #warn(code: RunWarning['code'], detail: string, ordinary = false): void {
    const count = (this.#warned.get(code) ?? 0) + 1;
    this.#warned.set(code, count);
    if (count > WARNINGS_PER_CODE) return;
    if (!ordinary) this.#alerts++;
    const more = count === WARNINGS_PER_CODE ? ' Further ones of this kind are not listed.' : '';
    const at = this.#place && { line: this.#place.line, byte: this.#place.offset };
    const note = ordinary && { ordinary };
    this.#warnings.push({ code, ...at, seq: this.#seq, detail: detail + more, ...note });
  }
}

export interface Folded {
  state: RunState;
  facts: RunFacts;
  warnings: RunWarning[];
}

/** Folds all records. Throws Failure `empty`, `no_meta`, `version`, `corrupt` (data: seq, and line and byte if `places` are given). */
export function foldRecords(records: readonly RunRecord[], places?: readonly Place[]): Folded {
  const folder = new Folder();
  records.forEach((record, i) => folder.push(record, places?.[i]));
  return { state: folder.state, facts: folder.facts, warnings: folder.warnings };
}

/**
 * Reads and folds a journal's bytes; warnings of both, in the order of the file. Throws Failure `empty`, `no_meta`,
 * `version`, `corrupt` (data: line, byte). A caller that wants the readable part of a damaged run uses `readJournal`.
 */
export function foldJournal(bytes: Uint8Array): Folded & { read: JournalRead } {
  const read = readJournal(bytes);
  if (read.failure) throw read.failure;
  const folded = foldRecords(read.records, read.places);
  return { ...folded, warnings: [...folded.warnings, ...read.warnings], read };
}
