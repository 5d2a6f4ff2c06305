import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { decodeRecord, encodeRecord } from '../../src/shared/run/codec';
import { decodeRecordExactly } from '../../src/shared/run/decode';
import { isFailure } from '../../src/shared/run/failure';
import { readFast } from '../../src/shared/run/fast';
import type { RunRecord } from '../../src/shared/run/record';
import { mutatedLine } from '../support/mutated-lines';
import { sampled } from '../support/prerequisites';
import { someRecord } from '../support/run-arbitraries';

const outcome = (read: (text: string) => RunRecord, text: string): unknown => {
  try {
    return read(text);
  } catch (error) {
    if (isFailure(error)) return error.code;
    throw error;
  }
};
describe('the fast reader', () => {
  it('lines of answers, messages and results take the fast way', () => {
    fc.assert(
      fc.property(someRecord, (record) => {
        const line = encodeRecord(record);
        fc.pre(!record.meta && !record.terminal && !/\d{16}/.test(line));
        expect(readFast(line)).toEqual(record);
      }),
      { numRuns: sampled(500, 20_000) },
    );
  });

  it('the fast way and the exact way agree on every line, however it was bent', () => {
    let readable = 0;
    let refused = 0;
    fc.assert(
      fc.property(mutatedLine, (line) => {
        const exact = outcome(decodeRecordExactly, line);
        expect(outcome(decodeRecord, line)).toEqual(exact);
        if (typeof exact === 'string') refused++;
        else readable++;
      }),
      { numRuns: sampled(5_000, 150_000) },
    );
    // the mutations must reach both verdicts often, or they prove nothing
    expect(readable).toBeGreaterThan(refused / 10);
    expect(refused).toBeGreaterThan(readable / 10);
  });

  it('the bent lines catch a reader that trusts JSON.parse', () => {
    const trusting = (line: string): RunRecord => {
      const record = JSON.parse(line, (key, value: unknown) =>
        key === 'input' || key === 'raw' ? JSON.stringify(value) : value,
      ) as RunRecord;
      return decodeRecord(encodeRecord(record));
    };
    const written = (read: (text: string) => RunRecord, line: string): string => {
      try {
        return encodeRecord(read(line));
      } catch {
        return 'refused';
      }
    };
    const lines = fc.sample(mutatedLine, { numRuns: 2_000, seed: 1 });
    const caught = lines.filter((line) => written(trusting, line) !== written(decodeRecordExactly, line));
    expect(caught.length).toBeGreaterThan(50);
  });

  it('a decoded record, read in whatever form, is written in one form that reads the same', () => {
    fc.assert(
      fc.property(mutatedLine, (line) => {
        const record = outcome(decodeRecord, line);
        if (typeof record === 'string') return;
        const written = encodeRecord(record as RunRecord);
        expect(decodeRecord(written)).toEqual(record);
      }),
      { numRuns: sampled(2_000, 40_000) },
    );
  });
});
