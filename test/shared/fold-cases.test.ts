import { describe, expect, it } from 'vitest';
import { isFailure } from '../../src/shared/run/failure';
import { foldJournal, stateText } from '../../src/shared/run/fold';
import { foldCases } from '../support/fold-cases';

/** The reference gives `answered` in the order of a Go map, which is chance: both sides are sorted. */
const sortAnswered = (text: string): string =>
  text.replace(
    /("answered":)\[([^\]]*)\]/,
    (_, key: string, ids: string) => `${key}[${ids.split(',').sort().join(',')}]`,
  );

function verdict(journal: Uint8Array): string {
  try {
    return sortAnswered(stateText(foldJournal(journal).state));
  } catch (error) {
    if (isFailure(error)) return error.code;
    throw error;
  }
}

describe('the fold agrees with the reference, byte for byte', () => {
  const cases = foldCases();

  it('has all 391 cases', () => {
    expect(cases).toHaveLength(391);
  });

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const expected = one.stateText === undefined ? one.error : sortAnswered(one.stateText);
    expect(verdict(one.journal)).toBe(expected);
  });
});
