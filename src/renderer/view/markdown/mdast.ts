import type { Nodes, PhrasingContent, Root } from 'mdast';

type Parent = Extract<Nodes, { children: unknown[] }>;

/** Walks a tree, letting `change` replace each child by others. */
function eachChild(parent: Parent, change: (child: Nodes, parent: Parent) => Nodes[] | undefined): void {
  const out: Nodes[] = [];
  for (const child of parent.children as Nodes[]) {
    const instead = change(child, parent);
    if (instead) out.push(...instead);
    else {
      if ('children' in child) eachChild(child, change);
      out.push(child);
    }
  }
  (parent as { children: Nodes[] }).children = out;
}

const BLOCKS = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition']);
const BREAK = /^<br[ \t]*\/?[ \t]*>$/i;

/**
 * HTML is shown as the text that it is: nothing in an answer may disappear, and nothing of it may become a page. A cell
 * has no other way to a second line than `<br>`, so there it is one.
 */
export function htmlAsText(tree: Root): void {
  const inCell = (parent: Parent, cell: boolean): void => {
    const here = cell || parent.type === 'tableCell';
    for (const [at, child] of (parent.children as Nodes[]).entries()) {
      if (here && child.type === 'html' && BREAK.test(child.value))
        (parent.children as Nodes[])[at] = { type: 'break' };
      else if ('children' in child) inCell(child, here);
    }
  };
  inCell(tree, false);
  eachChild(tree, (node, parent) => {
    if (node.type !== 'html') return undefined;
    const text = { type: 'text' as const, value: node.value };
    return BLOCKS.has(parent.type) ? [{ type: 'paragraph', children: [text] }] : [text];
  });
}

/**
 * Footnotes stay where they were written: a list at the end would grow with an answer, away from what refers to it, and
 * one that nothing refers to would vanish.
 */
export function footnotesInPlace(tree: Root): void {
  eachChild(tree, (node) => {
    if (node.type === 'footnoteReference')
      return [{ type: 'text', value: `[${node.label ?? node.identifier}]` }];
    if (node.type !== 'footnoteDefinition') return undefined;
    const mark = { type: 'text' as const, value: `[${node.label ?? node.identifier}] ` };
    const quote: Nodes = { type: 'blockquote', children: node.children };
    footnotesWithin(quote);
    const first = quote.children[0];
    if (first?.type === 'paragraph') first.children.unshift(mark);
    else quote.children.unshift({ type: 'paragraph', children: [mark] });
    return [quote];
  });
}

const footnotesWithin = (node: Parent) => footnotesInPlace(node as unknown as Root);

/** Each line end in a sentence is a line break. */
export function breakLines(tree: Root): void {
  eachChild(tree, (node) => {
    if (node.type !== 'text' || !/[\r\n]/.test(node.value)) return undefined;
    return node.value
      .split(/\r\n|\r|\n/)
      .flatMap((value, at): PhrasingContent[] =>
        at === 0 ? [{ type: 'text', value }] : [{ type: 'break' }, { type: 'text', value }],
      );
  });
}
