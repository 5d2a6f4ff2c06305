import { inSlices, startOf } from '../../shared/run/slices';
import { printable, printableLine } from '../../shared/run/transcript';

export { printable, printableLine as oneLine };

// What `printable` makes visible, as JSON can have it too.
const HOSTILE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** At most `width` characters of a line, with an ellipsis where something was left out. */
export function clipped(text: string, width: number): string {
  // Bounded before any expression sees it.
  const start = startOf(text, 8 * width);
  const characters = [...printableLine(start)];
  return characters.length <= width && start === text
    ? characters.join('')
    : `${characters.slice(0, width - 1).join('')}…`;
}

/** JSON text that is safe on a terminal as well: what `JSON.stringify` leaves raw is escaped, the value is the same. */
export const jsonLine = (value: unknown): string => safeJson(JSON.stringify(value));

export const safeJson = (json: string): string =>
  inSlices(json, (slice) =>
    slice.replace(HOSTILE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

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

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
