import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunStore } from '../../../src/main/journal/journal';
import { act, play } from '../../support/sequences';

/**
 * Random things that people and models do: what the window shows at the end is what it shows after a reload and after a
 * restart, and every word that was accepted is in one place, and was sent only if somebody sent it.
 */
const soak = process.env.HOLDFAST_SOAK !== undefined;
const first = fc.constantFrom('answers', 'hangs', 'is cut', 'asks' as const);

const check = (runs: number, spoil: (store: RunStore) => RunStore, endOnFailure = false) =>
  fc.check(
    fc.asyncProperty(first, fc.array(act, { minLength: 1, maxLength: 7 }), async (model, acts) => {
      const wrong = Object.entries(await play(model, acts, spoil)).flatMap(([what, all]) =>
        all.map((one: string) => `${what}: ${one}`),
      );
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    }),
    { numRuns: runs, seed: 20_261_130, endOnFailure },
  );

describe('a chat under random sequences', () => {
  it(
    'shows the same live, after a reload and after a restart; no word is lost, doubled or sent unasked',
    async () => {
      const result = await check(soak ? 5_000 : 200, (store) => store);
      expect(result.failed ? `${String(result.errorInstance)} ${fc.defaultReportMessage(result)}` : '').toBe(
        '',
      );
    },
    soak ? 1_800_000 : 120_000,
  );

  it('whose queue is in memory only is noticed', async () => {
    const forgets = (store: RunStore): RunStore => ({ ...store, putSlip: () => Promise.resolve() });
    expect((await check(60, forgets, true)).failed).toBe(true);
  }, 60_000);
});
