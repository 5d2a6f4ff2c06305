import { Breather } from '../journal/read';
import { findExact } from './find-exact';
import { linesOf } from './lines';
import { shorten } from './text';
import { counted } from './walk';

/** Comparisons of lines, lines, and characters of one, that a look for the nearest place takes at most. */
const MAX_COMPARED = 2_000_000;
const MAX_LINES = 20_000;
const MAX_WIDTH = 200;
const MAX_FOLDED = 4000;
const MAX_SOUGHT = 1000;
/** Lines that an answer shows, and characters of each. */
const SHOWN = 6;
const SHOWN_WIDTH = 300;
/** From 0 to 1: less alike than this is no help. */
const ALIKE = 0.4;

const spaceless = (line: string) => line.replace(/\s+/g, ' ').trim();
const plain = (line: string) =>
  spaceless(
    line
      .normalize('NFKC')
      .replace(/[\u2018\u2019\u201a\u201b\u2032`]/g, "'")
      .replace(/[\u201c-\u201f\u2033«»]/g, '"')
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/\p{Cf}/gu, ''),
  ).toLowerCase();

/**
 * Why a text was not found, for a model that will try again: the lines that come nearest, and what differs in them. Has no
 * effect, and never suggests that anything was replaced.
 */
export async function missed(
  text: string,
  old: string,
  fresh: string,
  which: string,
  ending: string | undefined,
): Promise<string> {
  const breather = new Breather();
  const lines = linesOf(text);
  const wanted = linesOf(old);
  const gone = `The file does not have ${which}.`;
  if (text.trim() === '') return `${gone} The file is empty.`;
  for (const [fold, kind] of [
    [spaceless, 'white space'],
    [plain, 'letters'],
  ] as const) {
    // Lines this long are compared nowhere: some would take minutes.
    if (wanted.some((line) => line.length > MAX_SOUGHT)) break;
    const at = await samePlace(lines, wanted, fold, breather);
    if (at === undefined) continue;
    const said = difference(lines, wanted, at, kind, text, old, ending);
    return `${gone} ${said}\n${quoted(lines, at, wanted.length)}`;
  }
  if (await isThere(text, fresh, breather))
    return `${gone} The new text is already there: this edit may have been made before.`;
  const near = await nearest(lines, wanted, breather);
  if (near === undefined) return `${gone} Nothing in it comes near: read the file again.`;
  return `${gone} The nearest lines are different:\n${quoted(lines, near, wanted.length)}`;
}

async function isThere(text: string, piece: string, breather: Breather): Promise<boolean> {
  let there = false;
  if (piece.trim() !== '') await findExact(text, piece, breather, () => ((there = true), 'end'));
  return there;
}

/** The first line of the place where all lines are the same once `fold` took the difference out. */
async function samePlace(
  lines: readonly string[],
  wanted: readonly string[],
  fold: (line: string) => string,
  breather: Breather,
): Promise<number | undefined> {
  const sought = wanted.map(fold);
  const [first = ''] = sought;
  const last = sought.at(-1) ?? '';
  if (sought.every((line) => line === '')) return undefined;
  const folded: (string | undefined)[] = [];
  const line = (n: number) => (folded[n] ??= fold((lines[n] ?? '').slice(0, MAX_FOLDED)));
  let left = MAX_COMPARED;
  for (let at = 0; at + sought.length <= lines.length && left > 0; at++) {
    if (breather.due) await breather.breathe();
    left--;
    if (sought.length === 1) {
      if (line(at).includes(first)) return at;
      continue;
    }
    if (!line(at).endsWith(first) || !line(at + sought.length - 1).startsWith(last)) continue;
    let same = 1;
    while (same < sought.length - 1 && line(at + same) === sought[same]) same++;
    left -= same;
    if (same >= sought.length - 1) return at;
  }
  return undefined;
}

function difference(
  lines: readonly string[],
  wanted: readonly string[],
  at: number,
  kind: string,
  text: string,
  old: string,
  ending: string | undefined,
): string {
  const only = wanted.length - 1;
  for (const [n, yours] of wanted.entries()) {
    const there = (lines[at + n] ?? '').slice(0, MAX_FOLDED);
    const fits =
      n === 0 && n === only
        ? there.includes(yours)
        : n === 0
          ? there.endsWith(yours)
          : n === only
            ? there.startsWith(yours)
            : there === yours;
    if (fits) continue;
    const where = `Line ${at + n + 1} differs in ${kind}:`;
    if (kind !== 'white space') return `${where} ${firstOdd(there, yours)}`;
    const [mine, your] = [indent(there), indent(yours)];
    if (mine !== your && !(n === 0 && your === ''))
      return `${where} there it begins with ${spaces(mine)}, in yours with ${spaces(your)}.`;
    if (there.trim() === yours.trim())
      return `${where} there it ends with ${spaces(tail(there))}, in yours with ${spaces(tail(yours))}.`;
    return `${where} ${firstOdd(there.trim(), yours.trim())}`;
  }
  if (/[\r\n]$/.test(old) && at + wanted.length >= lines.length && !/[\r\n]$/.test(text))
    return 'The file ends there without a line break, and yours has one.';
  return ending === undefined
    ? `Line breaks differ: the file has several kinds of them (CRLF, LF or CR), and yours must be the same there. Lines ${at + 1} to ${at + wanted.length} end with ${endings(text, at, wanted.length)}.`
    : 'Line breaks differ.';
}

const indent = (line: string) => /^\s*/.exec(line)?.[0] ?? '';
const tail = (line: string) => line.slice(line.trimEnd().length);

/** Names white space: `1 tab and 2 spaces`. */
function spaces(text: string): string {
  if (text === '') return 'no white space';
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const [tabs, blanks] = [count(/\t/g), count(/ /g)];
  const others = text.length - tabs - blanks;
  return [
    tabs > 0 && counted(tabs, 'tab'),
    blanks > 0 && counted(blanks, 'space'),
    others > 0 && `${counted(others, 'other blank')} (${code(text.replace(/[\t ]/g, ''))})`,
  ]
    .filter(Boolean)
    .join(' and ');
}

/** The first characters that differ, by their numbers too: many look alike. */
function firstOdd(there: string, yours: string): string {
  const start = Math.max(0, there.toLowerCase().indexOf(yours.slice(0, 1).toLowerCase()));
  const from = there.startsWith(yours.slice(0, 1)) ? 0 : start;
  let n = 0;
  while (n < yours.length && there[from + n] === yours[n]) n++;
  const [a, b] = [there.slice(from + n), yours.slice(n)];
  return `there is ${named(a)} where yours has ${named(b)}.`;
}

const named = (rest: string) => {
  if (rest === '') return 'the end';
  const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return char === ' '
    ? 'a space'
    : char === '\t'
      ? 'a tab'
      : `${/\p{C}|\s/u.test(char) ? '' : `“${char}” `}(${code(char)})`;
};
const code = (text: string) => `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function endings(text: string, from: number, count: number): string {
  const names: Record<string, string> = { '\r\n': 'CRLF', '\n': 'LF', '\r': 'CR' };
  const found: string[] = [];
  let line = 0;
  for (const one of text.matchAll(/\r\n|\r|\n/g)) {
    if (line >= from && line < from + count) found.push(names[one[0]] ?? '');
    if (++line >= from + count || found.length >= SHOWN) break;
  }
  return found.join(', ');
}

const quoted = (lines: readonly string[], at: number, count: number) =>
  lines
    .slice(at, at + Math.min(count, SHOWN))
    .map((line, n) => `${at + n + 1}: ${shorten(line, SHOWN_WIDTH)}`)
    .join('\n');

/** The line where the place that is most like the wanted one begins. */
async function nearest(
  lines: readonly string[],
  wanted: readonly string[],
  breather: Breather,
): Promise<number | undefined> {
  const folded = wanted.slice(0, MAX_LINES).map((line) => spaceless(line.slice(0, MAX_WIDTH)));
  // The longest line says most.
  const telling = folded.reduce((best, line, n) => (line.length > (folded[best]?.length ?? 0) ? n : best), 0);
  const pairs = pairsOf(folded[telling] ?? '');
  if (pairs.size === 0) return undefined;
  let best: { at: number; score: number } | undefined;
  for (const [at, line] of lines.slice(0, MAX_LINES).entries()) {
    if (breather.due) await breather.breathe();
    const score = alike(pairs, pairsOf(spaceless(line.slice(0, MAX_WIDTH))));
    if (score > (best?.score ?? ALIKE)) best = { at, score };
  }
  return best && Math.max(0, best.at - telling);
}

const pairsOf = (line: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, line.length - 1) }, (_, n) => line.slice(n, n + 2)));

function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const pair of a) if (b.has(pair)) both++;
  return (2 * both) / (a.size + b.size || 1);
}
