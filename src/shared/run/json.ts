import { inSlices } from './slices';

/**
 * JSON text as Go's encoding/json writes it, because records and fingerprints are compared byte for byte with what
 * the reference writes. JSON.stringify differs in escaping, in key order and in lone surrogates.
 */

const UNSAFE = /[<>&\u2028\u2029]/;
const UNSAFE_ALL = /[<>&\u2028\u2029]/g;
/** One escape at a time, so that an escaped backslash before the letters `ud83d` is never taken for a surrogate. */
const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g;
const SURROGATE_ESCAPE = /^\\ud[89a-f]/;
const ESCAPED: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Escapes what JSON allows raw and the reference does not: `<`, `>`, `&`, U+2028, U+2029. */
export const escapeHtml = (json: string): string =>
  UNSAFE.test(json)
    ? inSlices(json, (slice) => slice.replace(UNSAFE_ALL, (char) => ESCAPED[char] ?? char))
    : json;

/** Two methods that every engine of today has and that are newer than this folder's compiler settings. */
type Utf16 = string & { isWellFormed(): boolean; toWellFormed(): string };

/** No lone surrogates. Free for text that is all Latin-1. */
export const isWellFormed = (text: string): boolean => (text as Utf16).isWellFormed();

/** Lone surrogates become U+FFFD: UTF-8 has no bytes for them. */
export const wellFormed = (text: string): string => (text as Utf16).toWellFormed();

/** A string as a JSON string. A lone surrogate is written as the six characters `\ufffd`. */
export function goString(text: string): string {
  const json = JSON.stringify(text);
  const paired = !isWellFormed(text)
    ? json.replace(ESCAPES, (escape) => (SURROGATE_ESCAPE.test(escape) ? '\\ufffd' : escape))
    : json;
  return escapeHtml(paired);
}

/** A float64 as the reference writes it: the shortest form, an exponent below 1e-6 and from 1e21 on, `-0` kept. */
export function goNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`JSON has no number ${value}`);
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Order of UTF-8 bytes, which is the order of code points (JavaScript compares UTF-16 units, which differs above U+FFFF). */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const surrogates = (x >= 0xd800 && x <= 0xdfff ? 1 : 0) - (y >= 0xd800 && y <= 0xdfff ? 1 : 0);
    return surrogates === 0 ? x - y : surrogates;
  }
  return a.length - b.length;
}

/**
 * A value as compact JSON with the keys of every object sorted by their UTF-8 bytes, like a Go map.
 * Properties that are `undefined` are left out; anything JSON cannot hold throws TypeError.
 */
export function goJson(value: unknown): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return goString(value);
    case 'number':
      return goNumber(value);
    case 'boolean':
      return String(value);
    case 'object':
      break;
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  const fields = Object.entries(value as Record<string, unknown>)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => byBytes(a, b))
    .map(([key, field]) => `${goString(key)}:${goJson(field)}`);
  return `{${fields.join(',')}}`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Position after the JSON string that opens at `at`; -1 if it never closes. Escapes are skipped, not checked. */
export function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let back = quote - 1;
    while (back > at && text.charCodeAt(back) === BACKSLASH) back--;
    if ((quote - back) % 2 === 1) return quote + 1;
  }
  return -1;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Valid JSON without the white space between its tokens, and with `escapeHtml` applied; otherwise verbatim. */
export function compactJson(json: string): string {
  let out = '';
  let from = 0;
  let at = 0;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at);
      at = end === -1 ? json.length : end;
    } else if (isSpace(code)) {
      out += json.slice(from, at);
      do at++;
      while (isSpace(json.charCodeAt(at)));
      from = at;
    } else at++;
  }
  return escapeHtml(from === 0 ? json : out + json.slice(from));
}
