import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipped, columns, jsonLine, oneLine, printable } from '../../../src/main/cli/text';

const HOSTILE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

describe('text on its way to a terminal', () => {
  it('cannot move the cursor, set a title, write to the clipboard or turn the reading direction', () => {
    const attacks = [
      '\u001b[2J\u001b[1;1Hroot@host:~# ',
      '\u001b]52;c;ZXZpbA==\u0007',
      '\u001b]0;title\u0007',
      '\u009b31mred',
      'rm -rf \u202e/tmp/',
      'honest\rhostile',
      'a\u0008b',
      '\u2066x\u2069',
    ];
    for (const attack of attacks) expect(printable(attack)).not.toMatch(HOSTILE);
    expect(printable('a\u001b[0m')).toBe('a\\u001b[0m');
  });

  it('keeps what people write: lines, tabs, other scripts, emoji made of several parts', () => {
    const text = 'Zeile\n\tÜmläut – 日本語 עברית 👩‍👩‍👧';
    expect(printable(text)).toBe(text);
  });

  it('shows nothing hostile, whatever comes', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !HOSTILE.test(printable(text))));
  });

  it('stays on one line where it must', () => {
    expect(oneLine('a\nb\tc\r\nd')).toBe('a\\u000ab\\u0009c\\u000ad');
  });

  it('is as JSON the same value and as safe', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = jsonLine({ text });
        return (
          !HOSTILE.test(line) && !line.includes('\n') && (JSON.parse(line) as { text: string }).text === text
        );
      }),
    );
  });

  it('is cut between characters, with a sign that something is missing', () => {
    expect(clipped('abcdef', 4)).toBe('abc…');
    expect(clipped('👍👍👍', 3)).toBe('👍👍👍');
    expect(clipped('👍👍👍👍', 3)).toBe('👍👍…');
  });

  it('stands in columns', () => {
    expect(
      columns([
        ['a', 'bb', ''],
        ['ccc', 'd', 'e'],
      ]),
    ).toBe('a    bb\nccc  d   e');
  });
});
