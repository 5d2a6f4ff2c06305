import { vi } from 'vitest';

/** Whom a promise of docs/security.md holds against: its sections, in order. */
export const PARTIES = [
  'a script in the page',
  'another user of this machine',
  'a model',
  'an import',
  'a shared store',
  'the network',
] as const;
export type Party = (typeof PARTIES)[number];

/** Thrown by an attempt that can't be made on this machine; the message says why. */
export class NotHere extends Error {}

/** One way in, one way to hang or kill. One row of the table. */
export interface Attempt {
  /** What was tried; unique in the table. */
  name: string;
  by: Party;
  /**
   * Makes the attempt with the product's own parts. Resolves to what got through, or to undefined: it held.
   * `weakened`: the defence that `mutant` names is out of the way; only asked for where there is a mutant.
   */
  try(weakened: boolean): Promise<string | undefined>;
  /** The defence that `weakened` takes away. The attempt must then get through, or it proves nothing. */
  mutant?: string;
  /** Takes too long for every commit: tried in the soak only. `mutant`: only with the defence taken away. */
  long?: true | 'mutant';
}

/**
 * For mutants: what `load` imports, loaded afresh while exports of the module `file` (a path below the project's folder)
 * are replaced. The runner undoes it after the attempt.
 */
export async function weakenedModules<M, T>(
  file: string,
  change: (real: M) => Partial<M>,
  load: () => Promise<T>,
): Promise<T> {
  const path = new URL(`../../../${file}`, import.meta.url).pathname;
  vi.resetModules();
  vi.doMock(path, async (original) => {
    const real = await original<M>();
    return { ...real, ...change(real) };
  });
  try {
    return await load();
  } finally {
    vi.doUnmock(path);
  }
}
