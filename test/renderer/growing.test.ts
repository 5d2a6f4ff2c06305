import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Growing, piecesOf } from '../../src/renderer/view/markdown/growing';
import type { Piece } from '../../src/renderer/view/markdown/pieces';
import { inParts, ofPieces, streamed, whole } from '../support/markdown';

const soak = process.env['HOLDFAST_SOAK'] === '1';
const textsOf = (pieces: readonly Piece[]) =>
  pieces.map((piece) => ('parts' in piece ? piece.parts.map(({ text }) => text).join('') : piece.text));

describe('markdown that grows', () => {
  it('keeps together what belongs together', () => {
    const pieces = piecesOf(
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
    expect(pieces.map(({ kind }) => kind)).toEqual(['flow', 'flow', 'list', 'table', 'flow', 'code', 'flow']);
    expect(pieces[5]).toEqual({ kind: 'code', lang: 'ts', text: 'const a = 1;\n\nconst b = 2;' });
  });

  it('shows an open fence as code while it grows, and closes it with its last mark', () => {
    const growing = new Growing();
    growing.push('Look:\n\n```');
    expect(textsOf(growing.pieces)).toEqual(['Look:\n\n', '']);
    growing.push('py\nprint(1)');
    expect(growing.pieces[1]).toEqual({ kind: 'code', lang: 'py', text: 'print(1)' });
    growing.push('\n```');
    expect(growing.pieces[1]).toEqual({ kind: 'code', lang: 'py', text: 'print(1)' });
    expect(growing.closedCount).toBe(1);
    growing.push('\n');
    expect(growing.pieces).toHaveLength(2);
    expect(growing.closedCount).toBe(2);
  });

  it('leaves what is closed as it is, whatever comes behind it', () => {
    const growing = new Growing();
    growing.push('# One\n\nA closed paragraph.\n\n```js\nlet a = 1;\n```\n\nMore.\n\n');
    const before = [...growing.pieces];
    for (let line = 0; line < 50; line++) growing.push(`Paragraph ${line}.\n\n`);
    const after = growing.pieces;
    for (const [at, piece] of before.slice(0, 3).entries()) expect(after[at]).toBe(piece);
  });

  it('gives a long list and a long table parts, of which only the last is read again', () => {
    for (const [kind, head, row] of [
      ['list', '', (n: number) => `${n + 1}. item\n`],
      ['table', '| a | b |\n|---|--:|\n', (n: number) => `| row ${n} | ${n} |\n`],
    ] as const) {
      const growing = new Growing();
      growing.push(head);
      for (let n = 0; n < 330; n++) growing.push(row(n));
      const [piece, ...others] = growing.pieces;
      expect(others).toEqual([]);
      if (piece?.kind !== kind) throw new Error(`no ${kind}`);
      expect(piece.parts.length).toBeGreaterThan(6);
      growing.push(row(330));
      const [again] = growing.pieces;
      if (again?.kind !== kind) throw new Error(`no ${kind}`);
      for (const [at, part] of piece.parts.slice(0, -1).entries()) expect(again.parts[at]).toBe(part);
      const text = head + Array.from({ length: 331 }, (_, n) => row(n)).join('');
      growing.finish();
      expect(ofPieces(growing.pieces)).toBe(whole(text));
      const shown = whole(text).match(kind === 'list' ? /<ol/g : /<table/g);
      expect(shown).toHaveLength(1);
    }
  });

  it('makes a long list loose as a whole when one of its items is', () => {
    const items = Array.from({ length: 130 }, (_, n) => `- item ${n}\n`);
    for (const at of [3, 40, 41, 80, 129]) {
      const text = items.map((item, n) => (n === at ? `\n${item}` : item)).join('');
      expect(streamed(inParts(text, 37))).toBe(whole(text));
    }
  });

  it('shows what refers to something again when that is defined at last, and nothing else', () => {
    const growing = new Growing();
    growing.push('See [the page][Page] and note[^1].\n\nNothing here.\n\n');
    const before = [...growing.pieces];
    growing.push('[page]: https://example.org "Title"\n\n[^1]: The proof.\n\nEnd.');
    const after = growing.pieces;
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(ofPieces(after)).toContain(
      '<a href="https://example.org" title="Title">the page</a> and note[1].',
    );
  });

  it('costs what is new, not what is there', () => {
    for (const make of [
      (n: number) => `Paragraph ${n} with **words** and \`code\`.\n\n`,
      (n: number) => `- item ${n}\n`,
      (n: number) => (n === 0 ? '```js\n' : `let a${n} = ${n};\n`),
      (n: number) => (n === 0 ? '| a |\n|---|\n' : `| ${n} |\n`),
      (n: number) => `# Title ${n}\ntext\n`,
    ]) {
      const growing = new Growing();
      const letters = (count: number) => {
        const read = { letters: 0 };
        const { exec } = RegExp.prototype;
        // Everything that reads Markdown looks through the text that it reads with this.
        RegExp.prototype.exec = function (text: string) {
          read.letters += text.length;
          return exec.call(this, text);
        };
        try {
          for (let n = 0; n < count; n++) {
            growing.push(make(line++));
            void growing.pieces;
          }
        } finally {
          RegExp.prototype.exec = exec;
        }
        return read.letters;
      };
      let line = 0;
      letters(100);
      const early = letters(50);
      letters(350);
      expect(letters(50)).toBeLessThan(early * 1.5);
    }
  });

  it('shows the same in the end however the text arrives', () => {
    const piece = fc.constantFrom(
      '# h\n',
      'word ',
      '\n',
      '\n\n',
      '- a\n',
      '  b\n',
      '1. x\n',
      '2. y\n',
      '```',
      '```js\n',
      '~~~\n',
      '$$\n',
      '$$ x $$',
      '\\[\n',
      '\\]\n',
      '> q\n',
      '| a |\n|-|\n',
      '| b |\n',
      '[^1]: note\n',
      '[^1] ',
      '***\n',
      '\r\n',
      '\n    code\n\n',
      '[a]: b\n',
      '[a] ',
      '<div>\n',
      '🙂',
      '`',
      '**',
      '\ufeff',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (parts, cuts) => {
          const text = parts
            .join('')
            .replaceAll('\r\n', '\n')
            .replace(/^\ufeff+/, '');
          const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
          expect(streamed(at.slice(1).map((end, n) => text.slice(at[n], end)))).toBe(whole(text));
        },
      ),
      { numRuns: soak ? 20_000 : 150 },
    );
  });

  it('loses no visible character', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', ' ', '\n', '-', '`', '#', '$', '>', '1', '.', '|', '~', '[', ']'),
          maxLength: 300,
        }),
        (text) => {
          const shown = ofPieces(piecesOf(text))
            .replace(/<[^>]*>/g, '')
            .replace(/[^a]/g, '').length;
          // A language behind a fence, a definition and a cell that its row has too many are all that is not shown.
          fc.pre(!/^[ \t>]*(?:[-1.]+[ \t]+)*(?:```|~~~)|\]:|\|/m.test(text));
          expect(shown).toBe(text.replace(/[^a]/g, '').length);
        },
      ),
      { numRuns: 200 },
    );
  });
});
