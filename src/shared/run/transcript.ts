import { EMPTY_ANSWER, isEmptyAnswer } from './empty-answer';
import { CallPairs } from './pairs';
import { inSlices, withoutEndBreaks } from './slices';
import type { Block, RawJson, RunRecord, ToolResultBlock } from './record';

/** Where an item's record stands in its journal (bytes without the newline). */
export interface TranscriptPlace {
  line: number;
  offset: number;
  bytes: number;
}

interface Item {
  /** `<seq>.<block>`: stable for the life of a run. */
  key: string;
  seq: number;
  place?: TranscriptPlace;
}

export interface CallLine extends Item {
  kind: 'call';
  iteration: number;
  toolUseId: string;
  tool: string;
  input: RawJson;
  /** Absent: unanswered. `times`: how many results the call has; the last one is shown. */
  result?: { seq: number; content: string; isError: boolean; times: number };
  /** Part of the turn that is still open: a resume completes it. */
  pending: boolean;
}

/** One thing that a transcript shows. `iteration` is -1 for what stands oddly in a message of the person. */
export type TranscriptLine =
  /** What the person said; the first one is the prompt. */
  | (Item & { kind: 'prompt'; text: string })
  | (Item & { kind: 'text'; iteration: number; text: string })
  /** `redacted`: the service keeps the words to itself. */
  | (Item & { kind: 'thinking'; iteration: number; text: string; redacted: boolean })
  /** A block that only its service understands. */
  | (Item & { kind: 'provider'; iteration: number; provider: string; raw: RawJson })
  /** The model's turn says nothing. */
  | (Item & { kind: 'empty'; iteration: number })
  | CallLine
  /** A result that answers no call. */
  | (Item & { kind: 'orphan'; toolUseId: string; content: string; isError: boolean })
  /** `past`: records follow, so the run went on. */
  | (Item & { kind: 'end'; reason: string; message?: string; past: boolean });

export interface TranscriptOptions {
  /** One for each record, same order, as `readJournal` gives them. */
  places?: readonly TranscriptPlace[];
  /** First item, from 0. */
  from?: number;
  /** Most items. */
  limit?: number;
}

export interface TranscriptPage {
  items: TranscriptLine[];
  from: number;
  /** Items of the whole transcript. */
  total: number;
}

/**
 * A run's transcript: turns in journal order, blocks in the order in which they were said, every result beside the call
 * that it answers, wherever in the run it stands, and the turn that is still open last. Works from the records, so that
 * each item knows where it came from; needs no profile, key or folder. Pure; the same page of the same records is the
 * same.
 */
export function transcriptLines(
  records: readonly RunRecord[],
  options: TranscriptOptions = {},
): TranscriptPage {
  const builder = new Builder();
  records.forEach((record, i) => builder.push(record, options.places?.[i]));
  const all = builder.finish();
  const from = Math.min(options.from ?? 0, all.length);
  return { items: all.slice(from, from + (options.limit ?? all.length)), from, total: all.length };
}

class Builder {
  readonly #items: TranscriptLine[] = [];
  readonly #pairs = new CallPairs<CallLine>();
  /** Calls of the newest turn, as long as nothing closes it. */
  #turn: CallLine[] = [];
  /** Ids that result records answered since; a result inside a message does not settle a turn. */
  #answered = new Set<string>();
  #end: (TranscriptLine & { kind: 'end' }) | undefined;

  push(record: RunRecord, place: TranscriptPlace | undefined): void {
    const { seq, meta, assistant, user, tool_result: result, terminal } = record;
    const item = (block: number): Item => ({ key: `${seq}.${block}`, seq, ...(place && { place }) });
    if (!terminal && this.#end) this.#end.past = true;
    if (assistant ?? user) {
      this.#turn = [];
      this.#answered.clear();
    }
    if (meta && meta.prompt !== '') this.#items.push({ kind: 'prompt', ...item(0), text: meta.prompt });
    assistant?.message.content?.forEach((block, n) => this.#said(block, item(n), assistant.iteration));
    if (assistant && isEmptyAnswer(assistant.message, assistant.stop_reason)) {
      const { iteration } = assistant;
      this.#items.push({ kind: 'empty', key: `${seq}.empty`, seq, ...(place && { place }), iteration });
    }
    user?.message.content?.forEach((block, n) => {
      if (block.text?.text) this.#items.push({ kind: 'prompt', ...item(n), text: block.text.text });
      if (block.tool_result) this.#result(block.tool_result.tool_use_id, block.tool_result, item(n));
      this.#said({ ...block, text: undefined, tool_result: undefined }, item(n), -1);
    });
    if (result) {
      this.#answered.add(result.tool_use_id);
      this.#result(result.tool_use_id, result.result, item(0));
    }
    if (terminal) {
      this.#end = { kind: 'end', ...item(0), ...terminal, past: false };
      this.#items.push(this.#end);
    }
  }

  finish(): TranscriptLine[] {
    const open = this.#turn.some(({ toolUseId }) => !this.#answered.has(toolUseId));
    for (const call of this.#turn) call.pending = open;
    return this.#items;
  }

  #said(block: Loose, item: Item, iteration: number): void {
    const { thinking, text, provider, tool_use: call, tool_result: result } = block;
    if (thinking?.text)
      this.#items.push({ kind: 'thinking', ...item, iteration, text: thinking.text, redacted: false });
    if (text?.text) this.#items.push({ kind: 'text', ...item, iteration, text: text.text });
    if (provider?.kind === REDACTED)
      this.#items.push({ kind: 'thinking', ...item, iteration, text: '', redacted: true });
    else if (provider)
      this.#items.push({ kind: 'provider', ...item, iteration, provider: provider.kind, raw: provider.raw });
    if (result) this.#result(result.tool_use_id, result, item);
    if (!call) return;
    const line: CallLine = {
      kind: 'call',
      ...item,
      iteration,
      toolUseId: call.id,
      tool: call.name,
      input: call.input,
      pending: false,
    };
    this.#items.push(line);
    this.#turn.push(line);
    this.#pairs.asked(call.id, item.seq, line);
  }

  #result(id: string, { content, is_error: error }: ToolResultBlock, item: Item): void {
    const isError = error ?? false;
    const call = this.#pairs.answered(id);
    if (call) call.result = { seq: item.seq, content, isError, times: (call.result?.times ?? 0) + 1 };
    else this.#items.push({ kind: 'orphan', ...item, toolUseId: id, content, isError });
  }
}

const REDACTED = 'redacted_thinking';
type Loose = { [K in keyof Block]?: Block[K] | undefined };

/** How a tool call is shown: the tool's own words where the tool is known. Absent: name and input. */
export type DescribeCall = (tool: string, input: RawJson) => string;

/**
 * Everything that a person can read of a transcript, as plain text that is safe on a terminal. Ends with a newline.
 * `writing`: somebody writes the run now, so a call without a result is on its way.
 */
export function transcriptText(
  items: readonly TranscriptLine[],
  describe?: DescribeCall,
  writing = false,
): string {
  const words = describe ?? ((tool, input) => `${tool} ${input}`);
  const parts = items.map((item) => lineText(item, words, writing));
  return `${parts.map(withoutEndBreaks).join('\n\n')}\n`;
}

function lineText(item: TranscriptLine, describe: DescribeCall, writing: boolean): string {
  switch (item.kind) {
    case 'prompt':
      return marked('> ', item.text);
    case 'text':
      return printable(item.text);
    case 'thinking':
      return item.redacted
        ? '[thinking that the service keeps to itself]'
        : `[thinking]\n${printable(item.text)}`;
    case 'provider':
      return `[${printableLine(item.provider)}]`;
    case 'empty':
      return `[${EMPTY_ANSWER}]`;
    case 'orphan':
      return `${marked('<- ', resultText(item.content, item.isError))}\n[answers "${printableLine(item.toolUseId)}", which nobody asked for]`;
    case 'end':
      return `--- ${item.past ? 'stopped here, then went on' : 'ended'}: ${printableLine(item.reason)}${item.message ? ` (${printableLine(item.message)})` : ''} ---`;
    case 'call':
      return `-> ${printableLine(describe(item.tool, item.input))}\n${callResult(item, writing)}`;
  }
}

function callResult({ result, pending }: CallLine, writing: boolean): string {
  if (!result && pending)
    return writing
      ? '<- (no result yet: the run is being written)'
      : '<- (no result yet: the run stopped here)';
  if (!result) return '<- (no result)';
  const times = result.times > 1 ? `\n[the last of ${result.times} results]` : '';
  return marked('<- ', resultText(result.content, result.isError)) + times;
}

const resultText = (content: string, isError: boolean): string =>
  (isError ? '(error) ' : '') + (content === '' ? '(no output)' : content);

/** A mark before the first line, the others as far in. */
const marked = (mark: string, text: string): string =>
  mark +
  inSlices(withoutEndBreaks(printable(text)), (slice) =>
    slice.replaceAll('\n', `\n${' '.repeat(mark.length)}`),
  );

// Control characters but tab and newline, DEL, C1, line and paragraph separators, direction marks.
const HOSTILE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text with nothing in it that could move a cursor, rewrite what was printed or show it in another order: such
 * characters become visible escapes. Newlines and tabs stay.
 */
export const printable = (text: string): string =>
  inSlices(text, (slice) => slice.replaceAll('\r\n', '\n').replace(HOSTILE, escaped));

/** The same in one line. */
export const printableLine = (text: string): string =>
  inSlices(printable(text), (slice) => slice.replace(/[\n\t]/g, escaped));
