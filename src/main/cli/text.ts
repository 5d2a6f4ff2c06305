/**
 * Text from models, tools and files on its way to a terminal. A control character could move the cursor, rewrite what
 * was printed or set the clipboard; a direction mark could show a command other than the one that runs. Both become
 * visible marks; line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(HOSTILE, mark);
}

// Control characters but \t and \n, DEL, C1, line and paragraph separators, direction overrides and isolates.
const HOSTILE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function mark(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** The same for one line: breaks and tabs become marks too. */
export const oneLine = (text: string): string =>
  printable(text).replace(/[\n\t]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)));

/** At most `width` characters of a line, with an ellipsis where something was left out. */
export function clipped(text: string, width: number): string {
  const characters = [...oneLine(text)];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

/** JSON text that is safe on a terminal as well: what `JSON.stringify` leaves raw is escaped, the value is the same. */
export const jsonLine = (value: unknown): string => safeJson(JSON.stringify(value));

export const safeJson = (json: string): string =>
  json.replace(HOSTILE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Columns of text, each as wide as its widest cell; the last one is not padded. */
export function columns(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - [...cell].length),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
