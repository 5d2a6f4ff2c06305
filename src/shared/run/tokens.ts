import type { Counters } from './state';

/** Tokens as records count them; `in` without what came from the service's cache or went there. */
export interface Spent {
  in: number;
  out: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Tokens as people are told them. */
export interface Tokens {
  /** All that the model was given, the cache's part included. */
  in: number;
  out: number;
  /** In and out: what a run has used, and what counts against its budget. */
  all: number;
}

export const spentOf = (
  counters: Pick<Counters, 'in_tokens' | 'out_tokens' | 'cache_read_tokens' | 'cache_create_tokens'>,
): Spent => ({
  in: counters.in_tokens,
  out: counters.out_tokens,
  cacheRead: counters.cache_read_tokens,
  cacheWrite: counters.cache_create_tokens,
});

export function tokensOf({ in: plain, out, cacheRead, cacheWrite }: Spent): Tokens {
  const given = plain + cacheRead + cacheWrite;
  return { in: given, out, all: given + out };
}

/** "12,340 in (10,000 read from the cache, 200 written to it), 95 out". */
export function tokensText(spent: Spent, number: (n: number) => string = String): string {
  const { cacheRead, cacheWrite } = spent;
  const { in: given, out } = tokensOf(spent);
  const cache = [
    ...(cacheRead > 0 ? [`${number(cacheRead)} read from the cache`] : []),
    ...(cacheWrite > 0 ? [`${number(cacheWrite)} written to ${cacheRead > 0 ? 'it' : 'the cache'}`] : []),
  ];
  return `${number(given)} in${cache.length > 0 ? ` (${cache.join(', ')})` : ''}, ${number(out)} out`;
}
