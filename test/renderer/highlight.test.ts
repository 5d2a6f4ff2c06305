import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CodeColours, type Tokens } from '../../src/renderer/view/markdown/highlight';

beforeEach(() => {
  vi.stubGlobal('window', { requestIdleCallback: (then: () => void) => setImmediate(then) });
});
afterEach(() => vi.unstubAllGlobals());

const CODE = ['const a = `one ${1 + 2}', 'still in the template', '`; // over', 'let b = "two";'].join('\n');
const plain = (tokens: Tokens | undefined) =>
  tokens?.map((line) => line.map(({ content }) => content).join('')).join('\n');
const colours = (tokens: Tokens | undefined) =>
  tokens?.map((line) => line.map(({ content, color }) => [content, color]));

/** A clock that is late for this many looks. */
function clock(late: number) {
  let looks = 0;
  let now = 0;
  return () => {
    // Each try looks twice: before and behind.
    if (looks++ % 2 === 1 && looks / 2 <= late) now += 10_000;
    return now;
  };
}

describe('the colours of code', () => {
  it('are all of a chunk or none: one that took too long is tried again when there is time', async () => {
    const right = await new CodeColours('typescript').chunk(0, CODE);
    expect(plain(right)).toBe(CODE);
    expect(
      new Set(
        colours(right)
          ?.flat()
          .map(([, color]) => color),
      ).size,
    ).toBeGreaterThan(2);
    for (const late of [1, 2]) {
      const idle = vi.fn((then: () => void) => setImmediate(then));
      vi.stubGlobal('window', { requestIdleCallback: idle });
      const again = await new CodeColours('typescript', clock(late)).chunk(0, CODE);
      expect(colours(again)).toEqual(colours(right));
      expect(idle).toHaveBeenCalledTimes(late + 1);
    }
  });

  it('are none where every try took too long, and what follows has its own', async () => {
    const never = new CodeColours('typescript', clock(3));
    expect(await never.chunk(0, 'let a = 1;')).toBeUndefined();
    const next = await never.chunk(1, 'let b = 2;');
    expect(plain(next)).toBe('let b = 2;');
    expect(colours(next)).toEqual(colours(await new CodeColours('typescript').chunk(0, 'let b = 2;')));
  });

  it('go on from chunk to chunk as in one piece, and lose no character', async () => {
    const lines = CODE.split('\n');
    const whole = colours(await new CodeColours('typescript').chunk(0, CODE));
    for (let cut = 1; cut < lines.length; cut++) {
      const code = new CodeColours('typescript');
      const parts = [
        await code.chunk(0, lines.slice(0, cut).join('\n')),
        await code.chunk(1, lines.slice(cut).join('\n')),
      ];
      expect(parts.flatMap((part) => colours(part) ?? [])).toEqual(whole);
    }
    // Lines that no highlighter should be given are shown as they are.
    expect(await new CodeColours('typescript').chunk(0, 'x'.repeat(2_001))).toBeUndefined();
    expect(await new CodeColours('no such language').chunk(0, 'x')).toBeUndefined();
  });
});
