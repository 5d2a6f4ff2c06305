import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transcriptItem, type TranscriptItem } from '../../../src/shared/contract/items';
import { Folder } from '../../../src/shared/run/fold';
import type { Block, RawJson, RunRecord } from '../../../src/shared/run/record';
import { PROTOCOL } from '../../../src/shared/run/record';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { transcriptLines, type TranscriptLine } from '../../../src/shared/run/transcript';
import { buildTranscript as assemble } from '../../../src/main/app/read/build';
import { toolWords } from '../../../src/main/app/read/tool-words';
import { Transcript } from '../../../src/main/app/read/transcript';
import { forkPoints } from '../../../src/main/library/fork';
import { builtInTools } from '../../../src/main/tool/registry';
import {
  answerRecord,
  callRecord,
  fingerprint,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { sampled } from '../../support/prerequisites';
import { someJournal } from '../../support/run-arbitraries';

const tools = toolWords(builtInTools('practice'));
/** Where nothing is pending, as the fold has it: asked after each record. */
function byTheFold(run: readonly RunRecord[]): number[] {
  const folder = new Folder();
  return run.flatMap((record) => {
    folder.push(record);
    return record.terminal || folder.state.pending !== null ? [] : [record.seq];
  });
}
/** A transcript together with its records. */
interface Shown {
  transcript: Transcript;
  records: Map<number, RunRecord>;
  item(index: number): TranscriptItem | undefined;
}
const shown = (transcript: Transcript, records: readonly RunRecord[]): Shown => {
  const map = new Map(records.map((record) => [record.seq, record]));
  return { transcript, records: map, item: (index) => transcript.item(index, map) };
};
const buildTranscript = (
  records: readonly RunRecord[],
  sidecar: readonly SidecarEntry[],
  bound: boolean,
  words: typeof tools,
): Shown => shown(assemble(records, sidecar, bound, words).transcript, records);
const items = ({ transcript, item }: Shown): TranscriptItem[] =>
  Array.from({ length: transcript.length }, (_, index) => item(index) as TranscriptItem);
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const intent = (id: string, second: number, tool = 'append_file', changes = true): SidecarEntry => ({
  kind: 'intent',
  at: at(second),
  tool_use_id: id,
  tool,
  input_sha256: '',
  changes,
});
const time = (seq: number, second: number): SidecarEntry => ({ kind: 'time', seq, at: at(second) });

/** Records of one run, lawful in their order and wild in what they hold. */
const records: fc.Arbitrary<RunRecord[]> = (() => {
  const id = fc.constantFrom('a', 'b', 'c');
  const words = fc.string({ maxLength: 12 });
  const block: fc.Arbitrary<Block> = fc.oneof(
    words.map((text) => ({ text: { text } })),
    words.map((text) => ({ thinking: { text } })),
    id.map((name) => ({ tool_use: { id: name, name: 'read_file', input: '{}' as RawJson } })),
    fc
      .constantFrom('redacted_thinking', 'web_search')
      .map((kind) => ({ provider: { kind, raw: '{}' as RawJson } })),
  );
  const result = fc.record({ tool_use_id: id, content: words, is_error: fc.boolean() });
  const body: fc.Arbitrary<Omit<RunRecord, 'seq'>> = fc.oneof(
    fc.array(block, { maxLength: 4 }).map((content) => ({
      protocol: PROTOCOL.assistant,
      assistant: {
        iteration: 1,
        message: { role: 'assistant' as const, content },
        in_tokens: 1,
        out_tokens: 1,
      },
    })),
    result.map((each) => ({
      protocol: PROTOCOL.tool_result,
      tool_result: { tool_use_id: each.tool_use_id, result: each },
    })),
    fc
      .array(
        fc.oneof(
          words.map((text) => ({ text: { text } })),
          result.map((each) => ({ tool_result: each })),
        ),
        {
          maxLength: 3,
        },
      )
      .map((content) => ({ protocol: PROTOCOL.user, user: { message: { role: 'user' as const, content } } })),
    fc
      .constantFrom('completed', 'suspended')
      .map((reason) => ({ protocol: PROTOCOL.terminal, terminal: { reason } })),
  );
  return fc
    .tuple(words, fc.array(body, { maxLength: 25 }))
    .map(([prompt, rest]) => [metaRecord('r', prompt), ...rest.map((each, n) => ({ seq: n + 2, ...each }))]);
})();

/** The parts that both readings of a run must agree on. */
const essence = (item: TranscriptLine | TranscriptItem) => ({
  kind: item.kind,
  key: item.key,
  seq: item.seq,
  ...('text' in item && item.kind !== 'lost' && { text: item.text }),
  ...('toolUseId' in item && { id: item.toolUseId }),
  ...(item.kind === 'call' && {
    result:
      item.result &&
      ('content' in item.result
        ? [item.result.seq, item.result.content, item.result.isError]
        : [item.result.seq, item.result.text, item.result.isError]),
  }),
  ...(item.kind === 'orphan' && { text: 'content' in item ? item.content : item.text }),
  ...(item.kind === 'provider' && { text: 'raw' in item ? item.raw : item.text }),
  ...(item.kind === 'end' && { past: item.past, reason: item.reason }),
});

describe('the transcript', () => {
  it('is what the shared reading of the records gives, for any records', () => {
    fc.assert(
      fc.property(records, (run) => {
        const mine = items(buildTranscript(run, [], true, tools)).map(essence);
        expect(mine).toEqual(transcriptLines(run).items.map(essence));
      }),
      { numRuns: sampled(2_000, 100_000) },
    );
  });

  it('is the same record by record as it is at once, and tells which items each record changed', () => {
    fc.assert(
      fc.property(records, (run) => {
        const grown = new Transcript(tools, { bound: true });
        const both = shown(grown, run);
        const held: TranscriptItem[] = [];
        for (const record of run) {
          for (const index of grown.push(record)) held[index] = both.item(index) as TranscriptItem;
          expect(held).toEqual(items(both));
        }
        expect(held).toEqual(items(buildTranscript(run, [], true, tools)));
        for (const item of held) transcriptItem.parse(item);
        for (const record of run) expect(grown.push(record)).toEqual([]);
      }),
      { numRuns: sampled(400, 20_000) },
    );
  });

  it('says after which records a new run can begin, as the fork itself does', () => {
    fc.assert(
      fc.property(someJournal, (run) => {
        const { transcript } = assemble(run, [], true, tools);
        const points = run.filter(({ seq }) => transcript.outline.mayFork(seq)).map(({ seq }) => seq);
        expect(points).toEqual(forkPoints(run));
        expect(points).toEqual(byTheFold(run));
      }),
      { numRuns: sampled(500, 20_000) },
    );
  });

  it('knows when a call began and how long it took, and which calls never began', () => {
    const run = [
      metaRecord('r'),
      callRecord(2, ['c1', 'c2'], 0, 'append_file'),
      resultRecord(3, 'c1', 'ok'),
      resultRecord(4, 'c2', 'not allowed'),
    ];
    const sidecar = [time(2, 10), intent('c1', 11), time(3, 14), time(4, 15)];
    const [, first, second] = items(buildTranscript(run, sidecar, true, tools));
    expect(first).toMatchObject({ state: 'ok', startedAt: at(11), tookMs: 3_000, at: at(10), changes: true });
    expect(second).toMatchObject({ state: 'not_run' });
    // Without a sidecar of its own nobody knows that it did not begin.
    expect(items(buildTranscript(run, [], false, tools))[2]).toMatchObject({ state: 'ok' });
  });

  it.each([
    ['a changing call that began', [intent('c1', 1)], true, 'unknown'],
    [
      'a changing call that never began',
      [{ kind: 'turn', at: at(1), run: 'r', seq: 2, sha256: 'f' }],
      true,
      'unanswered',
    ],
    ['a changing call of a turn that the notes have not seen', [], true, 'unknown'],
    ['a changing call of a run without a sidecar', [], false, 'unknown'],
    ['a reading call that began', [intent('c1', 1, 'read_file', false)], true, 'unanswered'],
  ] as [string, SidecarEntry[], boolean, string][])(
    'shows %s and has no result',
    (_, sidecar, bound, state) => {
      const tool = sidecar.some((entry) => entry.kind === 'intent' && !entry.changes)
        ? 'read_file'
        : 'append_file';
      const run = [metaRecord('r'), callRecord(2, ['c1'], 0, tool)];
      const both = buildTranscript(run, sidecar, bound, tools);
      const transcript = { mark: both.transcript.mark.bind(both.transcript), item: both.item };
      expect(transcript.item(1)).toMatchObject({ state });
      // While somebody writes, it is on its way.
      expect(transcript.mark({ alive: true })).toEqual([1]);
      expect(transcript.item(1)).toMatchObject({ state: 'unanswered' });
      expect(transcript.mark({ alive: true, waiting: 'c1' })).toEqual([1]);
      expect(transcript.item(1)).toMatchObject({ state: 'waiting' });
      transcript.mark({ alive: true, running: 'c1' });
      expect(transcript.item(1)).toMatchObject({ state: 'running' });
      // Of what another process does only its notes can be known.
      transcript.mark({ alive: true, elsewhere: true });
      const begun = sidecar.some(({ kind }) => kind === 'intent') ? 'running' : 'elsewhere';
      expect(transcript.item(1)).toMatchObject({ state: begun });
      transcript.mark({ alive: false });
      expect(transcript.item(1)).toMatchObject({ state });
    },
  );

  it('puts a seam where the drift was accepted, and nothing where there was none', () => {
    const changed = [{ field: 'model', recorded: 'a', current: 'b' }];
    const resume = (after_seq: number, more: object): SidecarEntry => ({
      kind: 'resume',
      at: at(after_seq),
      after_seq,
      forced: true,
      accepted: fingerprint,
      changed: [],
      unknown: [],
      ...more,
    });
    const run = [metaRecord('r'), answerRecord(2, 'one'), userRecord(3, 'go on'), answerRecord(4, 'two', 1)];
    const sidecar = [
      resume(4, { changed }),
      resume(2, { changed }),
      resume(3, {}),
      resume(3, { endpoint: { from: 'x', to: 'y' } }),
    ];
    const all = items(buildTranscript(run, sidecar, true, tools));
    expect(all.map((item) => item.kind)).toEqual([
      'prompt',
      'text',
      'seam',
      'prompt',
      'seam',
      'text',
      'seam',
    ]);
    expect(new Set(all.map((item) => item.key)).size).toBe(all.length);
  });

  it('shows a reply that was cut off where it was lost, until its turn is recorded', () => {
    const partial = (after_seq: number, iteration: number, text: string): SidecarEntry => ({
      kind: 'partial',
      at: at(1),
      after_seq,
      iteration,
      text,
    });
    const run = [metaRecord('r'), answerRecord(2, 'one'), userRecord(3, 'go on')];
    const sidecar = [partial(1, 0, 'on'), partial(3, 1, 'half an ans'), partial(3, 1, 'half an answer')];
    expect(items(buildTranscript(run, sidecar, true, tools)).at(-1)).toMatchObject({
      kind: 'lost',
      text: 'half an answer',
      seq: 3,
    });
    const ended = [...run, terminalRecord(4, 'suspended')];
    expect(items(buildTranscript(ended, sidecar, true, tools)).map((item) => item.kind)).toEqual([
      'prompt',
      'text',
      'prompt',
      'lost',
      'end',
    ]);
    const kinds = (all: RunRecord[], notes: SidecarEntry[]) =>
      items(buildTranscript(all, notes, true, tools)).map(({ kind }) => kind);
    expect(kinds([...run, answerRecord(4, 'a whole answer', 1)], sidecar)).not.toContain('lost');
    expect(kinds(run, [partial(3, 1, '')])).not.toContain('lost');
    // Somebody writes: what streams there now is not lost.
    expect(assemble(run, sidecar, true, tools, true).transcript.lost).toBeUndefined();
  });
});
