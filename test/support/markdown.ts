import { toHtml } from 'hast-util-to-html';
import type { Element, Root } from 'hast';
import { Growing } from '../../src/renderer/view/markdown/growing';
import type { Piece } from '../../src/renderer/view/markdown/pieces';
import { treeOf, treeOfPieces } from '../../src/renderer/view/markdown/tree';

const reading = { breaks: false };

/** HTML without what is only between its lines. */
export const html = (tree: Root): string =>
  toHtml(tree)
    .replace(/\s*\n\s*/g, '\n')
    .trim();

/** What is shown of a text that is parsed as one. */
export const whole = (text: string): string => html(treeOf(text, [], reading));

/** The same of its pieces. */
export const ofPieces = (pieces: readonly Piece[]): string => html(treeOfPieces(pieces, reading));

/** What is shown in the end of a text that arrived in these parts, and was shown after each. */
export function streamed(parts: readonly string[]): string {
  const growing = new Growing();
  for (const part of parts) {
    growing.push(part);
    void growing.pieces;
  }
  growing.finish();
  return ofPieces(growing.pieces);
}

/** A text in parts of this many characters. */
export const inParts = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

/** Without directions, which the specifications know nothing of. */
export function undirected(node: Root | Element): Root | Element {
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    delete child.properties['dir'];
    undirected(child);
  }
  return node;
}
