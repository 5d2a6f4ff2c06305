import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/shared/run/codec';
import { Failure } from '../../../src/shared/run/failure';
import { foldJournal, foldRecords, stateText, userText } from '../../../src/shared/run/fold';
import { STOP } from '../../../src/shared/run/record';
import type { RunRecord } from '../../../src/shared/run/record';
import type { RunState } from '../../../src/shared/run/state';
import { toWire } from '../../../src/main/agent/wire';
import { crashed, journalBytes } from '../../support/crash';
import { scriptedModel } from '../../support/scripted-model';
import type { ScriptedReply } from '../../support/scripted-model';
import { resume, scene, start, testTool } from '../../support/agent';
import type { Scene, Watched } from '../../support/agent';

const soak = process.env.HOLDFAST_SOAK !== undefined;
const LONG = soak ? 900_000 : 60_000;

const call = fc.record({
  name: fc.constantFrom('look', 'change', 'throws', 'missing'),
  id: fc.constantFrom(undefined, 'same', '', 'x1'),
  input: fc.constantFrom<unknown>({}, { a: 1 }, { text: 'é<&>\u2028' }),
  bad: fc.option(fc.constantFrom('{"a"', 'nonsense', ''), { nil: undefined, freq: 8 }),
});
const reply: fc.Arbitrary<ScriptedReply> = fc.record(
  {
    text: fc.constantFrom('some words', '', 'lone \ud83d', 'é🙂'),
    thinking: fc.constantFrom('hm', undefined),
    tools: fc.array(call, { maxLength: 3 }),
    stop: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      undefined,
      STOP.maxTokens,
      STOP.refusal,
      STOP.pauseTurn,
      STOP.contextExceeded,
      'odd',
    ),
    fail: fc.option(fc.constant(new Failure({ code: 'model_overloaded', message: 'busy' })), {
      nil: undefined,
      freq: 10,
    }),
  },
  { requiredKeys: ['text'] },
) as fc.Arbitrary<ScriptedReply>;

type Act = { do: 'say'; text: string } | { do: 'deny' | 'pause' | 'cancel' | 'close' | 'crash' };
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      text: fc.constantFrom('more', 'é', 'and <that>'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Act>(
      { do: 'deny' },
      { do: 'pause' },
      { do: 'cancel' },
      { do: 'close' },
      { do: 'crash' },
    ),
  },
);

const clean = (step: ScriptedReply): ScriptedReply => ({
  ...step,
  tools: (step.tools ?? []).map((tool) => {
    const { bad, id, ...rest } = tool;
    return { ...rest, ...(bad !== undefined && { bad }), ...(id !== undefined && { id }) };
  }),
});

/** The same conversation when every follow-up that only adds to the person's side is recorded with the one before. */
function merged(records: RunRecord[]): RunRecord[] {
  const out: RunRecord[] = [];
  for (const record of records) {
    const last = out.at(-1);
    if (record.user && last?.user)
      last.user = {
        message: {
          role: 'user',
          content: [...(last.user.message.content ?? []), ...(record.user.message.content ?? [])],
        },
      };
    else if (record.terminal && last?.user) continue;
    else out.push(structuredClone(record));
  }
  return out.map((record, index) => ({ ...record, seq: index + 1 }));
}
const conversation = ({ messages, pending, counters, next_iteration }: RunState) => ({
  messages,
  pending,
  counters,
  next_iteration,
});

/** What the live session knows, what its store holds, and what a reader makes of the bytes are one and the same. */
async function agree({ store }: Scene, watched: Watched, told: RunRecord[]): Promise<void> {
  const live = watched.session.snapshot();
  const stored = await store.load('r');
  const read = foldJournal(await store.bytes('r'));
  expect(stateText(live.state)).toBe(stateText(stored.state));
  expect(stateText(read.state)).toBe(stateText(stored.state));
  expect(live.lastSeq).toBe(stored.facts.lastSeq);
  expect(Buffer.from(journalBytes(told)).equals(Buffer.from(await store.bytes('r')))).toBe(true);
  expect(conversation(foldRecords(merged(stored.records)).state)).toEqual(conversation(stored.state));
  expect(stored.warnings.filter(({ code }) => code !== 'records_after_terminal')).toEqual([]);
  const wire = toWire(live.state);
  const open = new Set<string>();
  wire.forEach((message, index) => {
    expect(message.role).toBe(index % 2 ? 'assistant' : 'user');
    for (const block of message.content ?? []) {
      if (block.tool_use) open.add(block.tool_use.id);
      if (block.tool_result) expect(open.delete(block.tool_result.tool_use_id)).toBe(true);
    }
    if (message.role === 'user') expect(open.size).toBe(0);
  });
}

describe('the live loop', () => {
  it(
    'and the fold of its bytes always agree, over turns, refusals, stops, crashes and resumes, and no change runs twice',
    async () => {
      let [runs, resumes, crashes] = [0, 0, 0];
      await fc.assert(
        fc.asyncProperty(
          fc.array(reply, { minLength: 1, maxLength: 8 }),
          fc.array(act, { maxLength: 7 }),
          fc.nat(),
          async (replies, acts, pick) => {
            runs++;
            // Each state-changing call has one token, so that a second run of the same call is seen.
            const effects = new Map<string, number>();
            let current = '';
            const change = testTool(
              'change',
              () => (effects.set(current, (effects.get(current) ?? 0) + 1), { content: 'changed' }),
              { changes: true },
            );
            const throws = testTool('throws', () => {
              throw new Error('kaputt');
            });
            const model = scriptedModel([...replies.map(clean), { text: 'end' }], { repeat: true });
            let it_ = scene(model, [testTool('look'), change, throws], {
              profile: { limits: { max_iterations: 6 } },
            });
            it_.parts.model = () => model;
            let watched = await start(it_, { chat: true });
            let told: RunRecord[] = [];
            let deny = false;
            const follow = (one: Watched): void => {
              one.session.on((event) => {
                if (event.type === 'record') told.push(event.record);
                if (event.type === 'tool_started') current = event.toolUseId;
                if (event.type === 'approval') {
                  const decision = deny
                    ? ({ decision: 'deny', words: 'no' } as const)
                    : ({ decision: 'once' } as const);
                  deny = false;
                  queueMicrotask(() => one.session.answer(event.request.hash, decision));
                }
              });
            };
            const takeUp = async (): Promise<void> => {
              resumes++;
              told = (await it_.store.load('r')).records;
              watched = await resume(it_, { unknownDefault: 'skip' });
              follow(watched);
            };
            follow(watched);
            for (const step of acts) {
              if (step.do === 'deny') {
                deny = true;
                continue;
              }
              if (step.do === 'crash') {
                // Everything that is durable up to a record of choice; the session itself is thrown away.
                crashes++;
                await watched.session.settled();
                const { records } = await it_.store.load('r');
                const seq = 1 + (pick % records.length);
                const kept = new Set(
                  records
                    .filter((record) => record.seq <= seq)
                    .flatMap(
                      (record) =>
                        record.assistant?.message.content?.flatMap((block) => block.tool_use?.id ?? []) ?? [],
                    ),
                );
                const before = it_.store;
                it_ = {
                  ...it_,
                  store: await crashed(before, 'r', {
                    seq,
                    keep: (entry) => entry.kind !== 'intent' || kept.has(entry.tool_use_id),
                  }),
                };
                for (const id of effects.keys()) if (!kept.has(id)) effects.delete(id);
                await watched.session.close();
                await takeUp();
              } else if (step.do === 'say') void watched.session.say(step.text);
              else if (step.do === 'close') {
                await watched.session.close();
                await agree(it_, watched, told);
                await takeUp();
              } else watched.session[step.do]();
              await watched.session.settled();
              await agree(it_, watched, told);
              if (watched.session.snapshot().phase === 'ended') {
                if (watched.session.snapshot().outcome?.reason === 'suspended') await takeUp();
                else break;
                await watched.session.settled();
              }
            }
            await watched.session.settled();
            await watched.session.close();
            await agree(it_, watched, told);
            expect([...effects.values()].every((count) => count === 1)).toBe(true);
            expect(await it_.store.writer('r')).toBe('none');
            expect(readJournal(await it_.store.bytes('r')).tail.kind).toBe('clean');
          },
        ),
        { numRuns: soak ? 3000 : 150 },
      );
      expect(Math.min(runs, resumes, crashes)).toBeGreaterThan(20);
    },
    LONG,
  );

  it('makes of a follow-up that was said alone what it makes of one that was typed with the results', () => {
    const meta = {
      version: 3,
      run_id: 'r',
      created: '2026-01-01T00:00:00Z',
      fingerprint: {
        provider: 'p',
        model: 'm',
        system_hash: '',
        tools_hash: '',
        thinking_mode: 'off',
        max_tokens: 0,
        max_iterations: 1,
      },
      prompt: 'a',
    };
    const ns = 'io.choria.fisk-ai.v1.session';
    const user = (seq: number, ...texts: string[]): RunRecord => ({
      seq,
      protocol: `${ns}.user`,
      user: { message: { role: 'user', content: texts.flatMap((text) => userText(text).content ?? []) } },
    });
    const alone = foldRecords([{ seq: 1, protocol: `${ns}.meta`, meta }, user(2, 'b'), user(3, 'c')]).state;
    const together = foldRecords([{ seq: 1, protocol: `${ns}.meta`, meta }, user(2, 'b', 'c')]).state;
    expect(alone).toEqual(together);
  });
});
