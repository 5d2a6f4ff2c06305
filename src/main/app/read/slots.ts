import type { TranscriptItem } from '../../../shared/contract/items';
import type { Block } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { cut } from './call-item';

export interface Result {
  seq: number;
  content: string;
  isError: boolean;
}
/** One item's sources; the item itself is made when it is asked for, so that long texts exist once. */
export type Slot = { key: string; seq: number } & (
  | { kind: 'prompt'; text: string }
  | { kind: 'block'; block: Block; iteration: number }
  | { kind: 'call'; id: string; tool: string; input: string; iteration: number; result?: Result }
  | { kind: 'orphan'; id: string; result: Result }
  | { kind: 'end'; reason: string; message: string | undefined; past: boolean }
  | { kind: 'seam'; entry: Extract<SidecarEntry, { kind: 'resume' }> }
  | { kind: 'lost'; entry: Extract<SidecarEntry, { kind: 'partial' }> }
  | { kind: 'damage'; text: string }
);

/** A service's own block that stands for thinking that it keeps to itself. */
const REDACTED = 'redacted_thinking';

export function blockItem(
  block: Block,
  iteration: number,
  base: { key: string; seq: number; at?: string },
  limit: number,
): TranscriptItem {
  if (block.text) return { kind: 'text', ...base, iteration, ...cut(block.text.text, limit) };
  if (block.thinking) {
    return { kind: 'thinking', ...base, iteration, ...cut(block.thinking.text ?? '', limit) };
  }
  if (block.provider?.kind === REDACTED) {
    return { kind: 'thinking', ...base, iteration, text: '', redacted: true };
  }
  if (block.provider) {
    return {
      kind: 'provider',
      ...base,
      iteration,
      provider: block.provider.kind,
      ...cut(block.provider.raw, limit),
    };
  }
  return {
    kind: 'notice',
    ...base,
    tone: 'warn',
    text: 'A block of a kind that this version does not know.',
  };
}

export function textOf(slot: Slot, part: 'text' | 'input' | 'result'): string | undefined {
  if (slot.kind === 'call') {
    return part === 'input' ? slot.input : part === 'result' ? slot.result?.content : undefined;
  }
  if (part !== 'text') return undefined;
  switch (slot.kind) {
    case 'prompt':
    case 'damage':
      return slot.text;
    case 'block':
      return slot.block.text?.text ?? slot.block.thinking?.text ?? slot.block.provider?.raw;
    case 'orphan':
      return slot.result.content;
    case 'lost':
      return slot.entry.text;
    case 'end':
      return slot.message;
    case 'seam':
      return undefined;
  }
}

export function occurrences(text: string | undefined, wanted: string): number {
  if (text === undefined) return 0;
  const low = text.toLowerCase();
  let count = 0;
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + wanted.length)) count++;
  return count;
}
