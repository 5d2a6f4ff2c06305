import { FRAME_LIMIT } from '../../../shared/contract/frame';
import { TEXT_LIMIT, type TranscriptItem } from '../../../shared/contract/items';
import { cut } from './call-item';
import { recordsOf } from './slots';
import type { Source } from './source';
import type { Transcript } from './transcript';

/** A page is made to fit its frame with room to spare. */
const PAGE_BYTES = FRAME_LIMIT * 0.7;
/** Bytes of journal that are decoded for a page at the same time. */
const TOGETHER = 8 * 1024 * 1024;

/** The items with these numbers, their texts cut shorter where they would not fit a frame together. */
export async function itemsAt(
  transcript: Transcript,
  source: Source,
  indices: readonly number[],
): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for (let at = 0; at < indices.length;) {
    // What a page is made of may be far more than the page.
    const seqs: number[] = [];
    let bytes = 0;
    let end = at;
    for (; end < indices.length && (bytes === 0 || bytes < TOGETHER); end++) {
      const slot = transcript.slot(indices[end] as number);
      for (const seq of slot ? recordsOf(slot) : []) {
        seqs.push(seq);
        bytes += source.place(seq)?.bytes ?? 0;
      }
    }
    const records = await source.fetch(seqs);
    for (; at < end; at++) {
      const item = transcript.item(indices[at] as number, records);
      if (item) items.push(item);
    }
  }
  return fitting(items);
}

export function fitting(items: TranscriptItem[]): TranscriptItem[] {
  for (let limit = TEXT_LIMIT; ; limit = Math.floor(limit / 4)) {
    const shorter = limit === TEXT_LIMIT ? items : items.map((item) => shortened(item, limit));
    if (limit < 50 || JSON.stringify(shorter).length * 1.5 < PAGE_BYTES) return shorter;
  }
}

interface Clipped {
  text: string;
  more?: number | undefined;
}

function clip<T extends Clipped>(of: T, limit: number): T {
  const { text, more } = cut(of.text, limit);
  const left = (more ?? 0) + (of.more ?? 0);
  return { ...of, text, ...(left > 0 && { more: left }) };
}

/** The same item with no text longer than `limit`. */
function shortened(item: TranscriptItem, limit: number): TranscriptItem {
  switch (item.kind) {
    case 'call': {
      const input = clip({ text: item.input, more: item.inputMore }, limit);
      return {
        ...item,
        input: input.text,
        ...(input.more !== undefined && { inputMore: input.more }),
        ...(item.result && { result: clip(item.result, limit) }),
      };
    }
    case 'empty':
    case 'seam':
      return item;
    case 'end':
      return { ...item, ...(item.message !== undefined && { message: item.message.slice(0, limit) }) };
    case 'lost':
      return {
        ...clip(item, limit),
        ...(item.thinking !== undefined && { thinking: item.thinking.slice(0, limit) }),
      };
    default:
      return clip(item, limit);
  }
}
