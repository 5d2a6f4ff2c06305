import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goString } from '../../src/shared/run/json';
import {
  inSlices,
  linesIn,
  recordedSize,
  slicesOf,
  startOf,
  withoutEndBreaks,
} from '../../src/shared/run/slices';
import { Weight, weightOf } from '../../src/shared/run/weight';

const text = fc.string({
  unit: fc.constantFrom('a', '<', '\r', '\n', '\r\n', '🎣', '\ud83d', '\udc00', '"', '\\', 'é', '漢'),
});

describe('slices of a text', () => {
  it('are the text, whatever their size, and part no character and no line end', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 9 }), (whole, size) => {
        const slices = [...slicesOf(whole, size)];
        expect(slices.join('')).toBe(whole);
        const change = (one: string) =>
          one.replaceAll('\r\n', '\n').replace(/\p{Extended_Pictographic}|</gu, '[$&]');
        expect(inSlices(whole, change, size)).toBe(change(whole));
      }),
    );
  });

  it('are lines, a beginning and an end as the plain ways give them', () => {
    fc.assert(
      fc.property(text, fc.nat(12), (whole, most) => {
        expect([...linesIn(whole)]).toEqual(whole.split('\n'));
        expect(withoutEndBreaks(whole)).toBe(whole.replace(/\n+$/, ''));
        const start = startOf(whole, most);
        expect(whole.startsWith(start) && start.length <= most).toBe(true);
        expect(/[\ud800-\udbff]$/.test(start) && start.length < whole.length).toBe(false);
      }),
    );
  });

  it('take no more bytes in a record than was counted', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(Buffer.byteLength(goString(whole)) - 2).toBeLessThanOrEqual(
          recordedSize(whole) + 5 * whole.length,
        );
        const formed = whole.replace(/[\ud83d\udc00](?![\udc00-\udfff])/g, '');
        expect(recordedSize(formed)).toBeGreaterThanOrEqual(formed.length);
      }),
    );
    expect(recordedSize('<&>')).toBe(18);
    expect(recordedSize('abc')).toBe(3);
  });

  it('end where a million line breaks before a word do not', () => {
    const breaks = `${'\n'.repeat(2_000_000)}x`;
    const begun = performance.now();
    expect(withoutEndBreaks(breaks)).toBe(breaks);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe('the weight of a line', () => {
  it('counts objects, lists and values, and nothing inside strings', () => {
    const weigh = (json: string) => weightOf(Buffer.from(json));
    expect(weigh('"{,[{"')).toBe(0);
    expect(weigh('{"a\\\\":[1,2],"b\\"{":{}}')).toBe(weigh('{"a":[1,2],"b":{}}'));
    expect(weigh('[{},{}]')).toBeGreaterThan(weigh('[{}]'));
    const whole = new Weight();
    const parts = new Weight();
    const json = Buffer.from('{"a":[1,2,{"text":"x,y,{z"}],"b":""}'.repeat(50));
    whole.add(json);
    for (let at = 0; at < json.length; at += 7) parts.add(json.subarray(at, at + 7));
    expect(parts.bytes).toBe(whole.bytes);
  });
});
