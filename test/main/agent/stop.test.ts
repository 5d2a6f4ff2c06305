import { describe, expect, it } from 'vitest';
import type { ToolContext, ToolOutcome } from '../../../src/main/tool/tool';
import { scriptedModel } from '../../support/scripted-model';
import { preflight } from '../../../src/main/agent';
import { memoryStore } from '../../../src/main/journal/memory';
import type { RunStore } from '../../../src/main/journal/journal';
import { records, resume, scene, start, testTool } from '../../support/agent';

/** Runs until it is told to stop, and then says what it did. */
const untilStopped =
  (words?: string) =>
  (_: unknown, { signal }: ToolContext) =>
    new Promise<ToolOutcome>((resolve) => {
      const stop = (): void => resolve({ content: words ?? 'nothing was changed', is_error: true });
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
    });
const three = { tools: [{ name: 'a' }, { name: 'slow' }, { name: 'a' }] };

describe('cancel', () => {
  it('answers the running call as interrupted and the rest as not run, then suspends; a resume goes on', async () => {
    const [a, slow] = [testTool('a'), testTool('slow', untilStopped('half was done'))];
    const model = scriptedModel([three, { text: 'end' }]);
    const it_ = scene(model, [a, slow]);
    const watching = await start(it_);
    await watching.event('tool_started', (event) => event.tool === 'slow');
    expect(watching.session.snapshot()).toMatchObject({
      phase: 'tool',
      runningTool: { tool: 'slow', toolUseId: 'call_1_2' },
    });
    watching.session.cancel();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
    expect((await records(it_.store)).slice(2)).toEqual([
      'result call_1_1 a ran',
      'result call_1_2 ! Interrupted: the person stopped the turn while this call ran. Its last words: half was done',
      'result call_1_3 ! Not run: the person stopped the turn before this call began.',
      'terminal suspended',
    ]);
    expect(await it_.store.writer('r')).toBe('none');
    expect(await (await resume(it_)).session.settled()).toEqual({ reason: 'completed' });
    expect([a.runs.length, slow.runs.length, model.requests.length]).toEqual([1, 1, 2]);
  });

  it('keeps what a tool had finished in that very moment', async () => {
    const quick = testTool(
      'slow',
      (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: 'all done' }))),
    );
    const it_ = scene(scriptedModel([{ tools: [{ name: 'slow' }] }]), [quick]);
    const watching = await start(it_);
    await watching.event('tool_started');
    watching.session.cancel();
    await watching.session.settled();
    expect((await records(it_.store))[2]).toBe('result call_1_1 all done');
  });

  it('closes the stream of the model at once and keeps what was streamed as lost text', async () => {
    const model = scriptedModel([
      { thinking: 'let me see', text: 'The answer is', hang: true },
      { text: '42' },
    ]);
    const it_ = scene(model);
    const watching = await start(it_);
    await model.streamed(1);
    expect(watching.session.snapshot().streaming).toEqual({
      iteration: 0,
      text: 'The answer is',
      thinking: 'let me see',
    });
    watching.session.cancel();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
    expect(model.aborted).toEqual([1]);
    expect(await records(it_.store)).toEqual(['meta go', 'terminal suspended']);
    const seen = await preflight(it_.parts, { ...it_, id: 'r', approvals: 'ask' });
    expect(seen.lost).toMatchObject({ text: 'The answer is', thinking: 'let me see' });
    expect(seen.next).toBe('call');
    await (await resume(it_)).session.settled();
    expect(JSON.stringify(model.requests[1])).not.toContain('The answer is');
    expect((await preflight(it_.parts, { ...it_, id: 'r', approvals: 'ask' })).lost).toBeUndefined();
  });

  it('answers a call that waits for approval as not run', async () => {
    const it_ = scene(scriptedModel([{ tools: [{ name: 'change' }] }]), [
      testTool('change', undefined, { changes: true }),
    ]);
    const watching = await start(it_);
    await watching.event('approval');
    watching.session.cancel();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
    expect((await records(it_.store))[2]).toMatch(/^result call_1_1 ! Not run: the person stopped/);
  });

  it('is not weakened by a pause that comes after it', async () => {
    const [a, slow] = [testTool('a'), testTool('slow', untilStopped())];
    const it_ = scene(scriptedModel([three]), [a, slow]);
    const watching = await start(it_);
    await watching.event('tool_started', (event) => event.tool === 'slow');
    watching.session.cancel();
    watching.session.pause();
    expect(watching.session.snapshot().pausing).toBe(false);
    await watching.session.settled();
    expect((await records(it_.store)).at(-2)).toMatch(/^result call_1_3 ! Not run/);
  });

  it('holds what waits, and what is said while it stops', async () => {
    const model = scriptedModel([{ text: 'x', hang: true }]);
    const watching = await start(scene(model), { chat: true });
    await model.streamed(1);
    await watching.session.say('later');
    watching.session.cancel();
    expect(await watching.session.say('at the last moment')).toBe(true);
    await watching.session.settled();
    expect(await watching.session.say('too late')).toBe(false);
    const held = [
      { text: 'later', held: true },
      { text: 'at the last moment', held: true },
    ];
    expect(watching.session.snapshot()).toMatchObject({ phase: 'ended', queued: held });
  });
});

describe('pause', () => {
  it('lets the running call finish and stops before the next one', async () => {
    let release = (): void => {};
    const slow = testTool(
      'slow',
      () => new Promise<ToolOutcome>((resolve) => (release = () => resolve({ content: 'whole' }))),
    );
    const a = testTool('a');
    const model = scriptedModel([three, { text: 'end' }]);
    const it_ = scene(model, [a, slow]);
    const watching = await start(it_);
    await watching.event('tool_started', (event) => event.tool === 'slow');
    watching.session.pause();
    expect(watching.session.snapshot().pausing).toBe(true);
    release();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
    expect((await records(it_.store)).slice(2)).toEqual([
      'result call_1_1 a ran',
      'result call_1_2 whole',
      'terminal suspended',
    ]);
    const again = await resume(it_);
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect([a.runs.length, slow.runs.length, model.requests.length]).toEqual([2, 1, 2]);
    expect((await it_.store.load('r')).state.messages[2]?.content).toHaveLength(3);
  });

  it('waits for the answer of the model, records it, and runs no tool of it', async () => {
    let release = (): void => {};
    const a = testTool('a');
    const model = scriptedModel([
      { ...{ tools: [{ name: 'a' }] }, hold: new Promise<void>((resolve) => (release = resolve)) },
    ]);
    const it_ = scene(model, [a]);
    const watching = await start(it_);
    await model.streamed(1);
    watching.session.pause();
    release();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 a#call_1_1 [tool_use]',
      'terminal suspended',
    ]);
    expect(a.runs).toEqual([]);
  });

  it('of a run whose answer arrives is no pause: there is nothing left to do', async () => {
    let release = (): void => {};
    const model = scriptedModel([
      { text: 'x', hold: new Promise<void>((resolve) => (release = resolve)) },
      { text: 'y' },
    ]);
    const it_ = scene(model);
    const watching = await start(it_, { chat: true });
    await model.streamed(1);
    await watching.session.say('queued');
    watching.session.pause();
    release();
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
    expect(watching.session.snapshot()).toMatchObject({
      phase: 'idle',
      queued: [{ text: 'queued', held: true }],
      pausing: false,
    });
    expect(model.requests).toHaveLength(1);
  });

  it('leaves a call that waits for approval open', async () => {
    const it_ = scene(scriptedModel([{ tools: [{ name: 'change' }] }]), [
      testTool('change', undefined, { changes: true }),
    ]);
    const watching = await start(it_);
    await watching.event('approval');
    watching.session.pause();
    expect(await watching.session.settled()).toEqual({ reason: 'suspended' });
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 change#call_1_1 [tool_use]',
      'terminal suspended',
    ]);
  });
});

describe('close', () => {
  it('of a chat at rest writes nothing', async () => {
    const it_ = scene(scriptedModel([{ text: 'x' }]));
    const { session, events } = await start(it_, { chat: true });
    await session.settled();
    const before = await it_.store.bytes('r');
    await session.close();
    await session.close();
    expect(await it_.store.bytes('r')).toEqual(before);
    expect(session.snapshot().phase).toBe('ended');
    expect(await session.say('x')).toBe(false);
    expect(session.reset('x')).toBe(false);
    expect(events.filter((event) => event.type === 'ended')).toHaveLength(1);
  });

  it('in the middle leaves calls that did not begin, and one that only looks, for later', async () => {
    const [a, slow] = [testTool('a'), testTool('slow', untilStopped())];
    const it_ = scene(scriptedModel([three, { text: 'end' }]), [a, slow]);
    const watching = await start(it_);
    await watching.event('tool_started', (event) => event.tool === 'slow');
    await watching.session.close();
    expect((await records(it_.store)).slice(2)).toEqual(['result call_1_1 a ran', 'terminal suspended']);
    const seen = await preflight(it_.parts, { ...it_, id: 'r', approvals: 'ask' });
    expect(seen.pending.map(({ fate }) => fate)).toEqual(['answered', 'run', 'run']);
    expect(seen.unknown).toEqual([]);
  });

  it('in the middle of a call that changes something says what is known of it', async () => {
    const slow = testTool('slow', untilStopped('wrote 3 of 7'), { changes: true });
    const it_ = scene(scriptedModel([three, { text: 'end' }]), [testTool('a'), slow]);
    const watching = await start(it_, { allow: ['slow'] });
    await watching.event('tool_started', (event) => event.tool === 'slow');
    await watching.session.close();
    expect((await records(it_.store)).slice(3)).toEqual([
      'result call_1_2 ! Interrupted: the person stopped the turn while this call ran. Its last words: wrote 3 of 7',
      'terminal suspended',
    ]);
  });

  it('right after the start, or while a message is on its way, never hangs and loses nothing', async () => {
    const it_ = scene(scriptedModel([{ text: 'x' }], { repeat: true }));
    const first = await start(it_, { chat: true });
    await first.session.close();
    expect(await records(it_.store)).toEqual(['meta go', 'terminal suspended']);
    const second = await resume(it_);
    await second.session.settled();
    second.session.say('hello').catch(() => undefined);
    await second.session.close();
    const lines = await records(it_.store);
    expect(lines.slice(0, 3)).toEqual(['meta go', 'terminal suspended', 'assistant 0 x [end_turn]']);
    expect(lines.includes('user hello') || second.session.snapshot().queued[0]?.text === 'hello').toBe(true);
    expect(await it_.store.writer('r')).toBe('none');
  });
});

describe('time that passes while the machine sleeps', () => {
  const sleepy = () => {
    const ticks = new Set<() => void>();
    const time = { monotonic: 0, wall: 1_000_000 };
    return {
      pass(monotonic: number, wall = monotonic) {
        time.monotonic += monotonic;
        time.wall += wall;
        for (const tick of [...ticks]) tick();
      },
      get watched() {
        return ticks.size;
      },
      clock: {
        monotonic: () => time.monotonic,
        wall: () => time.wall,
        every(_ms: number, run: () => void) {
          ticks.add(run);
          return () => void ticks.delete(run);
        },
      },
    };
  };

  it('ends a model call whose connection cannot have survived, coherently, and a retry goes on', async () => {
    const { clock, pass } = sleepy();
    const model = scriptedModel([{ text: 'I was say', hang: true }, { text: 'again' }]);
    const it_ = scene(model, [], { clock });
    const watching = await start(it_, { chat: true });
    await model.streamed(1);
    pass(100, 60_000);
    expect(watching.session.snapshot().phase).toBe('calling');
    pass(100, 8 * 3_600_000);
    expect(await watching.session.settled()).toMatchObject({
      reason: 'error',
      failure: { code: 'model_timeout', data: { slept: true } },
    });
    expect(watching.session.snapshot().phase).toBe('idle');
    expect(await records(it_.store)).toEqual(['meta go', 'terminal error']);
    void watching.session.say('go on');
    expect(await watching.session.settled()).toEqual({ reason: 'your_turn' });
  });

  it('is not needed for what was streamed to be kept: it is noted along the way, now and then', async () => {
    const { clock, pass } = sleepy();
    async function* answer() {
      for (let i = 0; i < 40; i++) {
        pass(100);
        yield { type: 'text' as const, text: `${i} ` };
      }
      yield {
        type: 'turn' as const,
        turn: {
          content: [{ text: { text: 'x' } }],
          stop_reason: 'end_turn',
          usage: { in_tokens: 1, out_tokens: 1 },
        },
      };
    }
    const store = memoryStore();
    const texts: string[] = [];
    let removed = 0;
    const create: RunStore['create'] = async (id, meta) => {
      const journal = await store.create(id, meta);
      const put = journal.putSlip.bind(journal);
      journal.putSlip = (name, text, how) => {
        if (text === undefined) removed++;
        else texts.push((JSON.parse(text) as { text: string }).text);
        return put(name, text, how);
      };
      return journal;
    };
    const it_ = scene({ ...scriptedModel([]), answer }, [], { clock, store: { ...store, create } });
    const watching = await start(it_);
    expect(await watching.session.settled()).toEqual({ reason: 'completed' });
    // Once its record is durable, it is nowhere beside the run.
    expect([removed, await store.slip('r', 'partial')]).toEqual([1, undefined]);
    expect((await store.load('r')).sidecar.some(({ kind }) => kind === 'partial')).toBe(false);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.length).toBeLessThan(10);
    texts.forEach((text, i) => expect(text.startsWith(texts[i - 1] ?? '0 ')).toBe(true));
  });

  it('lets a call go on that is not out of time, and watches nothing afterwards', async () => {
    const sleep = sleepy();
    let release = (): void => {};
    const model = scriptedModel([{ text: 'x', hold: new Promise<void>((resolve) => (release = resolve)) }]);
    const watching = await start(scene(model, [], { clock: sleep.clock }));
    await model.streamed(1);
    sleep.pass(1000, 100_000);
    release();
    expect(await watching.session.settled()).toEqual({ reason: 'completed' });
    expect(sleep.watched).toBe(0);
  });

  it('is not what a clock says that is a little ahead of the other', async () => {
    const { clock, pass } = sleepy();
    const slow = testTool('slow', untilStopped(), { timeoutMs: 10_000 });
    const it_ = scene(scriptedModel([{ tools: [{ name: 'slow' }] }, { text: 'x' }]), [slow], { clock });
    const watching = await start(it_);
    await watching.event('tool_started');
    pass(9_999, 10_001);
    pass(1);
    expect(await watching.session.settled()).toEqual({ reason: 'completed' });
    expect((await records(it_.store))[2]).not.toContain('slept');
  });

  it('ends a tool in the same way, and a silent model by the clock that only runs when awake', async () => {
    const sleep = sleepy();
    const slow = testTool('slow', untilStopped(), { timeoutMs: 10_000 });
    const model = scriptedModel([{ tools: [{ name: 'slow' }] }, { text: 'x', hang: true }]);
    const it_ = scene(model, [slow], { clock: sleep.clock });
    const watching = await start(it_);
    await watching.event('tool_started');
    sleep.pass(10, 20_000);
    await model.streamed(2);
    expect((await records(it_.store))[2]).toContain('(the computer slept meanwhile)');
    sleep.pass(130_000);
    expect(await watching.session.settled()).toMatchObject({
      reason: 'error',
      failure: { code: 'model_timeout', data: { slept: false } },
    });
  });
});
