import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { GO_ON, NO_OUTPUT, NO_WORDS, toWire, UNANSWERED } from '../../../src/main/agent/wire';
import { isFailure } from '../../../src/shared/run/failure';
import { foldJournal, foldRecords } from '../../../src/shared/run/fold';
import type { Block, Message, RawJson } from '../../../src/shared/run/record';
import type { RunState } from '../../../src/shared/run/state';
import { foldCases } from '../../support/fold-cases';
import { someJournal } from '../../support/run-arbitraries';
import { sampled } from '../../support/prerequisites';
import { complaints } from '../../support/strict-conversation';

const text = (words: string): Block => ({ text: { text: words } });
const call = (id: string, input = '{}'): Block => ({ tool_use: { id, name: 'ls', input: input as RawJson } });
const result = (id: string, content = 'out', is_error?: true): Block => ({
  tool_result: { tool_use_id: id, content, ...(is_error && { is_error }) },
});
const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const unanswered = (id: string): Block => result(id, UNANSWERED, true);

function states(): [string, RunState][] {
  return foldCases().flatMap(({ name, journal }) => {
    try {
      return [[name, foldJournal(journal).state] as [string, RunState]];
    } catch (error) {
      if (isFailure(error)) return [];
      throw error;
    }
  });
}
const isPaused = (state: RunState): boolean => state.last_stop_reason === 'pause_turn' && !state.pending;

describe('a folded run on the wire', () => {
  it('is left alone when it is already fine', () => {
    const messages = [user(text('hi')), assistant(text('look'), call('a')), user(result('a'), text('and?'))];
    expect(toWire({ messages })).toEqual(messages);
  });

  it('answers every call in the order of the calls, results before words, doubles and orphans left out', () => {
    const messages = [
      user(text('hi')),
      assistant(call('a'), call('b'), call('c')),
      user(result('b', 'first'), text('words'), result('z'), result('b', 'second'), result('a')),
    ];
    expect(toWire({ messages }).at(-1)).toEqual(
      user(result('a'), result('b', 'second'), unanswered('c'), text('words')),
    );
  });

  it('answers a turn that the run left behind right behind it', () => {
    const messages = [user(text('hi')), assistant(call('a')), assistant(text('z')), user(text('ok'))];
    expect(toWire({ messages })).toEqual([
      user(text('hi')),
      assistant(call('a')),
      user(unanswered('a')),
      assistant(text('z')),
      user(text('ok')),
    ]);
  });

  it('puts a pending turn last, with its results and those that are new', () => {
    const pending = {
      assistant: assistant(call('a'), call('b'), call('c')),
      iteration: 0,
      stop_reason: 'tool_use',
      results: [{ tool_use_id: 'b', content: 'kept' }],
      answered: ['b'],
    };
    expect(
      toWire({ messages: [user(text('hi'))], pending }, [{ tool_use_id: 'a', content: 'new' }]).slice(1),
    ).toEqual([pending.assistant, user(result('a', 'new'), result('b', 'kept'), unanswered('c'))]);
  });

  it('gives repeated ids their own names, and each call its own result', () => {
    const messages = [
      user(text('hi')),
      assistant(call('a'), call('a')),
      user(result('a', 'one'), result('a', 'two')),
      assistant(call('a')),
      user(result('a', 'three')),
    ];
    expect(toWire({ messages })).toEqual([
      user(text('hi')),
      assistant(call('a'), call('a_2')),
      user(result('a', 'one'), result('a_2', 'two')),
      assistant(call('a_3')),
      user(result('a_3', 'three')),
    ]);
  });

  it('gives ids that no service takes plain names', () => {
    const messages = [
      user(text('hi')),
      assistant(call('a.b'), call(''), call('a:b')),
      user(result('a:b', 'x'), result('', 'y')),
    ];
    expect(toWire({ messages }).slice(1)).toEqual([
      assistant(call('a_b'), call('call'), call('a_b_2')),
      user(unanswered('a_b'), result('call', 'y'), result('a_b_2', 'x')),
    ]);
  });

  it('leaves out what is blank or null and joins what then stands side by side', () => {
    const messages: Message[] = [
      user(text('hi')),
      { role: 'assistant', content: null },
      user(text(' \n')),
      assistant(),
      user(text('there')),
    ];
    expect(toWire({ messages })).toEqual([user(text('hi'), text('there'))]);
  });

  it('starts with the user even when the first message was blank', () => {
    expect(toWire({ messages: [user(text('')), assistant(text('x')), user(text('y'))] })[0]).toEqual(
      user(text(NO_WORDS)),
    );
    expect(toWire({ messages: [] })).toEqual([user(text(NO_WORDS))]);
  });

  it('ends with the assistant only where a paused turn goes on', () => {
    const messages = [user(text('hi')), assistant(text('wait'))];
    expect(toWire({ messages, last_stop_reason: 'pause_turn' })).toEqual(messages);
    expect(toWire({ messages, last_stop_reason: 'end_turn' })).toEqual([...messages, user(text(GO_ON))]);
  });

  it('keeps thinking and provider blocks as they are', () => {
    const blocks: Block[] = [
      { thinking: { text: 'hm', signature: 'AQL/' } },
      { provider: { kind: 'server_tool_use', raw: '{"x":1.0}' as RawJson } },
      { thinking: {} },
      call('a'),
    ];
    expect(toWire({ messages: [user(text('hi')), assistant(...blocks)] })[1]?.content).toEqual(blocks);
  });

  it('says so when a tool printed nothing, and sends only objects as input', () => {
    const messages = [
      user(text('hi')),
      assistant(call('a', 'null'), call('b', '[1]')),
      user(result('a', ''), result('b', ' ', true)),
    ];
    expect(toWire({ messages }).slice(1)).toEqual([
      assistant(call('a', '{}'), call('b', '{}')),
      user(result('a', NO_OUTPUT), result('b', NO_OUTPUT, true)),
    ]);
  });

  it.each(states())('the strict service takes the reference case %s', (_, state) => {
    expect(complaints(toWire(state), isPaused(state))).toEqual([]);
  });

  it('the strict service takes any journal that folds, and the fold is not changed by it', () => {
    fc.assert(
      fc.property(someJournal, (records) => {
        const { state } = foldRecords(records);
        const before = structuredClone(state);
        expect(complaints(toWire(state), isPaused(state))).toEqual([]);
        expect(state).toEqual(before);
      }),
      { numRuns: sampled(2_000, 40_000) },
    );
  });

  it('sends words, thinking and provider blocks that were recorded, in their order', () => {
    const words = (messages: readonly Message[]): string[] =>
      messages.flatMap(({ content }) =>
        (content ?? []).flatMap((block) => [
          ...(block.text && block.text.text.trim() !== '' ? [block.text.text] : []),
          ...(block.provider && block.provider.kind !== 'redacted_thinking' ? [block.provider.raw] : []),
        ]),
      );
    fc.assert(
      fc.property(someJournal, (records) => {
        const { state } = foldRecords(records);
        const recorded = words([...state.messages, ...(state.pending ? [state.pending.assistant] : [])]);
        const sent = words(toWire(state)).filter((word) => word !== GO_ON && word !== NO_WORDS);
        expect(sent).toEqual(recorded);
      }),
      { numRuns: sampled(500, 20_000) },
    );
  });
});

describe('the strict service', () => {
  /** What the fold says, sent as it is: the fault that `toWire` exists to prevent. */
  const asFolded = (state: RunState): Message[] => [
    ...state.messages,
    ...(state.pending ? [state.pending.assistant] : []),
  ];
  /** `toWire`, with one promise broken. */
  const mutants: Record<string, (state: RunState) => Message[]> = {
    'sends the fold as it is': asFolded,
    'forgets the unanswered calls': (state) =>
      toWire(state).map((message) => ({
        ...message,
        content: (message.content ?? []).filter((block) => block.tool_result?.content !== UNANSWERED),
      })),
    'answers in the order of the journal': (state) =>
      toWire(state).map((message) => ({ ...message, content: [...(message.content ?? [])].reverse() })),
    'does not join neighbours': (state) =>
      toWire(state).flatMap((message) =>
        (message.content ?? []).map((block) => ({ ...message, content: [block] })),
      ),
    'keeps blank text': (state) =>
      toWire(state).map((message) => ({ ...message, content: [...(message.content ?? []), text(' ')] })),
    'begins with the assistant': (state) => toWire(state).slice(1),
    'answers twice': (state) =>
      toWire(state).map((message) => ({
        ...message,
        content: (message.content ?? []).flatMap((block) => (block.tool_result ? [block, block] : [block])),
      })),
    'ends on an answer': (state) =>
      toWire(state).filter((message) => message.content?.[0]?.text?.text !== GO_ON),
  };

  it.each(Object.entries(mutants))('catches a wire that %s', (_, mutant) => {
    const caught = states().filter(([, state]) => complaints(mutant(state), isPaused(state)).length > 0);
    expect(caught.length).toBeGreaterThan(0);
  });
});
