import { printable, printableLine } from '../../../shared/run/transcript';
import {
  harmless,
  inQuotation,
  isSaneMarkdown,
  keepsInside,
  openFence,
  outline,
  parse,
  placed,
  type Node,
} from './markdown-contain';
import { inSlices, withoutEndBreaks } from '../../../shared/run/slices';

/** Length of the longest run of backticks. */
function longestTicks(text: string): number {
  let longest = 0;
  for (let at = text.indexOf('`'); at >= 0;) {
    let end = at + 1;
    while (text[end] === '`') end++;
    longest = Math.max(longest, end - at);
    at = text.indexOf('`', end);
  }
  return longest;
}

/** Text as a block of code that nothing in it can end. Ends with a newline. */
export function fenced(text: string, language = ''): string {
  const clean = printable(text);
  const fence = '`'.repeat(Math.max(2, longestTicks(clean)) + 1);
  return `${fence}${language}\n${clean}${clean === '' || clean.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** One line in which nothing is markup. */
export const plainLine = (text: string): string =>
  inSlices(printableLine(text), (slice) =>
    slice.replace(/[\\`*_{}[\]<>#|!~&$]/g, (char) =>
      char === '<' ? '&lt;' : char === '&' ? '&amp;' : `\\${char}`,
    ),
  );

/** One line of code in a sentence. */
export function codeLine(text: string): string {
  const clean = printableLine(text).replaceAll('\r', '');
  const ticks = '`'.repeat(longestTicks(clean) + 1);
  const pad = clean === '' || /^[` ]|[` ]$/.test(clean) ? ' ' : '';
  return `${ticks}${pad}${clean}${pad}${ticks}`;
}

/** What may be more than words: without any of it, a text is in its place as it is. */
const ACTIVE = /[<[\t]|`{3}|~{3}|^[ >*+\d.)-]*#|^[ >]*(?:=+|-+)[ \t]*$/m;

/**
 * What somebody wrote as Markdown, so that it stays Markdown and reaches nothing outside of it: HTML in it becomes text,
 * an image a link, its headings are below those of the document, its references lead to its own definitions, and a fence
 * that it left open is closed. Ends with a newline.
 *
 * @param mark begins the labels of its definitions; no other text may have it
 */
export function contained(text: string, mark: string): string {
  const clean = withoutEndBreaks(printable(text));
  if (clean.length < 1_000_000 && !ACTIVE.test(clean)) return `${clean}\n`;
  if (!isSaneMarkdown(clean)) return fenced(clean);
  const inert = harmless(clean);
  if (inert === undefined) return fenced(clean);
  const out = placed(inert, mark);
  const whole = `${out}${openFence(out)}`;
  return keepsInside(parse(whole), mark) ? `${whole}\n` : fenced(clean);
}

/** Contained Markdown as a quotation, which nothing in it gets out of. Ends with a newline. */
export function quoted(text: string, mark: string): string {
  const inner = withoutEndBreaks(contained(text, mark));
  const quote = inQuotation(inner);
  if (inner.length > 1_000_000 || !ACTIVE.test(inner) || isQuotationOf(quote, inner, mark))
    return `${quote}\n`;
  return `${inQuotation(fenced(text).trimEnd())}\n`;
}

function isQuotationOf(quote: string, inner: string, mark: string): boolean {
  if (!isSaneMarkdown(quote)) return false;
  const said = outline(parse(inner).children);
  const root = parse(quote);
  const [only, ...more] = root.children;
  if (only?.type !== 'blockquote' || more.length > 0 || !keepsInside(root, mark)) return false;
  return JSON.stringify(outline(only.children)) === JSON.stringify(said);
}

/** One line without anything that could be more than words. */
const SENTENCE = /^\p{L}[\p{L}\p{N},;?()'"“”’]*(?: [\p{L}\p{N},;?()'"“”’]+)*\.?$/u;

/**
 * What a person typed, exactly, as a quotation: as sentences where it is only that, else as a block of code, in which
 * spaces and signs stay what they are. Ends with a newline.
 */
export function verbatim(text: string): string {
  const clean = printable(text);
  if (SENTENCE.test(clean)) return `> ${clean}\n`;
  const lines = clean.split('\n');
  const sentences = lines
    .map((line, n) => (line !== '' && n + 1 < lines.length && lines[n + 1] !== '' ? `${line}\\` : line))
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
  if (clean !== '' && isSaneMarkdown(clean) && saysOnly(sentences, clean)) return `${sentences}\n`;
  return `${inQuotation(fenced(clean, 'text').trimEnd())}\n`;
}

/** Whether a quotation is nothing but sentences, and says exactly this. */
function saysOnly(quote: string, said: string): boolean {
  const [only, ...more] = parse(quote).children;
  if (only?.type !== 'blockquote' || more.length > 0) return false;
  const words = (node: Node): string | undefined => {
    switch (node.type) {
      case 'text':
        return node.value;
      case 'break':
        return '\n';
      case 'paragraph':
        return joined(node.children);
      case 'link': {
        const text = joined(node.children);
        // An address that is a link by itself.
        return text !== undefined && [text, `http://${text}`, `mailto:${text}`].includes(node.url)
          ? text
          : undefined;
      }
      default:
        return undefined;
    }
  };
  const joined = (nodes: readonly Node[]): string | undefined => {
    const all = nodes.map(words);
    return all.includes(undefined) ? undefined : all.join('');
  };
  const paragraphs = only.children.map(words);
  return !paragraphs.includes(undefined) && paragraphs.join('\n\n') === said;
}
