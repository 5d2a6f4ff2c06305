import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readJournal, encodeLine } from '../../src/shared/run/codec';
import { PROTOCOL } from '../../src/shared/run/record';
import type { Block, RawJson, RunRecord } from '../../src/shared/run/record';
import { printable, printableLine, transcriptLines, transcriptText } from '../../src/shared/run/transcript';
import type { CallLine, TranscriptLine } from '../../src/shared/run/transcript';
import { foldRecords } from '../../src/shared/run/fold';
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

const turn = (seq: number, ...content: Block[]): RunRecord => {
  const record = answerRecord(seq, '');
  if (record.assistant) record.assistant.message.content = content;
  return record;
};
const lines = (...records: RunRecord[]): TranscriptLine[] =>
  transcriptLines([metaRecord('r', 'hi'), ...records]).items;
const calls = (items: TranscriptLine[]): CallLine[] =>
  items.filter((item): item is CallLine => item.kind === 'call');
const text = (words: string): Block => ({ text: { text: words } });
const call = (id: string): Block => ({ tool_use: { id, name: 'ls', input: '{"path":1.0}' as RawJson } });

describe('the transcript', () => {
  it('keeps the order in which a turn was said, and says where each item stands', () => {
    const items = lines(
      turn(
        2,
        { thinking: { text: 'hm' } },
        text('one'),
        call('a'),
        text('two'),
        { provider: { kind: 'redacted_thinking', raw: '{}' as RawJson } },
        { provider: { kind: 'web_search', raw: '{"x":1.0}' as RawJson } },
      ),
      resultRecord(3, 'a', 'out'),
    );
    expect(items.map(({ kind, key, seq }) => [kind, key, seq])).toEqual([
      ['prompt', '1.0', 1],
      ['thinking', '2.0', 2],
      ['text', '2.1', 2],
      ['call', '2.2', 2],
      ['text', '2.3', 2],
      ['thinking', '2.4', 2],
      ['provider', '2.5', 2],
    ]);
    expect(items[5]).toMatchObject({ redacted: true });
    expect(items[6]).toMatchObject({ provider: 'web_search', raw: '{"x":1.0}' });
    expect(calls(items)[0]).toMatchObject({
      tool: 'ls',
      input: '{"path":1.0}',
      result: { seq: 3, content: 'out', isError: false, times: 1 },
      pending: false,
    });
  });

  it('pairs results with calls across the whole conversation; of two the last one counts', () => {
    const items = lines(
      callRecord(2, ['a', 'b']),
      resultRecord(3, 'b', 'early'),
      terminalRecord(4, 'suspended'),
      resultRecord(5, 'b', 'late'),
      userRecord(6, 'go on'),
      callRecord(7, ['c']),
      resultRecord(8, 'a', 'very late'),
    );
    expect(calls(items).map(({ toolUseId, result }) => [toolUseId, result?.content, result?.times])).toEqual([
      ['a', 'very late', 1],
      ['b', 'late', 2],
      ['c', undefined, undefined],
    ]);
  });

  it('gives each of two calls with one id its own result', () => {
    const inTurn = calls(
      lines(callRecord(2, ['a', 'a']), resultRecord(3, 'a', 'one'), resultRecord(4, 'a', 'two')),
    );
    expect(inTurn.map(({ result }) => result?.content)).toEqual(['one', 'two']);
    const later = calls(
      lines(
        callRecord(2, ['a']),
        resultRecord(3, 'a', 'one'),
        callRecord(4, ['a']),
        resultRecord(5, 'a', 'two'),
      ),
    );
    expect(later.map(({ result }) => result?.content)).toEqual(['one', 'two']);
  });

  it('shows the open turn last, its calls marked, answered or not', () => {
    const items = lines(
      answerRecord(2, 'x'),
      userRecord(3, 'y'),
      callRecord(4, ['a', 'b']),
      resultRecord(5, 'a', 'out'),
    );
    expect(calls(items).map(({ pending, result }) => [pending, result?.content])).toEqual([
      [true, 'out'],
      [true, undefined],
    ]);
    expect(calls(lines(callRecord(2, ['a']), userRecord(3, 'never mind')))[0]).toMatchObject({
      pending: false,
    });
    expect(items.at(-1)?.kind).toBe('call');
  });

  it('shows results that answer nothing, and results within a message of the person', () => {
    const said: RunRecord = {
      seq: 4,
      protocol: PROTOCOL.user,
      user: {
        message: {
          role: 'user',
          content: [
            { tool_result: { tool_use_id: 'a', content: 'in a message', is_error: true } },
            text('words'),
          ],
        },
      },
    };
    const items = lines(callRecord(2, ['a']), resultRecord(3, 'z', 'whose?'), said);
    expect(items.map(({ kind }) => kind)).toEqual(['prompt', 'call', 'orphan', 'prompt']);
    expect(items[1]).toMatchObject({ result: { content: 'in a message', isError: true } });
    expect(items[2]).toMatchObject({ toolUseId: 'z', content: 'whose?' });
  });

  it('shows where the run ended, and whether it went on', () => {
    const ends = lines(
      terminalRecord(2, 'error', 'no answer'),
      userRecord(3, 'again'),
      terminalRecord(4, 'completed'),
    ).filter((item) => item.kind === 'end');
    expect(ends).toMatchObject([
      { reason: 'error', message: 'no answer', past: true },
      { reason: 'completed', past: false },
    ]);
  });

  it('comes in pages that together are the whole', () => {
    const records = chatRecords('r', 40);
    const whole = transcriptLines(records);
    expect(whole.total).toBe(whole.items.length);
    for (const limit of [1, 7, 100]) {
      const pages: TranscriptLine[] = [];
      for (let from = 0; from < whole.total; from += limit)
        pages.push(...transcriptLines(records, { from, limit }).items);
      expect(pages).toEqual(whole.items);
    }
    expect(transcriptLines(records, { from: 999 })).toEqual({
      items: [],
      from: whole.total,
      total: whole.total,
    });
  });

  it('knows the bytes of each record', () => {
    const bytes = new Uint8Array(Buffer.concat(chatRecords('r', 9).map((record) => encodeLine(record))));
    const { records, places } = readJournal(bytes);
    for (const item of transcriptLines(records, { places }).items) {
      const { offset = 0, bytes: length = 0 } = item.place ?? {};
      expect(Buffer.from(bytes.subarray(offset, offset + length)).toString()).toContain(
        `{"seq":${item.seq},`,
      );
    }
  });

  it('shows every word, call and result of any journal, once, and marks pending what the fold has pending', () => {
    fc.assert(
      fc.property(someJournal, (records) => {
        const { items } = transcriptLines(records);
        const { state } = foldRecords(records);
        const recorded = records.flatMap(({ meta, assistant, user }) => [
          ...(meta ? [meta.prompt] : []),
          ...[...(assistant?.message.content ?? []), ...(user?.message.content ?? [])].flatMap(
            (block) => block.text?.text ?? [],
          ),
        ]);
        const shown = items.flatMap((item) =>
          item.kind === 'prompt' || item.kind === 'text' ? [item.text] : [],
        );
        expect(shown).toEqual(recorded.filter((words) => words !== ''));
        expect(new Set(items.map(({ key, kind }) => `${key} ${kind}`)).size).toBe(items.length);
        const asked = (state.pending?.assistant.content ?? []).flatMap((block) => block.tool_use?.id ?? []);
        if (state.pending) {
          const pending = calls(items).filter(({ pending }) => pending);
          expect(pending.map(({ toolUseId }) => toolUseId)).toEqual(asked);
        }
        const results = records.filter(({ tool_result }) => tool_result).length;
        const seen = items.reduce(
          (sum, item) =>
            sum + (item.kind === 'call' ? (item.result?.times ?? 0) : item.kind === 'orphan' ? 1 : 0),
          0,
        );
        expect(seen).toBeGreaterThanOrEqual(results);
      }),
      { numRuns: sampled(1_000, 30_000) },
    );
  });
});

describe('the transcript as text', () => {
  it('reads like the conversation', () => {
    const items = lines(
      turn(2, { thinking: { text: 'hm' } }, text('Let me look.\n\n'), call('a'), call('b')),
      resultRecord(3, 'a', 'one\ntwo\n'),
      terminalRecord(4, 'suspended'),
    );
    expect(transcriptText(items)).toBe(
      [
        '> hi',
        '[thinking]\nhm',
        'Let me look.',
        '-> ls {"path":1.0}\n<- one\n   two',
        '-> ls {"path":1.0}\n<- (no result yet: the run stopped here)',
        '--- ended: suspended ---\n',
      ].join('\n\n'),
    );
    expect(transcriptText(items, (tool, input) => `${tool} of ${input.length} characters`)).toContain(
      '-> ls of 12 characters\n',
    );
  });

  it('says what went wrong', () => {
    const failed = resultRecord(3, 'a', '');
    if (failed.tool_result) failed.tool_result.result.is_error = true;
    const dump = transcriptText(
      lines(
        callRecord(2, ['a', 'b']),
        failed,
        resultRecord(4, 'z', 'x'),
        resultRecord(5, 'a', 'y'),
        userRecord(6, 'so?'),
      ),
    );
    expect(dump).toContain('<- y\n[the last of 2 results]');
    expect(dump).toContain('<- x\n[answers "z", which nobody asked for]');
    expect(dump).toContain('<- (no result)');
    const open = lines(callRecord(2, ['a']));
    expect(transcriptText(open)).toContain('no result yet: the run stopped here');
    expect(transcriptText(open, undefined, true)).toContain('no result yet: the run is being written');
    expect(transcriptText(lines(callRecord(2, ['a']), failed))).toContain('<- (error) (no output)');
  });

  it('holds nothing that a terminal would obey, wherever it comes from', () => {
    const evil = 'a\u001b[2Jb\u0007\u009b1m\r\u202ec\u2066\u007f\u2028\u061c\u200f';
    const items = lines(
      turn(
        2,
        text(evil),
        { thinking: { text: evil } },
        { provider: { kind: evil, raw: '{}' as RawJson } },
        {
          tool_use: { id: evil, name: evil, input: JSON.stringify(evil) as RawJson },
        },
      ),
      resultRecord(3, evil, evil),
      resultRecord(4, `${evil}x`, evil),
      userRecord(5, evil),
      terminalRecord(6, 'error', evil),
    );
    expect(transcriptText(items)).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/,
    );
    expect(transcriptText(items)).toContain(
      'a\\u001b[2Jb\\u0007\\u009b1m\\u000d\\u202ec\\u2066\\u007f\\u2028\\u061c\\u200f',
    );
    expect(printable('a\tb\nc\r\nd')).toBe('a\tb\nc\nd');
    expect(printableLine('a\tb\nc')).toBe('a\\u0009b\\u000ac');
  });
});
