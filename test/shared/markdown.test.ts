import type { Nodes as Known } from 'mdast';
import type { InlineMath, Math } from '../../src/shared/markdown/dialect';
import { describe, expect, it } from 'vitest';
import { definitionsIn, parse } from '../../src/shared/markdown/parse';
import { Seeded } from '../support/seeded';

type Nodes = Known | InlineMath | Math;
const soak = process.env['HOLDFAST_SOAK'] === '1';
const CASES = soak ? 20_000 : 240;

function nodesOf<T extends Nodes['type']>(text: string, type: T): Extract<Nodes, { type: T }>[] {
  const found: Nodes[] = [];
  const walk = (node: Nodes): void => {
    if (node.type === type) found.push(node);
    if ('children' in node) (node.children as Nodes[]).forEach(walk);
  };
  walk(parse(text) as Nodes);
  return found as Extract<Nodes, { type: T }>[];
}
const textOf = (node: Nodes): string =>
  'children' in node ? (node.children as Nodes[]).map(textOf).join('') : 'value' in node ? node.value : '';
const formulas = (text: string) => [
  ...nodesOf(text, 'inlineMath').map(({ value }) => value),
  ...nodesOf(text, 'math').map(({ value }) => value),
];

const random = new Seeded(12);
const pick = <T>(from: readonly T[]): T => from[random.below(from.length)] as T;
const times = (run: () => void) => {
  for (let at = 0; at < CASES; at++) run();
};

describe('dollars that begin no formula', () => {
  const PRICES = [
    '$5',
    '$10',
    '$1,299.00',
    '$2k',
    '$25-50k',
    '$0.50',
    '$10/mo',
    '$50k+',
    'US$20',
    'A$30',
    '120$',
    '€5/$6',
  ];
  const SHELL = [
    '$HOME',
    '$HOME/bin',
    '$PATH:/usr/local/bin',
    '$USER-$HOST',
    '${A}/${B}',
    '$(pwd)',
    '$1',
    '$@',
    '$?',
  ];
  const LEVELS = ['$$ – moderate', '($$)', '$$$', '$/session'];
  const BETWEEN = [' and ', ', ', ' or ', '; then ', ' to ', ' – ', ' costs ', ' 到 ', ' und '];

  it('are text, whatever they stand in', () => {
    times(() => {
      const words = Array.from({ length: 2 + random.below(3) }, () => pick([...PRICES, ...SHELL, ...LEVELS]));
      const plain = words.reduce((all, word) => `${all}${pick(BETWEEN)}${word}`, 'From');
      expect([plain, formulas(plain)]).toEqual([plain, []]);
      expect(textOf(parse(plain))).toBe(plain);
      const item = `- ${plain}\n- next`;
      expect([item, formulas(item)]).toEqual([item, []]);
      expect(nodesOf(item, 'listItem')).toHaveLength(2);
    });
  });

  it('leave emphasis, code and links between them alone', () => {
    times(() => {
      const [a, b] = [pick(PRICES), pick(PRICES)];
      const bold = `Pay **${a}** now and **${b}** later.`;
      expect([bold, nodesOf(bold, 'strong').map(textOf)]).toEqual([bold, [a, b]]);
      const code = `From ${a} run \`npm i\` and pay ${b}.`;
      expect([code, nodesOf(code, 'inlineCode').map(({ value }) => value)]).toEqual([code, ['npm i']]);
      const link = `Between ${a} see [the page](https://example.com/x) and ${b}.`;
      expect([link, nodesOf(link, 'link').map(textOf)]).toEqual([link, ['the page']]);
      const cells = `| Plan | Price |\n|---|---|\n| ${a} | **${b}** |`;
      expect([cells, nodesOf(cells, 'tableCell').map(textOf)]).toEqual([cells, ['Plan', 'Price', a, b]]);
    });
  });

  it('and that are not closed before a blank line change nothing behind them', () => {
    times(() => {
      const open = pick(['$$', '$$ – moderate', '\\[', '$$x = 1', '\\[ a', 'Cheap: $', 'so \\(a']);
      const between = pick(['', '\n- item', '\n> quote', '\nmore words', '\n# Title']);
      const text = `${open}${between}\n\n**Next** paragraph.\n\n- item`;
      expect([text, formulas(text)]).toEqual([text, []]);
      expect([text, nodesOf(text, 'strong').map(textOf)]).toEqual([text, ['Next']]);
      expect(textOf(nodesOf(text, 'listItem').at(-1) as Nodes)).toBe('item');
    });
  });
});

describe('formulas', () => {
  const TEX = [
    'x',
    'E=mc^2',
    'a < b',
    'x_1*y_2*z',
    '\\frac{1}{2}',
    '\\text{if } a * b * c',
    '\\partial E/\\partial t',
    'O(n \\log n)',
    '[0, 1)',
    'a_{i,j}',
    '\\sqrt{1}',
    '\\{1,\\,2\\}',
    '-1',
    'n!',
    '2x + 3y = 5',
  ];
  const CONTAINERS: ((text: string) => string)[] = [
    (text) => text,
    (text) => `Before it.\n\n${text}\n\nAfter it.`,
    (text) => `- item\n\n  ${text.replaceAll('\n', '\n  ')}\n- **next**`,
    (text) => `- outer\n    - inner\n      ${text.replaceAll('\n', '\n      ')}\n    - second **item**`,
    (text) => `10. item\n\n    ${text.replaceAll('\n', '\n    ')}\n11. next`,
    (text) => `> ${text.replaceAll('\n', '\n> ')}\n\nafter`,
    (text) => `> - ${text.replaceAll('\n', '\n>   ')}`,
    (text) => `# Title\n${text}\n`,
    (text) => `[^1]: note\n\n    ${text.replaceAll('\n', '\n    ')}`,
  ];

  it('are found with each kind of mark in each kind of container', () => {
    times(() => {
      const tex = pick(TEX);
      const inside = pick(CONTAINERS);
      const inline = inside(
        pick([`so $${tex}$ is`, `so \\(${tex}\\) is`, `so \\( ${tex} \\), then`, `so $$${tex}$$ is`]),
      );
      expect([inline, nodesOf(inline, 'inlineMath').map(({ value }) => value)]).toEqual([inline, [tex]]);
      const display = inside(
        pick([
          `$$\n${tex}\n$$`,
          `$$${tex}$$`,
          `$$ ${tex} $$`,
          `\\[\n${tex}\n\\]`,
          `\\[ ${tex} \\]`,
          `$$${tex}\n+ 1$$`,
        ]),
      );
      const found = nodesOf(display, 'math').map(({ value }) => value);
      expect([display, found.map((value) => value.replace('\n+ 1', ''))]).toEqual([display, [tex]]);
    });
  });

  it('keep their lines, whatever those begin with', () => {
    times(() => {
      const lines = [
        'a = b',
        pick(['- c', '+ c', '* c', '> 0', '1. d', '# e', '&= f \\\\[4pt]', '= g']),
        'h',
      ];
      const [open, close] = pick([
        ['$$', '$$'],
        ['\\[', '\\]'],
      ] as const);
      const text = `Words:\n${open}\n${lines.join('\n')}\n${close}\nafter`;
      expect([text, nodesOf(text, 'math').map(({ value }) => value)]).toEqual([text, [lines.join('\n')]]);
    });
  });

  it('are none inside of code, and code stays as it is', () => {
    times(() => {
      const code = pick([
        "grep '\\(x\\)' a.txt",
        'echo $A $B',
        '$$x$$',
        '\\[ x \\]',
        'a\n$$\nb\n$$',
        'sed s/\\(a\\)/\\[b\\]/',
      ]);
      const fence = pick(['```', '~~~', '````', '~~~~']);
      const text = pick(CONTAINERS)(`${fence}sh\n${code}\n${fence}`);
      expect([text, nodesOf(text, 'code').map(({ value }) => value)]).toEqual([text, [code]]);
      expect(formulas(text)).toEqual([]);
      const line = code.replaceAll('\n', ' ');
      const inline = `so \`${line}\` is`;
      expect([inline, nodesOf(inline, 'inlineCode').map(({ value }) => value)]).toEqual([inline, [line]]);
      expect(formulas(inline)).toEqual([]);
    });
  });

  it('are told from brackets that somebody escaped', () => {
    for (const text of [
      'Match \\[a-z\\] and \\(group\\) here.',
      'See \\[1\\].',
      '\\[text\\](https://example.com)',
      '\\(optional\\)',
      '\\\\(x\\\\)',
    ])
      expect([text, formulas(text)]).toEqual([text, []]);
  });
});

describe('sentences without spaces', () => {
  const WORDS = ['重点', '内容', '強調', 'テスト', '강조', '这是', '説明'];
  const MARKS = ['：', '，', '。', '、', '」', '）', '！', '？', '”', '】'];

  it('have emphasis beside their marks', () => {
    times(() => {
      const inner = `${pick(WORDS)}${pick(MARKS)}`;
      const [mark, type] = pick([
        ['**', 'strong'],
        ['*', 'emphasis'],
        ['~~', 'delete'],
      ] as const);
      const text = `${pick(WORDS)}${mark}${inner}${mark}${pick(WORDS)}`;
      expect([text, nodesOf(text, type).map(textOf)]).toEqual([text, [inner]]);
    });
  });

  it('end a bare address before their marks, and before the words of the next sentence', () => {
    times(() => {
      const address = pick([
        'https://example.com/a',
        'http://example.com',
        'https://a.example/x?y=1#z',
        'www.example.com/b',
        'https://example.com/a_(b)',
      ]);
      const mark = pick(MARKS);
      const text = `${pick(WORDS)}（${address}${mark}${pick(WORDS)}${address}${pick(WORDS)}`;
      expect([text, nodesOf(text, 'link').map(textOf)]).toEqual([text, [address, address]]);
    });
  });

  it('are part of an address within its path', () => {
    expect(nodesOf('看https://zh.wikipedia.org/wiki/数学。', 'link').map(textOf)).toEqual([
      'https://zh.wikipedia.org/wiki/数学',
    ]);
    expect(nodesOf('https://例子.测试/a 好', 'link').map(textOf)).toEqual(['https://例子.测试/a']);
  });
});

describe('tildes', () => {
  it('strike through only in pairs', () => {
    times(() => {
      const [a, b] = [1 + random.below(50), 1 + random.below(50)];
      const text = pick([`${a}~${b} or 7~8 km`, `~${a} to ~${b}`, `H~2~O ${a}`, `~${a}~ ${b}`]);
      expect([text, nodesOf(text, 'delete'), textOf(parse(text))]).toEqual([text, [], text]);
      const struck = `~~$${a}~~ now $${b}`;
      expect([struck, nodesOf(struck, 'delete').map(textOf)]).toEqual([struck, [`$${a}`]]);
    });
  });
});

describe('a piece of a text', () => {
  it('refers to what other pieces define', () => {
    const refs = definitionsIn(parse('[a]: https://a.example "A"\n\n> [^n]: note\n>\n> [b c]: <b>'));
    expect(refs.map(({ id, url }) => [id, url])).toEqual([
      ['A', 'https://a.example'],
      ['^N', ''],
      ['B C', 'b'],
    ]);
    const tree = parse('[A], [x][B  c], [^n], [d]', refs);
    const types =
      tree.children[0]?.type === 'paragraph' ? tree.children[0].children.map(({ type }) => type) : [];
    expect(types.filter((type) => type !== 'text')).toEqual([
      'linkReference',
      'linkReference',
      'footnoteReference',
    ]);
  });
});
