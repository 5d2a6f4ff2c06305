import type { ToolResultBlock } from '../../shared/run/record';
import { STOP } from '../../shared/run/record';
import { Failure } from '../../shared/run/failure';
import type { FailureInfo } from '../../shared/run/failure';
import type { RunState } from '../../shared/run/state';
import { NOT_KNOWN, NOT_RUN, refusal, REPORTED, TOOK_EFFECT } from '../../shared/run/result-words';
import type { Outcome } from './session';

/** What a tool call is answered with, before it becomes a record. */
export type Answer = Omit<ToolResultBlock, 'tool_use_id'>;

/** Last system block of a session that took up an older run. Never recorded, never part of the fingerprint. */
export const RESUME_REMINDER =
  'This conversation was interrupted and has just been taken up again, perhaps much later. Files and other things may have changed since the tool results above were made: look again before you change anything.';

const failed = (content: string): Answer => ({ content, is_error: true });

/** The call's turn was cut short, so nobody knows whether the model had finished writing it. */
export const cutShortAnswer = (): Answer =>
  failed(`${NOT_RUN}: the turn that asked for this was cut short, so the call may not be whole.`);
export const stoppedAnswer = (): Answer =>
  failed(`${NOT_RUN}: the person stopped the turn before this call began.`);

/** `report`: what the tool itself said when it was told to stop. */
export const interruptedAnswer = (changes: boolean, report?: string): Answer =>
  failed(`Interrupted: the person stopped the turn while this call ran. ${aftermath(changes, report)}`);
export const timedOutAnswer = (seconds: number, slept: boolean, changes: boolean, report?: string): Answer =>
  failed(
    `Stopped: the call did not finish within ${seconds} seconds${slept ? ' (the computer slept meanwhile)' : ''}. ${aftermath(changes, report)}`,
  );

const sentence = (words: string) => `${words[0]?.toUpperCase()}${words.slice(1)}.`;

function aftermath(changes: boolean, report: string | undefined): string {
  if (report !== undefined) return `Its last words: ${report}`;
  return changes ? sentence(NOT_KNOWN) : 'It changes nothing, so it can be called again.';
}

export const unknownToolAnswer = (name: string, known: string[]): Answer =>
  failed(
    `There is no tool called "${name}". ${known.length ? `There are: ${known.join(', ')}.` : 'There are no tools in this run.'}`,
  );
export const badInputAnswer = (text: string): Answer =>
  failed(`${NOT_RUN}: the input of this call is not a JSON object. It was: ${text}`);
export const thrownAnswer = (message: string): Answer => failed(`The tool failed: ${message}`);

/** Not an error: a person's no is an answer. `words` is what they said. */
export const deniedAnswer = (words: string | undefined): Answer => ({
  content: refusal(words ?? 'The person did not allow this call.'),
});
export const NOBODY_TO_ASK = 'Nobody is there to allow this call.';

export const skippedAnswer = (): Answer =>
  failed(
    `This call was started before the run was interrupted, and ${NOT_KNOWN}. The person chose not to run it again.`,
  );
export const foreignAnswer = (): Answer =>
  failed(
    'Not run: this conversation was brought here from another place with this call still open, and the person did not allow it here.',
  );
export const happenedAnswer = (words: string | undefined): Answer => ({
  content: `${REPORTED}${words?.trim() || TOOK_EFFECT}`,
});

const kept = 'What was said of it is in the conversation; tools that it asked for were not run.';
const TRUNCATED: FailureInfo = {
  code: 'model_truncated',
  message: 'The answer was cut off at its output limit, so it is not whole.',
  kept,
  todo: 'Ask for the rest, or raise the output limit in the profile.',
};
const CUT_SHORT: Record<string, FailureInfo> = {
  [STOP.maxTokens]: TRUNCATED,
  [STOP.refusal]: {
    code: 'model_refused',
    message: 'The model refused to go on with this.',
    kept,
    todo: 'Ask in another way.',
  },
  [STOP.contextExceeded]: {
    code: 'model_context',
    message: 'The conversation no longer fits into what the model can read at once.',
    kept,
    todo: 'Continue in a new run that begins with a summary of this one.',
    data: { offer: 'continue_in_new_run' },
  },
};

/** The end of a turn that was cut short. */
export const cutShortOutcome = (stopReason: string): Outcome =>
  errorOutcome(new Failure(CUT_SHORT[stopReason] ?? TRUNCATED));

export const isCutShort = (stopReason: string): boolean => Object.hasOwn(CUT_SHORT, stopReason);

export const suspended: Outcome = { reason: 'suspended' };

export function budgetOutcome(limit: number, calls: number): Outcome {
  const failure = new Failure({
    code: 'budget',
    message: `The token budget of ${limit.toLocaleString('en-US')} is used up after ${calls} model ${calls === 1 ? 'call' : 'calls'}.`,
    kept: 'Everything up to here is kept.',
    todo: 'Raise the limit in the profile and resume, or begin a new run.',
  });
  return { reason: 'budget', message: failure.message, failure: failure.toJSON() };
}

export function stepsOutcome(cap: number): Outcome {
  const failure = new Failure({
    code: 'max_iterations',
    message: `The limit of ${cap} model ${cap === 1 ? 'call' : 'calls'} was reached before there was an answer.`,
    kept: 'Everything up to here is kept.',
    todo: 'In a chat, say how to go on; otherwise raise the limit in the profile and resume.',
  });
  return { reason: 'max_iterations', message: failure.message, failure: failure.toJSON() };
}

export const errorOutcome = (failure: Failure): Outcome => ({
  reason: 'error',
  message: failure.message,
  failure: failure.toJSON(),
});

/** The end that a finished conversation lacks. */
export function missingEnd(state: RunState): Outcome {
  return isCutShort(state.last_stop_reason)
    ? cutShortOutcome(state.last_stop_reason)
    : { reason: 'completed' };
}

/** How a run that ended in an error ended, by its terminal record. */
export function recordedEnd(state: RunState): Outcome {
  if (isCutShort(state.last_stop_reason)) return cutShortOutcome(state.last_stop_reason);
  const message = state.terminal?.message ?? 'The run ended in an error.';
  return errorOutcome(new Failure({ code: 'internal', message }));
}
