import { Failure } from '../../src/shared/run/failure';

/** The Failure that a promise rejects with; anything else is an error of the test. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('expected a Failure, but it went through');
}

/** Resolves as soon as `condition` holds; looks often, and gives up loudly after `limit` ms. */
export async function until(condition: () => boolean | Promise<boolean>, limit = 15_000): Promise<void> {
  const end = Date.now() + limit;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`still not so after ${limit} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
