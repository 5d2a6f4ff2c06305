import { base64Bytes, goBase64, goTime } from './gotypes';
import { compactJson, endOfString, wellFormed } from './json';
import { plain, zero } from './shape';
import type { Field, List, Shape, Struct } from './shape';

/**
 * The exact reader: JSON text into a known shape, with what Go's encoding/json does at the edges.
 *
 * - A key matches exactly or else without regard to case (`ſ` and `K` count as s and k). Unknown keys are skipped.
 * - A key that comes again is read *into* what is there: objects merge, list elements too, even elements that an
 *   earlier, longer list left behind. Scalars are replaced.
 * - `null` empties lists and optional objects and leaves everything else as it is.
 * - A wrong type, a number with a fraction or exponent, bad base64 or a bad time refuse the whole line.
 *
 * It is the yardstick for the fast reader (fast.ts), and the way out for every line that one does not know exactly.
 */

/** Why a line cannot be read; `at` is a position in its text. */
export class StrictError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

const MAX_DEPTH = 10_000;
/** Brackets of a record around a tool's input or a provider's block. */
const AROUND_RAW = 6;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const FOLDABLE = /[a-z\u017f\u212a]/g;
const folded = (key: string): string =>
  key.replace(FOLDABLE, (char) => (char === '\u017f' ? 'S' : char === '\u212a' ? 'K' : char.toUpperCase()));

const NAMES = new WeakMap<readonly Field[], Map<string, Field>>();
function fieldOf(fields: readonly Field[], key: string): Field | undefined {
  let names = NAMES.get(fields);
  if (!names) {
    names = new Map(fields.map((field) => [folded(field.name), field]));
    NAMES.set(fields, names);
  }
  return fields.find((field) => field.name === key) ?? names.get(folded(key));
}

/** Reads one JSON value that fills `text` (white space around it allowed). Throws StrictError. */
export function readStrict(text: string, shape: Shape): unknown {
  const reader = new Reader(text);
  const value = reader.value(shape, undefined);
  reader.end();
  return plain(shape, value);
}

/**
 * Checks that `text` is exactly one JSON value, nested no deeper than what stands inside a record may be: a line is
 * nested at most 10,000 deep, and raw JSON stands six deep in it. Throws StrictError.
 */
export function checkJson(text: string): void {
  const reader = new Reader(text, AROUND_RAW);
  reader.skip();
  reader.end();
}

/** What the reference's own numbers hold: 64 bits. Those beyond 2^53 are read as near as JavaScript can. */
function fits(digits: string, kind: 'int' | 'uint' | 'byte'): boolean {
  if (digits.length > 20 || kind === 'byte') return false;
  const exact = BigInt(digits);
  return kind === 'uint' ? exact < 2n ** 64n : BigInt.asIntN(64, exact) === exact;
}

class Reader {
  #at = 0;
  #depth: number;

  constructor(
    readonly text: string,
    around = 0,
  ) {
    this.#depth = around;
  }

  end(): void {
    if (this.#peek() !== '') this.#fail('more text after the value');
  }

  value(shape: Shape, old: unknown): unknown {
    const next = this.#peek();
    if (shape.kind === 'raw') return this.#raw();
    if (next === 'n') {
      this.#word('null');
      return shape.kind === 'pointer' || shape.kind === 'list' || shape.kind === 'bytes' ? undefined : old;
    }
    switch (shape.kind) {
      case 'pointer':
        return this.value(shape.to, old) ?? zero(shape.to);
      case 'struct':
        return this.#struct(shape.fields, old as Struct | undefined);
      case 'list':
        return this.#list(shape.of, old as List | undefined);
      case 'bytes':
        return next === '[' ? this.#list({ kind: 'byte' }, old as List | undefined) : this.#base64();
      case 'string':
        return this.#string();
      case 'bool':
        return this.#bool();
      case 'time':
        return this.#time();
      default:
        return this.#integer(shape.kind);
    }
  }

  #struct(fields: readonly Field[], old: Struct = {}): Struct {
    this.#open('{', 'an object');
    for (let more = this.#peek() !== '}'; more; more = this.#more('}')) {
      const key = this.#key();
      const field = fieldOf(fields, key);
      if (field) old[field.name] = this.value(field.shape, old[field.name]);
      else this.skip();
    }
    this.#close();
    return old;
  }

  #list(of: Shape, old: List = { items: [], length: 0 }): List {
    this.#open('[', 'a list');
    let length = 0;
    for (let more = this.#peek() !== ']'; more; more = this.#more(']')) {
      old.items[length] = this.value(of, old.items[length]);
      length++;
    }
    this.#close();
    return length === 0 ? { items: [], length: 0 } : { items: old.items, length };
  }

  #open(bracket: string, what: string): void {
    if (this.#peek() !== bracket) this.#fail(`expected ${what}`);
    this.#at++;
    if (++this.#depth > MAX_DEPTH) this.#fail('nested too deep');
  }

  #close(): void {
    this.#at++;
    this.#depth--;
  }

  /** After an element: true at a comma (which it takes), false at the closing bracket (which it leaves). */
  #more(bracket: string): boolean {
    const next = this.#peek();
    if (next === bracket) return false;
    if (next !== ',') this.#fail(`expected "," or "${bracket}"`);
    this.#at++;
    return true;
  }

  #key(): string {
    const key = this.#string();
    if (this.#peek() !== ':') this.#fail('expected ":"');
    this.#at++;
    return key;
  }

  #string(): string {
    if (this.#peek() !== '"') this.#fail('expected a string');
    const from = this.#at;
    const end = endOfString(this.text, from);
    if (end === -1) this.#fail('a string does not end');
    try {
      const value = JSON.parse(this.text.slice(from, end)) as string;
      this.#at = end;
      return wellFormed(value);
    } catch {
      return this.#fail('a string holds a control character or a bad escape');
    }
  }

  #bool(): boolean {
    const value = this.#peek() === 't';
    this.#word(value ? 'true' : 'false');
    return value;
  }

  #integer(kind: 'int' | 'uint' | 'byte'): number {
    const from = (this.#peek(), this.#at);
    const digits = this.#number();
    if (/[.eE]/.test(digits)) this.#fail('expected a whole number', from);
    if (kind !== 'int' && digits.startsWith('-')) this.#fail('expected a number that is not negative', from);
    const value = Number(digits);
    if (!Number.isSafeInteger(value) && !fits(digits, kind)) this.#fail('a number that is too large', from);
    if (kind === 'byte' && value > 255) this.#fail('expected a byte', from);
    return value === 0 ? 0 : value;
  }

  /** The text between the quotes, as Go takes it: escapes are not undone. */
  #time(): string {
    const from = (this.#peek(), this.#at);
    this.#string();
    return goTime(this.text.slice(from + 1, this.#at - 1)) ?? this.#fail('expected an RFC 3339 time', from);
  }

  #base64(): List {
    const from = (this.#peek(), this.#at);
    const text = goBase64(this.#string()) ?? this.#fail('expected base64', from);
    const items = base64Bytes(text);
    return { items, length: items.length };
  }

  #raw(): string {
    const from = (this.#peek(), this.#at);
    this.skip();
    return compactJson(this.text.slice(from, this.#at));
  }

  /** Passes one value of any shape, however deep, without recursion. */
  skip(): void {
    const open: string[] = [];
    for (;;) {
      const next = this.#peek();
      if (next === '{' || next === '[') {
        this.#open(next, '');
        const bracket = next === '{' ? '}' : ']';
        if (this.#peek() === bracket) this.#close();
        else {
          open.push(bracket);
          if (bracket === '}') this.#key();
          continue;
        }
      } else this.#scalar(next);
      for (let bracket = open.at(-1); ; bracket = open.at(-1)) {
        if (bracket === undefined) return;
        if (this.#more(bracket)) {
          if (bracket === '}') this.#key();
          break;
        }
        this.#close();
        open.pop();
      }
    }
  }

  #scalar(next: string): void {
    if (next === '"') this.#string();
    else if (next === 't' || next === 'f') this.#bool();
    else if (next === 'n') this.#word('null');
    else this.#number();
  }

  #number(): string {
    this.#peek();
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.text);
    if (!match) return this.#fail('expected a number');
    this.#at = NUMBER.lastIndex;
    return match[0];
  }

  #word(word: string): void {
    if (!this.text.startsWith(word, this.#at)) this.#fail(`expected ${word}`);
    this.#at += word.length;
  }

  /** The next character that is not white space; '' at the end. */
  #peek(): string {
    for (;;) {
      const char = this.text.charAt(this.#at);
      if (char !== ' ' && char !== '\t' && char !== '\r' && char !== '\n') return char;
      this.#at++;
    }
  }

  #fail(message: string, at = this.#at): never {
    throw new StrictError(message, at);
  }
}
