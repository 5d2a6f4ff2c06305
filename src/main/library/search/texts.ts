import type { Block, RunRecord } from '../../../shared/run/record';
import { placesOf, termsOf, type Term } from '../../../shared/text/query';
import { OWN_WORD, WordText, indexWords } from '../../../shared/text/words';

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

/** A word that is in every text of a part and that nobody types, so that a part alone can be looked through. */
const partWord = (part: Part): string => `${OWN_WORD}${PARTS.indexOf(part)}`;

/** A text as the index takes it: its words, and those that are found when they are typed as one. */
export function indexed({ part, text }: Text): { words: string; joined: string } {
  const { words, joined } = indexWords(text);
  return { words: `${words} ${partWord(part)}`, joined };
}

export interface Query {
  /** For the index; undefined where there is nothing to look for. */
  match: string | undefined;
  /** The same with the last word taken as unfinished; absent where it is finished, or too short for that. */
  open?: string;
  terms: Term[];
}

/**
 * What a person typed, for the index.
 *
 * @param parts only texts of these
 */
export function queryOf(raw: string, parts: readonly Part[] = []): Query {
  const terms = termsOf(raw);
  if (terms.length === 0) return { match: undefined, terms };
  const only = parts.map((part) => `"${partWord(part)}"`).join(' OR ');
  const inParts = only === '' ? '' : `(text : ${only}) AND `;
  const match = (open: boolean) =>
    inParts + terms.map((term) => either(term, open && term.open)).join(' AND ');
  return { match: match(false), ...(terms.at(-1)?.open && { open: match(true) }), terms };
}

function either({ words, one }: Term, open: boolean): string {
  const quoted = (column: string, text: string) =>
    `${column} : "${text.replaceAll('"', '""')}"${open ? ' *' : ''}`;
  const ways = [quoted('text', words.join(' '))];
  if (one !== undefined && words.length > 1) ways.push(quoted('text', one));
  if (one !== undefined) ways.push(quoted('joined', one));
  return ways.length === 1 ? (ways[0] ?? '') : `(${ways.join(' OR ')})`;
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
const LONGEST_READ = 2_000_000;

/**
 * The place in a text that matches, in one line: where most of the terms are near one another.
 *
 * @returns undefined: a term whose punctuation counts is not in it
 */
export function snippetOf(text: string, terms: readonly Term[]): Snippet | undefined {
  const read = new WordText(text.slice(0, LONGEST_READ));
  const { folded } = read;
  const found = terms.map((term) => placesOf(term, read));
  const places = found.map((ranges) =>
    ranges.map(([from, to]): [number, number] => [folded.start(from), folded.end(to - 1)]),
  );
  // Behind what is read here the index is believed.
  if (text.length <= LONGEST_READ && terms.some(({ literal }, n) => literal && places[n]?.length === 0))
    return undefined;
  const first = best(places);
  const start = edge(text, wordStart(text, Math.max(0, first - AROUND), first));
  const end = edge(text, wordEnd(text, Math.min(text.length, first + 2 * AROUND)));
  const shown = text.slice(start, end).replace(/[\n\r\t]/g, ' ');
  const marks: [number, number][] = [];
  for (const [from, to] of places.flat().sort((a, b) => a[0] - b[0]))
    if (from >= start && to <= end && from - start >= (marks.at(-1)?.[1] ?? 0))
      marks.push([from - start, to - start]);
  return { text: shown, marks, before: start > 0, after: end < text.length };
}

/** The place behind which most terms follow within a snippet. */
function best(places: readonly (readonly [number, number][])[]): number {
  const all = places
    .flatMap((ranges, term) => ranges.map(([from, to]) => ({ from, to, term })))
    .sort((a, b) => a.from - b.from);
  let most = 0;
  let first = 0;
  const inside = new Map<number, number>();
  let last = 0;
  for (const { from, term } of all) {
    for (; last < all.length && (all[last]?.to ?? 0) <= from + 2 * AROUND; last++) {
      const of = all[last]?.term ?? 0;
      inside.set(of, (inside.get(of) ?? 0) + 1);
    }
    if (inside.size > most) [most, first] = [inside.size, from];
    const left = (inside.get(term) ?? 0) - 1;
    if (left > 0) inside.set(term, left);
    else inside.delete(term);
  }
  return first;
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
