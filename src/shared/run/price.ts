import { z } from '../zod';
import type { Spent } from './tokens';

const perMillion = z.number().min(0).max(1_000_000);

/** What a model costs for a million tokens of each kind, in the currency of its table. */
export const modelPrice = z.strictObject({
  model: z.string().min(1).max(200),
  input: perMillion,
  output: perMillion,
  /** Tokens that the service read from its cache, and that it wrote there; absent: as `input`. */
  cache_read: perMillion.optional(),
  cache_write: perMillion.optional(),
});
export type ModelPrice = z.infer<typeof modelPrice>;

export interface Cost {
  /** Of the calls whose model has a price. */
  sum: number;
  /** Models that were asked and have no price, each once. */
  unknown: string[];
}

export const priceOf = (price: ModelPrice, spent: Spent): number =>
  (spent.in * price.input +
    spent.out * price.output +
    spent.cacheRead * (price.cache_read ?? price.input) +
    spent.cacheWrite * (price.cache_write ?? price.input)) /
  1_000_000;

/** What calls cost, each by the model that was asked. A name in the table stands for exactly that model. */
export function costOf(
  calls: readonly { model: string; spent: Spent }[],
  table: readonly ModelPrice[],
): Cost {
  const prices = new Map(table.map((price) => [price.model, price]));
  const unknown = new Set<string>();
  let sum = 0;
  for (const { model, spent } of calls) {
    const price = prices.get(model);
    if (price) sum += priceOf(price, spent);
    else unknown.add(model);
  }
  return { sum, unknown: [...unknown] };
}
