import { endOfString, wellFormed } from '../../shared/run/json';

/**
 * Cutting values out of JSON text without rewriting them. Every function here expects text that JSON.parse accepts;
 * the result is the very characters that stood there: number spelling, key order and escapes are untouched.
 */

export type JsonPath = readonly (string | number)[];

interface Span {
  start: number;
  end: number;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(json: string, at: number): number {
  while (at < json.length && isSpace(json.charCodeAt(at))) at++;
  return at;
}

/** `at` stands on a value's first character; the result is just behind its last. */
function skipValue(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return endOfString(json, at);
  if (first !== '{' && first !== '[') {
    while (at < json.length && !',]}'.includes(json[at]!) && !isSpace(json.charCodeAt(at))) at++;
    return at;
  }
  let depth = 0;
  for (let i = at; i < json.length; i++) {
    const char = json[i]!;
    if (char === '"') i = endOfString(json, i) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return i + 1;
  }
  return json.length;
}

/** The span of member `key` of the object at `at`. Of doubled keys the last counts, as for JSON.parse. */
function memberSpan(json: string, at: number, key: string): Span | undefined {
  let found: Span | undefined;
  let i = skipSpace(json, at + 1);
  while (i < json.length && json[i] !== '}') {
    const keyEnd = endOfString(json, i);
    const name = JSON.parse(json.slice(i, keyEnd)) as string;
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = skipValue(json, start);
    if (name === key) found = { start, end };
    i = skipSpace(json, end);
    if (json[i] === ',') i = skipSpace(json, i + 1);
  }
  return found;
}

function elementSpan(json: string, at: number, index: number): Span | undefined {
  let i = skipSpace(json, at + 1);
  for (let n = 0; i < json.length && json[i] !== ']'; n++) {
    const end = skipValue(json, i);
    if (n === index) return { start: i, end };
    i = skipSpace(json, end);
    if (json[i] === ',') i = skipSpace(json, i + 1);
  }
  return undefined;
}

function spanAt(json: string, path: JsonPath): Span | undefined {
  const start = skipSpace(json, 0);
  let span: Span = { start, end: skipValue(json, start) };
  for (const step of path) {
    const opener = json[span.start];
    const next =
      typeof step === 'string' && opener === '{'
        ? memberSpan(json, span.start, step)
        : typeof step === 'number' && opener === '['
          ? elementSpan(json, span.start, step)
          : undefined;
    if (!next) return undefined;
    span = next;
  }
  return span;
}

/** The text of the value at `path`, or undefined when there is none. */
export function sliceAt(json: string, path: JsonPath): string | undefined {
  const span = spanAt(json, path);
  return span && json.slice(span.start, span.end);
}

/** `json`, an object, with the text of member `key` exchanged for `value`; added at the end when it has none. */
export function withMember(json: string, key: string, value: string): string {
  const span = spanAt(json, [key]);
  if (span) return json.slice(0, span.start) + value + json.slice(span.end);
  const close = json.lastIndexOf('}');
  const empty = json[skipSpace(json, skipSpace(json, 0) + 1)] === '}';
  return `${json.slice(0, close)}${empty ? '' : ','}${JSON.stringify(key)}:${value}${json.slice(close)}`;
}

/** JSON text of a string; a lone surrogate, which no UTF-8 can carry, becomes U+FFFD. */
export const jsonString = (text: string): string => JSON.stringify(wellFormed(text));

/** JSON text of an object from the JSON texts of its members; members without text are left out. */
export function jsonObject(members: Record<string, string | undefined>): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(members)) {
    if (value !== undefined) parts.push(`${JSON.stringify(key)}:${value}`);
  }
  return `{${parts.join(',')}}`;
}

export const jsonArray = (items: readonly string[]): string => `[${items.join(',')}]`;
