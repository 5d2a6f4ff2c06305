import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionsFor, splitAll, Splitter, type MdBlock } from '../../src/renderer/view/markdown/split';

const texts = (blocks: readonly MdBlock[]) => blocks.map((block) => block.text);

describe('cutting markdown into blocks', () => {
  it('keeps together what belongs together', () => {
    const { blocks } = splitAll(
      [
        '# Title',
        'A paragraph',
        'of two lines.',
        '',
        '- one',
        '- two',
        '',
        '  still two',
        '- three',
        '',
        '| a | b |',
        '|---|---|',
        '| 1 | 2 |',
        '',
        '> quoted',
        '',
        '```ts',
        'const a = 1;',
        '',
        'const b = 2;',
        '```',
        'The end.',
      ].join('\n'),
    );
    expect(texts(blocks)).toEqual([
      '# Title',
      'A paragraph\nof two lines.',
      '- one\n- two\n\n  still two\n- three',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '> quoted',
      'const a = 1;\n\nconst b = 2;',
      'The end.',
    ]);
    expect(blocks[5]).toMatchObject({ kind: 'code', lang: 'ts' });
  });

  it('closes a fence only with a fence that is as long and of the same kind', () => {
    const { blocks } = splitAll('````md\n```js\ncode\n```\n````\nafter');
    expect(texts(blocks)).toEqual(['```js\ncode\n```', 'after']);
    expect(splitAll('~~~\n```\n~~~\nafter').blocks.map((block) => block.kind)).toEqual(['code', 'md']);
  });

  it('keeps a fence inside a list item, blank lines and all', () => {
    const { blocks } = splitAll('1. first\n\n   ```sh\n   one\n\n   two\n   ```\n\n2. second\n\nafter');
    expect(blocks).toHaveLength(2);
    expect(blocks[0]?.text).toContain('2. second');
    expect(blocks[1]?.text).toBe('after');
  });

  it('shows an open fence as code while it grows, and closes it with its last mark', () => {
    const splitter = new Splitter();
    splitter.push('Look:\n\n```');
    expect(texts(splitter.closed)).toEqual(['Look:']);
    expect(splitter.pending).toEqual([{ kind: 'code', lang: '', text: '' }]);
    splitter.push('py\nprint(1)');
    expect(splitter.pending).toEqual([{ kind: 'code', lang: 'py', text: 'print(1)' }]);
    splitter.push('\n```');
    expect(splitter.pending).toEqual([{ kind: 'code', lang: 'py', text: 'print(1)' }]);
    splitter.push('\n');
    expect(splitter.pending).toEqual([]);
    expect(texts(splitter.closed)).toEqual(['Look:', 'print(1)']);
  });

  it('cuts long lists and long paragraphs, so that nothing grows for ever', () => {
    const list = Array.from({ length: 500 }, (_, n) => `${n + 1}. item`).join('\n');
    const cut = splitAll(list).blocks;
    expect(cut.length).toBeGreaterThan(8);
    expect(cut[1]).toMatchObject({ joined: true });
    expect(cut[1]?.text).toMatch(/^\d+\. item/);
    expect(cut.map((block) => block.text).join('\n')).toBe(list);
    const paragraph = 'some words in a line\n'.repeat(2_000);
    expect(splitAll(paragraph).blocks.length).toBeGreaterThan(4);
  });

  it('cuts a long table and gives each part its head', () => {
    const head = '| name | value |\n|---|---:|';
    const rows = Array.from({ length: 600 }, (_, n) => `| row ${n} | ${n} |`);
    const { blocks } = splitAll(`${head}\n${rows.join('\n')}\n\nafter`);
    const parts = blocks.slice(0, -1);
    expect(parts.length).toBeGreaterThan(2);
    for (const [at, part] of parts.entries()) {
      expect(part.text.startsWith(head)).toBe(true);
      expect(part).toMatchObject({ joined: at > 0 });
    }
    expect(parts.flatMap((part) => part.text.split('\n').slice(2))).toEqual(rows);
  });

  it('finds link definitions wherever they stand', () => {
    const { blocks, definitions } = splitAll('See [the page][Page].\n\n[page]: https://example.org "Title"');
    expect(definitionsFor(blocks[0]?.text ?? '', definitions)).toContain('https://example.org');
    expect(definitionsFor('no link here', definitions)).toBe('');
  });

  it('gives the same blocks however the text arrives', () => {
    const piece = fc.constantFrom(
      '# h\n',
      'word ',
      '\n',
      '\n\n',
      '- a\n',
      '  b\n',
      '1. x\n',
      '```',
      '```js\n',
      '~~~\n',
      '$$\n',
      '$$ x $$',
      '> q\n',
      '| a |\n|-|\n',
      '[^1]: note\n',
      '***\n',
      '\r\n',
      '    code\n',
      '[a]: b\n',
      '🙂',
      '`',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(200), { maxLength: 20 }),
        (parts, cuts) => {
          const text = parts.join('');
          const whole = splitAll(text);
          const splitter = new Splitter();
          let from = 0;
          for (const at of [
            ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b),
            text.length,
          ]) {
            splitter.push(text.slice(from, at));
            from = at;
          }
          expect([...splitter.closed, ...splitter.pending]).toEqual(whole.blocks);
        },
      ),
      { numRuns: process.env['HOLDFAST_SOAK'] ? 20_000 : 500 },
    );
  });

  it('loses no visible character', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', ' ', '\n', '-', '`', '#', '$', '>', '1', '.', '|', '~'),
          maxLength: 300,
        }),
        (text) => {
          const { blocks } = splitAll(text);
          const all = blocks.map((block) => block.text).join('');
          const letters = (value: string) => [...value].filter((char) => char === 'a').length;
          // A language behind a fence is the only text that stands outside the blocks.
          const languages = blocks.map((block) => (block.kind === 'code' ? block.lang : '')).join('');
          const info = text
            .split('\n')
            .filter((line) => /^ {0,3}(```+|~~~+)/.test(line))
            .join('');
          expect(letters(all) + letters(languages)).toBeGreaterThanOrEqual(letters(text) - letters(info));
        },
      ),
      { numRuns: 300 },
    );
  });
});
