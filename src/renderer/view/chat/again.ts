import { call, failureOf } from '../../client';
import { openRun, toastFailure } from '../../store/app';
import { ASKS_PREFLIGHT } from '../../store/waiting';

/** What the pre-flight can settle is settled there. */
export function explain(id: string, error: unknown): void {
  if (ASKS_PREFLIGHT.has(failureOf(error).code)) openRun(id, 'resume');
  else toastFailure(error);
}

/** Goes on at once from the last record, as the run is. */
export const askAgain = (id: string): Promise<void> =>
  call('run.again', { id }).then(
    () => undefined,
    (error: unknown) => explain(id, error),
  );
