import { describe, expect, it } from 'vitest';
import { costOf, priceOf } from '../../src/shared/run/price';
import {
  allOf,
  barsOf,
  costOfSteps,
  money,
  totalOf,
  usedUpTo,
  type Step,
  placesFor,
} from '../../src/renderer/view/transcript/usage-data';

const step = (n: number, more: Partial<Step> = {}): Step => ({
  kind: 'turn',
  seq: n + 2,
  index: n,
  words: '',
  iteration: n,
  tools: [],
  calls: 0,
  errors: 0,
  in: 100 + n,
  out: 10,
  cacheRead: 50,
  cacheWrite: 5,
  ...more,
});
const steps = Array.from({ length: 1_003 }, (_, n) => step(n));

describe('usage', () => {
  it('puts every step into exactly one bar, however many there are', () => {
    for (const most of [1, 7, 90, 1_003, 5_000]) {
      const bars = barsOf(steps, most);
      expect(bars.length).toBeLessThanOrEqual(most);
      expect(totalOf(bars)).toEqual(totalOf(steps));
      expect(bars[0]?.from).toBe(1);
      expect(bars.at(-1)?.to).toBe(1_003);
      for (const [n, bar] of bars.entries()) if (n > 0) expect(bar.from).toBe((bars[n - 1]?.to ?? 0) + 1);
      const total = totalOf(steps);
      expect(bars.at(-1)?.used).toBe(allOf(total));
    }
    // Step by step it comes to the same as bar by bar.
    expect(usedUpTo(steps).at(-1)).toBe(barsOf(steps, 90).at(-1)?.used);
    expect(usedUpTo(steps)[1]).toBe(165 + 166);
    expect(barsOf([], 90)).toEqual([]);
    expect(allOf(totalOf([]))).toBe(0);
  });

  it('is priced by the model that each call was asked of, and names models without a price', () => {
    const price = { model: 'a', input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
    const spent = { in: 1_000_000, out: 100_000, cacheRead: 2_000_000, cacheWrite: 400_000 };
    expect(priceOf(price, spent)).toBeCloseTo(3 + 1.5 + 0.6 + 1.5);
    // Without prices of their own, tokens of the cache cost what others cost.
    expect(priceOf({ model: 'a', input: 3, output: 15 }, spent)).toBeCloseTo(3 + 1.5 + 6 + 1.2);
    const asked = [step(0), step(1), step(2)];
    const cost = costOfSteps(asked, (seq) => (seq < 4 ? 'a' : 'b'), [price]);
    expect(cost.unknown).toEqual(['b']);
    expect(cost.sum).toBeCloseTo(priceOf(price, asked[0] as Step) + priceOf(price, asked[1] as Step));
    expect(costOf([], [price])).toEqual({ sum: 0, unknown: [] });
    expect([money(0, 'EUR'), money(0.00123, 'EUR'), money(12.5, 'EUR'), money(1234.567, 'EUR')]).toEqual([
      '0.00 EUR',
      '0.0012 EUR',
      '12.50 EUR',
      '1,234.57 EUR',
    ]);
  });
});

describe('the room of the chart', () => {
  it('is as wide as its bars, but for a few, under which the words end where they do', () => {
    expect([1, 12, 40].map(placesFor)).toEqual([12, 12, 40]);
  });
});
