import { describe, expect, it } from 'vitest';
import type { SearchHit } from '../../src/shared/contract/search';
import { markedWords } from '../../src/renderer/store/search-open';

const hit = (...snippet: [text: string, marked: boolean][]): SearchHit => ({
  run: 'a',
  title: 'A',
  status: 'finished',
  store: 'This computer',
  updated: '2026-01-01T00:00:00Z',
  seq: 2,
  part: 'answer',
  snippet: snippet.map(([text, marked]) => ({ text, marked })),
  before: false,
  after: false,
});

describe('the words that a hit is opened with', () => {
  it('are those that were typed, where they stand there together, in whatever case', () => {
    const found = hit(['The ', false], ['Open', true], [' ', false], ['invoice', true], [' is', false]);
    expect(markedWords(found, ' open Invoice ')).toBe('open Invoice');
    expect(markedWords(found, '"open invoice"')).toBe('open invoice');
  });

  it('are otherwise the longest word that was found, as it stands in the text', () => {
    const found = hit(['Crème', true], [' and ', false], ['brûlée', true]);
    expect(markedWords(found, 'creme brulee')).toBe('brûlée');
    expect(markedWords(hit(['nothing is marked', false]), 'creme')).toBe('');
  });
});
