import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { afterAll, describe, expect, it } from 'vitest';
import { isSaneMarkdown, outline, parse } from '../../../src/main/library/export/markdown-contain';
import { quoted, verbatim } from '../../../src/main/library/export/markdown-text';
import { exportRuns } from '../../../src/main/library/export';
import { memoryStore } from '../../../src/main/journal/memory';
import { bring } from '../../support/histories';
import { answerRecord, metaRecord, userRecord } from '../../support/journal-records';

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'faults', name), 'utf8');

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];
const read = (text: string): Root =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
function all(node: Node): Node[] {
  return [node, ...('children' in node ? node.children.flatMap((child) => all(child)) : [])];
}
const said = (node: Node): string =>
  'value' in node
    ? node.value
    : node.type === 'break'
      ? '\n'
      : 'children' in node
        ? node.children.map(said).join('')
        : '';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-markdown-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The exported document of a chat: what a person and the model said in turn. */
async function documentOf(prompts: string[], answers: string[]): Promise<string> {
  const store = memoryStore();
  const records = [metaRecord('r', prompts[0] ?? '')];
  for (const [n, answer] of answers.entries()) {
    records.push(answerRecord(records.length + 1, answer, n));
    const next = prompts[n + 1];
    if (next !== undefined) records.push(userRecord(records.length + 1, next));
  }
  await bring(store, 'r', records);
  const out = join(folder, 'out.md');
  await exportRuns(store, ['r'], { format: 'md', out, overwrite: true });
  return readFileSync(out, 'utf8');
}

/** What stands under each heading of the document itself. */
function turnsOf(text: string): { who: string; nodes: Node[] }[] {
  const turns: { who: string; nodes: Node[] }[] = [];
  for (const node of read(text).children)
    if (node.type === 'heading' && node.depth === 2) turns.push({ who: said(node), nodes: [] });
    else turns.at(-1)?.nodes.push(node);
  return turns;
}

describe('answers in exported Markdown', () => {
  it('keep headings, definitions and footnotes to themselves', async () => {
    const text = await documentOf(['first', 'second'], [fixture('exp1.md'), fixture('exp2.md')]);
    const root = read(text);
    expect(
      root.children
        .filter(({ type }) => type === 'heading')
        .map((node) => [said(node), 'depth' in node && node.depth]),
    ).toEqual([
      ['first', 1],
      ['Person', 2],
      ['Assistant', 2],
      ['Person', 2],
      ['Assistant', 2],
    ]);
    const inside = all(root).filter((node) => node.type === 'heading' && node.depth > 2);
    expect(inside.map((node) => [said(node), 'depth' in node && node.depth])).toEqual([
      ['Big title', 3],
      ['Person', 4],
      ['Setext', 4],
    ]);
    // Each reference leads to the definition of its own answer.
    const definitions = new Map(
      all(root).flatMap((node) => (node.type === 'definition' ? [[node.identifier, node.url]] : [])),
    );
    const links = all(root).flatMap((node) =>
      node.type === 'linkReference' ? [[said(node), definitions.get(node.identifier)]] : [],
    );
    expect(links).toEqual([
      ['1', 'https://first.example/one'],
      ['the docs', 'https://first.example/doc'],
      ['1', 'https://second.example/one'],
      ['the docs', 'https://second.example/doc'],
    ]);
    const notes = new Map(
      all(root).flatMap((node) =>
        node.type === 'footnoteDefinition' ? [[node.identifier, said(node)]] : [],
      ),
    );
    expect(
      all(root).flatMap((node) => (node.type === 'footnoteReference' ? [notes.get(node.identifier)] : [])),
    ).toEqual(['First note.', 'Second note.']);
  });

  it('cannot use the definitions of another answer, whatever they call them', async () => {
    const text = await documentOf(
      ['a', 'b'],
      ['[x]\n\n[x]: https://one.example', '[x] [y][x] [x][] [X] [^x] ![x]\n\n[^x]\n'],
    );
    expect(all(read(text)).filter(({ type }) => type === 'linkReference')).toHaveLength(1);
  });

  it.each([
    ['\t<img src=x>'],
    ['a\n\n\t<img src=x onerror=alert(1)>\n'],
    ['-\ta\n\n\t\t<img src=x>\n'],
    ['> \t<b>x</b>\n>\n> \t\t<i>'],
    ['1.\t\tcode\n\n\t<script>x</script>'],
    [' \t - a\n\t\t- b\n\t\t\t<b>'],
    ['Foo\nbar\n===\nbaz'],
    ['> Foo\n> ---\n> x'],
    ['- Foo\n  ===\n- b'],
    ['Foo #\n---'],
    ['# a\n## b\n### c\n###### d ##'],
    ['[a]: https://x.example\n[b]\n\n[b]: <javascript:x> "t"'],
    ['[^1]: one\n\n    two\n\n[^1] and [^2]'],
    ['~~~\nopen'],
    ['- a\n  ```\n  open'],
    ['text\n***\n---\n'],
    ['<!-- never\n\n# Person'],
    ['a\\\n==='],
    ['[a\nb]\n\n[a b]: https://x.example'],
    ['[*a*][]\n\n[*a*]: /x'],
    ['![alt][img]\n\n[img]: /x.png'],
    ['```\n\tkept\ttab\n```'],
    ['\tindented\n\t\ttwice'],
    ['| a | b |\n|---|---|\n| <b> | [x] |\n\n[x]: /y'],
  ])('are quotations that nothing gets out of, and say what they said (%j)', (text) => {
    const root = read(`before\n\n${quoted(text, 'mark-')}\nafter\n`);
    expect(root.children.map(({ type }) => type)).toEqual(['paragraph', 'blockquote', 'paragraph']);
    const types = all(root).map(({ type }) => type);
    for (const type of ['html', 'image', 'imageReference'] as const) expect(types).not.toContain(type);
    for (const node of all(root)) {
      if (node.type === 'heading') expect(node.depth).toBeGreaterThan(2);
      if ('label' in node && node.label) expect(node.label).toMatch(/^mark-/);
    }
    // Marks of markup aside, its words are there.
    const words = (value: string) => value.match(/[\p{L}\p{N}]+/gu) ?? [];
    const quote = root.children[1];
    const shown = quote
      ? words(
          all(quote)
            .map((node) => ('value' in node ? node.value : ''))
            .join(' '),
        )
      : [];
    for (const node of all(read(text)))
      if (node.type === 'text' || node.type === 'code')
        for (const word of words(node.value)) expect(shown).toContain(word);
  });

  it('keep the tabs of code', () => {
    const root = read(quoted('```make\nall:\n\tcc x\n```\n\n- a\n\n  ```\n  \ttab\n  ```\n', 'm-'));
    const codes = all(root).flatMap((node) => (node.type === 'code' ? [node.value] : []));
    expect(codes).toEqual(['all:\n\tcc x', '\ttab']);
  });

  it('leave the document its structure and give their own back, whatever they are', async () => {
    const piece = fc.constantFrom(
      '# H',
      '## Person',
      'Setext',
      '===',
      '---',
      '- a',
      '  - b',
      '1. one',
      '> q',
      '```',
      '~~~',
      '\t',
      '    ',
      '  ',
      '\n',
      '\n\n',
      '<img src=x>',
      '<!--',
      '<details>',
      '[1]',
      '[1]: https://x.example',
      '[^1]',
      '[^1]: note',
      '![a](b)',
      '![a][1]',
      '[t][1]',
      '[1][]',
      '**bold**',
      '`code`',
      '\\',
      '|a|b|\n|-|-|',
      'words here',
      '$$',
      '*',
      '&lt;',
      '$x_1$',
      '***',
      '+',
      '\t- t',
      '<b>',
      '</summary>',
      '[x]',
      'http://a.example/',
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 14 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(text, { minLength: 3, maxLength: 3 }),
        async (answers, prompts) => {
          const honest = answers.map((answer) => (answer.trim() === '' ? 'x' : answer));
          const asked = prompts
            .slice(0, honest.length)
            .map((prompt) => (prompt.trim() === '' ? 'y' : prompt));
          const turns = turnsOf(await documentOf(asked, honest));
          expect(turns.map(({ who }) => who)).toEqual(honest.flatMap(() => ['Person', 'Assistant']));
          for (const [n, { who, nodes }] of turns.entries()) {
            const [body, ...rest] = nodes.filter(({ type }) => type === 'blockquote');
            expect(rest).toEqual([]);
            if (!body || !('children' in body)) throw new Error('nothing was said');
            if (who === 'Person') {
              const [code] = body.children;
              const shown = code?.type === 'code' ? code.value : body.children.map(said).join('\n\n');
              // A last line end is that of the block.
              expect(shown).toBe((asked[n / 2] ?? '').replace(/\n$/, ''));
            }
            for (const node of all(body)) {
              expect(node.type).not.toMatch(/^(html|image|imageReference)$/);
              if (node.type === 'heading') expect(node.depth).toBeGreaterThan(2);
            }
          }
        },
      ),
      { numRuns: process.env['HOLDFAST_SOAK'] ? 50_000 : 60 },
    );
  });
});

describe('prompts in exported Markdown', () => {
  it.each([
    fixture('prompt-ws.txt'),
    'C:\\dir\\*.txt',
    'a\\',
    '1) one',
    '  two  spaces',
    'tab\there',
    '# no heading',
    'a\n\nb\nc',
    'x\n',
    '',
    '> no quote',
    '```\ncode\n```',
  ])('are as they were typed (%j)', (prompt) => {
    const [quote, ...rest] = read(`${verbatim(prompt)}\n`).children;
    expect(rest).toEqual([]);
    if (quote?.type !== 'blockquote') throw new Error('no quotation');
    const [first] = quote.children;
    const shown = first?.type === 'code' ? first.value : quote.children.map(said).join('\n\n');
    expect(shown).toBe(prompt.replace(/\n$/, ''));
  });

  it('are sentences where they are nothing else', () => {
    expect(verbatim('Please read the notes.\nThen count them.')).toBe(
      '> Please read the notes.\\\n> Then count them.\n',
    );
  });
});

describe('nested Markdown', () => {
  it('is shown as it is where reading it would take long, and looked at in one pass', () => {
    const chain = (depth: number) =>
      Array.from({ length: depth }, (_, n) => `${'  '.repeat(n)}- a`).join('\n');
    expect(isSaneMarkdown(chain(40))).toBe(true);
    expect(isSaneMarkdown(chain(440))).toBe(false);
    expect(isSaneMarkdown(Array.from({ length: 60 }, () => chain(40)).join('\n'))).toBe(false);
    expect(isSaneMarkdown(`${'   1. '.repeat(1)}${'> '.repeat(70)}x`)).toBe(false);
    expect(isSaneMarkdown(JSON.stringify({ a: [1, { b: 2 }] }, null, 40))).toBe(true);
  });

  it('has the same outline in a quotation', () => {
    const text = '- a\n\n  > b\n  > - c\n\n      code';
    const [quote] = parse(quoted(text, 'm-')).children;
    expect(quote && 'children' in quote && outline(quote.children)).toEqual(outline(parse(text).children));
  });
});
