import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { firstRefusal, judgeGates } from '../../src/shared/run/gates';
import type { GateInput, GateReport } from '../../src/shared/run/gates';
import { foldRecords } from '../../src/shared/run/fold';
import {
  answerRecord,
  fingerprint,
  metaRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';

const input = (over: Partial<GateInput> = {}): GateInput => ({
  state: { completed: false, interactive: true },
  facts: { terminalIsLast: false },
  interactive: true,
  recorded: fingerprint,
  current: { ...fingerprint },
  force: false,
  ...over,
});
const outcomes = (reports: GateReport[]): string[] => reports.map(({ outcome }) => outcome);

describe('the gates', () => {
  it('come in one order and are all judged, whatever the first ones say', () => {
    const reports = judgeGates(
      input({
        state: { completed: true, interactive: false },
        facts: { terminalIsLast: true },
        current: { ...fingerprint, provider: 'openai', model: 'other' },
      }),
    );
    expect(reports.map(({ gate }) => gate)).toEqual(['completed', 'interactivity', 'provider', 'drift']);
    expect(outcomes(reports)).toEqual(['refuse', 'refuse', 'refuse', 'refuse']);
    expect(firstRefusal(reports)?.code).toBe('already_completed');
  });

  it('let an unchanged run pass', () => {
    const reports = judgeGates(input());
    expect(outcomes(reports)).toEqual(['pass', 'pass', 'pass', 'pass']);
    expect(firstRefusal(reports)).toBeUndefined();
  });

  it.each(['suspended', 'error', 'budget', 'max_iterations'] as const)(
    'let a run that ended as %s go on',
    (reason) => {
      const { state, facts } = foldRecords([
        metaRecord('r'),
        answerRecord(2, 'x'),
        terminalRecord(3, reason),
      ]);
      expect(outcomes(judgeGates(input({ state, facts })))).toEqual(['pass', 'pass', 'pass', 'pass']);
    },
  );

  it('refuse a completed run only while that is its last word', () => {
    const done = [metaRecord('r'), answerRecord(2, 'x'), terminalRecord(3, 'completed')];
    const now = foldRecords(done);
    expect(firstRefusal(judgeGates(input(now)))?.code).toBe('already_completed');
    const later = foldRecords([...done, userRecord(4, 'more')]);
    expect(later.state.completed).toBe(true);
    expect(outcomes(judgeGates(input(later)))[0]).toBe('pass');
  });

  it.each([
    [true, false],
    [false, true],
  ])('refuse a run with chat %s that is opened with chat %s', (recorded, opened) => {
    const reports = judgeGates(
      input({ state: { completed: false, interactive: recorded }, interactive: opened }),
    );
    expect(outcomes(reports)).toEqual(['pass', 'refuse', 'pass', 'pass']);
    expect(firstRefusal(reports)?.code).toBe('interactivity');
  });

  it('never let a changed provider be forced, and say what would help', () => {
    const reports = judgeGates(input({ current: { ...fingerprint, provider: 'openai' }, force: true }));
    expect(outcomes(reports)).toEqual(['pass', 'pass', 'refuse', 'pass']);
    expect(firstRefusal(reports)?.code).toBe('provider_changed');
    expect(reports[2]?.text).toContain('cannot be forced');
    expect(reports[2]?.text).toContain('Choose a profile that uses "practice"');
  });

  it('let drift be forced and name every change in plain words', () => {
    const current = { ...fingerprint, model: 'x', system_hash: 'y', max_iterations: 3 };
    const refused = judgeGates(input({ current }));
    expect(outcomes(refused)).toEqual(['pass', 'pass', 'pass', 'refuse']);
    expect(firstRefusal(refused)?.code).toBe('drift');
    expect(refused[3]?.text).toContain('the model, the instructions, the step limit');
    expect(outcomes(judgeGates(input({ current, force: true })))).toEqual(['pass', 'pass', 'pass', 'forced']);
  });

  it('force changes nothing but drift', () => {
    const maybe = fc.boolean();
    fc.assert(
      fc.property(
        maybe,
        maybe,
        maybe,
        maybe,
        maybe,
        maybe,
        (completed, last, chat, open, provider, model) => {
          const one = input({
            state: { completed, interactive: chat },
            facts: { terminalIsLast: last },
            interactive: open,
            current: {
              ...fingerprint,
              ...(provider && { provider: 'openai' }),
              ...(model && { model: 'x' }),
            },
          });
          const free = outcomes(judgeGates(one));
          const forced = outcomes(judgeGates({ ...one, force: true }));
          expect(forced.slice(0, 3)).toEqual(free.slice(0, 3));
          expect(forced[3]).toBe(model ? 'forced' : 'pass');
          expect(free[0]).toBe(completed && last ? 'refuse' : 'pass');
          expect(free[1]).toBe(chat === open ? 'pass' : 'refuse');
          expect(free[2]).toBe(provider ? 'refuse' : 'pass');
          expect(free[3]).toBe(model ? 'refuse' : 'pass');
        },
      ),
    );
  });
});
