import type { ChangeEvent, ClipboardEvent } from 'react';
import { holdsKey } from '../../../shared/secret-text';
import { toast } from '../../store/app';
import { many } from './numbers';

/** Said of a key that was pasted into a field for something else. */
export const KEY_NOT_HERE =
  'That looks like a key, so Holdfast did not enter it here. Keys have a field of their own under Models and keys.';

type TextField = HTMLInputElement | HTMLTextAreaElement;

/**
 * For a field with a limit: text that would make it too long goes nowhere near it, so that none of it is cut, and
 * whoever added the text is told. A field's own limit would cut what is pasted without a word.
 *
 * @param onTooLong gets what was added
 */
export function limited({
  value,
  limit,
  onChange,
  onTooLong,
}: {
  value: string;
  limit: number;
  onChange: (value: string) => void;
  onTooLong: (added: string) => void;
}) {
  return {
    onChange: (event: ChangeEvent<TextField>) => {
      const now = event.target.value;
      // Text that was longer before there was a limit can be made shorter.
      if (now.length > Math.max(limit, value.length)) onTooLong(addedTo(value, now));
      else onChange(now);
    },
    onPaste: (event: ClipboardEvent<TextField>) => {
      const { selectionStart, selectionEnd } = event.currentTarget;
      const pasted = event.clipboardData.getData('text/plain');
      const kept = value.length - ((selectionEnd ?? 0) - (selectionStart ?? 0));
      if (kept + pasted.replaceAll('\r\n', '\n').length <= limit) return;
      event.preventDefault();
      onTooLong(pasted);
    },
  };
}

/** The same for a short field: a message says what was not added. `what`: what the field is for, as in "A title". */
export const limitedShort = (
  what: string,
  limit: number,
  value: string,
  onChange: (value: string) => void,
): ReturnType<typeof limited> =>
  limited({
    value,
    limit,
    onChange: (next) => {
      if (!holdsKey(next) || holdsKey(value)) onChange(next);
      else toast({ tone: 'warn', text: KEY_NOT_HERE });
    },
    onTooLong: (added) =>
      toast({
        tone: 'warn',
        text: `${what} can have up to ${many(limit, 'character')}, so Holdfast did not add your text (${many(added.length, 'character')}).`,
      }),
  });

/** What `after` has that `before` had not, in one place. */
function addedTo(before: string, after: string): string {
  let from = 0;
  while (from < before.length && before[from] === after[from]) from++;
  let end = 0;
  while (end < before.length - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return after.slice(from, after.length - end);
}
