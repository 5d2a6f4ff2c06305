import type { RootContent } from 'mdast';
import { withoutEndBreaks } from '../../../shared/run/slices';
import { blocksOf } from '../../../shared/markdown/parse';
import { isTooCostly, type Part, type Piece } from './pieces';

/** A block at the top level of a text, and where its lines are. */
export interface Block {
  /** undefined: it is shown as it was written. */
  node: RootContent | undefined;
  from: number;
  to: number;
}

const DEEP = /^(?:[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+)){30}|^[ \t]{100,}(?:[-*+]|\d{1,9}[.)])[ \t]/m;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/** Where quotes and lists are within each other as nobody writes them: reading that would take seconds. */
function deepAt(source: string): number | undefined {
  if (!DEEP.test(source)) return undefined;
  let at = 0;
  let fence = '';
  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && fence === '') fence = mark;
    else if (mark?.startsWith(fence) && fence !== '') fence = '';
    else if (fence === '' && DEEP.test(line) && !RULE.test(line)) return at;
    at += line.length + 1;
  }
  return undefined;
}

const lineStart = (source: string, at: number) =>
  Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1;

const endOf = (node: RootContent) => node.position?.end.offset ?? 0;

/**
 * Whether a paragraph would be one without the block before it, where no blank line is between them: `2. x` begins no
 * list right behind some blocks, and does alone.
 */
function opensAlone(node: RootContent, source: string, last: RootContent, from: number): boolean {
  const before = endOf(last);
  // Code by its indent has blank lines within it: behind them it is the same.
  if (last.type !== 'code' && /\n[ \t]*\r?\n/.test(source.slice(Math.max(0, before - 1), from))) return true;
  const { children } = blocksOf(source.slice(from, Math.min(endOf(node), from + 2_000)));
  return children.length === 1 && children[0]?.type === 'paragraph';
}

/** The blocks of a text, as the library finds them. */
export function blocksIn(source: string): Block[] {
  const deep = deepAt(source);
  if (deep !== undefined) {
    const blank = /\n[ \t]*(?:\n|$)/.exec(source.slice(deep));
    const end = blank ? deep + blank.index + 1 : source.length;
    const rest = blocksIn(source.slice(end)).map((block) => moved(block, end));
    return [...blocksIn(source.slice(0, deep)), { node: undefined, from: deep, to: end }, ...rest];
  }
  const blocks: Block[] = [];
  for (const node of blocksOf(source).children) {
    const from = lineStart(source, node.position?.start.offset ?? 0);
    // The library says of a heading that it begins where the definitions before it do: then they are one block.
    while ((blocks.at(-1)?.from ?? -1) >= from) blocks.pop();
    const before = blocks.at(-1);
    if (before?.node && node.type === 'paragraph' && !opensAlone(node, source, before.node, from)) {
      before.node = node;
      continue;
    }
    blocks.push({ node: isTooCostly(node, source) ? undefined : node, from, to: source.length });
  }
  for (const [at, block] of blocks.entries()) {
    if (at === 0) block.from = 0;
    block.to = blocks[at + 1]?.from ?? source.length;
  }
  return blocks;
}

const moved = ({ node, from, to }: Block, by: number): Block => ({
  // Its positions are those within its own text, which is all that is looked at.
  node,
  from: from + by,
  to: to + by,
});

/** The piece that a block is; none where nothing of it is shown. */
export function pieceOf({ node, from, to }: Block, source: string): Piece | undefined {
  const text = source.slice(from, to);
  if (!node) return { kind: 'plain', text: withoutEndBreaks(text) };
  switch (node.type) {
    case 'definition':
      return undefined;
    case 'code':
      return FENCE.test(text) ? { kind: 'code', lang: node.lang ?? '', text: node.value } : flow(text);
    case 'list':
      return {
        kind: 'list',
        parts: [partOf(text, node.children.length)],
        loose: (node.spread ?? false) || node.children.some((item) => item.spread),
      };
    case 'table':
      return { kind: 'table', parts: [partOf(text, node.children.length - 1)] };
    default:
      return flow(text);
  }
}

const flow = (text: string): Piece => ({ kind: 'flow', text, refs: [] });
export const partOf = (text: string, items: number): Part => ({ text, refs: [], items });
