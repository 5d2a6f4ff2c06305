import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/shared/run/failure';
import { scriptedModel } from '../../support/scripted-model';
import { noteOwn, records, resume, run, scene, start, testTool } from '../../support/agent';

const change = (name = 'change') => testTool(name, () => ({ content: 'changed' }), { changes: true });
const notes = async (store: Parameters<typeof records>[0], kind: string, id = 'r') =>
  (await store.load(id)).sidecar.filter((entry) => entry.kind === kind);

describe('a call that changes something', () => {
  it('waits for a person, shows exactly what would run, and runs once allowed', async () => {
    const tool = change();
    const it_ = scene(
      scriptedModel([{ tools: [{ name: 'change', input: { path: 'a' } }] }, { text: 'end' }]),
      [tool],
    );
    const { session, event, events } = await start(it_).then((watched) => ({
      session: watched.session,
      events: watched.events,
      event: watched.event.bind(watched),
    }));
    const { request } = await event('approval');
    expect(request).toMatchObject({
      tool: 'change',
      toolUseId: 'call_1_1',
      input: '{"path":"a"}',
      line: 'change {"path":"a"}',
    });
    expect(session.snapshot()).toMatchObject({ phase: 'waiting', approval: request });
    expect(tool.runs).toEqual([]);
    expect(session.answer('another hash', { decision: 'once' })).toBe(false);
    expect(session.answer(request.hash, { decision: 'once' })).toBe(true);
    expect(session.answer(request.hash, { decision: 'once' })).toBe(false);
    expect(await session.settled()).toEqual({ reason: 'completed' });
    expect(tool.runs).toEqual([{ path: 'a' }]);
    expect(events.filter((one) => one.type === 'approval_settled')).toEqual([
      { type: 'approval_settled', toolUseId: 'call_1_1', decision: 'once' },
    ]);
    expect(await notes(it_.store, 'approval')).toMatchObject([
      { decision: 'once', by: 'person', hash: request.hash, tool: 'change' },
    ]);
    expect(await notes(it_.store, 'intent')).toMatchObject([{ tool_use_id: 'call_1_1', changes: true }]);
  });

  it('is asked about with a caution that the tool has, also where its tool was allowed before, and runs with it', async () => {
    const cautions: unknown[] = [];
    const tool = {
      ...testTool('change', (_, context) => (cautions.push(context.caution), { content: 'ok' }), {
        changes: true,
      }),
      caution: (input: unknown) =>
        Promise.resolve((input as { risky?: boolean }).risky ? 'It loses its encoding.' : undefined),
    };
    const calls = [{ name: 'change' }, { name: 'change', input: { risky: true } }];
    const it_ = scene(scriptedModel([{ tools: calls }, { text: 'end' }]), [tool]);
    const watching = await start(it_, { allow: ['change'] });
    const { request } = await watching.event('approval');
    expect(request).toMatchObject({ toolUseId: 'call_1_2' });
    expect(request.line).toBe('change {"risky":true}. Caution: It loses its encoding.');
    watching.session.answer(request.hash, { decision: 'once' });
    expect(await watching.session.settled()).toEqual({ reason: 'completed' });
    expect(cautions).toEqual([undefined, 'It loses its encoding.']);
    const quiet = await run(scene(scriptedModel([{ tools: calls }, { text: 'end' }]), [tool]), {
      allow: ['change'],
      approvals: 'auto-deny',
    });
    expect(quiet).toBeTruthy();
    expect(cautions).toHaveLength(3);
  });

  it('is asked once for the run when allowed so, and always when allowed once', async () => {
    const tool = change();
    const twice = { tools: [{ name: 'change' }, { name: 'change' }] };
    const it_ = scene(scriptedModel([twice, twice, { text: 'end' }]), [tool]);
    const watching = await start(it_);
    const first = await watching.event('approval');
    watching.session.answer(first.request.hash, { decision: 'once' });
    const second = await watching.event('approval', ({ request }) => request.hash !== first.request.hash);
    expect(second.request.toolUseId).toBe('call_1_2');
    watching.session.answer(second.request.hash, { decision: 'run' });
    expect(await watching.session.settled()).toEqual({ reason: 'completed' });
    expect(tool.runs).toHaveLength(4);
    expect(watching.events.filter((event) => event.type === 'approval')).toHaveLength(2);
    expect((await notes(it_.store, 'approval')).map((entry) => 'by' in entry && entry.by)).toEqual([
      'person',
      'person',
      'run',
      'run',
    ]);
  });

  it('needs no question when a flag allows it, and is refused when nobody is there to ask', async () => {
    const [tool, other] = [change(), change('other')];
    const model = scriptedModel([{ tools: [{ name: 'change' }, { name: 'other' }] }, { text: 'end' }]);
    const it_ = scene(model, [tool, other]);
    const { outcome, events } = await run(it_, { allow: ['change'], approvals: 'auto-deny' });
    expect(outcome).toEqual({ reason: 'completed' });
    expect([tool.runs.length, other.runs.length]).toEqual([1, 0]);
    expect(events.some((event) => event.type === 'approval')).toBe(false);
    expect((await records(it_.store))[3]).toBe(
      'result call_1_2 {"allowed":false,"reason":"Nobody is there to allow this call."}',
    );
  });

  it('that is refused is answered with the words, which is no error', async () => {
    const tool = change();
    const it_ = scene(scriptedModel([{ tools: [{ name: 'change' }, { name: 'change' }] }, { text: 'end' }]), [
      tool,
    ]);
    const watching = await start(it_);
    const { request } = await watching.event('approval');
    watching.session.answer(request.hash, { decision: 'deny', words: 'use "b" instead' });
    const next = await watching.event('approval', (event) => event.request.hash !== request.hash);
    watching.session.answer(next.request.hash, { decision: 'deny', words: ' ' });
    await watching.session.settled();
    expect(tool.runs).toEqual([]);
    const lines = await records(it_.store);
    expect(lines[2]).toBe('result call_1_1 {"allowed":false,"reason":"use \\"b\\" instead"}');
    expect(lines[3]).toBe('result call_1_2 {"allowed":false,"reason":"The person did not allow this call."}');
    expect(await notes(it_.store, 'intent')).toEqual([]);
  });

  it('is never answered by something that is said: that waits for the answer after it', async () => {
    const tool = change();
    const model = scriptedModel([{ tools: [{ name: 'change' }] }, { text: 'one' }, { text: 'two' }]);
    const it_ = scene(model, [tool]);
    const watching = await start(it_, { chat: true });
    const { request } = await watching.event('approval');
    expect(await watching.session.say('yes, go ahead')).toBe(true);
    expect(watching.session.snapshot()).toMatchObject({
      phase: 'waiting',
      queued: [{ text: 'yes, go ahead', held: false }],
    });
    expect(tool.runs).toEqual([]);
    watching.session.answer(request.hash, { decision: 'once' });
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(tool.runs).toHaveLength(1);
    expect((await records(it_.store)).slice(2)).toEqual([
      'result call_1_1 changed',
      'assistant 1 one [end_turn]',
      'user yes, go ahead',
      'assistant 2 two [end_turn]',
    ]);
  });

  it('is bound to its input, its tool and its folder', async () => {
    const hashes = new Set<string>();
    for (const [input, description] of [
      [{ a: 1 }, 'x'],
      [{ a: 2 }, 'x'],
      [{ a: 1 }, 'y'],
    ] as const) {
      const it_ = scene(scriptedModel([{ tools: [{ name: 'change', input }] }]), [
        testTool('change', undefined, { changes: true, description }),
      ]);
      const watching = await start(it_);
      hashes.add((await watching.event('approval')).request.hash);
      await watching.session.close();
    }
    expect(hashes.size).toBe(3);
  });

  it('whose question is open when everything ends is asked again after a restart', async () => {
    const tool = change();
    const model = scriptedModel([{ tools: [{ name: 'change' }] }, { text: 'end' }]);
    const it_ = scene(model, [tool]);
    const watching = await start(it_);
    await watching.event('approval');
    await watching.session.close();
    expect(watching.events.find((event) => event.type === 'approval_settled')).toMatchObject({
      decision: 'withdrawn',
    });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 change#call_1_1 [tool_use]',
      'terminal suspended',
    ]);
    const again = await resume(it_);
    const { request } = await again.event('approval');
    again.session.answer(request.hash, { decision: 'once' });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect(tool.runs).toHaveLength(1);
  });

  it('that was refused just before a crash is answered with those words, not asked again', async () => {
    const tool = change();
    const it_ = scene(scriptedModel([{ tools: [{ name: 'change' }] }, { text: 'end' }]), [tool]);
    const watching = await start(it_);
    await watching.event('approval');
    await watching.session.close();
    const journal = await it_.store.open('r');
    await noteOwn(journal, {
      kind: 'approval',
      at: '2026-01-01T00:00:00Z',
      tool_use_id: 'call_1_1',
      tool: 'change',
      hash: 'h',
      decision: 'deny',
      by: 'person',
      words: 'not this',
    });
    await journal.close();
    const again = await resume(it_);
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect((await records(it_.store))[3]).toBe('result call_1_1 {"allowed":false,"reason":"not this"}');
    expect(tool.runs).toEqual([]);
  });
});

describe('tools that misbehave', () => {
  it('give error results: thrown, unknown, without an answer, too slow', async () => {
    const tools = [
      testTool('throws', () => {
        throw new Error('kaputt');
      }),
      testTool('rejects', () => Promise.reject(new Failure({ code: 'tool_failed', message: 'no luck' }))),
      testTool('mute', () => undefined as never),
      testTool(
        'slow',
        (_, { signal }) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve({ content: 'stopped early', is_error: true })),
          ),
        { timeoutMs: 30 },
      ),
    ];
    const names = ['throws', 'rejects', 'mute', 'slow', 'nowhere'];
    const it_ = scene(scriptedModel([{ tools: names.map((name) => ({ name })) }, { text: 'end' }]), tools);
    expect((await run(it_)).outcome).toEqual({ reason: 'completed' });
    expect((await records(it_.store)).slice(2, 7)).toEqual([
      'result call_1_1 ! The tool failed: kaputt',
      'result call_1_2 ! The tool failed: no luck',
      'result call_1_3 ! The tool failed: It gave no answer that can be read.',
      'result call_1_4 ! Stopped: the call did not finish within 0.03 seconds. Its last words: stopped early',
      'result call_1_5 ! There is no tool called "nowhere". There are: throws, rejects, mute, slow.',
    ]);
  });

  it('that do not stop when told to are left behind, and the model hears that the outcome is not known', async () => {
    const deaf = testTool('deaf', () => new Promise<never>(() => {}), { timeoutMs: 20, changes: true });
    const it_ = scene(scriptedModel([{ tools: [{ name: 'deaf' }] }, { text: 'end' }]), [deaf]);
    expect((await run(it_, { allow: ['deaf'] })).outcome).toEqual({ reason: 'completed' });
    expect((await records(it_.store))[2]).toMatch(
      /did not finish within 0.02 seconds. Whether it took effect is not known./,
    );
  });

  it('whose own words fail are shown by name and input', async () => {
    const tool = {
      ...change(),
      describe: () => {
        throw new Error('no words');
      },
    };
    const watching = await start(
      scene(scriptedModel([{ tools: [{ name: 'change', input: { a: 1 } }] }]), [tool]),
    );
    expect((await watching.event('approval')).request.line).toBe('change {"a":1}');
    await watching.session.close();
  });
});
