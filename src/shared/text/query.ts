import { folded } from './fold';
import { WordText, partsOf, signWord } from './words';

/** One of the things that a person looks for: a word, or words in quotes. */
export interface Term {
  /** Its words, one behind the other. */
  words: string[];
  /** The same as one word, where it is one (`UserName`). */
  one: string | undefined;
  /** Pieces as they were typed, where there is more in them than words (`C++`, `.env`): they must be there like this. */
  literal: string[] | undefined;
  /** The last word may be unfinished. */
  open: boolean;
}

/** Of more than this only the beginning is looked for. */
const LONGEST_TYPED = 2_000;
const MOST_TERMS = 50;
/** What would end a text for SQLite, is half a character, or means what a program wants it to mean. */
const NO_WORD = /[\u0000-\u001f\u007f\u2028\u2029]|\p{Cs}|\p{Co}/gu;
/** What ends a sentence, or quotes a word, is not meant by whoever types it at a word's edge. */
const EDGES = /^["'“”‘’]+|["'“”‘’,;:!?…]+$|\.+$/gu;
/** A word that is shorter is not taken as unfinished: too many begin so. */
const SHORTEST_OPEN = 2;

/**
 * What a person typed, as terms: all of them have to be in one text, the last one may be unfinished, "quoted words" stand
 * together. Nothing in it is an operator.
 */
export function termsOf(raw: string): Term[] {
  const terms: Term[] = [];
  const typed = raw.slice(0, LONGEST_TYPED).replace(NO_WORD, ' ');
  for (const [, phrase, word] of typed.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const term = termOf(phrase ?? word ?? '');
    if (term && terms.length < MOST_TERMS) terms.push({ ...term, open: phrase === undefined });
  }
  const last = terms.at(-1);
  for (const term of terms) term.open &&= term === last && !/\s$/.test(typed) && longEnough(term);
  return terms;
}

const longEnough = ({ words, one }: Term): boolean =>
  [...(words.at(-1) ?? '')].length >= SHORTEST_OPEN || (one ?? '').length >= SHORTEST_OPEN;

function termOf(text: string): Omit<Term, 'open'> | undefined {
  const read = new WordText(text);
  const words: string[] = [];
  let count = 0;
  let whole = '';
  for (let word = read.next(0); word; word = read.next(word.to)) {
    count++;
    whole = read.text.slice(word.from, word.to);
    words.push(...(word.sign ? [signWord(whole)] : partsOf(read.text, word)));
  }
  if (words.length === 0) return undefined;
  const pieces = text
    .split(/\s+/)
    .map((piece) => folded(piece.replace(EDGES, '')))
    .filter((piece) => piece !== '');
  const punctuated = pieces.some((piece) =>
    /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(piece),
  );
  return {
    words,
    one: count === 1 && words[0] !== signWord(whole) ? whole : undefined,
    literal: punctuated ? pieces : undefined,
  };
}

/** A place in a folded text. */
export type Range = [from: number, to: number];

/** A text is looked through for no more places of one term than this. */
const MOST_PLACES = 500;

/** Where a term is in a text: places in the folded text, in order. */
export function placesOf(term: Term, text: WordText, most = MOST_PLACES): Range[] {
  const places: Range[] = [];
  const look = (needle: string, endOf: (at: number) => number | undefined) => {
    for (let at = text.text.indexOf(needle); needle !== '' && at >= 0 && places.length < most;) {
      const end = endOf(at);
      if (end !== undefined) places.push([at, end]);
      at = text.text.indexOf(needle, end ?? at + 1);
    }
  };
  const { words, one, literal, open } = term;
  if (literal) look(literal[0] ?? '', (at) => literalEnd(text, at, literal, open));
  else {
    look(plain(words[0] ?? ''), (at) => phraseEnd(text, at, term));
    if (one !== undefined) look(one, (at) => oneEnd(text, at, one, open));
  }
  places.sort((a, b) => a[0] - b[0]);
  return places.filter(([from], n) => n === 0 || from >= (places[n - 1]?.[1] ?? 0));
}

const plain = (word: string): string =>
  word.startsWith('\ue0e0') ? String.fromCodePoint(parseInt(word.slice(1), 16)) : word;

/** Where parts of words begin and end. */
function edgesAt(text: WordText, at: number): Set<number> {
  const word = text.around(at);
  if (!word) return new Set();
  return new Set((word.cuts ?? [0, word.to - word.from]).map((cut) => word.from + cut));
}

const isEdge = (text: WordText, at: number): boolean => {
  const word = text.around(Math.max(0, at - 1));
  if (!word || at <= word.from || at >= word.to) return true;
  return word.cuts?.includes(at - word.from) ?? false;
};

function oneEnd(text: WordText, at: number, one: string, open: boolean): number | undefined {
  const edges = edgesAt(text, at);
  const end = at + one.length;
  return edges.has(at) && (open || edges.has(end)) ? end : undefined;
}

function phraseEnd(text: WordText, at: number, { words, open }: Term): number | undefined {
  let place = at;
  for (const [n, wanted] of words.entries()) {
    const needle = plain(wanted);
    const word = n === 0 ? text.around(place) : wordFrom(text, place);
    if (!word) return undefined;
    const start = n === 0 ? at : Math.max(word.from, place);
    if (!text.text.startsWith(needle, start)) return undefined;
    const edges = (word.cuts ?? [0, word.to - word.from]).map((cut) => word.from + cut);
    const end = start + needle.length;
    const unfinished = open && n === words.length - 1;
    if (!edges.includes(start) || !(edges.includes(end) || (unfinished && end <= word.to))) return undefined;
    place = end;
  }
  return place;
}

/** The word that goes on at a place, or the next one. */
function wordFrom(text: WordText, at: number): ReturnType<WordText['next']> {
  const inside = at > 0 ? text.around(at - 1) : undefined;
  return inside && inside.from < at && at < inside.to ? inside : text.next(at);
}

function literalEnd(
  text: WordText,
  at: number,
  pieces: readonly string[],
  open: boolean,
): number | undefined {
  if (!isEdge(text, at)) return undefined;
  let place = at;
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) while (/\s/.test(text.text.charAt(place))) place++;
    if (!text.text.startsWith(piece, place)) return undefined;
    place += piece.length;
  }
  return open || isEdge(text, place) ? place : undefined;
}
