/**
 * Scalars whose text Go reads leniently and writes in one normal form. Each function gives that form,
 * or `undefined` for text that Go refuses.
 */

const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:(Z)|([+-])(\d{2}):(\d{2}))$/;

/** What a missing time is written as. */
export const ZERO_TIME = '0001-01-01T00:00:00Z';

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** An RFC 3339 time with its own offset: nanoseconds at most, no trailing zeros, `Z` for no offset. */
export function goTime(text: string): string | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = ''] = match;
  const [zulu, sign, offsetHour = '0', offsetMinute = '0'] = match.slice(8);
  if (Number(month) < 1 || Number(month) > 12) return undefined;
  if (Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const minutes = zulu ? 0 : Number(offsetHour) * 60 + Number(offsetMinute);
  // 24 hours and 60 minutes are still read, as Go does; what they add up to must be readable again
  if (minutes > 25 * 60 || Number(offsetMinute) > 60) return undefined;
  const offset = minutes === 0 ? 'Z' : `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  const nanoseconds = fraction.slice(0, 9).replace(/0+$/, '');
  const rest = nanoseconds === '' ? '' : `.${nanoseconds}`;
  return `${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:${second}${rest}${offset}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Standard base64 with padding; line breaks are dropped and unused bits at the end cleared. */
export function goBase64(text: string): string | undefined {
  const joined = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, '') : text;
  if (joined.length % 4 !== 0 || !BASE64.test(joined)) return undefined;
  if (!joined.endsWith('=')) return joined;
  const padding = joined.endsWith('==') ? 2 : 1;
  const at = joined.length - padding - 1;
  const last = ALPHABET.indexOf(joined.charAt(at));
  const kept = padding === 2 ? last & 0b110000 : last & 0b111100;
  return kept === last ? joined : joined.slice(0, at) + ALPHABET.charAt(kept) + '='.repeat(padding);
}

/** Bytes of normal base64. */
export function base64Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (let at = 0; at + 3 < text.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((i) => ALPHABET.indexOf(text.charAt(at + i)));
    bytes.push((a << 2) | (b >> 4));
    if (c >= 0) bytes.push(((b & 15) << 4) | (c >> 2));
    if (d >= 0) bytes.push(((c & 3) << 6) | d);
  }
  return bytes;
}

export function bytesBase64(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(at, at + 3);
    const left = bytes.length - at;
    text += ALPHABET.charAt(a >> 2) + ALPHABET.charAt(((a & 3) << 4) | (b >> 4));
    text += left > 1 ? ALPHABET.charAt(((b & 15) << 2) | (c >> 6)) : '=';
    text += left > 2 ? ALPHABET.charAt(c & 63) : '=';
  }
  return text;
}
