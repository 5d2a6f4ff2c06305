import type { Element, ElementContent, Root as HastRoot, RootContent } from 'hast';
import type { Root as MdRoot, Nodes } from 'mdast';
import { breakable, pieces } from '../kit/visible';

/** Walks a tree, letting `change` replace each child by others. */
function eachChild<N extends { children?: unknown[] }>(
  node: N,
  change: (child: never) => unknown[] | undefined,
): void {
  if (!node.children) return;
  const out: unknown[] = [];
  for (const child of node.children) {
    const instead = change(child as never);
    if (instead) out.push(...instead);
    else {
      eachChild(child as N, change);
      out.push(child);
    }
  }
  node.children = out;
}

/** HTML is shown as the text that it is: nothing in an answer may disappear, and nothing of it may become a page. */
export function remarkHtmlAsText() {
  return (tree: MdRoot) => {
    const blocks = new Set<unknown>();
    const mark = (node: Nodes) => {
      if (!('children' in node) || node.type === 'paragraph' || node.type === 'heading') return;
      for (const child of node.children) {
        if (child.type === 'html') blocks.add(child);
        else mark(child);
      }
    };
    mark(tree);
    eachChild(tree, (node: Nodes) => {
      if (node.type !== 'html') return undefined;
      const text = { type: 'text' as const, value: node.value };
      return blocks.has(node) ? [{ type: 'paragraph', children: [text] }] : [text];
    });
  };
}

/**
 * Single dollars are math only where TeX users mean them: no space inside the marks and no digit behind. "$5 and $10"
 * stays text.
 */
export function remarkHonestDollars() {
  return (tree: MdRoot, file: { value: unknown }) => {
    const source = String(file.value);
    eachChild(tree, (node: Nodes) => {
      if ((node as { type: string }).type !== 'inlineMath') return undefined;
      const from = node.position?.start.offset;
      const to = node.position?.end.offset;
      if (from === undefined || to === undefined) return undefined;
      const raw = source.slice(from, to);
      if (raw.startsWith('$$')) return undefined;
      const inner = raw.slice(1, -1);
      const fine = /^\S/.test(inner) && /\S$/.test(inner) && !/^\d/.test(source.slice(to, to + 1));
      return fine ? undefined : [{ type: 'text', value: raw }];
    });
  };
}

/**
 * Footnotes stay where they were written: blocks are rendered one by one, so a list at the end would belong to nobody,
 * and one that nothing refers to would vanish.
 */
export function remarkFootnotesInPlace() {
  return (tree: MdRoot) => {
    eachChild(tree, (node: Nodes) => {
      if (node.type === 'footnoteReference')
        return [{ type: 'text', value: `[${node.label ?? node.identifier}]` }];
      if (node.type !== 'footnoteDefinition') return undefined;
      const first = node.children[0];
      const mark = { type: 'text' as const, value: `[${node.label ?? node.identifier}] ` };
      if (first?.type === 'paragraph') first.children.unshift(mark);
      else node.children.unshift({ type: 'paragraph', children: [mark] });
      return [{ type: 'blockquote', children: node.children }];
    });
  };
}

/** Makes characters visible that hide or reorder text; in prose the marks that honest writing needs stay. */
export function rehypeVisible() {
  return (tree: HastRoot) => {
    walk(tree, false);
  };
  function walk(node: HastRoot | Element, code: boolean): void {
    const out: RootContent[] = [];
    for (const child of node.children) {
      if (child.type === 'element') {
        walk(child, code || child.tagName === 'code' || child.tagName === 'pre');
        out.push(child);
      } else if (child.type === 'text') out.push(...shown(child.value, code));
      else out.push(child);
    }
    node.children = out as ElementContent[];
  }
  function shown(text: string, code: boolean): ElementContent[] {
    return pieces(text, !code).flatMap((piece): ElementContent[] => {
      if (typeof piece === 'string') {
        const parts = breakable(piece);
        if (parts.length === 1) return [{ type: 'text', value: piece }];
        return parts.flatMap((value) => [
          { type: 'text', value },
          { type: 'element', tagName: 'wbr', properties: {}, children: [] },
        ]);
      }
      const properties = { className: ['ctl'], title: `${piece.name} (${piece.code})` };
      return [
        { type: 'element', tagName: 'span', properties, children: [{ type: 'text', value: piece.code }] },
      ];
    });
  }
}

/** `\(…\)` and `\[…\]` as the dollars that the parser knows; code spans stay as they are. */
export function texBrackets(text: string): string {
  if (!text.includes('\\(') && !text.includes('\\[')) return text;
  return text.replace(
    /(`+)[\s\S]*?\1|\\\((.+?)\\\)|\\\[([\s\S]+?)\\\]/g,
    (all: string, ticks: string | undefined, inline: string | undefined, block: string | undefined) => {
      if (ticks !== undefined) return all;
      if (inline !== undefined) return `$$${inline.trim()}$$`;
      return `\n$$\n${(block ?? '').trim()}\n$$\n`;
    },
  );
}
