import type { TranscriptItem } from '../../shared/contract/items';
import { call } from '../client';
import { toast, toastFailure } from './app';

type Part = 'text' | 'result';

/** Characters that one request brings. */
const STEP = 400_000;

/** What can be copied of an item as a whole, with its name for people. */
export function copyable(
  item: TranscriptItem,
): { part: Part; word: string; text: string; more: number } | undefined {
  if (item.kind === 'call') {
    const { result } = item;
    return result && { part: 'result', word: 'the result', text: result.text, more: result.more ?? 0 };
  }
  if (!('text' in item) || item.text === '') return undefined;
  const word = item.kind === 'text' ? 'the answer' : item.kind === 'prompt' ? 'the message' : 'the text';
  return { part: 'text', word, text: item.text, more: ('more' in item && item.more) || 0 };
}

/** Copies all of it, also what is not on the screen. */
export async function copyWhole(id: string, item: TranscriptItem): Promise<void> {
  const what = copyable(item);
  if (!what) return;
  try {
    let { text } = what;
    for (let total = text.length + what.more; text.length < total;) {
      const reply = await call('run.text', {
        id,
        key: item.key,
        part: what.part,
        from: text.length,
        limit: STEP,
      });
      if (reply.text === '') break;
      text += reply.text;
      total = reply.total;
    }
    await navigator.clipboard.writeText(text);
    toast({ tone: 'info', text: `Copied ${what.word}.` });
  } catch (error) {
    toastFailure(error);
  }
}
