import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/shared/run/failure';
import { memoryStore } from '../../../src/main/journal/memory';
import { faultyStore } from '../../support/crash';
import { scriptedModel } from '../../support/scripted-model';
import { records, resume, scene, start, testTool } from '../../support/agent';

describe('a reset', () => {
  it('moves the session to a new run that knows nothing of the old one, and leaves nothing locked', async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const it_ = scene(model);
    const watching = await start(it_, { chat: true });
    await watching.session.settled();
    expect(watching.session.reset('begin anew')).toBe(true);
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    const id = watching.session.id;
    expect(id).not.toBe('r');
    expect(watching.events.find((event) => event.type === 'rotated')).toEqual({
      type: 'rotated',
      from: 'r',
      to: id,
    });
    void watching.session.say('more');
    await watching.session.settled();
    expect(await records(it_.store)).toEqual(['meta go', 'assistant 0 one [end_turn]', 'terminal suspended']);
    expect(await records(it_.store, id)).toEqual([
      'meta begin anew',
      'assistant 0 two [end_turn]',
      'user more',
      'assistant 1 three [end_turn]',
    ]);
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', content: [{ text: { text: 'begin anew' } }] },
    ]);
    const loaded = await it_.store.load(id);
    expect(loaded.sidecar.find((entry) => entry.kind === 'lineage')).toMatchObject({
      from: 'r',
      why: 'reset',
      through_seq: 2,
    });
    expect(loaded.state.fingerprint).toEqual((await it_.store.load('r')).state.fingerprint);
    await watching.session.close();
    expect([await it_.store.writer('r'), await it_.store.writer(id)]).toEqual(['none', 'none']);
    const old = await resume(it_);
    expect(await old.session.settled()).toEqual({ reason: 'your_turn' });
    await old.session.close();
  });

  it('in a resumed session drops the reminder, and what was allowed for the run', async () => {
    const change = testTool('change', undefined, { changes: true });
    const call = { tools: [{ name: 'change' }] };
    const model = scriptedModel([{ text: 'one' }, call, { text: 'x' }, call]);
    const it_ = scene(model, [change]);
    const first = await start(it_, { chat: true });
    await first.session.settled();
    await first.session.close();
    const watching = await resume(it_, { say: 'change it' });
    const { request } = await watching.event('approval');
    watching.session.answer(request.hash, { decision: 'run' });
    await watching.session.settled();
    expect(model.requests[1]?.system).toHaveLength(2);
    watching.session.reset('anew');
    const next = await watching.event('approval', (event) => event.request.hash !== request.hash);
    expect(model.requests[3]?.system).toEqual(['You are a test.']);
    expect(next.request.tool).toBe('change');
    await watching.session.close();
  });

  it('that fails says so and goes on in the old context', async () => {
    const store = faultyStore({
      create: (id) =>
        id === 'r' ? undefined : new Failure({ code: 'no_space', message: 'The disk is full.' }),
    });
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const watching = await start(scene(model, [], { store }), { chat: true });
    await watching.session.settled();
    watching.session.reset('anew');
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(watching.warnings).toEqual(['reset_failed']);
    expect(watching.session.id).toBe('r');
    expect(await records(store)).toEqual([
      'meta go',
      'assistant 0 one [end_turn]',
      'user anew',
      'assistant 1 two [end_turn]',
    ]);
  });

  it('whose new run cannot be used leaves no stray run behind', async () => {
    const store = faultyStore({
      note: (entry) =>
        entry.kind === 'lineage' ? new Failure({ code: 'io', message: 'broken' }) : undefined,
    });
    const watching = await start(scene(scriptedModel([{ text: 'one' }, { text: 'two' }]), [], { store }), {
      chat: true,
    });
    await watching.session.settled();
    watching.session.reset('anew');
    await watching.session.settled();
    expect(watching.warnings).toEqual(['reset_failed']);
    expect((await store.list()).map(({ id }) => id)).toEqual(['r']);
  });

  it('warns when the old run cannot be suspended, and is not held up by it', async () => {
    const base = memoryStore();
    const it_ = scene(scriptedModel([{ text: 'one' }, { text: 'two' }]), [], { store: base });
    const watching = await start(it_, { chat: true });
    await watching.session.settled();
    const journal = await base.open('r');
    watching.session.reset('anew');
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(watching.warnings).toEqual(['old_run_not_suspended']);
    await journal.close();
  });

  it('works in a private chat, and not while a turn runs or in a one-shot run', async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const it_ = scene(model);
    const watching = await start(it_, { chat: true, store: undefined });
    expect(watching.session.reset('too early')).toBe(false);
    await watching.session.settled();
    expect(watching.session.reset(' ')).toBe(false);
    expect(watching.session.reset('anew')).toBe(true);
    expect(watching.session.reset('twice')).toBe(false);
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(watching.session.snapshot().state.prompt).toBe('anew');
    expect(await it_.store.list()).toEqual([]);
    const once = await start(scene(scriptedModel([{ text: 'x' }])));
    expect(once.session.reset('x')).toBe(false);
    await once.session.close();
  });
});
