import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Failure } from '../../src/shared/run/failure';
import { Conversation, Folder, foldRecords, stateText, userText } from '../../src/shared/run/fold';
import { PROTOCOL } from '../../src/shared/run/record';
import type { Block, Message, RunRecord } from '../../src/shared/run/record';
import {
  answerRecord,
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';
import { sampled } from '../support/prerequisites';
import { someJournal } from '../support/run-arbitraries';

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
const failing = (act: () => unknown): Failure => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing failed');
};
const codes = (records: RunRecord[]): string[] => foldRecords(records).warnings.map(({ code }) => code);
const meta = metaRecord('r');

describe('the fold', () => {
  it('gives the same record by record as in one go, whenever the state is looked at', () => {
    fc.assert(
      fc.property(someJournal, fc.array(fc.boolean(), { maxLength: 20 }), (records, looks) => {
        const folder = new Folder();
        records.forEach((record, i) => {
          folder.push(record);
          if (looks[i]) expect(folder.state).toEqual(foldRecords(records.slice(0, i + 1)).state);
        });
        const { state, facts, warnings } = foldRecords(records);
        expect({ state: folder.state, facts: folder.facts, warnings: folder.warnings }).toEqual({
          state,
          facts,
          warnings,
        });
      }),
      { numRuns: sampled(1_000, 20_000) },
    );
  });

  it('changes neither the records nor a state that it handed out', () => {
    fc.assert(
      fc.property(someJournal, (records) => {
        freeze(records);
        const folder = new Folder();
        const seen: { text: string; state: Folder['state'] }[] = [];
        for (const record of records) {
          folder.push(record);
          seen.push({ text: stateText(folder.state), state: folder.state });
        }
        for (const { text, state } of seen) expect(stateText(state)).toBe(text);
      }),
      { numRuns: sampled(500, 20_000) },
    );
  });

  it('is not changed by what a reader does to the lists of a state', () => {
    const folder = new Folder();
    for (const record of chatRecords('r', 4)) folder.push(record);
    folder.push(callRecord(5, ['a', 'b'], 2));
    folder.push(resultRecord(6, 'a', 'x'));
    const { state } = folder;
    const before = stateText(state);
    state.messages.length = 0;
    state.pending?.results.pop();
    state.pending?.answered.pop();
    state.counters.llm_calls = 99;
    state.fingerprint.model = 'other';
    folder.push(terminalRecord(7, 'suspended'));
    expect(stateText(folder.state)).toBe(
      before.replace('"terminal":null', '"terminal":{"reason":"suspended"}'),
    );
  });

  it('takes a record whole or not at all', () => {
    const folder = new Folder();
    folder.push(meta);
    folder.push(callRecord(2, ['a']));
    const before = { text: stateText(folder.state), facts: folder.facts, warnings: folder.warnings };
    const bad: RunRecord[] = [
      { ...answerRecord(2, 'again') },
      { ...metaRecord('r'), seq: 3 },
      { seq: 3, protocol: 'nobody.knows' },
      { seq: 3, protocol: PROTOCOL.user },
    ];
    for (const record of bad) expect(failing(() => folder.push(record)).code).toBe('corrupt');
    expect({ text: stateText(folder.state), facts: folder.facts, warnings: folder.warnings }).toEqual(before);
    folder.push(resultRecord(3, 'a', 'ok'));
    expect(folder.state.pending).toBeNull();
  });

  it('tells apart what cannot be folded', () => {
    expect(failing(() => foldRecords([])).code).toBe('empty');
    expect(failing(() => new Folder().state).code).toBe('empty');
    expect(failing(() => foldRecords([userRecord(1, 'x')])).code).toBe('no_meta');
    for (const version of [2, 4]) {
      const other = { ...meta, meta: { ...metaRecord('r').meta, version } } as RunRecord;
      const failure = failing(() => foldRecords([other]));
      expect([failure.code, failure.data?.version]).toEqual(['version', version]);
    }
    const orphan = failing(() =>
      foldRecords(
        [meta, resultRecord(2, 'a', 'x')],
        [
          { line: 1, offset: 0 },
          { line: 5, offset: 77 },
        ],
      ),
    );
    expect(orphan.data).toEqual({ seq: 2, line: 5, byte: 77 });
    expect(orphan.message).toContain('line 5, byte 77');
  });

  it('says whether the last terminal record still describes the run', () => {
    const at = (...records: RunRecord[]): boolean => foldRecords([meta, ...records]).facts.terminalIsLast;
    expect(at()).toBe(false);
    expect(at(terminalRecord(2, 'suspended'))).toBe(true);
    expect(at(terminalRecord(2, 'suspended'), terminalRecord(3, 'error'))).toBe(true);
    expect(at(terminalRecord(2, 'suspended'), userRecord(3, 'x'))).toBe(false);
    expect(at(terminalRecord(2, 'suspended'), userRecord(3, 'x'), terminalRecord(4, 'suspended'))).toBe(true);
    expect(foldRecords([meta, userRecord(2, 'x')]).facts).toEqual({
      terminalIsLast: false,
      lastSeq: 2,
      lastKind: 'user',
    });
  });

  it('costs the same for the hundred-thousandth follow-up as for the first', () => {
    const folder = new Folder();
    folder.push(meta);
    for (let seq = 2; seq <= 100_000; seq++) folder.push(userRecord(seq, 'more'));
    expect(folder.state.messages).toHaveLength(1);
    expect(folder.state.messages[0]?.content).toHaveLength(100_000);
  });
});

describe('warnings of the fold', () => {
  it('there are none for a plain run', () => {
    expect(codes([...chatRecords('r', 20), terminalRecord(21, 'completed')])).toEqual([]);
  });

  it.each<[string, RunRecord[], number]>([
    ['seq_gap', [meta, userRecord(3, 'x')], 3],
    ['seq_gap', [{ ...meta, seq: 7 }], 7],
    [
      'records_after_terminal',
      [meta, terminalRecord(2, 'suspended'), userRecord(3, 'x'), answerRecord(4, 'y')],
      3,
    ],
    ['orphan_result', [meta, callRecord(2, ['a']), resultRecord(3, 'z', 'x')], 3],
    ['double_result', [meta, callRecord(2, ['a']), resultRecord(3, 'a', 'x'), resultRecord(4, 'a', 'y')], 4],
    ['unanswered_turn', [meta, callRecord(2, ['a', 'b']), resultRecord(3, 'a', 'x'), userRecord(4, 'y')], 4],
  ])('%s', (code, records, seq) => {
    const { warnings } = foldRecords(
      records,
      records.map((_, i) => ({ line: i + 1, offset: i * 100 })),
    );
    const line = records.findIndex((record) => record.seq === seq) + 1;
    expect(warnings).toMatchObject([{ code, seq, line, byte: (line - 1) * 100 }]);
    expect(warnings[0]?.detail).toMatch(/\.$/);
  });

  it('id_mismatch and odd_role', () => {
    const result = resultRecord(3, 'a', 'x');
    if (result.tool_result) result.tool_result.result = { tool_use_id: 'b', content: 'x' };
    expect(codes([meta, callRecord(2, ['a']), result])).toEqual(['id_mismatch']);
    const answer = answerRecord(2, 'x');
    if (answer.assistant) answer.assistant.message.role = 'user';
    const said = userRecord(3, 'x');
    if (said.user) said.user.message.role = 'assistant';
    expect(codes([meta, answer, said])).toEqual(['odd_role', 'odd_role']);
  });

  it('tell an ordinary resume from a run that went on after its end', () => {
    const after = (reason: 'suspended' | 'completed' | 'error'): unknown =>
      foldRecords([meta, terminalRecord(2, reason), userRecord(3, 'x')]).warnings[0]?.ordinary;
    expect([after('suspended'), after('error'), after('completed')]).toEqual([true, true, undefined]);
    expect(foldRecords([meta, userRecord(5, 'x')]).warnings[0]?.ordinary).toBeUndefined();
  });

  it('are at most a hundred of a kind', () => {
    const records = [
      meta,
      callRecord(2, ['a']),
      ...Array.from({ length: 500 }, (_, i) => resultRecord(i + 3, 'z', 'x')),
    ];
    const { warnings } = foldRecords(records);
    expect(warnings).toHaveLength(100);
    expect(warnings.at(-1)?.detail).toContain('not listed');
  });
});

describe('the conversation', () => {
  const block = fc.constantFrom<Block>(
    { text: { text: 'a' } },
    { text: { text: 'b' } },
    { tool_result: { tool_use_id: 'x', content: 'y' } },
  );

  it('is the same with follow-ups merged or separate', () => {
    const said = fc.array(fc.array(block, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
    const rounds = fc.array(fc.record({ said, calls: fc.nat(2) }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(rounds, (list) => {
        const journal = (merged: boolean): RunRecord[] => {
          const records = [metaRecord('r')];
          for (const { said, calls } of list) {
            const ids = Array.from({ length: calls }, (_, i) => `c${records.length}_${i}`);
            const turn = records.length;
            records.push(calls ? callRecord(0, ids) : answerRecord(0, `turn ${turn}`));
            for (const id of ids) records.push(resultRecord(0, id, 'out'));
            const parts = merged ? [said.flat()] : said;
            for (const content of parts)
              records.push({ seq: 0, protocol: PROTOCOL.user, user: { message: { role: 'user', content } } });
          }
          records.forEach((record, i) => (record.seq = i + 1));
          return records;
        };
        const plain = (records: RunRecord[]): Message[] =>
          foldRecords(records).state.messages.map(({ role, content }) => ({
            role,
            content: (content ?? []).map((one) =>
              one.text?.text.startsWith('turn')
                ? { text: { text: 'turn' } }
                : one.tool_use
                  ? { tool_use: { ...one.tool_use, id: '' } }
                  : one.tool_result?.content === 'out'
                    ? { tool_result: { tool_use_id: '', content: 'out' } }
                    : one,
            ),
          }));
        expect(plain(journal(true))).toEqual(plain(journal(false)));
      }),
      { numRuns: sampled(500, 20_000) },
    );
  });

  it('built live, turn by turn, is what the fold reads back', () => {
    fc.assert(
      fc.property(someJournal, (records) => {
        const live = new Conversation();
        let turn: { message: Message; results: RunRecord[] } | undefined;
        const commit = (): void => {
          if (turn)
            live.turn(
              turn.message,
              turn.results.flatMap((one) => (one.tool_result ? [one.tool_result.result] : [])),
            );
          turn = undefined;
        };
        for (const record of records) {
          if (record.meta) live.user(userText(record.meta.prompt));
          if (record.assistant) {
            commit();
            turn = { message: record.assistant.message, results: [] };
          }
          if (record.tool_result) turn?.results.push(record);
          if (record.user) {
            commit();
            live.user(record.user.message);
          }
        }
        const { state } = foldRecords(records);
        if (!state.pending) commit();
        expect(state.messages).toEqual(live.list());
      }),
      { numRuns: sampled(500, 20_000) },
    );
  });

  it('adds nothing to nothing: an empty follow-up leaves null content null', () => {
    const conversation = new Conversation([{ role: 'user', content: null }]);
    conversation.user({ role: 'user', content: [] });
    conversation.user({ role: 'user', content: null });
    expect(conversation.list()).toEqual([{ role: 'user', content: null }]);
    conversation.user({ role: 'user', content: [{ text: { text: 'x' } }] });
    expect(conversation.list()).toEqual([{ role: 'user', content: [{ text: { text: 'x' } }] }]);
  });

  it('joins words to the results of tools that stand last', () => {
    const { state } = foldRecords([
      meta,
      callRecord(2, ['a']),
      resultRecord(3, 'a', 'out'),
      userRecord(4, 'and?'),
    ]);
    expect(state.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ tool_result: { tool_use_id: 'a', content: 'out' } }, { text: { text: 'and?' } }],
    });
  });
});
