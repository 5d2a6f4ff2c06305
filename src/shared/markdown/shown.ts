import type { Nodes } from 'mdast';
import { parse } from './parse';

/** A longer text is not parsed for this: what is looked for in it is looked for as it was written. */
const LONGEST = 300_000;
/** Without any of these, what is shown is what was written. */
const MARKUP = /[*_~`[\]\\&<|$!#>]|^[ \t]*(?:[-+=]|\d+[.)])|https?:|www\.|@/m;

/** The words of an answer as a reader sees them: without its markup, each block on a line of its own. */
export function shownText(source: string): string {
  if (source.length > LONGEST || !MARKUP.test(source)) return source;
  const pieces: string[] = [];
  const line = () => pieces.push('\n');
  const look = (node: Nodes, parent?: Nodes): void => {
    switch (node.type) {
      case 'text':
      case 'inlineCode':
      case 'inlineMath':
        pieces.push(node.value);
        return;
      case 'html': {
        // Alone it is a block; in a cell it may be the end of a line.
        const block = parent !== undefined && FLOW.has(parent.type);
        if (block) line();
        pieces.push(parent?.type === 'tableCell' && BREAK.test(node.value) ? '\n' : node.value);
        if (block) line();
        return;
      }
      case 'code':
      case 'math':
        line();
        pieces.push(node.value);
        line();
        return;
      case 'break':
        line();
        return;
      case 'image':
      case 'imageReference':
        pieces.push(node.alt ?? '');
        return;
      case 'footnoteReference':
        pieces.push(`[${node.label ?? node.identifier}]`);
        return;
      case 'definition':
        return;
    }
    if (!('children' in node)) return;
    const block = BLOCKS.has(node.type);
    if (block) line();
    if (node.type === 'footnoteDefinition') pieces.push(`[${node.label ?? node.identifier}]\n`);
    // Cells beyond those of the head are not shown.
    const cells = parent?.type === 'table' ? parent.children[0]?.children.length : undefined;
    for (const child of node.children.slice(0, cells)) look(child, node);
    if (block) line();
  };
  look(parse(source));
  return pieces.join('');
}

const BREAK = /^<br[ \t]*\/?[ \t]*>$/i;
const FLOW = new Set<Nodes['type']>(['root', 'blockquote', 'listItem', 'footnoteDefinition']);
const BLOCKS = new Set<Nodes['type']>([
  'paragraph',
  'heading',
  'listItem',
  'blockquote',
  'tableCell',
  'footnoteDefinition',
]);
