import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/shared/run/failure';
import type { FailureInfo } from '../../../src/shared/run/failure';
import { PROTOCOL } from '../../../src/shared/run/record';
import { preflight } from '../../../src/main/agent';
import { memoryStore } from '../../../src/main/journal/memory';
import { faultyStore } from '../../support/crash';
import type { Faults } from '../../support/crash';
import { scriptedModel } from '../../support/scripted-model';
import type { RunRecord } from '../../../src/shared/run/record';
import { Seal } from '../../../src/main/agent/origin';
import { records, resume, run, scene, start, testTool, testWitness } from '../../support/agent';

const full = () => new Failure({ code: 'no_space', message: 'The disk is full.', todo: 'Make room.' });
const steps = [{ tools: [{ name: 'look' }, { name: 'change' }] }, { text: 'end' }];
const tools = () => [testTool('look'), testTool('change', undefined, { changes: true })];

describe('a record that cannot be written', () => {
  it.each([
    ['the answer', 2, 'the answer that the model has just given', []],
    ['a result', 3, 'the result of the tool look', ['look']],
    ['a later result', 4, 'the result of the tool change', ['look', 'change']],
    ['the last answer', 5, 'the answer that the model has just given', ['look', 'change']],
  ])('(%s) ends the run at the record before and says what is not saved', async (_what, seq, lost, ran) => {
    const base = memoryStore();
    let failing = true;
    const made = tools();
    const it_ = scene(scriptedModel(steps), made, {
      store: faultyStore({ append: (record) => (failing && record.seq === seq ? full() : undefined) }, base),
    });
    const { outcome, session } = await run(it_, { allow: ['change'] });
    expect(outcome).toMatchObject({
      reason: 'error',
      failure: { code: 'journaling', data: { seq: seq - 1, cause: 'no_space' }, todo: 'Make room.' },
    });
    expect(outcome.failure?.kept).toBe(`Everything up to record ${seq - 1} is saved; ${lost} is not.`);
    expect(session.snapshot()).toMatchObject({ phase: 'ended', lastSeq: seq - 1 });
    expect(made.filter((tool) => tool.runs.length).map((tool) => tool.def.name)).toEqual(ran);
    expect((await base.load('r')).facts.lastSeq).toBe(seq - 1);
    expect(await base.writer('r')).toBe('none');

    failing = false;
    const unknown = (await preflight(it_.parts, { ...it_, id: 'r', approvals: 'ask' })).unknown;
    expect(unknown.map(({ tool }) => tool)).toEqual(seq === 4 ? ['change'] : []);
    const again = await resume(
      { ...it_, parts: { ...it_.parts, model: () => scriptedModel(seq === 2 ? steps : [{ text: 'end' }]) } },
      { unknownDefault: 'skip', allow: ['change'] },
    );
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect(made[1]?.runs).toHaveLength(1);
  });

  it('(the end) is a warning and changes nothing about how the run ended', async () => {
    const store = faultyStore({ append: (record) => (record.terminal ? full() : undefined) });
    const { outcome, warnings } = await run(scene(scriptedModel([{ text: 'x' }]), [], { store }));
    expect(outcome).toEqual({ reason: 'completed' });
    expect(warnings).toEqual(['terminal_not_saved']);
  });

  it('(a follow-up) ends the session before its turn, and the words are not lost', async () => {
    const model = scriptedModel([{ text: 'x' }]);
    const it_ = scene(model, [], {
      store: faultyStore({ append: (record) => (record.user ? full() : undefined) }),
    });
    const { session } = await start(it_, { chat: true });
    await session.settled();
    expect(await session.say('precious words')).toBe(true);
    expect(await session.settled()).toMatchObject({ reason: 'error', failure: { code: 'journaling' } });
    expect(session.snapshot()).toMatchObject({ phase: 'ended', queued: [{ text: 'precious words' }] });
    expect(model.requests).toHaveLength(1);
  });

  it('that is too large for the store, but leaves the journal alive, ends with a recorded reason', async () => {
    const base = memoryStore();
    const refuse = new Failure({ code: 'too_large', message: 'This record is too large.' });
    const store = {
      ...base,
      async create(...args: Parameters<typeof base.create>) {
        const journal = await base.create(...args);
        return {
          ...journal,
          get lastSeq() {
            return journal.lastSeq;
          },
          dead: undefined,
          append: (record: Parameters<typeof journal.append>[0]) =>
            record.assistant ? Promise.reject(refuse) : journal.append(record),
        };
      },
    };
    const { outcome } = await run(scene(scriptedModel([{ text: 'x' }]), [], { store }));
    expect(outcome.failure?.data?.cause).toBe('too_large');
    expect(await records(base)).toEqual(['meta go', 'terminal error']);
  });
});

describe('a note beside the journal that cannot be written', () => {
  const kinds = ['intent', 'approval'] as const;
  it.each(kinds)('(%s) stops the run before the tool runs', async (kind) => {
    const made = tools();
    const it_ = scene(scriptedModel(steps), made, {
      store: faultyStore({
        note: (entry) => (entry.kind === kind && entry.tool === 'change' ? full() : undefined),
      }),
    });
    const { outcome } = await run(it_, { allow: ['change'] });
    expect(outcome).toMatchObject({ reason: 'error', failure: { code: 'journaling' } });
    expect(made[1]?.runs).toEqual([]);
    expect((await records(it_.store)).at(-1)).toBe('terminal error');
  });

  it('(where it runs) refuses the start, with the run made and its place free', async () => {
    const store = faultyStore({ note: (entry) => (entry.kind === 'config' ? full() : undefined) });
    const it_ = scene(scriptedModel([]), [], { store });
    await expect(start(it_)).rejects.toMatchObject({ code: 'journaling' });
    expect(await records(store)).toEqual(['meta go']);
    expect(await store.writer('r')).toBe('none');
  });

  it('(a resume) refuses the resume before anything happens', async () => {
    const faults: Faults = {};
    const store = faultyStore(faults);
    const model = scriptedModel([{ text: 'x', hang: true }, { text: 'y' }]);
    const it_ = scene(model, [], { store });
    const first = await start(it_);
    await model.streamed(1);
    await first.session.close();
    faults.note = (entry) => (entry.kind === 'resume' ? full() : undefined);
    await expect(resume(it_)).rejects.toMatchObject({ code: 'journaling' });
    expect([model.requests.length, await store.writer('r')]).toEqual([1, 'none']);
  });

  it('(times, partial text) is missed by nobody', async () => {
    const store = faultyStore({
      note: (entry) => (entry.kind === 'time' || entry.kind === 'partial' ? full() : undefined),
    });
    expect((await run(scene(scriptedModel([{ text: 'x' }]), [], { store }))).outcome).toEqual({
      reason: 'completed',
    });
  });
});

describe('a place that is lost while it is held', () => {
  it('ends a model call at once: what it would say could not be saved', async () => {
    let lose: (failure: FailureInfo) => void = () => {};
    const store = faultyStore({ lost: (how) => (lose = how) });
    const model = scriptedModel([{ text: 'x', hang: true }]);
    const watching = await start(scene(model, [], { store }), { chat: true });
    await model.streamed(1);
    lose({ code: 'fenced', message: 'Somebody else wrote to this run.' });
    expect(await watching.session.settled()).toMatchObject({
      reason: 'error',
      failure: { code: 'journaling', data: { cause: 'fenced' } },
    });
    expect(model.aborted).toEqual([1]);
    expect(await records(store)).toEqual(['meta go']);
  });

  it('begins no tool, and leaves one that changes something as unknown', async () => {
    let lose: (failure: FailureInfo) => void = () => {};
    const base = memoryStore();
    const store = faultyStore({ lost: (how) => (lose = how) }, base);
    const slow = testTool(
      'slow',
      (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ content: 'stopped', is_error: true })),
        ),
      { changes: true },
    );
    const after = testTool('after');
    const it_ = scene(scriptedModel([{ tools: [{ name: 'slow' }, { name: 'after' }] }]), [slow, after], {
      store,
    });
    const watching = await start(it_, { allow: ['slow'] });
    await watching.event('tool_started');
    lose({ code: 'fenced', message: 'gone' });
    expect(await watching.session.settled()).toMatchObject({ failure: { code: 'journaling' } });
    expect(after.runs).toEqual([]);
    expect(
      (await preflight(it_.parts, { ...it_, store: base, id: 'r', approvals: 'ask' })).unknown,
    ).toHaveLength(1);
  });
});

describe('a chat at rest', () => {
  const chat = async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const it_ = scene(model);
    const watching = await start(it_, { chat: true });
    await watching.session.settled();
    return { it_, model, watching, session: watching.session };
  };

  it('goes on from where another process took the run, and says so', async () => {
    const { it_, model, watching, session } = await chat();
    const other = await resume(it_, { say: 'from elsewhere' });
    await other.session.settled();
    void session.say('from here');
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    expect(watching.warnings).toEqual(['run_grown']);
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 one [end_turn]',
      'user from elsewhere',
      'assistant 1 two [end_turn]',
      'user from here',
      'assistant 2 three [end_turn]',
    ]);
    expect(model.requests[2]?.messages).toHaveLength(5);
    await other.session.close();
  });

  it('misses nothing that is said while it gives its place back', async () => {
    const base = memoryStore();
    const giving: (() => void)[] = [];
    const store = {
      ...base,
      async create(...args: Parameters<typeof base.create>) {
        const journal = await base.create(...args);
        return new Proxy(journal, {
          get: (target, key) => {
            if (key === 'close') return async () => (giving.shift()?.(), target.close());
            const value: unknown = Reflect.get(target, key);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      },
    };
    const fails = { fail: new Failure({ code: 'model_overloaded', message: 'busy' }) };
    const it_ = scene(scriptedModel([fails, { text: 'one' }]), [], { store });
    const watching = await start(it_, { chat: true });
    const said: Promise<boolean>[] = [];
    giving.push(() => said.push(watching.session.say('just now')));
    expect(await watching.session.settled()).toMatchObject({ reason: 'error' });
    expect(await Promise.all(said)).toEqual([true]);
    // Its turn failed meanwhile, so it waits for the person's word.
    expect(watching.session.snapshot().queued).toMatchObject([{ text: 'just now', held: true }]);
    expect((await records(base)).slice(1)).toEqual(['terminal error']);
  });

  it('keeps what was said while another process writes, and sends it when asked again', async () => {
    const { it_, watching, session } = await chat();
    const journal = await it_.store.open('r');
    void session.say('hello');
    expect(await session.settled()).toMatchObject({ reason: 'error', failure: { code: 'locked' } });
    const [hello] = session.snapshot().queued;
    expect(hello).toMatchObject({ text: 'hello', held: true });
    expect(watching.warnings).toEqual(['locked']);
    await journal.close();
    expect(await session.send(hello?.id ?? '')).toBe(true);
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    expect((await records(it_.store)).slice(2)).toEqual(['user hello', 'assistant 1 two [end_turn]']);
  });

  it('goes no further when somebody accepted other settings for the run meanwhile', async () => {
    const { it_, session } = await chat();
    const other = await resume({ ...it_, profile: { ...it_.profile, model: 'other' } }, { force: true });
    await other.session.settled();
    void session.say('hello');
    expect(await session.settled()).toMatchObject({ failure: { code: 'drift' } });
    expect(session.snapshot()).toMatchObject({ phase: 'idle', queued: [{ text: 'hello', held: true }] });
    expect(await it_.store.writer('r')).toBe('none');
    await other.session.close();
  });

  it('does not go on by itself with a turn that was left open elsewhere, or in a run that was replaced', async () => {
    const { it_, session } = await chat();
    const journal = await it_.store.open('r');
    const seal = new Seal(testWitness, (await journal.load()).records[0]);
    await journal.append({
      seq: 3,
      protocol: PROTOCOL.user,
      user: { message: { role: 'user', content: [{ text: { text: 'x' } }] } },
    });
    const turn: RunRecord = {
      seq: 4,
      protocol: PROTOCOL.assistant,
      assistant: {
        iteration: 1,
        message: { role: 'assistant', content: [{ tool_use: { id: 'a', name: 'b', input: '{}' as never } }] },
        in_tokens: 0,
        out_tokens: 0,
      },
    };
    await journal.append(turn, seal.ofRecord(turn));
    await journal.close();
    void session.say('hello');
    expect(await session.settled()).toMatchObject({ failure: { code: 'conflict' } });
    const { fingerprint } = session.snapshot().state;
    await it_.store.purge('r');
    await (
      await it_.store.create('r', {
        seq: 1,
        protocol: PROTOCOL.meta,
        meta: {
          version: 3,
          run_id: 'r',
          created: '2026-01-01T00:00:00Z',
          fingerprint,
          prompt: 'another',
          interactive: true,
        },
      })
    ).close();
    await session.send(session.snapshot().queued[0]?.id ?? '');
    expect(await session.settled()).toMatchObject({ failure: { code: 'conflict' } });
    expect(session.snapshot().queued).toMatchObject([{ text: 'hello', held: true }]);
  });
});
