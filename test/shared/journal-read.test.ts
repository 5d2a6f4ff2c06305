import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { encodeLine, encodeRecord, readJournal } from '../../src/shared/run/codec';
import { isFailure } from '../../src/shared/run/failure';
import { foldJournal } from '../../src/shared/run/fold';
import type { RunRecord } from '../../src/shared/run/record';
import { decodeUtf8, encodeUtf8 } from '../../src/shared/run/utf8';
import {
  answerRecord,
  chatRecords,
  metaRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';
import { sampled } from '../support/prerequisites';
import { someJournal } from '../support/run-arbitraries';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const journal = (records: RunRecord[]): string =>
  records.map((record) => `${encodeRecord(record)}\n`).join('');
const three = [metaRecord('r'), answerRecord(2, 'x'), userRecord(3, 'ü \u2028 🎈')];

describe('reading a journal', () => {
  it('gives every record its place in bytes', () => {
    const file = bytes(`\n${journal(three)}`);
    const { records, places, tail, warnings, failure } = readJournal(file);
    expect(records).toEqual(three);
    expect({ tail, warnings, failure }).toEqual({
      tail: { kind: 'clean', offset: file.length, bytes: 0 },
      warnings: [],
      failure: undefined,
    });
    expect(places.map(({ line }) => line)).toEqual([2, 3, 4]);
    places.forEach(({ seq, offset, bytes: length }, i) => {
      expect(seq).toBe(three[i]?.seq);
      expect(decodeUtf8(file.subarray(offset, offset + length))).toBe(encodeRecord(three[i] as RunRecord));
    });
  });

  it('ends lines at 0x0A and nowhere else', () => {
    const odd = userRecord(2, 'a');
    const line = encodeRecord(odd).replace('"a"', '"a\u2028\u2029\u0085b"');
    const { records } = readJournal(bytes(`${journal([metaRecord('r')])}${line}\r\n`));
    expect(records[1]?.user?.message.content).toEqual([{ text: { text: 'a\u2028\u2029\u0085b' } }]);
  });

  it.each([
    ['cut in the last line', '{"seq":4,"pro', 'torn', 13],
    ['cut behind a wide character', '{"seq":4,"protocol":"\u00fc', 'torn', 23],
    ['NULs', '\0'.repeat(20), 'torn', 20],
    ['NULs with a newline', '\0\0\n', 'torn', 3],
    ['white space', '  ', 'torn', 2],
    ['a bad last line that was ended', '{"seq":4,"pro\n', 'bad_line', 14],
    ['two records in one line', `${encodeRecord(terminalRecord(4, 'error')).repeat(2)}\n`, 'bad_line', 181],
  ])('%s: what to cut', (_, end, kind, length) => {
    const whole = bytes(journal(three));
    const { records, tail, warnings, failure } = readJournal(bytes(journal(three) + end));
    expect(records).toEqual(three);
    expect(tail).toEqual({ kind, offset: whole.length, bytes: length });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({
      code: kind === 'torn' ? 'torn_tail' : 'bad_last_line',
      line: 4,
      byte: whole.length,
    });
    expect(failure).toBeUndefined();
  });

  it('takes a whole last record without its newline, and says so', () => {
    const file = bytes(journal(three).slice(0, -1));
    const { records, tail, warnings } = readJournal(file);
    expect(records).toEqual(three);
    expect(tail).toEqual({ kind: 'no_newline', offset: file.length, bytes: 0 });
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([['missing_newline', 4 - 1]]);
  });

  it.each([
    ['garbage', 'nonsense\n'],
    ['garbage before a blank line', '{"seq":\n\n'],
    ['NULs', '\0\0\0\n'],
    ['a byte order mark', '\ufeff\n'],
  ])('%s in the middle is corruption, with line and byte, and what stands before it', (_, bad) => {
    const start = journal(three.slice(0, 2));
    const { records, failure } = readJournal(bytes(start + bad + journal(three.slice(2))));
    expect(records).toEqual(three.slice(0, 2));
    expect(failure?.code).toBe('corrupt');
    expect(failure?.data).toMatchObject({ line: 3, byte: start.length, records: 2 });
    expect(failure?.message).toContain('line 3 (byte');
    expect(failure?.kept).toBeDefined();
    expect(failure?.todo).toBeDefined();
  });

  it('names line and byte where the records contradict each other', () => {
    const file = journal([metaRecord('r'), answerRecord(3, 'x')]);
    try {
      foldJournal(bytes(file + journal([answerRecord(3, 'y'), userRecord(4, 'z')])));
      expect.unreachable();
    } catch (error) {
      expect(isFailure(error, 'corrupt') && error.data).toMatchObject({ seq: 3, line: 3, byte: file.length });
    }
  });

  it('keeps a byte that is no UTF-8 from hiding the others: each becomes one U+FFFD', () => {
    const parts = [
      bytes('a'),
      new Uint8Array([0xff, 0xe2, 0x82, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0xc0]),
      bytes('é🎈b'),
    ];
    expect(decodeUtf8(new Uint8Array(Buffer.concat(parts)))).toBe(`a${'\ufffd'.repeat(9)}é🎈b`);
    expect(decodeUtf8(new Uint8Array([0xe2, 0x82]))).toBe('\ufffd\ufffd');
  });

  it('decodes any bytes like Go, and well-formed text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeUtf8(encodeUtf8(text))).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (some) => {
        const text = decodeUtf8(some);
        // an independent count: bytes that the platform's decoder can account for, plus one mark each for the rest
        let expected = '';
        for (let at = 0; at < some.length;) {
          const length = [1, 2, 3, 4].find((n) => {
            try {
              return (
                at + n <= some.length &&
                new TextDecoder('utf-8', { fatal: true }).decode(some.subarray(at, at + n)) !== undefined
              );
            } catch {
              return false;
            }
          });
          expected += length ? Buffer.from(some.subarray(at, at + length)).toString('utf8') : '\ufffd';
          at += length ?? 1;
        }
        expect(text).toBe(expected);
      }),
      { numRuns: sampled(1_000, 20_000) },
    );
  });

  it('a cut at any byte keeps every whole record and can be mended', () => {
    const records = chatRecords('r', 12);
    const lines = records.map((record) => encodeLine(record));
    const file = new Uint8Array(Buffer.concat(lines));
    let whole = 0;
    let end = 0;
    for (let cut = 0; cut <= file.length; cut++) {
      while (whole < lines.length && end + (lines[whole]?.length ?? 0) <= cut)
        end += lines[whole++]?.length ?? 0;
      const { records: read, tail, failure } = readJournal(file.subarray(0, cut));
      const unended = cut === end + (lines[whole]?.length ?? 0) - 1 && whole < lines.length;
      expect(failure).toBeUndefined();
      expect(read).toEqual(records.slice(0, unended ? whole + 1 : whole));
      expect(tail).toEqual(
        unended
          ? { kind: 'no_newline', offset: cut, bytes: 0 }
          : cut === end
            ? { kind: 'clean', offset: cut, bytes: 0 }
            : { kind: 'torn', offset: end, bytes: cut - end },
      );
    }
  });

  it('reads back any journal that was written', () => {
    fc.assert(
      fc.property(someJournal, (records) => {
        const read = readJournal(new Uint8Array(Buffer.concat(records.map((record) => encodeLine(record)))));
        expect(read.records).toEqual(records);
        expect(read.warnings).toEqual([]);
      }),
      { numRuns: sampled(300, 10_000) },
    );
  });

  it('never throws for content', () => {
    const base = Buffer.from(journal(chatRecords('r', 6)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
        const file = new Uint8Array(base);
        for (const [at, byte] of changes) file[at] = byte;
        const read = readJournal(file);
        expect(read.records).toHaveLength(read.places.length);
        expect(read.tail.offset + read.tail.bytes).toBe(file.length);
      }),
      { numRuns: sampled(2_000, 20_000) },
    );
  });
});
