const whole = new Intl.NumberFormat('en');

/** 12,345 */
export const count = (n: number) => whole.format(n);

/** 1 file, 2 files */
export const many = (n: number, one: string, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

const list = new Intl.ListFormat('en-GB');

/** a, b and c */
export const listed = (words: readonly string[]) => list.format(words);

/** 987, 12.4k, 3.1M */
export function short(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 999_500) return `${trim(n / 1_000)}k`;
  return `${trim(n / 1_000_000)}M`;
}
const trim = (n: number) => (n < 99.95 ? n.toFixed(1).replace(/\.0$/, '') : String(Math.round(n)));

/** Bytes in the units that file managers show: 812 bytes, 4.1 KB, 3.8 GB. */
export function bytes(n: number): string {
  if (n < 1_000) return many(n, 'byte');
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = n / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? 'TB'}`;
}

/** A share as a whole percentage that is 0 or 100 only when it truly is. */
export function percent(part: number, all: number): string {
  if (all <= 0) return '0 %';
  const exact = (part / all) * 100;
  if (exact >= 100) return '100 %';
  if (exact <= 0) return '0 %';
  return `${Math.min(99, Math.max(1, Math.round(exact)))} %`;
}
