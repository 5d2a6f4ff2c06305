import { describe, expect, it } from 'vitest';
import { PROTOCOL, STOP, type RunRecord } from '../../../src/shared/run/record';
import { preflight } from '../../../src/main/agent';
import { Seal } from '../../../src/main/agent/origin';
import type { Preflight, ResumeOptions } from '../../../src/main/agent';
import type { RunStore } from '../../../src/main/journal/journal';
import { crashed } from '../../support/crash';
import { raw, scriptedModel } from '../../support/scripted-model';
import type { ScriptStep } from '../../support/scripted-model';
import { noteOwn, records, resume, run, scene, start, testTool, testWitness } from '../../support/agent';
import type { Scene } from '../../support/agent';

const look = ({ store, parts, profile }: Scene, options: Partial<ResumeOptions> = {}): Promise<Preflight> =>
  preflight(parts, { store, id: 'r', profile, approvals: 'ask', ...options });
const notes = async (store: RunStore, kind: string) =>
  (await store.load('r')).sidecar.filter((entry) => entry.kind === kind);

/** A run with a changing tool that went through, cut back to record `seq` as a crash there would leave it. */
async function broken(
  seq: number,
  options: {
    steps?: ScriptStep[];
    keep?: Parameters<typeof crashed>[2];
    then?: ScriptStep[];
    chat?: boolean;
  } = {},
) {
  const tools = [testTool('look'), testTool('change', () => ({ content: 'changed' }), { changes: true })];
  const steps = options.steps ?? [{ tools: [{ name: 'look' }, { name: 'change' }] }, { text: 'end' }];
  const before = scene(scriptedModel(steps), tools);
  await run(before, { allow: ['change'], chat: options.chat ?? false });
  const model = scriptedModel(options.then ?? [{ text: 'after' }]);
  const after = scene(
    model,
    tools.map((tool) => testTool(tool.def.name, tool.run, { changes: tool.changes })),
    {
      store: await crashed(before.store, 'r', { seq, ...options.keep }),
    },
  );
  const [again, changeAgain] = after.parts.tools(after.profile) as ReturnType<typeof testTool>[];
  return { it_: after, model, look: again ?? expect.fail(), change: changeAgain ?? expect.fail() };
}
const began = (id: string) => ({
  keep: (entry: { kind: string; tool_use_id?: string }) =>
    entry.kind !== 'intent' || entry.tool_use_id === id,
});

describe('a resume', () => {
  it('runs only what has no result, sends all results in the order of the calls, and pays no call twice', async () => {
    const { it_, model, look: lookTool, change } = await broken(3, { keep: began('call_1_1') });
    expect((await look(it_)).pending.map(({ fate }) => fate)).toEqual(['answered', 'ask']);
    const again = await resume(it_, { allow: ['change'] });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect([lookTool.runs.length, change.runs.length, model.requests.length]).toEqual([0, 1, 1]);
    const sent = model.requests[0]?.messages.at(-1)?.content ?? [];
    expect(sent.map((block) => block.tool_result?.tool_use_id)).toEqual(['call_1_1', 'call_1_2']);
    expect(await records(it_.store)).toEqual([
      'meta go',
      'assistant 0 look#call_1_1 change#call_1_2 [tool_use]',
      'result call_1_1 look ran',
      'result call_1_2 changed',
      'assistant 1 after [end_turn]',
      'terminal completed',
    ]);
  });

  it('notes what it goes on with before it does anything, and reminds the model without writing that anywhere', async () => {
    const { it_, model } = await broken(4);
    await (await resume(it_)).session.settled();
    const [entry] = await notes(it_.store, 'resume');
    const { fingerprint } = (await it_.store.load('r')).state;
    expect(entry).toMatchObject({
      after_seq: 4,
      forced: false,
      accepted: fingerprint,
      changed: [],
      unknown: [],
    });
    expect(model.requests[0]?.system).toHaveLength(2);
    expect(model.requests[0]?.system[0]).toBe('You are a test.');
    expect(model.requests[0]?.system[1]).toMatch(/taken up again/);
  });

  it('of a run whose answer is there but not its end writes the end and calls nobody', async () => {
    const { it_, model } = await broken(5);
    expect((await look(it_)).next).toBe('finish');
    expect(await (await resume(it_)).session.settled()).toEqual({ reason: 'completed' });
    expect(model.requests).toEqual([]);
    expect((await records(it_.store)).at(-1)).toBe('terminal completed');
    await expect(resume(it_)).rejects.toMatchObject({ code: 'already_completed' });
    expect(await look(it_)).toMatchObject({ ok: false, next: 'nothing' });
  });

  it('of a run that was cut short between its turn and the end never runs the calls', async () => {
    const steps = [{ text: 'x', tools: [{ name: 'change' }, { name: 'look' }], stop: STOP.maxTokens }];
    for (const seq of [2, 3, 4]) {
      const { it_, model, change, look: lookTool } = await broken(seq, { steps });
      const seen = await look(it_);
      expect(seen.next).toBe(seq === 4 ? 'finish' : 'tools');
      expect(seen.unknown).toEqual([]);
      expect(await (await resume(it_)).session.settled()).toMatchObject({
        reason: 'error',
        failure: { code: 'model_truncated' },
      });
      expect([change.runs.length, lookTool.runs.length, model.requests.length]).toEqual([0, 0, 0]);
      expect((await records(it_.store)).slice(2).map((line) => line.slice(0, 18))).toEqual([
        'result call_1_1 ! ',
        'result call_1_2 ! ',
        'terminal error',
      ]);
    }
  });

  it('of a run that ended in a turn that was cut short calls again when it ends on the person’s side, else has nothing to do', async () => {
    const withCalls = await broken(9, { steps: [{ tools: [{ name: 'look' }], stop: STOP.maxTokens }] });
    expect((await look(withCalls.it_)).next).toBe('call');
    expect(await (await resume(withCalls.it_)).session.settled()).toEqual({ reason: 'completed' });
    expect(withCalls.model.requests).toHaveLength(1);
    const without = await broken(9, { steps: [{ text: 'half', stop: STOP.maxTokens }] });
    expect((await look(without.it_)).next).toBe('nothing');
    const bytes = await without.it_.store.bytes('r');
    expect(await (await resume(without.it_)).session.settled()).toMatchObject({
      reason: 'error',
      failure: { code: 'model_truncated' },
    });
    expect(await without.it_.store.bytes('r')).toEqual(bytes);
    expect(without.model.requests).toEqual([]);
  });

  it('at a paused turn warns and calls again', async () => {
    const { it_, model } = await broken(2, { steps: [{ text: 'a', stop: STOP.pauseTurn }, { text: 'b' }] });
    expect(await look(it_)).toMatchObject({ pausedTurn: true, next: 'call' });
    const again = await resume(it_);
    await again.session.settled();
    expect(again.warnings).toEqual(['paused_turn']);
    expect(model.requests).toHaveLength(1);
  });

  it('of a chat at its input boundary calls nobody, frees its place, and says what is said', async () => {
    const { it_, model } = await broken(99, { steps: [{ text: 'one' }], chat: true });
    expect((await look(it_)).next).toBe('input');
    const again = await resume(it_);
    expect(await again.session.settled()).toEqual({ reason: 'your_turn' });
    expect([model.requests.length, await it_.store.writer('r')]).toEqual([0, 'none']);
    await again.session.close();
    const third = await resume(it_, { say: 'more' });
    expect(await third.session.settled()).toEqual({ reason: 'your_turn' });
    await third.session.close();
    expect((await records(it_.store)).slice(2)).toEqual(['user more', 'assistant 1 after [end_turn]']);
  });

  it('with words sends them together with the results of the open turn, in one call', async () => {
    const { it_, model, change } = await broken(3, { chat: true, keep: began('call_1_1') });
    const again = await resume(it_, { allow: ['change'], say: 'and be brief' });
    expect(await again.session.settled()).toEqual({ reason: 'your_turn' });
    expect([change.runs.length, model.requests.length]).toEqual([1, 1]);
    expect((await records(it_.store)).slice(3)).toEqual([
      'result call_1_2 changed',
      'user and be brief',
      'assistant 1 after [end_turn]',
    ]);
    await again.session.close();
    await expect(resume(await broken(3).then(({ it_: one }) => one), { say: 'x' })).rejects.toMatchObject({
      code: 'interactivity',
    });
  });

  it('gives a chat a fresh allowance and keeps the one of a one-shot run', async () => {
    const steps: ScriptStep[] = [
      { tools: [{ name: 'look' }] },
      { tools: [{ name: 'look' }] },
      { text: 'end' },
    ];
    const chat = await broken(3, { steps, chat: true });
    const limits = { ...chat.it_.profile, limits: { ...chat.it_.profile.limits, max_iterations: 2 } };
    const again = await resume({ ...chat.it_, profile: limits }, { force: true });
    // The count goes on from the step that was made, and as many are allowed again.
    expect(again.session.snapshot().steps).toEqual({ used: 1, cap: 3 });
    await again.session.close();
    const once = await broken(5, { steps });
    const alone = await resume({ ...once.it_, profile: limits }, { force: true });
    expect(alone.session.snapshot().steps).toEqual({ used: 2, cap: 2 });
    expect(await alone.session.settled()).toMatchObject({ reason: 'max_iterations' });
    expect(once.model.requests).toEqual([]);
  });

  it('answers a call of a tool that the profile no longer has', async () => {
    const { it_ } = await broken(2, { keep: began('none') });
    const less: Scene = { ...it_, parts: { ...it_.parts, tools: () => [testTool('look')] } };
    expect((await look(less)).pending.map(({ fate }) => fate)).toEqual(['run', 'missing']);
    await (await resume(less, { force: true })).session.settled();
    expect((await records(it_.store))[3]).toMatch(/^result call_1_2 ! There is no tool called "change"/);
  });
});

describe('a call that changes something, started and never answered', () => {
  const unknown = () => broken(3);

  it('is never run again by itself: it is listed, and the resume is refused until every one is answered', async () => {
    const { it_, change, model } = await unknown();
    const seen = await look(it_);
    expect(seen.unknown).toMatchObject([
      {
        toolUseId: 'call_1_2',
        tool: 'change',
        fate: 'unknown',
        changes: true,
        startedAt: expect.any(String) as string,
      },
    ]);
    const bytes = await it_.store.bytes('r');
    await expect(resume(it_, { allow: ['change'] })).rejects.toMatchObject({
      code: 'unknown_outcome',
      data: { tools: [{ toolUseId: 'call_1_2' }] },
    });
    await expect(resume(it_, { unknown: [{ toolUseId: 'other', decision: 'run' }] })).rejects.toMatchObject({
      code: 'unknown_outcome',
    });
    expect(await it_.store.bytes('r')).toEqual(bytes);
    expect([change.runs.length, model.requests.length, await it_.store.writer('r')]).toEqual([0, 0, 'none']);
  });

  it('runs again when a person says so, without a second question', async () => {
    const { it_, change } = await unknown();
    const [{ hash } = { hash: '' }] = (await look(it_)).unknown;
    const again = await resume(it_, { unknown: [{ toolUseId: 'call_1_2', hash, decision: 'run' }] });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect(change.runs).toHaveLength(1);
    expect(await notes(it_.store, 'resume')).toMatchObject([
      { unknown: [{ tool_use_id: 'call_1_2', decision: 'run' }] },
    ]);
    expect((await notes(it_.store, 'approval')).at(-1)).toMatchObject({ decision: 'once', by: 'person' });
  });

  it('is skipped when told so, and the model hears that nobody knows', async () => {
    const { it_, change } = await unknown();
    await (await resume(it_, { unknownDefault: 'skip' })).session.settled();
    expect(change.runs).toEqual([]);
    expect((await records(it_.store))[3]).toMatch(/^result call_1_2 ! .*whether it took effect is not known/);
  });

  it('takes a person’s report as its result', async () => {
    const { it_, change } = await unknown();
    await (
      await resume(it_, {
        unknown: [{ toolUseId: 'call_1_2', decision: 'happened', words: 'the line is there' }],
      })
    ).session.settled();
    expect(change.runs).toEqual([]);
    expect((await records(it_.store))[3]).toMatch(
      /^result call_1_2 The run was interrupted.*reports: the line is there$/,
    );
  });

  it('without any note goes on only where a person chooses anew, and then runs nothing by itself', async () => {
    const { it_, look: lookTool } = await broken(2, { keep: { keep: () => false } });
    expect((await it_.store.load('r')).sidecarBound).toBe(false);
    const seen = await look(it_);
    expect(seen.pending.map(({ fate }) => fate)).toEqual(['foreign', 'foreign']);
    await expect(resume(it_, { unknownDefault: 'skip' })).rejects.toMatchObject({ code: 'from_elsewhere' });
    const again = await resume(it_, { unknownDefault: 'skip', acceptOrigin: seen.origin.seen });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect(lookTool.runs).toEqual([]);
  });

  it('stays unknown when the profile has lost its tool', async () => {
    const { it_ } = await unknown();
    const less: Scene = { ...it_, parts: { ...it_.parts, tools: () => [testTool('look')] } };
    expect((await look(less)).pending.map(({ fate }) => fate)).toEqual(['answered', 'unknown']);
  });
});

describe('the gates of a resume', () => {
  const changed = (it_: Scene, patch: Partial<Scene['profile']>): Scene => ({
    ...it_,
    profile: { ...it_.profile, ...patch },
  });

  it('refuse a changed model, prompt, tool, thinking or limit unless forced, and accepted drift is not asked again', async () => {
    const patches: [string, (it_: Scene) => Scene][] = [
      ['model', (it_) => changed(it_, { model: 'other' })],
      ['system_hash', (it_) => changed(it_, { system_prompt: 'You are different.' })],
      [
        'tools_hash',
        (it_) => ({
          ...it_,
          parts: { ...it_.parts, tools: () => [testTool('look', undefined, { description: 'new words' })] },
        }),
      ],
      ['thinking_mode', (it_) => changed(it_, { thinking: true })],
      ['max_tokens', (it_) => changed(it_, { limits: { ...it_.profile.limits, max_tokens: 5000 } })],
      ['max_iterations', (it_) => changed(it_, { limits: { ...it_.profile.limits, max_iterations: 7 } })],
    ];
    for (const [field, patch] of patches) {
      const { it_, model } = await broken(4, {
        then: [{ text: 'x', tools: [{ name: 'look' }] }, { text: 'y' }],
      });
      const drifted = patch(it_);
      const seen = await look(drifted);
      expect(seen.ok).toBe(false);
      expect(seen.diff.filter((one) => one.changed).map((one) => one.field)).toEqual([field]);
      await expect(resume(drifted)).rejects.toMatchObject({ code: 'drift' });
      expect(model.requests).toEqual([]);
      const forced = await resume(drifted, { force: true });
      await forced.event('record', ({ record }) => record.assistant !== undefined);
      await forced.session.close();
      expect(await notes(it_.store, 'resume')).toMatchObject([{ forced: true, changed: [{ field }] }]);
      expect((await it_.store.load('r')).state.terminal?.reason).toBe('suspended');
      expect(await look(drifted)).toMatchObject({ ok: true });
      await expect(resume(it_)).rejects.toMatchObject({ code: 'drift' });
      await (await resume(drifted)).session.settled();
    }
  });

  it('never let another kind of service in, whatever a sidecar says', async () => {
    const { it_ } = await broken(4);
    const other: Scene = {
      ...it_,
      parts: { ...it_.parts, model: () => scriptedModel([], { provider: 'openai' }) },
    };
    await expect(resume(other, { force: true })).rejects.toMatchObject({ code: 'provider_changed' });
    const journal = await it_.store.open('r');
    const { fingerprint } = (await journal.load()).state;
    await noteOwn(journal, {
      kind: 'resume',
      at: '2026-01-01T00:00:00Z',
      after_seq: 4,
      forced: true,
      accepted: { ...fingerprint, provider: 'openai' },
      changed: [],
      unknown: [],
    });
    await journal.close();
    await expect(resume(other, { force: true })).rejects.toMatchObject({ code: 'provider_changed' });
  });

  it('refuse a chat as a one-shot run and the other way round', async () => {
    const chat = await broken(99, { steps: [{ text: 'one' }], chat: true });
    await expect(resume(chat.it_, { interactive: false })).rejects.toMatchObject({ code: 'interactivity' });
    const once = await broken(4);
    await expect(resume(once.it_, { interactive: true })).rejects.toMatchObject({ code: 'interactivity' });
  });

  it('ask about a changed endpoint on its own: force does not answer it', async () => {
    const first = scriptedModel([{ tools: [{ name: 'look' }] }, { text: 'x' }], {
      endpoint: 'https://one.example',
    });
    const it_ = scene(first, [testTool('look')]);
    const watching = await start(it_);
    await watching.event('record', ({ record }) => record.assistant !== undefined);
    await watching.session.close();
    const second = scriptedModel([{ text: 'y' }], { endpoint: 'https://two.example' });
    const moved: Scene = { ...it_, parts: { ...it_.parts, model: () => second } };
    expect(await look(moved)).toMatchObject({
      ok: true,
      recordedEndpoint: 'https://one.example',
      currentEndpoint: 'https://two.example',
    });
    await expect(resume(moved, { force: true })).rejects.toMatchObject({
      code: 'endpoint_changed',
      data: { from: 'https://one.example', to: 'https://two.example' },
    });
    expect(second.requests).toEqual([]);
    expect(await (await resume(moved, { acceptEndpoint: true })).session.settled()).toEqual({
      reason: 'completed',
    });
    expect(await notes(it_.store, 'resume')).toMatchObject([
      { endpoint: { from: 'https://one.example', to: 'https://two.example' } },
    ]);
    expect((await look(moved)).recordedEndpoint).toBe('https://two.example');
  });

  it('judge again under the lock: who was quicker decides', async () => {
    const { it_, model } = await broken(4);
    const racing: RunStore = {
      ...it_.store,
      async open(id) {
        const quicker = await it_.store.open(id);
        await quicker.append({
          seq: 5,
          protocol: PROTOCOL.assistant,
          assistant: {
            iteration: 1,
            message: { role: 'assistant', content: [{ text: { text: 'quick' } }] },
            in_tokens: 0,
            out_tokens: 0,
          },
        });
        await quicker.append({ seq: 6, protocol: PROTOCOL.terminal, terminal: { reason: 'completed' } });
        await quicker.close();
        return it_.store.open(id);
      },
    };
    await expect(resume({ ...it_, store: racing })).rejects.toMatchObject({ code: 'already_completed' });
    expect(model.requests).toEqual([]);
    expect(await it_.store.writer('r')).toBe('none');
  });

  it('run nothing that another process has answered in the meantime', async () => {
    const { it_, change } = await broken(3, { keep: began('call_1_1') });
    const racing: RunStore = {
      ...it_.store,
      async open(id) {
        const quicker = await it_.store.open(id);
        const result: RunRecord = {
          seq: 4,
          protocol: PROTOCOL.tool_result,
          tool_result: { tool_use_id: 'call_1_2', result: { tool_use_id: 'call_1_2', content: 'theirs' } },
        };
        const [meta] = (await quicker.load()).records;
        await quicker.append(result, new Seal(testWitness, meta).ofRecord(result));
        await quicker.close();
        return it_.store.open(id);
      },
    };
    await (await resume({ ...it_, store: racing }, { allow: ['change'] })).session.settled();
    expect(change.runs).toEqual([]);
    expect((await records(it_.store)).filter((line) => line.startsWith('result call_1_2'))).toEqual([
      'result call_1_2 theirs',
    ]);
  });

  it('tell that a run is being written, and that a folder is gone', async () => {
    const { it_ } = await broken(4);
    const journal = await it_.store.open('r');
    await expect(resume(it_)).rejects.toMatchObject({ code: 'locked' });
    expect((await look(it_)).ok).toBe(true);
    await journal.close();
    await expect(resume(it_, { folder: '/no/such/folder' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(resume(it_, { id: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a pre-flight', () => {
  it('shows everything and changes nothing', async () => {
    const { it_ } = await broken(3);
    const before = [await it_.store.bytes('r'), (await it_.store.load('r')).sidecar];
    const seen = await look(it_);
    expect(seen).toMatchObject({
      id: 'r',
      ok: true,
      next: 'tools',
      records: 3,
      paidCalls: 1,
      pausedTurn: false,
      profile: 'test',
      gates: ['completed', 'interactivity', 'provider', 'drift'].map((gate) => ({ gate, outcome: 'pass' })),
      pending: [
        {
          toolUseId: 'call_1_1',
          tool: 'look',
          fate: 'answered',
          changes: false,
          line: 'look {}',
          input: '{}',
        },
        { toolUseId: 'call_1_2', tool: 'change', fate: 'unknown', changes: true },
      ],
    });
    expect(seen.diff).toHaveLength(7);
    expect(seen.nextCallChars).toBeGreaterThan(100);
    expect(Object.keys(seen)).not.toContain('denied');
    expect([await it_.store.bytes('r'), (await it_.store.load('r')).sidecar]).toEqual(before);
  });

  it('reads runs that other programs wrote, without a sidecar', async () => {
    const { it_ } = await broken(1);
    const { fingerprint } = (await it_.store.load('r')).state;
    const journal = await it_.store.create('foreign', {
      seq: 1,
      protocol: PROTOCOL.meta,
      meta: { version: 3, run_id: 'x', created: '2026-01-01T00:00:00Z', fingerprint, prompt: 'p' },
    });
    await journal.append({
      seq: 2,
      protocol: PROTOCOL.assistant,
      assistant: {
        iteration: 4,
        message: {
          role: 'assistant',
          content: [
            { tool_use: { id: 'a', name: 'look', input: raw([]) } },
            { tool_use: { id: 'a', name: 'look', input: raw({}) } },
          ],
        },
        in_tokens: 1,
        out_tokens: 1,
      },
    });
    await journal.close();
    expect(await look(it_, { id: 'foreign' })).toMatchObject({
      next: 'tools',
      origin: { kind: 'elsewhere' },
      pending: [{ fate: 'foreign' }, { fate: 'foreign' }],
    });
    const { seen } = (await look(it_, { id: 'foreign' })).origin;
    const again = await resume(it_, { id: 'foreign', acceptOrigin: seen, unknownDefault: 'skip' });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
  });
});
