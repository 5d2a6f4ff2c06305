import type { TurnRow } from '../../../shared/contract/reading';
import { costOf, type ModelPrice } from '../../../shared/run/price';
import { tokensOf, type Spent } from '../../../shared/run/tokens';

export type Step = Extract<TurnRow, { kind: 'turn' }>;

/** One bar: a step, or several that lie next to each other where there are too many to tell apart. */
export interface Bar extends Spent {
  /** Steps from and to, as the window counts them. */
  from: number;
  to: number;
  /** Of the budget, used up to the end of this bar. */
  used: number;
}

/** Bars that the chart has room for: a few do not fill it, so that none is as wide as a wall. */
export const placesFor = (bars: number): number => Math.max(bars, 12);

export const stepsOf = (rows: readonly TurnRow[]): Step[] =>
  rows.filter((row): row is Step => row.kind === 'turn');

/** Of the budget, used up to the end of each step. */
export function usedUpTo(steps: readonly Step[]): number[] {
  let used = 0;
  return steps.map((step) => (used += allOf(step)));
}

/** The steps as at most `most` bars, each of the same number of steps but the last. */
export function barsOf(steps: readonly Step[], most: number): Bar[] {
  const each = Math.max(1, Math.ceil(steps.length / most));
  const bars: Bar[] = [];
  let used = 0;
  for (let at = 0; at < steps.length; at += each) {
    const some = steps.slice(at, at + each);
    const sum = totalOf(some);
    used += allOf(sum);
    const from = (some[0]?.iteration ?? 0) + 1;
    bars.push({ ...sum, from, to: (some.at(-1)?.iteration ?? 0) + 1, used });
  }
  return bars;
}

export function totalOf(steps: readonly Spent[]): Spent {
  const sum: Spent = { in: 0, out: 0, cacheRead: 0, cacheWrite: 0 };
  for (const step of steps) {
    sum.in += step.in;
    sum.out += step.out;
    sum.cacheRead += step.cacheRead;
    sum.cacheWrite += step.cacheWrite;
  }
  return sum;
}

export const allOf = (spent: Spent): number => tokensOf(spent).all;

/** What the steps cost by the table, each by the model that it was asked of. */
export const costOfSteps = (
  steps: readonly Step[],
  modelAt: (seq: number) => string,
  prices: readonly ModelPrice[],
) =>
  costOf(
    steps.map((spent) => ({ model: modelAt(spent.seq), spent })),
    prices,
  );

/** An amount as it is written: small ones with more places, so that they are not nothing. */
export function money(amount: number, currency: string): string {
  const places = amount === 0 || amount >= 100 ? 2 : amount >= 1 ? 3 : 4;
  return `${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: places })} ${currency}`;
}
