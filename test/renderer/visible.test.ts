import { describe, expect, it } from 'vitest';
import { breakable, pieces, plainVisible } from '../../src/renderer/view/kit/visible';

describe('making visible what would not be seen', () => {
  it('leaves honest text alone', () => {
    for (const text of ['hello\n\tworld', 'äöü ß 你好 שלום مرحبا', 'a\r\nb', '👩‍👩‍👧 🏳️‍🌈 👍🏽', '']) {
      expect(pieces(text)).toEqual([text]);
    }
  });

  it('shows overrides, isolates, blanks, controls, escapes and tags by their code', () => {
    expect(plainVisible('a\u202Eb')).toBe('a⟨U+202E⟩b');
    expect(plainVisible('rm\u200B -rf')).toBe('rm⟨U+200B⟩ -rf');
    expect(plainVisible('\u2066x\u2069')).toBe('⟨U+2066⟩x⟨U+2069⟩');
    expect(plainVisible('\x1b[31mred')).toBe('⟨ESC⟩[31mred');
    expect(plainVisible('a\rb')).toBe('a⟨CR⟩b');
    expect(plainVisible('x\u{e0041}y')).toBe('x⟨U+E0041⟩y');
    expect(plainVisible('\u3164\ufeff\u00ad')).toBe('⟨U+3164⟩⟨U+FEFF⟩⟨U+00AD⟩');
    expect(plainVisible('a\u2028b')).toBe('a⟨U+2028⟩b');
  });

  it('shows a joiner that joins no emoji', () => {
    expect(plainVisible('pay\u200Dpal')).toBe('pay⟨U+200D⟩pal');
  });

  it('lets prose keep the marks that scripts need, and nothing that reorders or hides', () => {
    const persian = 'می\u200Cخواهم';
    expect(pieces(persian, true)).toEqual([persian]);
    expect(pieces('a\u202Eb', true)).toHaveLength(3);
    expect(pieces('a\u{e0041}b', true)).toHaveLength(3);
  });

  it('offers places to break in very long words only, and changes no letter', () => {
    expect(breakable('ordinary words '.repeat(500))).toHaveLength(1);
    const base64 = 'QUJD'.repeat(5_000);
    const parts = breakable(`see ${base64} end`);
    expect(parts.length).toBeGreaterThan(100);
    expect(parts.join('')).toBe(`see ${base64} end`);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(200);
  });

  it('is fast on long text', () => {
    const begun = performance.now();
    pieces(`${'word '.repeat(400_000)}\u202E`);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
