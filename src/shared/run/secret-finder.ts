/**
 * Finds secret values in texts: as they are, as they stand in JSON, percent-encoded, in base64 (also in the middle of
 * something longer), and of each of these a beginning or an end of twelve characters or more, as a limit may have left it.
 * One pass over the text, whose cost does not grow with the number of secrets.
 */
export const MASK = '[secret]';
/** Shorter values would blank out ordinary words, and no service gives out such keys. */
export const SHORTEST_SECRET = 8;
/** Characters of a beginning or an end that are taken for it. */
export const SHORTEST_PART = 12;

/** Characters by which forms are looked up. */
const WINDOW = SHORTEST_SECRET;
const BITS = 16;

interface Form {
  text: string;
  /** Characters of its beginning that make a find. */
  least: number;
}

/** A form in one text: it is looked for again only behind what it was found in. */
interface Sought extends Form {
  until: number;
}

export interface SecretFinder {
  /** The text with every find masked. */
  clean(text: string): string;
  /** As `clean`, and how many were found. */
  replace(text: string): { text: string; count: number };
  /** Characters of the longest form: what a stream has to hold back. */
  readonly longest: number;
}

const NONE: SecretFinder = { clean: (text) => text, replace: (text) => ({ text, count: 0 }), longest: 0 };

export function secretFinder(values: readonly string[]): SecretFinder {
  if (values.length === 0) return NONE;
  const forms = new Map<string, Form>();
  for (const value of values) for (const form of formsOf(value)) forms.set(form.text, form);
  const all = [...forms.values()];
  const hits = new Uint8Array(1 << BITS);
  const heads = new Map<string, Sought[]>();
  const tails = new Map<string, Sought[]>();
  const put = (to: Map<string, Sought[]>, key: string, form: Form): void => {
    hits[gram(key, 0)] = 1;
    const known = to.get(key);
    if (known) known.push({ ...form, until: 0 });
    else to.set(key, [{ ...form, until: 0 }]);
  };
  for (const form of all) {
    put(heads, form.text.slice(0, WINDOW), form);
    if (form.text.length > SHORTEST_PART) put(tails, form.text.slice(-SHORTEST_PART), form);
  }
  const longest = all.reduce((most, { text }) => Math.max(most, text.length), 0);

  const replace = (text: string): { text: string; count: number } => {
    if (all.length === 0 || text.length < SHORTEST_SECRET) return { text, count: 0 };
    const spans: [from: number, to: number][] = [];
    const last = text.length - SHORTEST_SECRET;
    for (const sought of [...heads.values(), ...tails.values()]) for (const one of sought) one.until = 0;
    for (let at = 0; at <= last; at++) {
      if (hits[gram(text, at)] !== 1) continue;
      let [from, to] = [at, at];
      // Cost stays linear, whatever the text repeats.
      for (const form of heads.get(text.slice(at, at + WINDOW)) ?? []) {
        if (at < form.until) continue;
        form.until = headEnd(text, at, form);
        to = Math.max(to, form.until);
      }
      for (const form of tails.get(text.slice(at, at + SHORTEST_PART)) ?? []) {
        if (at < form.until) continue;
        form.until = at + SHORTEST_PART;
        to = Math.max(to, form.until);
        from = Math.min(from, tailStart(text, at, form, spans.at(-1)?.[1] ?? 0));
      }
      if (to === at) continue;
      for (let before = spans.at(-1); before && from <= before[1]; before = spans.at(-1)) {
        from = Math.min(from, before[0]);
        to = Math.max(to, before[1]);
        spans.pop();
      }
      spans.push([from, to]);
    }
    if (spans.length === 0) return { text, count: 0 };
    let [clean, done] = ['', 0];
    for (const [from, to] of spans) {
      clean += text.slice(done, Math.max(done, from)) + MASK;
      done = to;
    }
    return { text: clean + text.slice(done), count: spans.length };
  };
  return { replace, clean: (text) => replace(text).text, longest };
}

/** Where what begins at `at` like the form stops being like it; `at` where it is too short to be a find. */
function headEnd(text: string, at: number, { text: form, least }: Form): number {
  let n = 0;
  while (n < form.length && text.charCodeAt(at + n) === form.charCodeAt(n)) n++;
  return n >= least ? at + n : at;
}

/** Where the end of the form that stands at `at` begins, as far back as the text is like it and nothing is found yet. */
function tailStart(text: string, at: number, { text: form }: Form, found: number): number {
  let n = 0;
  const before = form.length - SHORTEST_PART;
  while (n < before && at - n > found && text.charCodeAt(at - n - 1) === form.charCodeAt(before - n - 1)) n++;
  return at - n;
}

function gram(text: string, at: number): number {
  const mixed =
    text.charCodeAt(at) * 0x9e35 +
    text.charCodeAt(at + 1) * 0x85eb +
    text.charCodeAt(at + 2) * 0x27d5 +
    text.charCodeAt(at + 3) * 0x1656;
  return (mixed ^ (mixed >>> BITS)) & ((1 << BITS) - 1);
}

function formsOf(value: string): Form[] {
  if (value.length < SHORTEST_SECRET) return [];
  const plain = new Set([value, ...jsonForms(value), ...percentForms(value)]);
  const forms = [...plain].map((text): Form => ({ text, least: Math.min(SHORTEST_PART, text.length) }));
  for (const text of base64Forms(value))
    if (text.length >= SHORTEST_SECRET)
      forms.push({
        text,
        least: value.length < SHORTEST_PART ? text.length : Math.min(BASE64_PART, text.length),
      });
  return forms;
}

/** So many characters of base64 hold twelve of a value. */
const BASE64_PART = 16;

function jsonForms(value: string): string[] {
  const usual = JSON.stringify(value).slice(1, -1);
  const ascii = usual.replace(
    /[\u007f-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [usual, usual.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/'), twice(usual)];
}

/** JSON inside JSON. */
const twice = (text: string): string => JSON.stringify(text).slice(1, -1);

function percentForms(value: string): string[] {
  let whole: string;
  let light: string;
  try {
    whole = encodeURIComponent(value);
    light = encodeURI(value);
  } catch {
    // Half a character: no address can hold it.
    return [];
  }
  const strict = whole.replace(/[!'()*~.-]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const upper = [whole, light, strict, whole.replaceAll('%20', '+')];
  return [...upper, ...upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What of a value can be seen in base64, wherever in the encoded bytes it begins; in both alphabets. */
function base64Forms(value: string): string[] {
  const bytes = utf8(value);
  const forms: string[] = [];
  for (let shift = 0; shift < 3; shift++) {
    const padded = [...new Array<number>(shift).fill(0), ...bytes];
    let text = '';
    for (let at = 0; at + 2 < padded.length; at += 3) {
      const three = (padded[at]! << 16) | (padded[at + 1]! << 8) | padded[at + 2]!;
      for (const bits of [18, 12, 6, 0]) text += ALPHABET[(three >> bits) & 63];
    }
    const left = padded.length % 3;
    if (left === 1) text += ALPHABET[padded.at(-1)! >> 2];
    if (left === 2)
      text += ALPHABET[padded.at(-2)! >> 2]! + ALPHABET[((padded.at(-2)! & 3) << 4) | (padded.at(-1)! >> 4)];
    // The first characters also hold bits of what stands before the value.
    const own = text.slice(shift === 0 ? 0 : shift + 1);
    forms.push(own, own.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      );
  }
  return bytes;
}

/** Masks secrets in a text that comes in pieces, wherever they are cut. What is given out is final. */
export class SecretStream {
  #held = '';

  constructor(private readonly finder: SecretFinder) {}

  /** What is safe to show by now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const keep = Math.max(0, this.finder.longest - 1);
    if (text.length <= keep) {
      this.#held = text;
      return '';
    }
    // A secret that begins in what is given out may end in what is held back, so the cut falls where none does.
    const cut = this.#cut(text, text.length - keep);
    this.#held = text.slice(cut);
    return this.finder.clean(text.slice(0, cut));
  }

  end(): string {
    const rest = this.finder.clean(this.#held);
    this.#held = '';
    return rest;
  }

  /** The last place at or before `most` that is inside no find. */
  #cut(text: string, most: number): number {
    const { longest } = this.finder;
    const from = Math.max(0, most - longest);
    const around = text.slice(from, Math.min(text.length, most + longest));
    // As long as cleaning the two sides on their own does not leave what cleaning both together takes.
    const whole = this.finder.replace(around);
    for (let at = most; at > from; at--) {
      const left = this.finder.replace(around.slice(0, at - from));
      const right = this.finder.replace(around.slice(at - from));
      if (left.text + right.text === whole.text) return at;
    }
    return from;
  }
}
