/** Characters of a title that is made from a prompt. */
const TITLE = 80;

/** The first words of a prompt, as one line. */
export function firstWords(prompt: string, limit = TITLE): string {
  const line = prompt
    .slice(0, limit * 8)
    .replace(/\s+/gu, ' ')
    .trim();
  if (line === '') return 'Empty prompt';
  // A character is one unit or two.
  if (line.length <= limit) return line;
  const chars = [...line];
  if (chars.length <= limit) return line;
  const cut = chars.slice(0, limit).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > limit / 2 ? cut.slice(0, space) : cut}…`;
}

/** A count as people read it: 950, 1.2k, 41k, 1.3M. */
export function amount(count: number): string {
  if (count < 1_000) return String(count);
  const [scaled, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${scaled < 9.95 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${unit}`;
}

/** `1 step`, `2,000 steps`. */
export const some = (count: number, one: string) =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;

/** Local calendar day, YYYY-MM-DD. */
export function localDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
