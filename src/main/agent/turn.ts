import { asFailure } from '../../shared/run/failure';
import { STOP } from '../../shared/run/record';
import { spentOf, tokensOf } from '../../shared/run/tokens';
import type { RunState } from '../../shared/run/state';
import { answeredTurn, toolUses } from './answered-turn';
import { callModel } from './call-model';
import { toolNamed } from './config';
import type { Run } from './run';
import { sealedNote } from './seal';
import type { Outcome } from './session';
import { answerCalls } from './tool-batch';
import type { Known } from './tool-batch';
import * as words from './words';

/** Tokens of a run that count against its budget. */
export const spent = ({ counters }: RunState): number => tokensOf(spentOf(counters)).all;

/**
 * Goes on from wherever the conversation stands until there is an answer or a reason to stop: first the open turn's
 * calls, then model calls and their tools, each recorded before the next thing happens.
 *
 * Stops are looked for before each call of a tool and of the model; the budget before open calls and before each model
 * call, so a resume cannot spend past it, and an answer that is there is never withheld. Throws nothing.
 */
export async function runTurn(run: Run, known: Known = {}): Promise<Outcome> {
  try {
    let open = known;
    for (;;) {
      const ended = (await finishOpenTurn(run, open)) ?? beforeCall(run);
      if (ended) return ended;
      const invalid = await oneCall(run);
      if ('reason' in invalid) return invalid;
      open = { invalid };
    }
  } catch (error) {
    return words.errorOutcome(asFailure(error));
  }
}

/** Answers what the open turn asked for. Gives an outcome when the turn ends there. Throws Failure `journaling`. */
export async function finishOpenTurn(run: Run, known: Known): Promise<Outcome | undefined> {
  const { pending } = run.ledger.state;
  if (!pending) return undefined;
  const cut = words.isCutShort(pending.stop_reason);
  const broke = cut ? undefined : overBudget(run);
  if (broke) return broke;
  const how = await answerCalls(run, known);
  if (cut) return words.cutShortOutcome(pending.stop_reason);
  if (how === 'stopped' || run.control.stop !== 'none') return words.suspended;
  return undefined;
}

function overBudget(run: Run): Outcome | undefined {
  const { state, allowance } = run.ledger;
  const limit = allowance.tokens;
  return limit > 0 && spent(state) >= limit
    ? words.budgetOutcome(limit, state.counters.llm_calls)
    : undefined;
}

function beforeCall(run: Run): Outcome | undefined {
  const { control } = run;
  const { used, cap } = run.ledger.allowance.steps;
  if (control.lost) throw control.lost;
  if (control.stop !== 'none') return words.suspended;
  if (used >= cap) return words.stepsOutcome(cap);
  return overBudget(run);
}

/** One model call, recorded. Gives an outcome when it was the last one, else the inputs that were no JSON. */
async function oneCall(run: Run): Promise<Outcome | Map<string, string>> {
  const called = await callModel(run);
  if (called === 'stopped') return words.suspended;
  const { turn, unsaved } = called;
  const { ledger, stage } = run;
  const { payload, invalid } = answeredTurn(turn, ledger.state.next_iteration, ledger.toolIds);
  const asksForChanges = toolUses(payload.message).some(({ name }) => toolNamed(run.config, name)?.changes);
  try {
    for (const [id, text] of invalid) await noteBadInput(run, id, text);
    await ledger.append(
      { kind: 'assistant', payload },
      'the answer that the model has just given',
      asksForChanges,
    );
  } catch (error) {
    unsaved();
    throw error;
  }
  void ledger.sketch(undefined);
  stage.clearStream(payload.iteration + 1);
  if (ledger.state.pending) return invalid;
  const stop = turn.stop_reason;
  if (words.isCutShort(stop)) return words.cutShortOutcome(stop);
  return stop === STOP.pauseTurn ? invalid : { reason: 'completed' };
}

/** The record has no place for what was no JSON; without this note a resume would take its `{}` for what was sent. */
function noteBadInput({ ledger, parts }: Run, id: string, text: string): Promise<void> {
  return ledger.note(
    {
      kind: 'bad_input',
      at: parts.now().toISOString(),
      seq: ledger.lastSeq + 1,
      tool_use_id: id,
      text: sealedNote(text, ledger, parts.secrets(ledger.store)),
    },
    'the answer that the model has just given',
  );
}
