import type { Block, RunRecord } from '../../../shared/run/record';

/** Where in a record a text stands. The order is the one in the index; new ones go at the end. */
export const PARTS = ['prompt', 'answer', 'thinking', 'input', 'result', 'end'] as const;
export type Part = (typeof PARTS)[number];

export interface Text {
  part: Part;
  text: string;
  /** For `input`. */
  tool?: string;
  /** For `result`: the call that it answers. */
  result?: string;
}

/** Everything of a record that a person may look for. The nth text of a record is always the same one. */
export function textsOf({ meta, assistant, user, tool_result: result, terminal }: RunRecord): Text[] {
  const texts: Text[] = [];
  const add = (part: Part, text: string | undefined, more: Pick<Text, 'tool' | 'result'> = {}): void => {
    if (text) texts.push({ part, text, ...more });
  };
  add('prompt', meta?.prompt);
  const blocks = (content: Block[] | null, said: Part): void => {
    for (const { text, thinking, tool_use: call, tool_result: answer } of content ?? []) {
      add(said, text?.text);
      add('thinking', thinking?.text);
      if (call) add('input', `${call.name}\n${stringsOf(call.input)}`, { tool: call.name });
      if (answer) add('result', answer.content, { result: answer.tool_use_id });
    }
  };
  if (assistant) blocks(assistant.message.content, 'answer');
  if (user) blocks(user.message.content, 'prompt');
  if (result) add('result', result.result.content, { result: result.tool_use_id });
  add('end', terminal?.message);
  return texts;
}

/** The words of a tool's input, without the escapes of JSON. */
function stringsOf(raw: string): string {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
    else if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        found.push(key);
        look(inner);
      }
  };
  try {
    look(JSON.parse(raw));
  } catch {
    return raw;
  }
  return found.join('\n');
}

// Chinese and Japanese have no spaces between words, so each character is one.
const UNSPACED = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
const UNSPACED_ALL = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g;

const spaced = (text: string): string => (UNSPACED.test(text) ? text.replace(UNSPACED_ALL, ' $& ') : text);

/** A word that stands in every text of a part and that nobody types, so that a part alone can be looked through. */
const partWord = (part: Part): string => `\uf8f2${PARTS.indexOf(part)}`;

/** A text as the index takes it. */
export const indexed = ({ part, text }: Text): string => `${spaced(text)} ${partWord(part)}`;

/** Too many words begin with fewer characters for that to be of use. */
const SHORTEST_OPEN = 2;

export interface Query {
  /** For the index; undefined where there is nothing to look for. */
  match: string | undefined;
  /** The same with the last word taken as unfinished; absent where it is finished, or too short for that. */
  open?: string;
  /** Words and phrases as they are looked for in a text, longest first. */
  words: string[];
}

/** Of more than this only the beginning is looked for. */
const LONGEST_TYPED = 2_000;
const MOST_WORDS = 50;
/** What would end a text for SQLite, steer it, or be half a character. */
const NO_WORD = /[\u0000-\u001f\u007f\uf8f2\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

/**
 * What a person typed: all words must be in one text, the last one may be unfinished, "quoted words" stand together.
 * Nothing in it is an operator.
 *
 * @param parts only texts of these
 */
export function queryOf(raw: string, parts: readonly Part[] = []): Query {
  const terms: { text: string; open: boolean }[] = [];
  const typed = raw.slice(0, LONGEST_TYPED).replace(NO_WORD, ' ');
  for (const [, phrase, word] of typed.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = (phrase ?? word ?? '').trim();
    if (terms.length < MOST_WORDS && /[\p{L}\p{N}]/u.test(text))
      terms.push({ text, open: phrase === undefined });
  }
  const last = terms.at(-1);
  const unfinished = last?.open === true && last.text.length >= SHORTEST_OPEN && !/\s$/.test(typed);
  const only = parts.map((part) => `"${partWord(part)}"`).join(' OR ');
  const inParts = only === '' ? '' : `(${only}) AND `;
  const match = inParts + terms.map(({ text }) => `"${spaced(text).replaceAll('"', '""')}"`).join(' AND ');
  return {
    match: terms.length === 0 ? undefined : match,
    ...(unfinished && { open: `${match} *` }),
    words: terms.map(({ text }) => text).sort((a, b) => b.length - a.length),
  };
}

export interface Snippet {
  text: string;
  /** Where the words stand in it: begin and end. */
  marks: [number, number][];
  /** Something was left out before, or after. */
  before: boolean;
  after: boolean;
}

const AROUND = 70;
const LONGEST_FOLDED = 2_000_000;

/** The place in a text where the words stand, in one line. */
export function snippetOf(text: string, words: readonly string[]): Snippet {
  const folded = foldedOf(text.slice(0, LONGEST_FOLDED));
  const wanted = words.map(foldedOf);
  let first = -1;
  for (const word of wanted) {
    const at = folded.indexOf(word);
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  // Words that the index takes apart (foo-bar) may stand otherwise in the text.
  if (first < 0)
    for (const word of wanted.flatMap((each) => each.split(/[^\p{L}\p{N}]+/u).filter(Boolean))) {
      first = folded.indexOf(word);
      if (first >= 0) break;
    }
  const start = edge(text, wordStart(text, Math.max(0, first - AROUND), first));
  const end = edge(text, wordEnd(text, Math.min(text.length, Math.max(0, first) + 2 * AROUND)));
  const shown = text.slice(start, end).replace(/[\n\r\t]/g, ' ');
  const inside = folded.slice(start, end);
  const marks: [number, number][] = [];
  for (const word of wanted)
    for (let at = inside.indexOf(word); at >= 0 && word !== ''; at = inside.indexOf(word, at + word.length))
      if (!marks.some(([from, to]) => at < to && at + word.length > from)) marks.push([at, at + word.length]);
  marks.sort((a, b) => a[0] - b[0]);
  return { text: shown, marks, before: start > 0, after: end < text.length };
}

/** Letters by which a snippet may be shorter, so that it begins and ends with a word. */
const SLACK = 20;

function wordStart(text: string, at: number, first: number): number {
  if (at === 0 || /\s/.test(text[at - 1] ?? '')) return at;
  const space = text.slice(at, Math.min(at + SLACK, first)).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

function wordEnd(text: string, at: number): number {
  if (at === text.length || /\s/.test(text[at] ?? '')) return at;
  const space = /\s(?=\S*$)/.exec(text.slice(at - SLACK, at))?.index;
  return space === undefined ? at : at - SLACK + space;
}

/** Never inside a character. */
const edge = (text: string, at: number): number => ((text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at);

/** Without case and accents, and exactly as long. */
function foldedOf(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length && !/[^\u0000-\u00bf]/.test(lower)) return lower;
  if (lower.length !== text.length) return text.replace(/[A-Z]|[^\u0000-\u00bf]/g, foldedChar);
  return lower.replace(/[^\u0000-\u00bf]/g, foldedChar);
}

function foldedChar(char: string): string {
  const small = (char.normalize('NFD')[0] ?? char).toLowerCase();
  return small.length === 1 ? small : char;
}
