import { describe, expect, it } from 'vitest';
import type { TranscriptItem } from '../../src/shared/contract/items';
import { hasAnswer, mergeItems, mergePage } from '../../src/renderer/store/items';

const item = (key: string, text = key): TranscriptItem => ({
  kind: 'text',
  key,
  seq: Number(key.split('.')[0]),
  iteration: 1,
  text,
});
const keys = (items: readonly (TranscriptItem | undefined)[]) => items.map((one) => one?.key);
const sparse = (total: number, held: Record<number, TranscriptItem>) => {
  const items: (TranscriptItem | undefined)[] = [];
  items.length = total;
  for (const [at, one] of Object.entries(held)) items[Number(at)] = one;
  return items;
};

describe('items of a run, held in part', () => {
  it('appends new ones and replaces known ones', () => {
    const { items, lost } = mergeItems([item('1.0'), item('2.0')], [item('2.0', 'changed'), item('3.0')], 3);
    expect(lost).toBe(false);
    expect(keys(items)).toEqual(['1.0', '2.0', '3.0']);
    expect(items[1]).toMatchObject({ text: 'changed' });
  });

  it('leaves a change of an item that is not loaded to its page', () => {
    const held = sparse(100, { 99: item('99.0') });
    const { items, lost } = mergeItems(held, [item('5.0', 'far away'), item('100.0')], 101);
    expect(lost).toBe(false);
    expect(items).toHaveLength(101);
    expect(items[100]?.key).toBe('100.0');
    expect(items[5]).toBeUndefined();
  });

  it('says when the numbers do not fit', () => {
    expect(mergeItems([item('1.0')], [item('5.0')], 5).lost).toBe(true);
    expect(mergeItems([item('1.0'), item('2.0')], [], 1).lost).toBe(true);
  });

  it('never lets an older page undo a newer change', () => {
    const held = sparse(4, { 2: item('3.0', 'new') });
    const page = {
      items: [item('1.0'), item('2.0'), item('3.0', 'old'), item('4.0')],
      from: 0,
      total: 4,
      lastSeq: 3,
    };
    const merged = mergePage(held, page, 7, new Set());
    expect(merged[2]).toMatchObject({ text: 'new' });
    expect(keys(merged)).toEqual(['1.0', '2.0', '3.0', '4.0']);
    expect(mergePage(held, { ...page, lastSeq: 7 }, 7, new Set())[2]).toMatchObject({ text: 'old' });
    // A change that is no record of its own overtook it.
    const overtaken = mergePage(held, { ...page, lastSeq: 7 }, 7, new Set(['3.0']));
    expect(overtaken[2]).toMatchObject({ text: 'new' });
    expect(keys(overtaken)).toEqual(['1.0', '2.0', '3.0', '4.0']);
  });

  it('knows whether an answer stands among them, so that no window shows its stream beside it', () => {
    const answer = (iteration: number): TranscriptItem => ({
      kind: 'text',
      key: `${iteration}.0`,
      seq: iteration + 2,
      iteration,
      text: 'a',
    });
    const prompt: TranscriptItem = { kind: 'prompt', key: '9.0', seq: 9, text: 'and now?' };
    expect(hasAnswer([answer(0), answer(1), prompt], 1)).toBe(true);
    expect(hasAnswer([answer(0), prompt, answer(2)], 0)).toBe(true);
    expect(hasAnswer([answer(0), prompt, undefined], 1)).toBe(false);
    expect(hasAnswer([], 0)).toBe(false);
  });
});
