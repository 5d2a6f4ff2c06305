import { describe, expect, it } from 'vitest';
import type { PreflightView, ToolText } from '../../src/shared/contract/views';
import {
  linesChanged,
  toolsChanged,
  wordsChanged,
  type Piece,
} from '../../src/renderer/view/resume/differences';
import { riskOf } from '../../src/renderer/view/resume/fields';

const side = (pieces: Piece[], which: 'before' | 'after') =>
  pieces
    .filter((piece) => piece.in === 'both' || piece.in === which)
    .map(({ text }) => text)
    .join('');
const only = (pieces: Piece[], which: 'before' | 'after') =>
  pieces.filter((piece) => piece.in === which).map(({ text }) => text);

describe('what changed between two texts', () => {
  it('is told by words, in scripts with and without spaces', () => {
    const prompt = wordsChanged('You are a helpful assistant.', 'You are a careful assistant.');
    expect([only(prompt, 'before'), only(prompt, 'after')]).toEqual([['helpful'], ['careful']]);
    const chinese = wordsChanged('你是一个有用的助手。', '你是一个谨慎的助手。');
    expect(only(chinese, 'before').join('')).not.toContain('助手');
    expect(only(chinese, 'after').join('')).toContain('谨慎');
  });

  it('joins to both texts again, whatever they are', () => {
    const texts = [
      '',
      'a',
      'one two  three\n',
      '  \n\n',
      'a\tb',
      'ключ — значение',
      '🙂🙃 x',
      'x'.repeat(3_000),
    ];
    for (const before of texts)
      for (const after of texts)
        for (const compare of [wordsChanged, linesChanged]) {
          const pieces = compare(before, after);
          expect([side(pieces, 'before'), side(pieces, 'after')]).toEqual([before, after]);
        }
  });

  it('gives up on long texts with little in common, and shows both whole', () => {
    const words = (seed: number) =>
      Array.from({ length: 60_000 }, (_, n) => ((n * seed) % 9973).toString(36)).join(' ');
    const [before, after] = [words(7919), words(104_729)];
    const began = performance.now();
    const pieces = wordsChanged(before, after);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect([side(pieces, 'before'), side(pieces, 'after')]).toEqual([before, after]);
  });
});

const tool = (name: string, description = 'd', schema: Record<string, unknown> = {}): ToolText => ({
  name,
  description,
  input_schema: schema,
});

describe('what changed of the tools', () => {
  it('is told by name, description and schema: removed, added, changed, and how many are the same', () => {
    const { changes, same, moved } = toolsChanged(
      [tool('read'), tool('wait'), tool('write', 'Writes a file.', { a: 1, b: 2 })],
      [tool('find'), tool('write', 'Writes a new file.', { b: 2, a: 1 }), tool('read')],
    );
    expect(changes.map(({ name, what }) => `${name} ${what}`)).toEqual([
      'wait removed',
      'find added',
      'write changed',
    ]);
    expect(only(changes[2]!.description, 'after').join('').trim()).toBe('new');
    expect(changes[2]!.schema.every((piece) => piece.in === 'both')).toBe(true);
    expect({ same, moved }).toEqual({ same: 1, moved: false });
  });

  it('is a line of the schema where only that differs, and the order where only that does', () => {
    const { changes } = toolsChanged([tool('a', 'd', { x: 1, y: 2 })], [tool('a', 'd', { x: 1, y: 3 })]);
    expect(only(changes[0]!.schema, 'after')).toEqual(['  "y": 3\n']);
    expect(toolsChanged([tool('a'), tool('b')], [tool('b'), tool('a')])).toMatchObject({
      changes: [],
      same: 2,
      moved: true,
    });
  });
});

describe('what is said of a change', () => {
  const said = (
    field: string,
    recorded: string,
    current: string,
    texts: PreflightView['texts'] = {},
    thinking = 'off',
  ) =>
    riskOf(
      { field, recorded, current, changed: true, force: 'forceable' },
      {
        texts,
        diff: [
          { field: 'thinking_mode', recorded: thinking, current: 'off', changed: false, force: 'forceable' },
        ],
      },
    );

  it('is only what applies to it', () => {
    expect(said('max_iterations', '50', '20')).toBe('The run may stop earlier.');
    expect(said('max_iterations', '20', '50')).toBe('The run may take more steps.');
    expect(said('max_tokens', '0', '1000')).toBe('The run may stop earlier.');
    expect(said('max_tokens', '1000', '0')).toBe('The run may use more tokens.');
    expect(said('thinking_mode', 'off', 'summarized')).toMatch(/^The model thinks before/);
    expect(said('thinking_mode', 'summarized', 'off')).toMatch(/^The model no longer thinks/);
    expect(said('model', 'a', 'b')).not.toMatch(/thinking/);
    expect(said('model', 'a', 'b', {}, 'summarized')).toMatch(/refuse thinking/);
    const tools = (recorded: string[], current: string[]) => ({
      tools: { recorded: recorded.map((name) => tool(name)), current: current.map((name) => tool(name)) },
    });
    expect(said('tools_hash', 'x', 'y', tools(['a', 'b'], ['a']))).toMatch(/no longer there/);
    expect(said('tools_hash', 'x', 'y', tools(['a'], ['a', 'b']))).toBe('The model can use more tools.');
    expect(said('system_hash', 'x', 'y', { prompt: { current: '' } })).toMatch(/no longer gets/);
  });
});
