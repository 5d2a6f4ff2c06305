import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeLine, encodeRecord, readJournal } from '../../src/shared/run/codec';
import { foldJournal } from '../../src/shared/run/fold';
import { decodeUtf8 } from '../../src/shared/run/utf8';
import { fixture, foldCases } from '../support/fold-cases';

const goldenText = readFileSync(fixture('golden-v3.jsonl'), 'utf8');
const golden = goldenText.split('\n').filter(Boolean);

/** Cases whose lines were made by hand in a form that the reference reads but writes differently. */
const BY_HAND = new Set([
  'hand/null-payload',
  'hand/unknown-protocol',
  'hand/version-missing',
  'hand/unknown-extra-fields',
  'hand/unicode',
  'hand/prompt-missing',
  'hand/fingerprint-partial',
  'bytes/crlf',
  'bytes/invalid-utf8-in-string',
  'bytes/top-level-null',
]);

describe('lines that the reference wrote', () => {
  it.each(golden.map((line, i) => [i + 1, line] as const))(
    'golden line %i comes out as it went in',
    (_, line) => {
      expect(encodeRecord(decodeRecord(line))).toBe(line);
      expect(decodeUtf8(encodeLine(decodeRecord(line)))).toBe(`${line}\n`);
    },
  );

  it('every readable line of the fold cases comes out as it went in', () => {
    let lines = 0;
    for (const { name, journal } of foldCases().filter((one) => !BY_HAND.has(one.name))) {
      const { records, places } = readJournal(journal);
      records.forEach((record, i) => {
        const { offset = 0, bytes = 0 } = places[i] ?? {};
        const line = decodeUtf8(journal.subarray(offset, offset + bytes));
        // the generator writes this field where the reference leaves it out
        expect(encodeRecord(record), name).toBe(line.replace(',"interactive":false', ''));
        lines++;
      });
    }
    expect(lines).toBeGreaterThan(2300);
  });

  it('the golden journal folds to what its writer says', () => {
    const expected = JSON.parse(readFileSync(fixture('golden-v3.fold.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const { state } = foldJournal(new Uint8Array(Buffer.from(goldenText)));
    const { llm_calls, tool_calls, remote_tool_calls, ...tokens } = state.counters;
    expect({
      LlmCalls: llm_calls,
      ToolCalls: tool_calls,
      RemoteToolCalls: remote_tool_calls,
      InTokens: tokens.in_tokens,
      OutTokens: tokens.out_tokens,
      CacheReadTokens: tokens.cache_read_tokens,
      CacheCreateTokens: tokens.cache_create_tokens,
    }).toEqual(expected.counters);
    const { interactive, last_stop_reason, next_iteration, pending, run_id, terminal } = state;
    expect({ interactive, last_stop_reason, next_iteration, pending, run_id, terminal }).toEqual(
      Object.fromEntries(
        ['interactive', 'last_stop_reason', 'next_iteration', 'pending', 'run_id', 'terminal'].map((key) => [
          key,
          expected[key],
        ]),
      ),
    );
    const plain = state.messages.map((message) => ({
      ...message,
      content:
        message.content?.map((block) =>
          block.tool_use
            ? { tool_use: { ...block.tool_use, input: JSON.parse(block.tool_use.input) as unknown } }
            : block.provider
              ? { provider: { ...block.provider, raw: JSON.parse(block.provider.raw) as unknown } }
              : block,
        ) ?? null,
    }));
    expect(plain).toEqual(expected.messages);
  });
});
