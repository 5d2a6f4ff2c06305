import { asFailure, FAILURE_CODES } from '../../shared/run/failure';
import type { FailureInfo } from '../../shared/run/failure';
import type { Run } from './run';
import { withoutSecrets } from './seal';
import type { Outcome } from './session';

/**
 * Writes the terminal record, and beside it why: the record has room for one sentence only. Gives the outcome as it is
 * recorded, so that a window shows the same now and later.
 */
export async function recordEnd(run: Run, outcome: Outcome): Promise<Outcome> {
  const { ledger, stage, parts } = run;
  const clean = (text: string) => withoutSecrets(text, parts.secrets(ledger.store));
  const { reason, failure } = outcome;
  const message = outcome.message === undefined ? undefined : clean(outcome.message);
  const why = failure && cleanInfo(failure, clean);
  try {
    await ledger.append(
      { kind: 'terminal', payload: { reason, ...(message !== undefined && { message }) } },
      'that the run has ended',
    );
    if (why) ledger.whisper({ kind: 'failure', seq: ledger.lastSeq, ...why });
  } catch (error) {
    // The run ended all the same; without this record it reads as interrupted.
    stage.warn('terminal_not_saved', asFailure(error).message);
  }
  return { reason, ...(message !== undefined && { message }), ...(why && { failure: why }) };
}

const cleanInfo = (info: FailureInfo, clean: (text: string) => string): FailureInfo =>
  JSON.parse(JSON.stringify(info), (_key, value: unknown) =>
    typeof value === 'string' && !(FAILURE_CODES as readonly string[]).includes(value) ? clean(value) : value,
  ) as FailureInfo;
