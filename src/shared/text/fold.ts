/**
 * Text as a search compares it: without case, accents and the ways in which one character can be written (NFC and NFD,
 * full and half width, ligatures). Every place that looks for words uses this one form: the index, its snippets, find in
 * a run, the filters of lists.
 */
export interface Folded {
  readonly text: string;
  /** Where the folded character at `at` begins in the text that was folded. */
  start(at: number): number;
  /** Where the folded character at `at` ends there. */
  end(at: number): number;
}

/** Letters that Unicode takes for letters of their own, and that people type without their stroke or as two. */
const PLAIN: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ɖ: 'd',
  ħ: 'h',
  ı: 'i',
  ĸ: 'k',
  ł: 'l',
  ŋ: 'n',
  ø: 'o',
  ŧ: 't',
  ƀ: 'b',
  ɓ: 'b',
  ƈ: 'c',
  ɗ: 'd',
  ƒ: 'f',
  ǥ: 'g',
  ɠ: 'g',
  ɨ: 'i',
  ƙ: 'k',
  ɲ: 'n',
  ɔ: 'o',
  ƥ: 'p',
  ƭ: 't',
  ʉ: 'u',
  ƴ: 'y',
  ƶ: 'z',
  ə: 'e',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
  '‘': "'",
  '’': "'",
  ʼ: "'",
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
};

/** Shown as nothing: joiners, marks of direction, soft hyphens, forms of emoji and their colour of skin, tatweel. */
const INVISIBLE =
  /[\u00ad\u0640\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]|[\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]/u;

/** A letter with its marks, a Korean syllable in pieces, a half-width kana with its voice mark: one character to a reader. */
const CLUSTER =
  /[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6]?[\u11a8-\u11ff\ud7cb-\ud7fb]?|[\uff66-\uff9d][\uff9e\uff9f]?|[^\ud800-\udfff]\p{M}{0,32}|[\ud800-\udbff][\udc00-\udfff]\p{M}{0,32}|[^]/uy;

/** Scripts whose marks are accents, which people leave out; elsewhere (Thai, Devanagari, kana) a mark is a sound. */
const ACCENTED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]/u;
const MARKS = /\p{M}+/gu;

const isAscii = (code: number): boolean => code < 0x80;

function foldCluster(cluster: string): string {
  if (INVISIBLE.test(cluster) && cluster.replace(new RegExp(INVISIBLE, 'gu'), '') === '') return '';
  let wide = cluster.normalize('NFKD');
  if (ACCENTED.test(wide)) wide = wide.replace(MARKS, '');
  let plain = '';
  for (const char of wide.toLowerCase()) if (!INVISIBLE.test(char)) plain += PLAIN[char] ?? char;
  // Capitals such as İ leave a mark behind when they become small.
  if (plain.length > 1 && ACCENTED.test(plain)) plain = plain.replace(MARKS, '');
  return plain.normalize('NFC');
}

/** Most characters come again and again. */
const KNOWN_MOST = 4_096;
const known = new Map<string, string>();
function foldedCluster(cluster: string): string {
  let folded = known.get(cluster);
  if (folded === undefined) {
    folded = foldCluster(cluster);
    if (known.size >= KNOWN_MOST) known.clear();
    known.set(cluster, folded);
  }
  return folded;
}

/** Neither a mark nor part of a syllable or a pair: such a character is folded by itself. */
const alone = (code: number): boolean =>
  code < 0x300 ||
  (code >= 0x3400 && code < 0xa000) ||
  (code >= 0x3041 && code < 0x3097) ||
  (code >= 0x30a1 && code < 0x3100) ||
  (code >= 0xac00 && code < 0xd7a4) ||
  (code >= 0x2010 && code < 0x2060);

/** Where each folded character was: begin and end, as far as asked for. */
class Offsets {
  #starts: Uint32Array;
  #ends: Uint32Array;
  #length = 0;

  constructor(size: number) {
    this.#starts = new Uint32Array(size + 64);
    this.#ends = new Uint32Array(size + 64);
  }

  add(count: number, from: number, to: number): void {
    if (this.#length + count > this.#starts.length) this.#grow(count);
    for (let n = 0; n < count; n++) {
      this.#starts[this.#length] = from;
      this.#ends[this.#length++] = to;
    }
  }

  start(at: number): number {
    return at < this.#length ? (this.#starts[at] as number) : (this.#ends[this.#length - 1] ?? 0);
  }

  end(at: number): number {
    return this.#ends[Math.min(at, this.#length - 1)] ?? 0;
  }

  #grow(count: number): void {
    const size = Math.ceil((this.#length + count) * 1.5);
    const [starts, ends] = [new Uint32Array(size), new Uint32Array(size)];
    starts.set(this.#starts);
    ends.set(this.#ends);
    [this.#starts, this.#ends] = [starts, ends];
  }
}

/** The folded form of a text, with the way back. Takes time and room in proportion to the text's length. */
export function fold(text: string): Folded {
  const first = firstOther(text);
  if (first === text.length) return { text: text.toLowerCase(), start: (at) => at, end: (at) => at + 1 };
  const offsets = new Offsets(text.length);
  const whole = walk(text, first, offsets);
  return { text: whole, start: (at) => offsets.start(at), end: (at) => offsets.end(at) };
}

/** Only the folded text. */
export function folded(text: string): string {
  const first = firstOther(text);
  return first === text.length ? text.toLowerCase() : walk(text, first);
}

/** The first character that may not simply become small; a mark belongs to the letter before it. */
function firstOther(text: string): number {
  let at = 0;
  while (at < text.length && isAscii(text.charCodeAt(at))) at++;
  return at < text.length && at > 0 ? at - 1 : at;
}

function walk(text: string, first: number, offsets?: Offsets): string {
  const pieces: string[] = [];
  const plain = (from: number, to: number) => {
    pieces.push(text.slice(from, to).toLowerCase());
    if (offsets) for (let n = from; n < to; n++) offsets.add(1, n, n + 1);
  };
  if (first > 0) plain(0, first);
  for (let at = first; at < text.length;) {
    let next = at;
    while (next < text.length && isAscii(text.charCodeAt(next))) next++;
    // The last of them may have a mark behind it.
    const run = next === text.length || alone(text.charCodeAt(next)) ? next : next - 1;
    if (run > at) {
      plain(at, run);
      at = run;
      continue;
    }
    let end = at + 1;
    if (!alone(text.charCodeAt(at)) || (end < text.length && !alone(text.charCodeAt(end)))) {
      CLUSTER.lastIndex = at;
      end = at + (CLUSTER.exec(text)?.[0].length ?? 1);
    }
    const form = foldedCluster(text.slice(at, end));
    pieces.push(form);
    offsets?.add(form.length, at, end);
    at = end;
  }
  return pieces.join('');
}
