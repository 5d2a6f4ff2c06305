import type { Element, ElementContent, Root, RootContent } from 'hast';
import { breakable, pieces } from '../kit/visible';

const FORMULA = /^math-/;

/**
 * Makes characters visible that hide or reorder text; in prose the marks that honest writing needs stay. Blocks of code
 * and formulas are left as they are, since they are copied and typeset: who shows them makes them visible.
 */
export function visible(node: Root | Element, code = false): void {
  const out: RootContent[] = [];
  for (const child of node.children) {
    if (child.type === 'element') {
      const [name] = [child.properties['className']].flat();
      if (child.tagName !== 'pre' && !FORMULA.test(String(name)))
        visible(child, code || child.tagName === 'code');
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

const BLOCKS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'td', 'th', 'blockquote']);
/** Where columns begin and on which side marks are is up to the first item or cell, so that later ones move nothing. */
const BY_FIRST = new Set(['ul', 'ol', 'table']);
const STRONG = /[\p{L}\p{Nl}]/u;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;

type Direction = 'ltr' | 'rtl';

/** The direction of the first letter; code and formulas are from left to right whatever they stand in, and say nothing. */
function directionOf(node: Root | Element | RootContent): Direction | undefined {
  if (node.type === 'text') {
    const [letter] = STRONG.exec(node.value) ?? [];
    return letter === undefined ? undefined : RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
  }
  if (!('children' in node) || (node.type === 'element' && node.tagName === 'code')) return undefined;
  for (const child of node.children) {
    const found = directionOf(child as RootContent);
    if (found) return found;
  }
  return undefined;
}

const firstOf = (node: Element): Element | undefined => {
  const child = node.children.find((one) => one.type === 'element');
  return child?.tagName === 'thead' ? firstOf(child) : child;
};

/** Gives each block the direction of its own text, and code its own. */
export function direct(node: Root | Element): void {
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    const { tagName } = child;
    if (tagName === 'code') child.properties['dir'] = 'ltr';
    const first = BY_FIRST.has(tagName) ? firstOf(child) : BLOCKS.has(tagName) ? child : undefined;
    const direction = first && directionOf(first);
    if (direction) child.properties['dir'] = direction;
    direct(child);
  }
}
