import type { Element, ElementContent, Root as HastRoot } from 'hast';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import type { Root as MdRoot } from 'mdast';
import { toHast, type State } from 'mdast-util-to-hast';
import type { InlineMath, Math } from '../../../shared/markdown/dialect';
import { parse, type Reference } from '../../../shared/markdown/parse';
import { breakLines, footnotesInPlace, htmlAsText } from './mdast';
import { direct, visible } from './hast';
import type { Piece } from './pieces';

/** What a person chose for how answers are read. */
export interface Reading {
  /** A single line end is a line break, as in a chat program. */
  breaks: boolean;
}

type Schema = typeof defaultSchema;
const schema: Schema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    code: [['className', /^language-./, 'math-inline', 'math-display']],
    ul: [],
    li: [['className', 'task-list-item']],
  },
  // Addresses are never followed by the page itself; the components decide what can be done with them.
  protocols: {},
};

const formula = (value: string, name: string): Element => ({
  type: 'element',
  tagName: 'code',
  properties: { className: [name] },
  children: [{ type: 'text', value }],
});

const handlers = {
  math: (_state: State, node: Math): Element => ({
    type: 'element',
    tagName: 'pre',
    properties: {},
    children: [formula(node.value, 'math-display')],
  }),
  inlineMath: (_state: State, node: InlineMath): Element =>
    formula(node.value, node.display ? 'math-display' : 'math-inline'),
};

function toTree(tree: MdRoot, refs: readonly Reference[], { breaks }: Reading): HastRoot {
  htmlAsText(tree);
  footnotesInPlace(tree);
  if (breaks) breakLines(tree);
  for (const { id, url, title } of refs) {
    if (!id.startsWith('^'))
      tree.children.unshift({ type: 'definition', identifier: id, label: id, url, title });
  }
  // Reached from the first one on, so that the first definition of a label counts here too.
  const made = toHast(tree, { handlers });
  const clean = sanitize(made, schema);
  const root: HastRoot =
    clean.type === 'root' ? clean : { type: 'root', children: [clean as ElementContent] };
  direct(root);
  visible(root);
  return root;
}

/** What is shown of a text, or of a piece of one: plain elements, of which no character is hidden and none is HTML of the text. */
export const treeOf = (text: string, refs: readonly Reference[], reading: Reading): HastRoot =>
  toTree(parse(text, refs), refs, reading);

const element = (node: unknown, name: string): node is Element =>
  (node as Element).type === 'element' && (node as Element).tagName === name;

/** Items of a list: the list's own element without them, and they. */
export function itemsOf(text: string, refs: readonly Reference[], loose: boolean, reading: Reading) {
  const tree = parse(text, refs);
  for (const node of tree.children) if (node.type === 'list') node.spread = loose;
  return inside(toTree(tree, refs, reading), (node) => element(node, 'ul') || element(node, 'ol'));
}

/** Rows of a table: its element without them, its head, and they. */
export function rowsOf(text: string, refs: readonly Reference[], reading: Reading) {
  const { outer, children } = inside(treeOf(text, refs, reading), (node) => element(node, 'table'));
  const body = children.find((node) => element(node, 'tbody'));
  return {
    outer,
    head: children.filter((node) => node !== body && (node as Element).type === 'element'),
    rows: body && 'children' in body ? body.children : [],
  };
}

function inside(root: HastRoot, wanted: (node: unknown) => boolean) {
  const found = root.children.find((node) => wanted(node)) as Element | undefined;
  if (!found) throw new Error('This part is not what it is a part of.');
  return { outer: { ...found, children: [] } as Element, children: found.children };
}

/** All of some pieces as one tree, as if nothing had been cut. */
export function treeOfPieces(pieces: readonly Piece[], reading: Reading): HastRoot {
  const children = pieces
    .map((piece) => piecesTree(piece, reading))
    .filter((nodes) => nodes.length > 0)
    .flatMap((nodes, at) => (at === 0 ? nodes : [{ type: 'text' as const, value: '\n' }, ...nodes]));
  return { type: 'root', children };
}

function piecesTree(piece: Piece, reading: Reading): HastRoot['children'] {
  const line: ElementContent = { type: 'text', value: '\n' };
  switch (piece.kind) {
    case 'flow':
      return treeOf(piece.text, piece.refs, reading).children;
    case 'plain':
      return [
        { type: 'element', tagName: 'p', properties: {}, children: [{ type: 'text', value: piece.text }] },
      ];
    case 'code':
      return toTree(
        { type: 'root', children: [{ type: 'code', lang: piece.lang || null, value: piece.text }] },
        [],
        reading,
      ).children;
    case 'list': {
      const parts = piece.parts.map(({ text, refs }) => itemsOf(text, refs, piece.loose, reading));
      return [{ ...(parts[0]?.outer as Element), children: parts.flatMap(({ children }) => children) }];
    }
    case 'table': {
      const parts = piece.parts.map(({ text, refs }) => rowsOf(text, refs, reading));
      const rows = parts.flatMap(({ rows }) => rows);
      const body: Element = { type: 'element', tagName: 'tbody', properties: {}, children: rows };
      const sections = [...(parts[0]?.head ?? []), ...(rows.length > 0 ? [body] : [])];
      return [
        { ...(parts[0]?.outer as Element), children: [line, ...sections.flatMap((one) => [one, line])] },
      ];
    }
  }
}
