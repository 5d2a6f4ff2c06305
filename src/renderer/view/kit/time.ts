const MINUTE = 60_000;
const DAY = 86_400_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const clockSeconds = new Intl.DateTimeFormat(undefined, {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' });
const dayMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' });
const dayMonthYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const shortDayYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const startOfDay = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
const daysAgo = (date: Date, now: Date) => Math.round((startOfDay(now) - startOfDay(date)) / DAY);

/** Heading of a day group; `day` is a local date, YYYY-MM-DD. */
export function dayName(day: string, now = new Date()): string {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number);
  const when = new Date(year, month - 1, date);
  const ago = daysAgo(when, now);
  if (ago === 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  if (ago > 1 && ago < 7) return weekday.format(when);
  return (when.getFullYear() === now.getFullYear() ? dayMonth : dayMonthYear).format(when);
}

/** Short time of a row: the clock for today and yesterday, else the date. */
export function rowTime(iso: string, now = new Date()): string {
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return '';
  if (daysAgo(when, now) < 7) return clock.format(when);
  return (when.getFullYear() === now.getFullYear() ? shortDay : shortDayYear).format(when);
}

/** Time of a cell: what is needed to tell it from others, without a heading above it. */
export function tableTime(iso: string, now = new Date()): string {
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return '';
  const ago = daysAgo(when, now);
  if (ago === 0) return clock.format(when);
  if (ago === 1) return 'Yesterday';
  return (when.getFullYear() === now.getFullYear() ? shortDay : shortDayYear).format(when);
}

export function clockTime(iso: string): string {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? '' : clockSeconds.format(when);
}

/** Everything about a time, for tooltips. */
export function fullTime(iso: string): string {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? iso : full.format(when);
}

/** A length of time in milliseconds, short. */
export function took(ms: number): string {
  if (ms < 950) return `${Math.max(0.1, Math.round(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / MINUTE);
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % MINUTE) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
