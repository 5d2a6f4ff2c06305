import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonObject, jsonString, sliceAt, withMember } from '../../../src/main/model/slice';

describe('cutting values out of JSON text', () => {
  it('keeps number spelling, key order, escapes and spaces', () => {
    const text = '{"a": 1, "block" : { "n":1.50, "10":1 ,"2":9007199254740993, "s":"\\u003c\\"}]" } }';
    expect(sliceAt(text, ['block'])).toBe('{ "n":1.50, "10":1 ,"2":9007199254740993, "s":"\\u003c\\"}]" }');
    expect(sliceAt(text, ['block', 'n'])).toBe('1.50');
    expect(sliceAt(text, ['block', '2'])).toBe('9007199254740993');
    expect(sliceAt(text, ['block', 's'])).toBe('"\\u003c\\"}]"');
  });

  it('takes the last of doubled keys, and finds keys written with escapes', () => {
    expect(sliceAt('{"k":1,"k":[2,{"x":3}]}', ['k', 1, 'x'])).toBe('3');
    expect(sliceAt('{"\\u006b":true}', ['k'])).toBe('true');
  });

  it('finds nothing where there is nothing', () => {
    expect(sliceAt('{"a":[1]}', ['b'])).toBeUndefined();
    expect(sliceAt('{"a":[1]}', ['a', 1])).toBeUndefined();
    expect(sliceAt('{"a":[1]}', ['a', 'x'])).toBeUndefined();
    expect(sliceAt('[]', [0])).toBeUndefined();
    expect(sliceAt('{}', ['a'])).toBeUndefined();
  });

  it('agrees with JSON.parse for every value in any document, with any spacing', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.constantFrom(undefined, 1, '\t', ' \n'),
        (value, space) => {
          const text = JSON.stringify(value, null, space);
          const visit = (part: unknown, path: (string | number)[]): void => {
            expect(JSON.parse(sliceAt(text, path)!)).toEqual(JSON.parse(JSON.stringify(part)));
            if (Array.isArray(part)) part.forEach((item, i) => visit(item, [...path, i]));
            else if (typeof part === 'object' && part !== null)
              for (const [key, item] of Object.entries(part)) visit(item, [...path, key]);
          };
          visit(value, []);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('exchanges one member and leaves every other character alone', () => {
    expect(withMember('{"a":1.0, "input":{} ,"z":2e3}', 'input', '{"q":1.50}')).toBe(
      '{"a":1.0, "input":{"q":1.50} ,"z":2e3}',
    );
    expect(withMember('{}', 'x', '1')).toBe('{"x":1}');
    expect(withMember('{ "a":1 }', 'x', '[2]')).toBe('{ "a":1 ,"x":[2]}');
  });

  it('writes strings that UTF-8 can carry and leaves absent members out', () => {
    expect(jsonString('a\ud83d"')).toBe('"a\ufffd\\""');
    expect(jsonString('😀')).toBe('"😀"');
    expect(jsonObject({ a: '1', b: undefined, c: '"x"' })).toBe('{"a":1,"c":"x"}');
  });
});
