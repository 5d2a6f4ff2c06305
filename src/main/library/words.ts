import { titleFrom } from '../../shared/text/title';

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

/** The title of a run that a person gave none: what its prompt is about. */
export const promptTitle = (prompt: string, limit?: number): string => firstWords(titleFrom(prompt), limit);

/** The title of a run that was made from another: "Plan (fork)", and of another one from that still "Plan (fork)". */
export const madeFrom = (title: string, how: 'fork' | 'continued'): string =>
  `${firstWords(title.replace(/( \((?:fork|continued)\))+$/, ''), 200)} (${how})`;

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

/** The days of a time zone. */
export interface Calendar {
  /** Calendar day, YYYY-MM-DD. */
  dayOf(ms: number): string;
  /** When a day begins, or the one so many days later; ms. */
  startOf(day: string, later: number): number;
}

const calendars = new Map<string, Calendar>();

/** The days of a zone (`Asia/Tokyo`); of this process where none is named, or none is known by that name. */
export function calendarOf(zone: string | undefined): Calendar {
  if (zone === undefined) return here;
  const known = calendars.get(zone);
  if (known) return known;
  const made = calendarIn(zone) ?? here;
  if (calendars.size < 50) calendars.set(zone, made);
  return made;
}

const here: Calendar = {
  dayOf: (ms) => localDay(new Date(ms)),
  startOf(day, later) {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    return new Date(year, month - 1, date + later).getTime();
  },
};

const HOUR = 3_600_000;

function calendarIn(zone: string): Calendar | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  } catch {
    return undefined;
  }
  const dayOf = (ms: number) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return `${parts['year']?.padStart(4, '0')}-${parts['month']}-${parts['day']}`;
  };
  return {
    dayOf,
    startOf(day, later) {
      const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
      const noon = Date.UTC(year, month - 1, date + later, 12);
      const wanted = new Date(noon).toISOString().slice(0, 10);
      // No zone is further than 14 hours from this, and no day shorter than 23 hours: the day begins where its name does.
      let [before, first] = [noon - 27 * HOUR, noon + 15 * HOUR];
      while (first - before > 1) {
        const middle = Math.floor((before + first) / 2);
        if (dayOf(middle) < wanted) before = middle;
        else first = middle;
      }
      return first;
    },
  };
}
