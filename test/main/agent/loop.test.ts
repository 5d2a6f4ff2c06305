import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/shared/run/failure';
import { STOP } from '../../../src/shared/run/record';
import { foldRecords, stateText } from '../../../src/shared/run/fold';
import type { Journal, RunStore } from '../../../src/main/journal/journal';
import { memoryStore } from '../../../src/main/journal/memory';
import { raw, scriptedModel } from '../../support/scripted-model';
import { records, resume, run, scene, start, testTool } from '../../support/agent';

describe('a one-shot run', () => {
  it('writes meta, the turn, each result, the answer and its end, in that order', async () => {
    const [a, b] = [testTool('a'), testTool('b', () => ({ content: 'no', is_error: true }))];
    const model = scriptedModel([
      { text: 'I look.', tools: [{ name: 'a', input: { x: 1 } }, { name: 'b' }] },
      { text: 'Done.' },
    ]);
    const it_ = scene(model, [a, b]);
    const { outcome, kinds, session } = await run(it_);
    expect(outcome).toEqual({ reason: 'completed' });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 I look. a#call_1_1 b#call_1_2 [tool_use]',
      'result call_1_1 a ran',
      'result call_1_2 ! no',
      'assistant 1 Done. [end_turn]',
      'terminal completed',
    ]);
    expect(kinds).toEqual(['meta', 'assistant', 'tool_result', 'tool_result', 'assistant', 'terminal']);
    expect(a.runs).toEqual([{ x: 1 }]);
    expect(session.snapshot()).toMatchObject({
      phase: 'ended',
      lastSeq: 6,
      steps: { used: 2, cap: 50 },
      outcome,
    });
    expect(await it_.store.writer('r')).toBe('none');
    expect(await session.say('more')).toBe(false);
  });

  it('makes each record durable before it is told and before the next thing happens', async () => {
    const order: string[] = [];
    const base = memoryStore();
    const watched = (journal: Journal): Journal =>
      new Proxy(journal, {
        get(target, key) {
          if (key === 'append')
            return async (record: Parameters<Journal['append']>[0]) => {
              const place = await target.append(record);
              order.push(`append ${record.protocol.split('.').at(-1) ?? ''}`);
              return place;
            };
          if (key === 'note')
            return async (entry: Parameters<Journal['note']>[0]) => {
              await target.note(entry);
              if (entry.kind !== 'time') order.push(`note ${entry.kind}`);
            };
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const store: RunStore = { ...base, create: async (id, meta) => watched(await base.create(id, meta)) };
    const tool = testTool('change', () => (order.push('run'), { content: 'ok' }), { changes: true });
    const model = scriptedModel([
      () => (order.push('call 1'), { tools: [{ name: 'change' }] }),
      () => (order.push('call 2'), { text: 'end' }),
    ]);
    const watching = await start(scene(model, [tool], { store }));
    watching.session.on((event) => {
      if (event.type === 'record') order.push(`told ${event.record.protocol.split('.').at(-1) ?? ''}`);
      if (event.type === 'tool_started') order.push('told start');
    });
    const { request } = await watching.event('approval');
    watching.session.answer(request.hash, { decision: 'once' });
    await watching.session.settled();
    expect(order).toEqual([
      'note config',
      'told meta',
      'call 1',
      'note turn',
      'append assistant',
      'told assistant',
      'note approval',
      'note intent',
      'told start',
      'run',
      'append tool_result',
      'told tool_result',
      'call 2',
      'append assistant',
      'told assistant',
      'append terminal',
      'told terminal',
    ]);
  });

  it('runs the same loop in private, and nothing of it is anywhere', async () => {
    const model = scriptedModel([{ tools: [{ name: 'a' }] }, { text: 'Done.' }]);
    const it_ = scene(model, [testTool('a')]);
    const { outcome, kinds, session, events } = await run(it_, { store: undefined });
    expect(outcome).toEqual({ reason: 'completed' });
    expect(kinds).toEqual(['meta', 'assistant', 'tool_result', 'assistant', 'terminal']);
    expect(session.snapshot()).toMatchObject({ private: true, lastSeq: 5 });
    expect(session.snapshot().state.messages).toHaveLength(4);
    expect(
      events.every(
        (event) => event.type !== 'record' || (event.place === undefined && event.durability === 'memory'),
      ),
    ).toBe(true);
    expect(await it_.store.list()).toEqual([]);
  });

  it('ends as failed when the model fails, with nothing recorded of that call', async () => {
    const failure = new Failure({ code: 'model_overloaded', message: 'Too much to do.' });
    const it_ = scene(scriptedModel([{ text: 'I beg', fail: failure }]));
    const { outcome, session } = await run(it_);
    expect(outcome).toEqual({ reason: 'error', message: 'Too much to do.', failure: failure.toJSON() });
    expect(await records(it_.store)).toEqual(['meta go', 'terminal error']);
    expect(session.snapshot().streaming.text).toBe('');
    const { sidecar } = await it_.store.load('r');
    expect(sidecar.find((entry) => entry.kind === 'partial')).toMatchObject({
      iteration: 0,
      after_seq: 1,
      text: 'I beg',
    });
  });

  it('survives an adapter that throws nonsense, ends without a turn, or never listens', async () => {
    const wrong = await run(scene(scriptedModel([{ fail: 'just text' }])));
    expect(wrong.outcome).toMatchObject({
      reason: 'error',
      message: 'just text',
      failure: { code: 'internal' },
    });
    const none = await run(scene(scriptedModel([{ text: 'x', noTurn: true }])));
    expect(none.outcome.failure?.code).toBe('model_protocol');
    const deaf = scene({
      ...scriptedModel([]),
      answer: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    });
    const watching = await start(deaf);
    await watching.event('phase', (event) => event.phase === 'calling');
    watching.session.cancel();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
  });

  it('stops at its step limit for all its life, a resume included', async () => {
    const model = scriptedModel([{ tools: [{ name: 'a' }] }], { repeat: true });
    const it_ = scene(model, [testTool('a')], { profile: { limits: { max_iterations: 3 } } });
    const { outcome } = await run(it_);
    expect(outcome).toMatchObject({ reason: 'max_iterations', failure: { code: 'max_iterations' } });
    expect(model.requests).toHaveLength(3);
    const again = await resume(it_);
    expect(await again.session.settled()).toMatchObject({ reason: 'max_iterations' });
    expect(model.requests).toHaveLength(3);
  });
});

describe('turns that were cut short', () => {
  it.each([
    [STOP.maxTokens, 'model_truncated'],
    [STOP.refusal, 'model_refused'],
    [STOP.contextExceeded, 'model_context'],
  ])('by %s never run their calls, which are answered as not run', async (stop, code) => {
    const tool = testTool('a');
    const it_ = scene(scriptedModel([{ text: 'x', tools: [{ name: 'a' }, { name: 'a' }], stop }]), [tool]);
    const { outcome } = await run(it_);
    expect(outcome).toMatchObject({ reason: 'error', failure: { code } });
    expect(tool.runs).toEqual([]);
    const lines = await records(it_.store);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^result call_1_1 ! Not run:/),
      expect.stringMatching(/^result call_1_2 ! Not run:/),
      'terminal error',
    ]);
  });

  it('without calls end in the same error, and a chat goes on after it', async () => {
    const model = scriptedModel([{ text: 'half an ans', stop: STOP.maxTokens }, { text: 'wer' }]);
    const it_ = scene(model);
    const watching = await start(it_, { chat: true });
    expect(await watching.session.settled()).toMatchObject({
      reason: 'error',
      failure: { code: 'model_truncated' },
    });
    expect(watching.session.snapshot().phase).toBe('idle');
    expect(await watching.session.say('go on')).toBe(true);
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 half an ans [max_tokens]',
      'terminal error',
      'user go on',
      'assistant 1 wer [end_turn]',
    ]);
  });

  it('that were paused by the service are called again, up to the step limit', async () => {
    const model = scriptedModel([{ text: 'a', stop: STOP.pauseTurn }, { text: 'b' }]);
    const it_ = scene(model);
    expect((await run(it_)).outcome).toEqual({ reason: 'completed' });
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ text: { text: 'a' } }],
    });
    const endless = scriptedModel([{ text: 'a', stop: STOP.pauseTurn }], { repeat: true });
    expect(
      (await run(scene(endless, [], { profile: { limits: { max_iterations: 4 } } }))).outcome.reason,
    ).toBe('max_iterations');
    expect(endless.requests).toHaveLength(4);
  });
});

describe('the token budget', () => {
  const usage = { in_tokens: 40, out_tokens: 10, cache_read_tokens: 30, cache_create_tokens: 20 };

  it('counts all four kinds, is looked at before calls of tools, and never withholds an answer', async () => {
    const tool = testTool('a');
    const model = scriptedModel(
      [
        { tools: [{ name: 'a' }], usage },
        { text: 'x', usage },
      ],
      {},
    );
    const it_ = scene(model, [tool], { profile: { limits: { max_tokens: 100 } } });
    expect((await run(it_)).outcome).toMatchObject({ reason: 'budget', failure: { code: 'budget' } });
    expect(tool.runs).toEqual([]);
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 a#call_1_1 [tool_use]',
      'terminal budget',
    ]);
    expect(await (await resume(it_)).session.settled()).toMatchObject({ reason: 'budget' });
    expect([tool.runs.length, model.requests.length]).toEqual([0, 1]);

    const answered = scene(scriptedModel([{ text: 'the answer', usage }]), [], {
      profile: { limits: { max_tokens: 10 } },
    });
    expect((await run(answered)).outcome).toEqual({ reason: 'completed' });
  });

  it('is looked at before a model call, and 0 means none', async () => {
    const model = scriptedModel([{ tools: [{ name: 'a' }], usage }, { text: 'x' }]);
    const below = scene(model, [testTool('a')], { profile: { limits: { max_tokens: 101 } } });
    expect((await run(below)).outcome).toEqual({ reason: 'completed' });
    const free = scene(scriptedModel([{ tools: [{ name: 'a' }], usage }, { text: 'x' }]), [testTool('a')], {
      profile: { limits: { max_tokens: 0 } },
    });
    expect((await run(free)).outcome).toEqual({ reason: 'completed' });
  });

  it('ends a chat for good until the limit is raised', async () => {
    const it_ = scene(scriptedModel([{ text: 'x', usage }, { text: 'never' }]), [], {
      profile: { limits: { max_tokens: 100 } },
    });
    const { session } = await start(it_, { chat: true });
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    void session.say('more');
    expect(await session.settled()).toMatchObject({ reason: 'budget' });
    expect(session.snapshot().phase).toBe('ended');
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 x [end_turn]',
      'user more',
      'terminal budget',
    ]);
  });
});

describe('a chat', () => {
  it('rests after an answer with its place free and no end written, and goes on when something is said', async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const it_ = scene(model);
    const watching = await start(it_, { chat: true });
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(await it_.store.writer('r')).toBe('none');
    expect(await watching.session.say('and?')).toBe(true);
    expect(watching.session.snapshot().outcome).toBeUndefined();
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    await watching.session.close();
    expect(watching.events.at(-1)).toEqual({ type: 'ended', outcome: { reason: 'your_turn' } });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 one [end_turn]',
      'user and?',
      'assistant 1 two [end_turn]',
    ]);
    expect(model.requests[1]?.messages).toHaveLength(3);
    expect(model.requests[1]).toMatchObject({ chat: true, iteration: 1, system: ['You are a test.'] });
  });

  it('has a fresh allowance of steps for each message', async () => {
    const loop = { tools: [{ name: 'a' }] };
    const model = scriptedModel([loop, loop, loop, { text: 'end' }]);
    const it_ = scene(model, [testTool('a')], { profile: { limits: { max_iterations: 2 } } });
    const { session } = await start(it_, { chat: true });
    expect(await session.settled()).toMatchObject({ reason: 'max_iterations' });
    expect(session.snapshot()).toMatchObject({ phase: 'idle', steps: { used: 2, cap: 2 } });
    void session.say('go on');
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    expect(session.snapshot().steps).toEqual({ used: 2, cap: 2 });
    expect((await records(it_.store)).slice(5, 7)).toEqual(['terminal max_iterations', 'user go on']);
  });

  it('sends what was said while a turn ran after its answer, one message at a time', async () => {
    let release = (): void => {};
    const hold = new Promise<void>((resolve) => (release = resolve));
    const model = scriptedModel([{ text: 'one', hold }, { text: 'two' }, { text: 'three' }]);
    const it_ = scene(model);
    const { session, events } = await start(it_, { chat: true });
    await model.streamed(1);
    expect(await Promise.all(['b', 'x', 'c', '  '].map((text) => session.say(text)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const x = session.snapshot().queued[1]?.id ?? '';
    expect([await session.unqueue(x), await session.unqueue(x)]).toEqual([true, false]);
    expect(session.snapshot().queued).toMatchObject([
      { text: 'b', held: false },
      { text: 'c', held: false },
    ]);
    release();
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 one [end_turn]',
      'user b',
      'assistant 1 two [end_turn]',
      'user c',
      'assistant 2 three [end_turn]',
    ]);
    expect(events.filter((event) => event.type === 'queued').at(-1)).toEqual({
      type: 'queued',
      messages: [],
    });
    expect(events.filter((event) => event.type === 'phase' && event.phase === 'idle')).toHaveLength(1);
  });

  it('holds the queue when a turn fails, whatever else is said, until its message is sent', async () => {
    let release = (): void => {};
    const hold = new Promise<void>((resolve) => (release = resolve));
    const model = scriptedModel([
      { hold, fail: new Failure({ code: 'model_unreachable', message: 'down' }) },
      { text: 'b' },
      { text: 'c' },
    ]);
    const it_ = scene(model);
    const { session } = await start(it_, { chat: true });
    await model.streamed(1);
    await session.say('later');
    release();
    expect(await session.settled()).toMatchObject({ reason: 'error' });
    expect(session.snapshot()).toMatchObject({ phase: 'idle', queued: [{ text: 'later', held: true }] });
    await session.say('now');
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    const [waiting] = session.snapshot().queued;
    expect(waiting).toMatchObject({ text: 'later', held: true });
    expect(await session.send(waiting?.id ?? '')).toBe(true);
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'terminal error',
      'user now',
      'assistant 0 b [end_turn]',
      'user later',
      'assistant 1 c [end_turn]',
    ]);
    expect(session.snapshot().queued).toEqual([]);
  });
});

describe('what a model answers', () => {
  it('gets ids that are there and unique in the whole conversation', async () => {
    const tools = [
      { id: 'x', name: 'a' },
      { id: '', name: 'a' },
      { id: 'x', name: 'a' },
    ];
    const it_ = scene(scriptedModel([{ tools }, { tools: [{ id: 'x', name: 'a' }] }, { text: 'end' }]), [
      testTool('a'),
    ]);
    const { outcome } = await run(it_);
    expect(outcome.reason).toBe('completed');
    const { state, records: all, warnings } = await it_.store.load('r');
    const ids = state.messages.flatMap((message) =>
      (message.content ?? []).flatMap((block) => block.tool_use?.id ?? []),
    );
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain('');
    expect(warnings).toEqual([]);
    expect(stateText(foldRecords(all).state)).toBe(stateText(state));
  });

  it('with input that is no JSON object is recorded as {} and told back with the text that arrived', async () => {
    const tool = testTool('a');
    const model = scriptedModel([
      {
        tools: [{ name: 'a', bad: '{"x": 1' }],
        blocks: [{ tool_use: { id: 'list', name: 'a', input: raw([1]) } }],
      },
      { text: 'end' },
    ]);
    const it_ = scene(model, [tool]);
    await run(it_);
    expect(tool.runs).toEqual([]);
    const lines = await records(it_.store);
    expect(lines[2]).toBe('result list ! Not run: the input of this call is not a JSON object. It was: [1]');
    expect(lines[3]).toBe(
      'result call_1_1 ! Not run: the input of this call is not a JSON object. It was: {"x": 1',
    );
    const { state } = await it_.store.load('r');
    expect(state.messages[1]?.content?.map((block) => block.tool_use?.input)).toEqual(['{}', '{}']);
  });

  it('is recorded as text that every reader agrees on, whatever a service sent', async () => {
    const it_ = scene(
      scriptedModel([{ text: 'lone \ud83d surrogate <&\u2028>', usage: { in_tokens: -3, out_tokens: 1.6 } }]),
    );
    const { session } = await run(it_);
    const { state } = await it_.store.load('r');
    expect(stateText(session.snapshot().state)).toBe(stateText(state));
    expect(state.messages[1]?.content?.[0]?.text?.text).toBe('lone \ufffd surrogate <&\u2028>');
    expect(state.counters).toMatchObject({ in_tokens: 0, out_tokens: 2 });
  });

  it('may be empty', async () => {
    const it_ = scene(scriptedModel([{}]));
    expect((await run(it_)).outcome).toEqual({ reason: 'completed' });
    expect((await it_.store.load('r')).state.messages[1]).toEqual({ role: 'assistant', content: null });
  });

  it('is shown while it streams, and what a retry makes void is taken back', async () => {
    const model = scriptedModel([
      {
        thinking: 'hm',
        text: 'first',
        events: [
          { type: 'retry', attempt: 2, waitMs: 5, reason: 'dropped', restarted: true },
          { type: 'text', text: 'second' },
        ],
        tools: [{ name: 'a' }],
      },
      { text: 'end' },
    ]);
    const { events } = await run(scene(model, [testTool('a')]));
    const streamed = events.filter((event) =>
      ['text', 'thinking', 'stream_reset', 'tool_input'].includes(event.type),
    );
    expect(streamed).toEqual([
      { type: 'thinking', text: 'hm', iteration: 0 },
      { type: 'text', text: 'first', iteration: 0 },
      { type: 'stream_reset', iteration: 0, reason: 'dropped', waitMs: 5 },
      { type: 'text', text: 'second', iteration: 0 },
      { type: 'tool_input', id: 'call_1_1', name: 'a', text: '' },
      { type: 'tool_input', id: 'call_1_1', name: 'a', text: '{}' },
      { type: 'text', text: 'end', iteration: 1 },
    ]);
  });
});

describe('listeners', () => {
  it('that throw do no harm', async () => {
    const it_ = scene(scriptedModel([{ text: 'x' }]));
    const watching = await start(it_);
    watching.session.on(() => {
      throw new Error('a listener fell over');
    });
    expect(await watching.session.settled()).toEqual({ reason: 'completed' });
  });
});
