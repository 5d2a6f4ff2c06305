import { fold, type Folded } from './fold';

/**
 * Words as a search takes a text apart. Letters and digits are words; so are the parts of `getUserName`, `parse_json` and
 * `v20.19.0`, each character of a script that puts no spaces between words (Chinese, Japanese, Thai …) or that hangs
 * endings on them (Korean), each emoji and each sign of a currency. The index and everything that marks words in a text
 * use these same rules.
 */
const OTHER = 1;
const LETTER = 2;
const DIGIT = 3;
const SINGLE = 4;
const SIGN = 5;
type Kind = typeof OTHER | typeof LETTER | typeof DIGIT | typeof SINGLE | typeof SIGN;

const SINGLES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u30fc]/u;
const SIGNS = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Sc}]/u;

function kindOf(char: string): Kind {
  if (SINGLES.test(char) && /[\p{L}\p{M}\p{N}]/u.test(char)) return SINGLE;
  if (/[\p{L}\p{M}]/u.test(char)) return LETTER;
  if (/\p{N}/u.test(char)) return DIGIT;
  return char > '\u007f' && SIGNS.test(char) ? SIGN : OTHER;
}

/** Of the characters of one unit, once each was met; a surrogate has none of its own. */
const KINDS = new Uint8Array(0x10000);
for (let code = 0; code < 0x80; code++) KINDS[code] = kindOf(String.fromCharCode(code));

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  const kind = KINDS[code];
  if (kind !== 0) return kind as Kind;
  if ((code & 0xf800) === 0xd800) return kindOf(String.fromCodePoint(text.codePointAt(at) ?? 0));
  return (KINDS[code] = kindOf(text.charAt(at))) as Kind;
}

/** Units of the character at a place: one or two. */
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** Words with more parts than this, or longer ones, are no words of people (hashes, keys) and are not taken apart. */
const MOST_PARTS = 12;
const LONGEST_APART = 64;
/** Of words with more parts, the parts are not also joined with one another. */
const MOST_JOINED = 6;

/** One word of a folded text: where it begins and ends there. */
export interface Word {
  from: number;
  to: number;
  /** A sign, whose word is `signWord`. */
  sign: boolean;
  /** Of a word that is taken apart: where its parts begin and end, from its beginning on. */
  cuts: readonly number[] | undefined;
  /** Capitals tell where: typed in small letters, it is not taken apart in the same way. */
  cased: boolean;
}

/** A text that can be asked for its words. */
export class WordText {
  readonly folded: Folded;

  constructor(readonly source: string) {
    this.folded = fold(source);
  }

  get text(): string {
    return this.folded.text;
  }

  /** The first word that begins at `at` or later; undefined: there is none. */
  next(at: number): Word | undefined {
    const { text } = this;
    let from = at;
    let kind: Kind = OTHER;
    for (; from < text.length; from += widthAt(text, from)) {
      kind = kindAt(text, from);
      if (kind !== OTHER) break;
    }
    if (from >= text.length) return undefined;
    if (kind === SINGLE || kind === SIGN) {
      let to = from + widthAt(text, from);
      // Signs of vowels and tones stay with their letter.
      while (kind === SINGLE && to < text.length && isMark(text, to)) to += 1;
      return { from, to, sign: kind === SIGN, cuts: undefined, cased: false };
    }
    let to = from;
    for (; to < text.length; to += widthAt(text, to)) {
      const here = kindAt(text, to);
      if (here !== LETTER && here !== DIGIT) break;
    }
    return { from, to, sign: false, ...this.#cuts(from, to) };
  }

  /** The word that has a place inside it, or begins there. */
  around(at: number): Word | undefined {
    const { text } = this;
    let from = at;
    while (from > 0) {
      const before = (text.charCodeAt(from - 1) & 0xfc00) === 0xdc00 ? from - 2 : from - 1;
      const kind = kindAt(text, before);
      if (kind !== LETTER && kind !== DIGIT) break;
      from = before;
    }
    const here = kindAt(text, at);
    return this.next(here === LETTER || here === DIGIT ? from : at);
  }

  /** Where a word changes from small to capital letters, or between letters and digits. */
  #cuts(from: number, to: number): Pick<Word, 'cuts' | 'cased'> {
    const none = { cuts: undefined, cased: false };
    if (to - from < 2 || to - from > LONGEST_APART) return none;
    const cuts = [0];
    let cased = false;
    for (let at = from + 1; at < to; at++) {
      const [before, here] = [kindAt(this.text, at - 1), kindAt(this.text, at)];
      const turned = before !== here && (before === DIGIT || here === DIGIT);
      const capital = !turned && this.#capital(at) && (!this.#capital(at - 1) || this.#smallBehind(at, to));
      if (turned || capital) cuts.push(at - from);
      cased ||= capital;
    }
    if (cuts.length === 1 || cuts.length > MOST_PARTS) return none;
    return { cuts: [...cuts, to - from], cased };
  }

  #capital(at: number): boolean {
    const start = this.folded.start(at);
    // The second of two letters that one became.
    if (at > 0 && this.folded.start(at - 1) === start) return false;
    const code = this.source.charCodeAt(start);
    if (code < 0x80) return code >= 65 && code <= 90;
    const char = String.fromCodePoint(this.source.codePointAt(start) ?? 0);
    return char !== char.toLowerCase() && char === char.toUpperCase();
  }

  #smallBehind(at: number, to: number): boolean {
    return at + 1 < to && kindAt(this.text, at + 1) === LETTER && !this.#capital(at + 1);
  }
}

const isMark = (text: string, at: number): boolean =>
  text.charCodeAt(at) >= 0x300 && /\p{M}/u.test(String.fromCodePoint(text.codePointAt(at) ?? 0));

/** The word of a sign: private characters cannot be typed, so nothing else becomes this word. */
export const signWord = (sign: string): string => `\ue0e0${(sign.codePointAt(0) ?? 0).toString(16)}`;

/** Begins what the index adds by itself; never part of a text there. */
export const OWN_WORD = '\uf8f2';

/** A text for the index: its words, and those that are also found when they are typed as one. */
export function indexWords(source: string): { words: string; joined: string } {
  const read = new WordText(source);
  const { text } = read;
  const pieces: string[] = [];
  const joined: string[] = [];
  let copied = 0;
  for (let word = read.next(0); word; word = read.next(word.to)) {
    const { from, to, sign, cuts } = word;
    if (sign) {
      pieces.push(text.slice(copied, from), ' ', signWord(text.slice(from, to)), ' ');
      copied = to;
    } else if (cuts) {
      pieces.push(text.slice(copied, from), partsOf(text, word).join(' '));
      copied = to;
      if (word.cased) joined.push(...joinedOf(text, word));
    } else if (kindAt(text, from) === SINGLE) {
      pieces.push(text.slice(copied, from), ' ', text.slice(from, to), ' ');
      copied = to;
    }
  }
  pieces.push(text.slice(copied));
  return { words: withoutOwn(pieces.join('')), joined: joined.join(' ') };
}

/** What the index would take for a word though it is none here. */
function withoutOwn(words: string): string {
  return words.includes(OWN_WORD) ? words.split(OWN_WORD).join(' ') : words;
}

/** The parts of a word that is taken apart. */
export function partsOf(text: string, { from, to, cuts }: Word): string[] {
  if (!cuts) return [text.slice(from, to)];
  return cuts.slice(0, -1).map((cut, n) => text.slice(from + cut, from + (cuts[n + 1] ?? 0)));
}

/** Parts that follow one another, as one: `getusername`, `getuser`, `username`. */
function joinedOf(text: string, { from, to, cuts = [] }: Word): string[] {
  const parts = cuts.length - 1;
  if (parts > MOST_JOINED) return [text.slice(from, to)];
  const all: string[] = [];
  for (let first = 0; first < parts; first++)
    for (let last = first + 2; last <= parts; last++)
      all.push(text.slice(from + (cuts[first] ?? 0), from + (cuts[last] ?? 0)));
  return all;
}
