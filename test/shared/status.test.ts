import { describe, expect, it } from 'vitest';
import { foldRecords } from '../../src/shared/run/fold';
import type { RunRecord } from '../../src/shared/run/record';
import { runStatus } from '../../src/shared/run/status';
import type { StatusInput } from '../../src/shared/run/status';
import {
  answerRecord,
  callRecord,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';

/** What a list knows of a journal. */
function row(chat: boolean, ...records: RunRecord[]): StatusInput {
  const { state, facts } = foldRecords([metaRecord('r', 'hello', chat), ...records]);
  return {
    health: 'ok',
    interactive: state.interactive,
    terminal: state.terminal,
    facts,
    hasPending: state.pending !== null,
    endsOnAssistant: state.messages.at(-1)?.role === 'assistant',
    lastStopReason: state.last_stop_reason,
    writer: 'none',
  };
}
const answer = answerRecord(2, 'x');
const paused = answerRecord(2, 'x');
if (paused.assistant) paused.assistant.stop_reason = 'pause_turn';

describe('the status of a run', () => {
  it.each<[string, string, StatusInput]>([
    ['finished', 'a completed run', row(false, answer, terminalRecord(3, 'completed'))],
    ['paused', 'a suspended run', row(true, answer, terminalRecord(3, 'suspended'))],
    ['failed', 'a run that ended in an error', row(true, terminalRecord(2, 'error', 'no'))],
    ['budget', 'a run without tokens left', row(true, terminalRecord(2, 'budget'))],
    ['steps', 'a run at its step limit', row(false, terminalRecord(2, 'max_iterations'))],
    ['your_turn', 'an idle chat that ends on an answer', row(true, answer)],
    ['interrupted', 'a single task that ends on an answer but was never closed', row(false, answer)],
    ['interrupted', 'a chat that waits for the model', row(true, answer, userRecord(3, 'and?'))],
    ['interrupted', 'a chat that never got an answer', row(true)],
    ['interrupted', 'a pending turn', row(true, callRecord(2, ['a', 'b']), resultRecord(3, 'a', 'x'))],
    [
      'interrupted',
      'results that the model has not seen',
      row(true, callRecord(2, ['a']), resultRecord(3, 'a', 'x')),
    ],
    ['interrupted', 'a chat that rests on a turn which the service paused', row(true, paused)],
    [
      'your_turn',
      'a suspended chat that went on to another answer',
      row(true, terminalRecord(2, 'suspended'), answerRecord(3, 'x')),
    ],
    [
      'interrupted',
      'a suspended run that went on and was killed',
      row(true, answer, terminalRecord(3, 'suspended'), userRecord(4, 'x')),
    ],
    [
      'interrupted',
      'a completed run that went on',
      row(false, answer, terminalRecord(3, 'completed'), userRecord(4, 'x')),
    ],
    ['damaged', 'a damaged run', { health: 'damaged' }],
    ['new', 'a run without its first record', { health: 'new' }],
  ])('is %s for %s', (status, _, input) => {
    expect(runStatus(input)).toBe(status);
  });

  it('is running while somebody else writes', () => {
    const pending = row(true, callRecord(2, ['a']));
    expect(runStatus({ ...pending, writer: 'elsewhere' })).toBe('running');
    expect(runStatus({ ...pending, writer: 'here' })).toBe('running');
    expect(runStatus({ ...pending, writer: 'unknown' })).toBe('interrupted');
    expect(runStatus({ ...row(true, answer, terminalRecord(3, 'completed')), writer: 'elsewhere' })).toBe(
      'finished',
    );
  });

  it('is what the session here says while it lives', () => {
    const pending = row(true, callRecord(2, ['a']));
    expect(runStatus(pending, { phase: 'calling' })).toBe('running');
    expect(runStatus(pending, { phase: 'tool' })).toBe('running');
    expect(runStatus(pending, { phase: 'waiting' })).toBe('waiting');
    expect(runStatus(pending, { phase: 'idle' })).toBe('your_turn');
    expect(runStatus(pending, { phase: 'idle', outcome: { reason: 'your_turn' } })).toBe('your_turn');
    expect(runStatus(pending, { phase: 'idle', outcome: { reason: 'error' } })).toBe('failed');
    expect(runStatus(pending, { phase: 'idle', outcome: { reason: 'max_iterations' } })).toBe('steps');
    expect(runStatus(pending, { phase: 'ended' })).toBe('interrupted');
  });
});
