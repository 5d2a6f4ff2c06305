import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { decodeRecord, encodeLine, encodeRecord, parseRaw, rawJson } from '../../src/shared/run/codec';
import { decodeRecordExactly } from '../../src/shared/run/decode';
import { isFailure } from '../../src/shared/run/failure';
import { PROTOCOL } from '../../src/shared/run/record';
import type { RawJson, RunRecord } from '../../src/shared/run/record';
import { callRecord, metaRecord, userRecord } from '../support/journal-records';
import { sampled } from '../support/prerequisites';
import { rawTexts, someRecord } from '../support/run-arbitraries';

const code = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    if (isFailure(error)) return error.code;
    throw error;
  }
  return undefined;
};
const callWith = (input: string): RunRecord => {
  const record = callRecord(2, ['a']);
  const call = record.assistant?.message.content?.[0]?.tool_use;
  if (call) call.input = input as RawJson;
  return record;
};
const inputOf = (line: string): string | undefined =>
  decodeRecord(line).assistant?.message.content?.[0]?.tool_use?.input;
const thinkingLine = (signature: string): string =>
  `{"seq":2,"protocol":"${PROTOCOL.assistant}","assistant":{"iteration":0,"message":{"role":"assistant","content":[{"thinking":{"signature":${signature}}}]},"in_tokens":1,"out_tokens":1}}`;
const signatureOf = (line: string): string | undefined =>
  decodeRecord(line).assistant?.message.content?.[0]?.thinking?.signature;
const metaLine = (created: string): string =>
  `{"seq":1,"protocol":"${PROTOCOL.meta}","meta":{"version":3,"run_id":"r","created":${created},"fingerprint":{},"prompt":""}}`;
const createdOf = (line: string): string | undefined => decodeRecord(line).meta?.created;

describe('encode and decode', () => {
  it('decoding what was encoded gives the same record', () => {
    fc.assert(
      fc.property(someRecord, (record) => {
        expect(decodeRecord(encodeRecord(record))).toEqual(record);
        expect(decodeRecordExactly(encodeRecord(record))).toEqual(record);
      }),
      { numRuns: sampled(2_000, 40_000) },
    );
  });

  it('encoding what was decoded gives the same line', () => {
    fc.assert(
      fc.property(someRecord, (record) => {
        const line = encodeRecord(record);
        expect(encodeRecord(decodeRecord(line))).toBe(line);
        expect(line).not.toMatch(/[\n\r<>&\u2028\u2029]/);
      }),
      { numRuns: sampled(2_000, 40_000) },
    );
  });

  it('escapes like the reference', () => {
    const line = encodeRecord(
      userRecord(2, '<b> & "q" \\ \b\f\n\r\t\u0001\u001f\u007f / é \u2028\u2029 🎈 \ud83d x\\ud83d'),
    );
    expect(line).toContain(
      '"text":"\\u003cb\\u003e \\u0026 \\"q\\" \\\\ \\b\\f\\n\\r\\t\\u0001\\u001f\u007f / é \\u2028\\u2029 🎈 \\ufffd x\\\\ud83d"',
    );
  });

  it('reads lone surrogates, raw or escaped, as U+FFFD', () => {
    const line = encodeRecord(userRecord(2, 'X'));
    const texts = [
      '\ud83d',
      '\\ud83d',
      '\\uDE00\\uD83D',
      '\\ud83d\\u0041',
      '\\\\ud83d',
      '\\ud83d\\ude00',
    ].map((text) => decodeRecord(line.replace('X', text)).user?.message.content?.[0]?.text?.text);
    expect(texts).toEqual(['\ufffd', '\ufffd', '\ufffd\ufffd', '\ufffdA', '\\ud83d', '😀']);
  });

  it('leaves out what is empty', () => {
    const record = decodeRecord(
      `{"seq":3,"protocol":"${PROTOCOL.tool_result}","tool_result":{"tool_use_id":"a","result":{"tool_use_id":"a","content":"","is_error":false},"remote":false}}`,
    );
    expect(record.tool_result).toEqual({ tool_use_id: 'a', result: { tool_use_id: 'a', content: '' } });
  });

  it('keeps null content and empty content apart', () => {
    for (const content of [null, []]) {
      const record = userRecord(2, '');
      if (record.user) record.user.message.content = content;
      const line = encodeRecord(record);
      expect(line).toContain(`"content":${JSON.stringify(content)}`);
      expect(decodeRecord(line)).toEqual(record);
    }
  });

  it('ends a line with its newline', () => {
    expect(encodeLine(metaRecord('r')).at(-1)).toBe(0x0a);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses to write the number %s', (seq) => {
    expect(code(() => encodeRecord({ ...userRecord(2, 'x'), seq }))).toBe('internal');
  });
});

describe('raw JSON', () => {
  it.each([
    ['{"id":12345678901234567890,"f":1.0,"e":1e3,"n":-0,"E":1E+2}', undefined],
    ['{"limit":1,"10":2,"2":3}', undefined],
    ['{"k":1,"k":2}', undefined],
    ['{"s":"\\u003c\\/\\u00e9"}', undefined],
    [' { "a" : [ 1 , 2 ] ,\t"b \\" c": "d  e" }\n', '{"a":[1,2],"b \\" c":"d  e"}'],
    ['{"<":"&>\u2028"}', '{"\\u003c":"\\u0026\\u003e\\u2028"}'],
    ['null', undefined],
  ])('%s stays the text that arrived, only compacted and escaped', (text, expected = text) => {
    expect(rawJson(text)).toBe(expected);
    const line = encodeRecord(callWith(text));
    expect(line).toContain(`"input":${expected}}`);
    expect(inputOf(line)).toBe(expected);
    expect(encodeRecord(decodeRecord(line))).toBe(line);
    expect(inputOf(line.replace(expected, () => text.trim().replace('\n', '')))).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":}',
    '{} {}',
    "{'a':1}",
    '{"a":01}',
    '"\u0001"',
    '\ufeff{}',
    'NaN',
    '[1,]',
    '{"a":1,}',
    '.5',
    '1.',
    '+1',
  ])('refuses %j, and no record with it is written', (text) => {
    expect(code(() => rawJson(text))).toBe('tool_input');
    expect(code(() => encodeRecord(callWith(text)))).toBe('tool_input');
  });

  it('is nested as deep as a line may be with it, 10,000, whoever reads it, without exhausting the stack', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(rawJson(nested(9_994))).toBe(nested(9_994));
    expect(code(() => rawJson(nested(9_995)))).toBe('tool_input');
    // What passes as an input passes as a line.
    expect(inputOf(encodeRecord(callWith(nested(9_994))))).toBe(nested(9_994));
    const line = encodeRecord(callWith('"X"'));
    // six brackets of the record stand around it
    expect(inputOf(line.replace('"X"', nested(9_994)))).toBe(nested(9_994));
    expect(code(() => inputOf(line.replace('"X"', nested(9_995))))).toBe('corrupt');
    expect(code(() => decodeRecord('{"x":'.repeat(200_000)))).toBe('corrupt');
  });

  it('agrees with JSON.parse on what is JSON', () => {
    const bent = fc.tuple(
      fc.constantFrom(...rawTexts),
      fc.nat(40),
      fc.nat(3),
      fc.constantFrom('', '"', '\\', ',', '}', '1', ' ', 'e', '-', '\n'),
    );
    fc.assert(
      fc.property(bent, ([text, at, cut, put]) => {
        const changed = text.slice(0, at) + put + text.slice(at + cut);
        let valid = true;
        try {
          JSON.parse(changed);
        } catch {
          valid = false;
        }
        expect(code(() => rawJson(changed))).toBe(valid ? undefined : 'tool_input');
        if (valid) expect(parseRaw(rawJson(changed))).toEqual(JSON.parse(changed));
      }),
      { numRuns: sampled(2_000, 40_000) },
    );
  });

  it('missing or null input is null', () => {
    const line = encodeRecord(callWith('{}'));
    expect(inputOf(line.replace(',"input":{}', ''))).toBe('null');
    expect(inputOf(line.replace('{}', 'null'))).toBe('null');
  });
});

describe('times and signatures', () => {
  it.each([
    ['"2026-07-20T09:08:07.120+02:00"', '2026-07-20T09:08:07.12+02:00'],
    ['"2026-07-20T09:08:07.000Z"', '2026-07-20T09:08:07Z'],
    ['"2026-07-20T09:08:07+00:00"', '2026-07-20T09:08:07Z'],
    ['"2026-07-20T9:08:07,5-00:30"', '2026-07-20T09:08:07.5-00:30'],
    ['"2026-07-20T09:08:07.1234567891Z"', '2026-07-20T09:08:07.123456789Z'],
    ['"2024-02-29T00:00:00Z"', '2024-02-29T00:00:00Z'],
    ['null', '0001-01-01T00:00:00Z'],
  ])('the time %s is kept as %s', (created, expected) => {
    expect(createdOf(metaLine(created))).toBe(expected);
  });

  it.each([
    '"2026-02-29T00:00:00Z"',
    '"2026-13-01T00:00:00Z"',
    '"2026-01-01T24:00:00Z"',
    '"2026-01-01 00:00:00Z"',
    '"2026-01-01T00:00:00"',
    '"2026-01-01T00:00:60Z"',
    '"2026-01-01t00:00:00z"',
    '"2026-01-01T00\\u003a00:00Z"',
    '""',
    '5',
    '{}',
  ])('the time %s is refused', (created) => {
    expect(code(() => createdOf(metaLine(created)))).toBe('corrupt');
  });

  it.each([
    ['"AQL/"', 'AQL/'],
    ['"AB=="', 'AA=='],
    ['"AAF="', 'AAE='],
    ['"AQ\\r\\nL/"', 'AQL/'],
    ['[1,2,255]', 'AQL/'],
    ['[1]', 'AQ=='],
    ['""', undefined],
    ['null', undefined],
    ['[]', undefined],
  ])('the signature %s is kept as %s', (signature, expected) => {
    expect(signatureOf(thinkingLine(signature))).toBe(expected);
  });

  it.each([
    '"@@"',
    '"AQ"',
    '"AQ="',
    '"A==="',
    '"====" ',
    '"AQL/AQ==AQ=="',
    '"-_8="',
    '[256]',
    '[-1]',
    '["a"]',
    '5',
  ])('the signature %s is refused', (signature) => {
    expect(code(() => signatureOf(thinkingLine(signature)))).toBe('corrupt');
  });
});

describe('lines in the manner of other writers', () => {
  it('keys match without regard to case, also by the letters that fold to s and k', () => {
    const record = decodeRecord(
      `{"SEQ":2,"Protocol":"${PROTOCOL.user}","u\u017fer":{"Message":{"ROLE":"user","content":[{"teXt":{"Text":"hi"}}]}}}`,
    );
    expect(record).toEqual(userRecord(2, 'hi'));
    expect(decodeRecord(`{"\u0130seq":1,"seq":2,"protocol":"x"}`).seq).toBe(2);
  });

  it('a repeated key is read into what is there', () => {
    const line = (content: string): string =>
      `{"seq":2,"protocol":"${PROTOCOL.user}","user":{"message":{"role":"user",${content}}}}`;
    const contentOf = (content: string): unknown => decodeRecord(line(content)).user?.message.content;
    expect(
      contentOf('"content":[{"text":{"text":"a"}},{"text":{"text":"b"}}],"content":[{"thinking":{}}]'),
    ).toEqual([{ text: { text: 'a' }, thinking: {} }]);
    expect(
      contentOf('"content":[{"text":{"text":"a"}},{"text":{"text":"b"}}],"content":[{}],"content":[{},{}]'),
    ).toEqual([{ text: { text: 'a' } }, { text: { text: 'b' } }]);
    expect(contentOf('"content":[{"text":{"text":"a"}}],"content":[],"content":[{}]')).toEqual([{}]);
    expect(contentOf('"content":[{"text":{"text":"a"}}],"content":null,"content":[null]')).toEqual([{}]);
    expect(
      contentOf(
        '"content":[{"thinking":{"text":"x","signature":"AQL/"},"thinking":{"text":"longer than before"}}]',
      ),
    ).toEqual([{ thinking: { text: 'longer than before', signature: 'AQL/' } }]);
    expect(decodeRecord('{"seq":1,"seq":2,"protocol":"a","protocol":"b","protocol":null}')).toEqual({
      seq: 2,
      protocol: 'b',
    });
  });

  it('null leaves numbers, texts and objects alone and empties what may be absent', () => {
    expect(decodeRecord('null')).toEqual({ seq: 0, protocol: '' });
    expect(
      decodeRecord('{"seq":7,"seq":null,"user":{"message":null},"terminal":{"reason":"x"},"terminal":null}'),
    ).toEqual({ seq: 7, protocol: '', user: { message: { role: '', content: null } } });
  });

  it('a whole number beyond 2^53 is read, as the reference does, and one that it could not hold is refused', () => {
    const line = (seq: string): string => `{"seq":${seq},"protocol":"x"}`;
    expect(decodeRecord(line('9007199254740991')).seq).toBe(9007199254740991);
    for (const seq of ['9007199254740993', '18446744073709551615'])
      expect(decodeRecord(line(seq)).seq).toBe(Number(seq));
    for (const seq of ['1.0', '1e3', '-1', '-0', '01', '"1"', '18446744073709551616'])
      expect(
        code(() => decodeRecord(line(seq))),
        seq,
      ).toBe('corrupt');
    const usage = (n: string): string =>
      `{"seq":2,"protocol":"${PROTOCOL.assistant}","assistant":{"iteration":${n},"message":{"role":"assistant","content":null},"in_tokens":0,"out_tokens":0}}`;
    expect(decodeRecord(usage('-3')).assistant?.iteration).toBe(-3);
    expect(Object.is(decodeRecord(usage('-0')).assistant?.iteration, 0)).toBe(true);
  });
});
