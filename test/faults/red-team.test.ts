import { describe, expect, it, vi, type TestContext } from 'vitest';
import { soak } from '../support/prerequisites';
import { NotHere, type Attempt } from './red-team/attempt';
import { attempts } from './red-team/registry';

/**
 * The red team's table: attempts to get in, to decide, to hang or to kill, each with *held*. An attempt that got through
 * once stays here for good.
 */
const all = Object.entries(attempts).flatMap(([group, list]) => list.map((one) => ({ group, ...one })));
const held = new Map<string, string>();

async function outcome(
  attempt: Attempt,
  weakened: boolean,
  context: TestContext,
): Promise<string | undefined> {
  try {
    return await attempt.try(weakened);
  } catch (error) {
    if (error instanceof NotHere) context.skip(error.message);
    throw error;
  } finally {
    vi.restoreAllMocks();
  }
}

describe.each(Object.entries(attempts))('red team: %s', (_, list) => {
  for (const attempt of list.filter((one) => soak || one.long !== true))
    it(`holds: ${attempt.name}`, async (context) => {
      const through = await outcome(attempt, false, context);
      held.set(attempt.name, through ?? 'held');
      expect(through).toBeUndefined();
    });
});

const weakened = Object.entries(attempts).flatMap(([group, list]) => {
  const here = list.filter((one) => one.mutant !== undefined && (soak || one.long === undefined));
  return here.length > 0 ? [{ group, here }] : [];
});

// After all others: a mutant loads parts of the product anew, which don't know those that are there already.
describe.each(weakened)('red team without a defence: $group', ({ here }) => {
  for (const attempt of here)
    it(`gets through without ${attempt.mutant ?? ''}: ${attempt.name}`, async (context) => {
      try {
        expect(await outcome(attempt, true, context)).toEqual(expect.any(String));
      } finally {
        vi.resetModules();
      }
    });
});

describe('the red team table', () => {
  it('names each attempt once', async (context) => {
    const names = all.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    await context.annotate(
      `red team: ${[...held.values()].filter((one) => one === 'held').length} of ${held.size} attempts held, ` +
        `${all.filter(({ mutant }) => mutant !== undefined).length} defences with a mutant`,
      'figures',
    );
  });
});
