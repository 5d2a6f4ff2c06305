import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { printable, printableLine } from '../../../shared/run/transcript';

/** Longer texts are not looked at as Markdown: they are shown as they are. */
export const LONGEST_MARKDOWN = 100_000;
/** More openings than this cost a Markdown reader time without bound, and no honest text has them. */
const MOST_OPENINGS = 3_000;

/** Whether a text is to be treated as Markdown at all. */
export function isSaneMarkdown(text: string): boolean {
  if (text.length > LONGEST_MARKDOWN) return false;
  let openings = 0;
  for (const char of text)
    if (
      (char === '[' || char === '*' || char === '_' || char === '!' || char === '<' || char === '~') &&
      ++openings > MOST_OPENINGS
    )
      return false;
  // Deep nesting makes what comes after it slow.
  return !/^(?:[ \t]*[>*+-]){60}/m.test(text);
}

/** Text as a block of code that nothing in it can end. Ends with a newline. */
export function fenced(text: string, language = ''): string {
  const clean = printable(text);
  let longest = 2;
  for (const run of clean.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${clean}${clean === '' || clean.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** Contained Markdown as a quotation. Ends with a newline. */
export const quoted = (text: string): string =>
  `${contained(text)
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')}\n`;

/** One line in which nothing is markup. */
export const plainLine = (text: string): string =>
  printableLine(text).replace(/[\\`*_{}[\]<>#|!~&$]/g, (char) =>
    char === '<' ? '&lt;' : char === '&' ? '&amp;' : `\\${char}`,
  );

/** One line of code in a sentence. */
export function codeLine(text: string): string {
  const clean = printableLine(text).replaceAll('\r', '');
  let longest = 0;
  for (const run of clean.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const ticks = '`'.repeat(longest + 1);
  const pad = clean === '' || /^[` ]|[` ]$/.test(clean) ? ' ' : '';
  return `${ticks}${pad}${clean}${pad}${ticks}`;
}

/**
 * What somebody wrote as Markdown, so that it stays Markdown and cannot touch what follows it: HTML in it becomes text, an
 * image a link, and a fence that it left open is closed. Ends with a newline.
 */
export function contained(text: string): string {
  const clean = printable(text).replace(/\n+$/, '');
  if (!/<[a-z/!?]|`{3}|~{3}|!\[/i.test(clean)) return `${clean}\n`;
  if (!isSaneMarkdown(clean)) return fenced(clean);
  let out = clean;
  for (let round = 0; ; round++) {
    const edits = activeIn(out);
    if (edits.length === 0) break;
    // What was inside HTML is Markdown now, and may hold more of it.
    if (round === 20) return fenced(clean);
    for (const { at, skip, put } of edits.reverse()) out = out.slice(0, at) + put + out.slice(at + skip);
  }
  return `${out}${openFence(out)}\n`;
}

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];

const parse = (text: string): Root =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

interface Edit {
  at: number;
  /** Characters that are replaced. */
  skip: number;
  put: string;
}

/** What makes HTML text and images links, so that a reader of the file runs nothing and fetches nothing. */
function activeIn(text: string): Edit[] {
  const edits: Edit[] = [];
  const look = (node: Node): void => {
    const at = node.position?.start.offset ?? 0;
    if (node.type === 'html') {
      const end = node.position?.end.offset ?? 0;
      for (let n = at; n < end; n++) if (text[n] === '<') edits.push({ at: n, skip: 1, put: '&lt;' });
    }
    if (node.type === 'image' || node.type === 'imageReference') edits.push({ at, skip: 0, put: '\\' });
    if ('children' in node) node.children.forEach(look);
  };
  look(parse(text));
  return edits.sort((a, b) => a.at - b.at);
}

/** What closes a block of code that is still open at the end; empty where none is. */
function openFence(text: string): string {
  if (!/`{3}|~{3}/.test(text)) return '';
  const last = parse(text).children.at(-1);
  if (last?.type !== 'code') return '';
  const lines = text.slice(last.position?.start.offset, last.position?.end.offset).split('\n');
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(lines[0] ?? '')?.[1];
  if (fence === undefined) return '';
  const end = new RegExp(`^ {0,3}\\${fence[0] ?? ''}{${fence.length},}[ \\t]*$`);
  return lines.length > 1 && end.test(lines.at(-1) ?? '') ? '' : `\n${fence}`;
}
