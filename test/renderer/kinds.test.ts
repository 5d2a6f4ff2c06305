import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Element, Nodes } from 'hast';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/main/journal/memory';
import { exportRuns } from '../../src/main/library/export';
import { treeOf } from '../../src/renderer/view/markdown/tree';
import { useApp } from '../../src/renderer/store/app';
import { bring } from '../support/histories';
import { answerRecord, metaRecord, userRecord } from '../support/journal-records';
import { Seeded } from '../support/seeded';

const CASES = process.env['HOLDFAST_SOAK'] === '1' ? 10_000 : 240;
/** Of those, how many are put on pages, too. */
const PAGES = Math.min(CASES, process.env['HOLDFAST_SOAK'] === '1' ? 2_000 : 60);
const random = new Seeded(77);
const pick = <T>(from: readonly T[]): T => from[random.below(from.length)] as T;
const some = <T>(most: number, make: () => T): T[] => Array.from({ length: 1 + random.below(most) }, make);

const tree = (text: string, breaks = false) => treeOf(text, [], { breaks });
function all(node: Nodes, tag?: string): Element[] {
  const inside = 'children' in node ? node.children.flatMap((child) => all(child, tag)) : [];
  return node.type === 'element' && (tag === undefined || node.tagName === tag) ? [node, ...inside] : inside;
}
const textOf = (node: Nodes): string =>
  node.type === 'text'
    ? node.value
    : node.type === 'element' && node.tagName === 'br'
      ? '\n'
      : 'children' in node
        ? node.children.map(textOf).join('')
        : '';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-kinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each of these answers on one exported page. */
async function pageOf(answers: readonly string[], breaks?: boolean): Promise<string[]> {
  const store = memoryStore();
  const records = [metaRecord('r', 'go')];
  for (const [n, answer] of answers.entries()) {
    records.push(answerRecord(records.length + 1, answer, n));
    records.push(userRecord(records.length + 1, 'next'));
  }
  await bring(store, 'r', records);
  const out = join(folder, 'out.html');
  await exportRuns(store, ['r'], {
    format: 'html',
    out,
    overwrite: true,
    ...(breaks !== undefined && { breaks }),
  });
  const page = readFileSync(out, 'utf8');
  const found = [...page.matchAll(/<article class="text"[^>]*>([\s\S]*?)<\/article>/g)];
  return found.map(([, inner = '']) => inner);
}

describe('directions', () => {
  const LTR = ['hello', 'Grüße', '你好', 'x + y'];
  const RTL = ['שלום', 'مرحبا', 'ܫܠܡܐ', 'ދިވެހި', 'ሰላም مرحبا'.slice(4)];
  const NEUTRAL = ['', '1. ', '(', '— ', '«', '42 '].filter((one) => !/^\d\. /.test(one));
  const CODE = ['`const x = 1;`', '`مرحبا`'];
  const sentence = () => {
    const first = pick([...LTR, ...RTL]);
    const words = [pick(NEUTRAL) + first, ...some(3, () => pick([...LTR, ...RTL, ...CODE]))];
    return { text: words.join(' '), dir: RTL.includes(first) ? 'rtl' : 'ltr' };
  };
  /** A block, and the directions of what is in it. */
  const BLOCKS: (() => { text: string; tag: string; dirs: string[] })[] = [
    () => one('p', '', ''),
    () => one('h3', '### ', ''),
    () => one('p', '> ', ''),
    () => {
      const items = some(3, sentence);
      return {
        text: items.map(({ text }) => `- ${text}`).join('\n'),
        tag: 'li',
        dirs: items.map(({ dir }) => dir),
      };
    },
    () => {
      const cells = [sentence(), sentence()];
      return {
        text: `| a | b |\n|---|---|\n| ${cells.map(({ text }) => text.replaceAll('|', '')).join(' | ')} |`,
        tag: 'td',
        dirs: cells.map(({ dir }) => dir),
      };
    },
  ];
  function one(tag: string, before: string, after: string) {
    const { text, dir } = sentence();
    return { text: `${before}${text}${after}`, tag, dirs: [dir] };
  }
  const FENCE = '```js\nconst x = "مرحبا"; // שלום\n```';

  it('are those of the first letter, block by block; code is from left to right, on the page too', async () => {
    const texts: string[] = [];
    for (let n = 0; n < CASES; n++) {
      const blocks = some(3, () => pick(BLOCKS)());
      const text = blocks.map((block) => `${block.text}\n\n${FENCE}`).join('\n\n');
      texts.push(text);
      const root = tree(text);
      for (const tag of ['p', 'h3', 'li', 'td']) {
        const dirs = all(root, tag).map(({ properties }) => properties['dir']);
        expect([text, tag, dirs]).toEqual([
          text,
          tag,
          blocks.filter((block) => block.tag === tag).flatMap((block) => block.dirs),
        ]);
      }
      for (const code of all(root, 'code')) expect([text, code.properties['dir']]).toEqual([text, 'ltr']);
    }
    const pages = await pageOf(texts.slice(0, PAGES));
    expect(pages).toHaveLength(PAGES);
    for (const page of pages) {
      for (const [tag] of page.matchAll(/<(?:code|pre)(?=[ >])[^>]*>/g)) expect(tag).toContain('dir="ltr"');
      for (const [tag] of page.matchAll(/<(?:p|h3|li|td|ul|blockquote)(?=[ >])[^>]*>/g))
        expect(tag).toContain('dir="auto"');
    }
  });
});

describe('HTML in cells', () => {
  const WORDS = [
    'List<String>',
    'a < b',
    '<div>',
    '</span>',
    '<!-- no -->',
    'Map<K, V>',
    '<img src=x>',
    '&amp;',
    'x',
  ];
  const BREAKS = ['<br>', '<br/>', '<br />', '<BR>'];

  it('stays on its line as it was written; only <br> is a line break', () => {
    for (let n = 0; n < CASES; n++) {
      const cells = some(3, () => some(4, () => pick(random.chance(0.25) ? BREAKS : WORDS)).join(' '));
      const text = `| ${cells.map(() => 'h').join(' | ')} |\n|${'---|'.repeat(cells.length)}\n| ${cells.join(' | ')} |`;
      const lines = (cell: string) => cell.replace(/\s*\n\s*/g, '\n').trim();
      const shown = all(tree(text), 'td').map((cell) => lines(textOf(cell)));
      const right = cells.map((cell) => lines(cell.replaceAll('&amp;', '&').replace(/<br ?\/?>/gi, '\n')));
      expect([text, shown]).toEqual([text, right]);
    }
  });
});

describe('tasks within tasks', () => {
  it('are lists within their items, at any depth, with any mark', () => {
    for (let n = 0; n < CASES; n++) {
      const mark = pick(['-', '*', '+', '1.']);
      let depth = 0;
      const items = some(8, () => ({ depth: 0, done: random.chance(0.5) }));
      for (const item of items.slice(1)) {
        depth = Math.max(0, Math.min(depth + pick([-2, -1, 0, 1]), 5));
        item.depth = depth;
      }
      const indent = ' '.repeat(mark.length + 1);
      const text = items
        .map(({ depth, done }, at) => `${indent.repeat(depth)}${mark} [${done ? 'x' : ' '}] task ${at}`)
        .join('\n');
      const root = tree(text);
      const found: { depth: number; done: boolean; text: string }[] = [];
      const look = (node: Nodes, level: number): void => {
        if (node.type === 'element' && node.tagName === 'li') {
          const [box] = all(node, 'input');
          const own = textOf({
            type: 'root',
            children: node.children.filter(
              (child) => child.type !== 'element' || !/^[uo]l$/.test(child.tagName),
            ),
          });
          found.push({ depth: level - 1, done: box?.properties['checked'] === true, text: own.trim() });
          expect(node.properties['className']).toEqual(['task-list-item']);
        }
        const deeper = node.type === 'element' && /^[uo]l$/.test(node.tagName) ? level + 1 : level;
        if ('children' in node) for (const child of node.children) look(child, deeper);
      };
      look(root, 0);
      expect([text, found]).toEqual([text, items.map((item, at) => ({ ...item, text: `task ${at}` }))]);
    }
  });
});

describe('a single line end in an answer', () => {
  const LINES = ['one **bold** line', 'two `code  here`', 'three, with $x^2$', 'four', '你好', '<b>five</b>'];
  const BLOCKS: (() => string)[] = [
    () => some(4, () => pick(LINES)).join('\n'),
    () => `- ${some(3, () => pick(LINES)).join('\n  ')}\n- next`,
    () => `1. a\n\n   ${some(3, () => pick(LINES)).join('\n   ')}`,
    () => `> ${some(3, () => pick(LINES)).join('\n> ')}`,
    () => `- outer\n  ${pick(LINES)}\n  - inner\n    ${pick(LINES)}\n\n  ${pick(LINES)}\n  last`,
    () => '```\na\nb\n```',
    () => '| a | b |\n|---|---|\n| 1<br>2 | 3 |',
    () => 'hard  \nbreak\\\nhere',
    () => `## Title\n${pick(LINES)}`,
    () => '***',
  ];
  const breaksOf = (html: string) => html.match(/<br(?=[ />])/g)?.length ?? 0;

  it('is a space by default, and a line break where that is switched on: on the screen as on an exported page', async () => {
    expect(useApp.getInitialState().breaks).toBe(false);
    const texts = Array.from({ length: CASES }, () => some(2, () => pick(BLOCKS)()).join('\n\n'));
    for (const breaks of [false, true]) {
      const pages = await pageOf(texts.slice(0, PAGES), breaks);
      expect(pages).toHaveLength(PAGES);
      for (const [at, text] of texts.slice(0, PAGES).entries()) {
        const screen = all(tree(text, breaks), 'br').length;
        // `<br>` in a cell is text on the page, where nothing else of an answer is HTML either.
        const ownBreaks = text.split('1<br>2').length - 1;
        expect([text, breaks, breaksOf(pages[at] ?? '')]).toEqual([text, breaks, screen - ownBreaks]);
      }
    }
    for (const text of texts) {
      const lines = (breaks: boolean) =>
        textOf(tree(text, breaks))
          .split(/\s*\n\s*/)
          .join(' ')
          .trim();
      expect([text, lines(true)]).toEqual([text, lines(false)]);
    }
    // Neither changes code, nor what is copied: that is the text of the answer.
    const code = textOf(tree('```\na\nb\n```', true));
    expect(code.trim()).toBe('a\nb');
    expect(await pageOf(['x\ny'])).toEqual(await pageOf(['x\ny'], false));
  });
});
