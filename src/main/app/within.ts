import { setTimeout as delay } from 'node:timers/promises';

/** Waits for the work, but no longer than so many milliseconds. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([work, late]);
  over.abort();
}
