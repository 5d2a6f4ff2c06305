import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Longer texts are not looked at as Markdown: they are shown as they are. */
export const LONGEST_MARKDOWN = 100_000;
/** More openings than this cost a Markdown reader time without bound, and no honest text has them. */
const MOST_OPENINGS = 3_000;
/** Deeper nesting, or so much of it in all, makes what comes after it slow. */
const DEEPEST = 60;
const MOST_NESTED = 20_000;

/** Whether a text is to be treated as Markdown at all. Looks at each character once. */
export function isSaneMarkdown(text: string): boolean {
  if (text.length > LONGEST_MARKDOWN) return false;
  let openings = 0;
  let nested = 0;
  for (let at = 0; at < text.length;) {
    const depth = depthAt(text, at);
    nested += depth;
    if (depth > DEEPEST || nested > MOST_NESTED) return false;
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    for (; at < next; at++)
      if ('[*_!<~'.includes(text.charAt(at)) && ++openings > MOST_OPENINGS) return false;
  }
  return true;
}

/** How many lists and quotations the beginning of a line can be inside of. */
function depthAt(text: string, from: number): number {
  let columns = 0;
  let markers = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === ' ') columns += 1;
    else if (char === '\t') columns += 4;
    else if ('>*+-'.includes(char)) markers += 1;
    else if (/\d/.test(char) && /^\d{1,9}[.)]/.test(text.slice(at, at + 10)))
      markers += at === from || !/\d/.test(text.charAt(at - 1)) ? 1 : 0;
    else if ('.)'.includes(char) && at > from && /\d/.test(text.charAt(at - 1))) continue;
    else return markers === 0 ? 0 : markers + (columns >> 1);
  }
  return markers;
}

export type Root = ReturnType<typeof fromMarkdown>;
export type Node = Root | Root['children'][number];

/** The last text that was parsed: what is done to it step by step often leaves it as it is. Its tree is never changed. */
let last: { text: string; root: Root } | undefined;

export function parse(text: string): Root {
  if (last?.text !== text)
    last = { text, root: fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) };
  return last.root;
}

interface Edit {
  at: number;
  /** Characters that are replaced. */
  skip: number;
  put: string;
}

const apply = (text: string, edits: Edit[]): string => {
  let out = text;
  for (const { at, skip, put } of edits.sort((a, b) => b.at - a.at || b.skip - a.skip))
    out = out.slice(0, at) + put + out.slice(at + skip);
  return out;
};

function each(node: Node, look: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  look(node, parent);
  if ('children' in node) for (const child of node.children) each(child, look, node);
}

const startOf = (node: Node): number => node.position?.start.offset ?? 0;
const endOf = (node: Node): number => node.position?.end.offset ?? 0;

/** Rounds after which a text is shown as it is: what was inside HTML is Markdown then, and may hold more of it. */
const MOST_ROUNDS = 20;

/** HTML as text and images as links, so that a reader of the file runs nothing and fetches nothing. */
export function harmless(text: string): string | undefined {
  let out = text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const edits: Edit[] = [];
    each(parse(out), (node) => {
      const [at, end] = [startOf(node), endOf(node)];
      if (node.type === 'html')
        for (let n = at; n < end; n++) if (out[n] === '<') edits.push({ at: n, skip: 1, put: '&lt;' });
      if (node.type === 'image' || node.type === 'imageReference') edits.push({ at, skip: 0, put: '\\' });
    });
    if (edits.length === 0) return out;
    out = apply(out, edits);
  }
  return undefined;
}

/** Levels of the document's own headings, which those of a text stand below. */
const OWN_LEVELS = 2;

/**
 * A harmless text whose headings are below those of the document, and whose references and footnotes lead to its own
 * definitions only: their labels begin with `mark`.
 */
export function placed(text: string, mark: string): string {
  const edits: Edit[] = [];
  each(parse(text), (node, parent) => {
    const [at, end] = [startOf(node), endOf(node)];
    switch (node.type) {
      case 'heading':
        edits.push(...lowered(text.slice(at, end), at, node.depth, parent?.type === 'root'));
        break;
      case 'definition':
        edits.push({ at: at + 1, skip: 0, put: mark });
        break;
      case 'footnoteDefinition':
      case 'footnoteReference':
        edits.push({ at: at + 2, skip: 0, put: mark });
        break;
      case 'linkReference': {
        const inner = node.children.at(-1);
        const close = inner ? endOf(inner) : at + 1;
        if (node.referenceType === 'full') edits.push({ at: close + 2, skip: 0, put: mark });
        else {
          const said = `${mark}${text.slice(at + 1, close)}`;
          if (node.referenceType === 'collapsed') edits.push({ at: close + 2, skip: 0, put: said });
          else edits.push({ at: end, skip: 0, put: `[${said}]` });
        }
        break;
      }
    }
  });
  return apply(text, edits);
}

/** A heading some levels further down. One that is told by the line below it is told by what is before it then. */
function lowered(source: string, at: number, depth: number, outermost: boolean): Edit[] {
  const level = '#'.repeat(Math.min(6, depth + OWN_LEVELS));
  const marks = /^#{1,6}/.exec(source)?.[0];
  if (marks !== undefined && /^#{1,6}(?:[ \t\n]|$)/.test(source))
    return [{ at, skip: marks.length, put: level }];
  const line = /(?:=+|-+)[ \t]*$/.exec(source);
  if (!line) return [];
  const under: Edit = { at: at + line.index, skip: line[0].length, put: '' };
  const content = source.slice(0, source.lastIndexOf('\n')).replace(/[ \t]*$/, '');
  const lines = content.includes('\n');
  // Inside of lists and quotations its lines begin with what is theirs; without the line below it is a paragraph.
  if (lines && !outermost) return [under];
  const close: Edit[] = /#$/.test(content) ? [{ at: at + content.length, skip: 0, put: ' #' }] : [];
  const joins = [...content.matchAll(/[ \t]*\\?\n[ \t]*/g)].map((end): Edit => ({
    at: at + end.index,
    skip: end[0].length,
    put: ' ',
  }));
  return [{ at, skip: 0, put: `${level} ` }, ...joins, ...close, under];
}

/** What closes a block of code that is still open at the end; empty where none is. */
export function openFence(text: string): string {
  if (!/`{3}|~{3}/.test(text)) return '';
  const last = parse(text).children.at(-1);
  if (last?.type !== 'code') return '';
  const lines = text.slice(startOf(last), endOf(last)).split('\n');
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(lines[0] ?? '')?.[1];
  if (fence === undefined) return '';
  const end = new RegExp(`^ {0,3}\\${fence[0] ?? ''}{${fence.length},}[ \\t]*$`);
  return lines.length > 1 && end.test(lines.at(-1) ?? '') ? '' : `\n${fence}`;
}

/**
 * Lines of a quotation. A tab before the text of a line counts fewer columns there than it did, so it becomes spaces;
 * within code it stays what it is.
 */
export function inQuotation(text: string): string {
  const lines = text.split('\n');
  if (text.includes('\t')) {
    const verbatim = new Set<number>();
    each(parse(text), (node) => {
      const { start, end } = node.position ?? {};
      if (node.type === 'code' && start && end && /^[ \t]*(?:`|~)/.test(text.slice(start.offset, end.offset)))
        for (let line = start.line + 1; line <= end.line; line++) verbatim.add(line - 1);
    });
    for (const [n, line] of lines.entries()) if (!verbatim.has(n)) lines[n] = spaced(line);
  }
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** Tabs among the marks that a line begins with, as the spaces that they are. */
function spaced(line: string): string {
  const marks = /^(?:[ \t]|[>*+-](?=[ \t]|$)|>|\d{1,9}[.)](?=[ \t]|$))*/.exec(line)?.[0] ?? '';
  if (!marks.includes('\t')) return line;
  let out = '';
  for (const char of marks) out += char === '\t' ? ' '.repeat(4 - (out.length % 4)) : char;
  return out + line.slice(marks.length);
}

/** What a text says and how it is built, without where. */
export function outline(nodes: readonly Node[]): unknown {
  return nodes.map((node) => {
    const { position: _, ...rest } = node as Node & { children?: Node[] };
    return 'children' in rest ? { ...rest, children: outline(rest.children) } : rest;
  });
}

/** Whether a text keeps within its place, whoever reads it. */
export function keepsInside(root: Root, mark: string): boolean {
  let inside = true;
  each(root, (node) => {
    if (node.type === 'html' || node.type === 'image' || node.type === 'imageReference') inside = false;
    if (node.type === 'heading' && node.depth <= OWN_LEVELS) inside = false;
    if (
      (node.type === 'definition' ||
        node.type === 'footnoteDefinition' ||
        node.type === 'footnoteReference' ||
        node.type === 'linkReference') &&
      !(node.label ?? '').startsWith(mark)
    )
      inside = false;
  });
  return inside;
}
