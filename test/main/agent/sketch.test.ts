import { describe, expect, it } from 'vitest';
import { encodeSketch } from '../../../src/main/agent/sketch';
import type { Sketch } from '../../../src/main/agent/sketch';
import { fileStore } from '../../../src/main/journal/file';
import { MAX_PARTIAL_BYTES } from '../../../src/main/journal/slip';
import { LARGEST_ANSWER } from '../../../src/shared/run/read';
import { tempFolder } from '../../support/folder';
import { metaRecord } from '../../support/journal-records';

const MB = 1024 * 1024;
const sketch = (text: string, thinking?: string): Sketch => ({
  kind: 'partial',
  at: '2026-01-01T00:00:00.000Z',
  after_seq: 1,
  iteration: 0,
  text,
  ...(thinking !== undefined && { thinking }),
});
const back = (json: string) => JSON.parse(json) as Sketch;

describe('the text of an answer under way', () => {
  it.each<[string, string, string | undefined]>([
    ['as long as an answer may be', 'x'.repeat(LARGEST_ANSWER), undefined],
    ['with as much thinking as text', 'x'.repeat(2 * MB), 'y'.repeat(2 * MB)],
    ['nearly all of it thinking', 'x', 'y'.repeat(3 * MB)],
    ['with signs that take more room as JSON', '"\\\u0001'.repeat(MB), undefined],
  ])('is kept to the last sign: %s', (_, text, thinking) => {
    const kept = back(encodeSketch(sketch(text, thinking)));
    expect(kept.text === text && kept.thinking === thinking).toBe(true);
  });

  it.each([20_000, 1_000_000])('has its ends and says what it lacks where a store takes %d bytes', (most) => {
    const json = encodeSketch(sketch(`a${'é"'.repeat(most)}z`, `b${'y'.repeat(most)}y`), most);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(most);
    expect(Buffer.byteLength(json)).toBeGreaterThan(most * 0.6);
    for (const one of [back(json).text, back(json).thinking])
      expect(one).toMatch(/^[ab][^]*\[… \d+ bytes are left out here …\][^]*[zy]$/);
  });

  it('is within the limit whatever it is made of', () => {
    const json = encodeSketch(sketch('\u0001'.repeat(LARGEST_ANSWER / 4)));
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_PARTIAL_BYTES);
  });

  it('is read back beside its run, and is gone when the answer is recorded', async () => {
    const store = fileStore(tempFolder());
    try {
      const journal = await store.create('r', metaRecord('r'));
      const text = '<'.repeat(3 * MB);
      await journal.putSlip('partial', encodeSketch(sketch(text), journal.maxRecordBytes), 'lazily');
      const [lost] = (await store.load('r')).sidecar.filter(({ kind }) => kind === 'partial');
      expect(lost?.kind === 'partial' && lost.text === text).toBe(true);
      await journal.putSlip('partial', undefined, 'lazily');
      expect((await store.load('r')).sidecar.filter(({ kind }) => kind === 'partial')).toEqual([]);
      await journal.close();
    } finally {
      await store.close();
    }
  });
});
