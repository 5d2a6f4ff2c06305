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

/** The lines of a text one by one, without their newline, as `split('\n')` gives them all at once. */
export function* linesIn(text: string, separator = '\n'): Generator<string> {
  for (let from = 0; ;) {
    const end = text.indexOf(separator, from);
    if (end < 0) {
      yield text.slice(from);
      return;
    }
    yield text.slice(from, end);
    from = end + separator.length;
  }
}

/** Bytes that a text takes at most as a JSON string of a record, where some characters take six. */
export function recordedSize(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x3c || code === 0x3e || code === 0x26) size += 5;
    else if (code > 0x7f) size += code > 0x7ff ? 2 : 1;
    else if (code === 0x22 || code === 0x5c) size += 1;
  }
  return size;
}

/** A text without the line breaks at its end. An expression would look at each run of them again from each of its breaks. */
export function withoutEndBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--;
  return text.slice(0, end);
}
