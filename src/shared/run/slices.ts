/**
 * Characters that one pass of a global expression sees at once. An engine keeps every match of a pass in memory and ends
 * the whole process beyond some 70 million of them, which no handler hears; texts of others can have as many.
 */
export const SLICE = 1024 * 1024;

/** Where a slice may end: not inside a character of two units, and not between a carriage return and its newline. */
function cutAt(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  const pair = before >= 0xd800 && before <= 0xdbff;
  return pair || before === 0x0d ? at - 1 : at;
}

/** The slices of a text, in order; together they are the text. */
export function* slicesOf(text: string, size = SLICE): Generator<string> {
  for (let from = 0; from < text.length;) {
    const to = text.length - from <= size ? text.length : Math.max(from + 1, cutAt(text, from + size));
    yield text.slice(from, to);
    from = to;
  }
}

/** `change` of each slice, joined. For changes of single characters or line ends, which no cut goes through. */
export function inSlices(text: string, change: (slice: string) => string, size = SLICE): string {
  if (text.length <= size) return change(text);
  let out = '';
  for (const slice of slicesOf(text, size)) out += change(slice);
  return out;
}

/** The beginning of a text, of at most so many units and without half a character at its end. */
export function startOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
