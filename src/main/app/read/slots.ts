import { FindText } from '../../../shared/text/find';
import type { TranscriptItem } from '../../../shared/contract/items';
import type { Block, RunRecord, ToolResultBlock } from '../../../shared/run/record';
import type { ResultOutcome } from '../../../shared/run/result-words';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { cut } from './call-item';

/** Where a result stands: block `block` of record `seq`, or (-1) the record that is nothing but this result. */
export interface Result {
  seq: number;
  block: number;
  isError: boolean;
  /** What its words say of the call. */
  outcome: ResultOutcome;
}
/** Which of a record's messages a block stands in; records that have both are odd, but can be read. */
export type Said = 'assistant' | 'user';

/**
 * What one item is made of, without its texts: those stay in the journal and are read when the item is asked for. So a
 * transcript costs the same whatever its records hold.
 */
export type Slot = { key: string; seq: number } &
  /** `block` -1: the prompt of the meta record. */
  (
    | { kind: 'prompt'; block: number }
    | { kind: 'block'; said: Said; block: number; part: 'text' | 'thinking' | 'provider'; iteration: number }
    | {
        kind: 'call';
        said: Said;
        block: number;
        id: string;
        tool: string;
        iteration: number;
        result?: Result;
      }
    | { kind: 'empty'; iteration: number }
    | { kind: 'orphan'; id: string; result: Result }
    | { kind: 'end'; reason: string; message: string | undefined; past: boolean }
    | { kind: 'seam'; entry: Extract<SidecarEntry, { kind: 'resume' }> }
    | { kind: 'lost'; entry: Extract<SidecarEntry, { kind: 'partial' }> }
    | { kind: 'damage'; text: string }
  );

/** The record of this number, where it is at hand. */
export type Records = Pick<ReadonlyMap<number, RunRecord>, 'get'>;

/** A service's own block that stands for thinking that it keeps to itself. */
export const REDACTED = 'redacted_thinking';

export const blockOf = (records: Records, seq: number, said: Said, block: number): Block | undefined =>
  records.get(seq)?.[said]?.message.content?.[block];

export function resultOf(records: Records, { seq, block }: Result): ToolResultBlock | undefined {
  const record = records.get(seq);
  if (block < 0) return record?.tool_result?.result;
  const asked = record?.assistant?.message.content?.[block]?.tool_result;
  return asked ?? record?.user?.message.content?.[block]?.tool_result;
}

/** Numbers of the records that an item is made of. */
export function recordsOf(slot: Slot): number[] {
  switch (slot.kind) {
    case 'prompt':
    case 'block':
      return [slot.seq];
    case 'call':
      return slot.result ? [slot.seq, slot.result.seq] : [slot.seq];
    case 'orphan':
      return [slot.result.seq];
    default:
      return [];
  }
}

/** The item of a slot that is no call (see call-item.ts). */
export function slotItem(
  slot: Exclude<Slot, { kind: 'call' }>,
  base: { key: string; seq: number; at?: string; fork?: number },
  records: Records,
  limit: number,
): TranscriptItem {
  switch (slot.kind) {
    case 'prompt':
      return { kind: 'prompt', ...base, ...cut(textOf(slot, 'text', records) ?? '', limit) };
    case 'block':
      return blockItem(slot, base, records, limit);
    case 'empty':
      return { kind: 'empty', ...base, iteration: slot.iteration };
    case 'orphan': {
      const { id, result } = slot;
      const text = cut(textOf(slot, 'text', records) ?? '', limit);
      return { kind: 'orphan', ...base, toolUseId: id, isError: result.isError, ...text };
    }
    case 'end': {
      const { reason, past, message } = slot;
      return {
        kind: 'end',
        ...base,
        reason,
        past,
        ...(message !== undefined && { message: message.slice(0, limit) }),
      };
    }
    case 'seam': {
      const { at, forced, changed, endpoint } = slot.entry;
      return { kind: 'seam', ...base, at, forced, changed, ...(endpoint && { endpoint }) };
    }
    case 'lost': {
      const { at, text, thinking } = slot.entry;
      return {
        kind: 'lost',
        ...base,
        at,
        ...cut(text, limit),
        ...(thinking && { thinking: thinking.slice(0, limit) }),
      };
    }
    case 'damage':
      return { kind: 'notice', ...base, tone: 'bad', ...cut(slot.text, limit) };
  }
}

function blockItem(
  slot: Extract<Slot, { kind: 'block' }>,
  base: { key: string; seq: number; at?: string },
  records: Records,
  limit: number,
): TranscriptItem {
  const { iteration, part } = slot;
  const text = textOf(slot, 'text', records) ?? '';
  if (part !== 'provider') return { kind: part, ...base, iteration, ...cut(text, limit) };
  const provider = blockOf(records, slot.seq, slot.said, slot.block)?.provider?.kind ?? '';
  if (provider === REDACTED) return { kind: 'thinking', ...base, iteration, text: '', redacted: true };
  return { kind: 'provider', ...base, iteration, provider, ...cut(text, limit) };
}

export function textOf(slot: Slot, part: 'text' | 'input' | 'result', records: Records): string | undefined {
  if (slot.kind === 'call') {
    if (part === 'input') return blockOf(records, slot.seq, slot.said, slot.block)?.tool_use?.input;
    return part === 'result' && slot.result ? resultOf(records, slot.result)?.content : undefined;
  }
  if (part !== 'text') return undefined;
  switch (slot.kind) {
    case 'prompt':
      return slot.block < 0
        ? records.get(slot.seq)?.meta?.prompt
        : blockOf(records, slot.seq, 'user', slot.block)?.text?.text;
    case 'block': {
      const block = blockOf(records, slot.seq, slot.said, slot.block);
      return slot.part === 'text'
        ? block?.text?.text
        : slot.part === 'thinking'
          ? block?.thinking?.text
          : block?.provider?.raw;
    }
    case 'damage':
      return slot.text;
    case 'orphan':
      return resultOf(records, slot.result)?.content;
    case 'lost':
      return slot.entry.text;
    case 'end':
      return slot.message;
    case 'empty':
    case 'seam':
      return undefined;
  }
}

/** @param wanted as `foundAs` gives it */
export const occurrences = (text: string | undefined, wanted: string): number =>
  text === undefined ? 0 : new FindText(text).count(wanted);
