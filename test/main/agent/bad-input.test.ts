import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { preflight } from '../../../src/main/agent';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { continueRun } from '../../../src/main/library/fork';
import { records, resume, run, scene, start, testTool } from '../../support/agent';
import type { Scene, TestTool } from '../../support/agent';
import { crashed, faultyStore } from '../../support/crash';
import { scriptedModel } from '../../support/scripted-model';
import type { ScriptStep } from '../../support/scripted-model';

const BAD = '{"path": "a.txt", "text": "half';
const TOLD = `! Not run: the input of this call is not a JSON object. It was: ${BAD}`;
const asks: ScriptStep = {
  tools: [
    { id: 'good', name: 'look', input: {} },
    { id: 'bad', name: 'change', bad: BAD },
    { id: 'bad too', name: 'look', bad: '' },
  ],
};
const tools = () => [testTool('look'), testTool('change', undefined, { changes: true })] as const;
const again = (store: RunStore): { it_: Scene; all: readonly TestTool[] } => {
  const all = tools();
  return { it_: scene(scriptedModel([{ text: 'after' }]), [...all], { store }), all };
};
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('a call with input that was no JSON', () => {
  it.each([2, 3])(
    'is answered after a crash behind record %i as it is answered live, and never run',
    async (seq) => {
      const live = scene(scriptedModel([asks, { text: 'after' }]), [...tools()]);
      await run(live, { allow: ['change'] });
      const whole = await records(live.store);
      expect(whole[3]).toBe(`result bad ${TOLD}`);
      const { it_, all } = again(await crashed(live.store, 'r', { seq }));
      const [look, change] = all;
      const seen = await preflight(it_.parts, {
        store: it_.store,
        id: 'r',
        profile: it_.profile,
        approvals: 'ask',
      });
      expect(seen.pending.map(({ fate, line }) => [fate, line])).toEqual([
        [seq === 2 ? 'run' : 'answered', 'look {}'],
        ['not_run', `change ${BAD}`],
        ['not_run', 'look '],
      ]);
      const { session } = await resume(it_, { allow: ['change'] });
      expect(await session.settled()).toEqual({ reason: 'completed' });
      expect([look?.runs, change?.runs]).toEqual([seq === 2 ? [{}] : [], []]);
      expect(await records(it_.store)).toEqual(whole);
    },
  );

  it('is answered so after a pause and in a copy of the run too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bad-'));
    folders.push(folder);
    const store = fileStore(join(folder, 'runs'));
    const [, change] = tools();
    const slow = testTool('look', async (_input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { content: 'stopped', is_error: true };
    });
    const watching = await start(scene(scriptedModel([asks]), [slow, change], { store }), { chat: true });
    await watching.event('tool_started');
    // Quitting leaves the calls open.
    await watching.session.close();
    expect((await records(store)).slice(2)).toEqual(['terminal suspended']);
    const { id } = await continueRun(store, 'r', store, { newId: () => 'copy' });
    for (const [of, name] of [
      [again(store), 'r'],
      [again(store), id],
    ] as const) {
      const [lookAgain, changeAgain] = of.all;
      const { session } = await resume(of.it_, { id: name, allow: ['change'] });
      await session.settled();
      expect([lookAgain?.runs, changeAgain?.runs]).toEqual([[{}], []]);
      const results = (await records(store, name)).filter((line) => line.startsWith('result'));
      expect(results[1]).toBe(`result bad ${TOLD}`);
      await session.close();
    }
  });

  it('is not taken for one of another turn that was to stand in the same place', async () => {
    let fail = true;
    const store = faultyStore({
      append: (record) => (record.assistant && fail ? new Error('gone') : undefined),
    });
    const bad: ScriptStep = { tools: [{ id: 'x', name: 'change', bad: BAD }] };
    await run(scene(scriptedModel([bad]), [...tools()], { store }));
    expect(await records(store)).toEqual(['meta go']);
    fail = false;
    const change = testTool('change', undefined, { changes: true });
    const good: ScriptStep = { tools: [{ id: 'x', name: 'change', input: { n: 1 } }] };
    const it_ = scene(scriptedModel([good, { text: 'end' }]), [testTool('look'), change], { store });
    await (await resume(it_, { allow: ['change'] })).session.settled();
    expect(change.runs).toEqual([{ n: 1 }]);
    const cut = again(await crashed(store, 'r', { seq: 2, keep: ({ kind }) => kind !== 'intent' }));
    await (await resume(cut.it_, { allow: ['change'] })).session.settled();
    expect(cut.all[1]?.runs).toEqual([{ n: 1 }]);
  });

  it('is noted without secrets, and as long as there is room for', async () => {
    const long = `{"key": "sk-very-secret", ${'"é" '.repeat(200_000)}`;
    const it_ = scene(scriptedModel([{ tools: [{ name: 'look', bad: long }] }, { text: 'end' }]), [
      ...tools(),
    ]);
    it_.parts = { ...it_.parts, secrets: () => ['sk-very-secret'] };
    await run(it_);
    const { sidecar } = await it_.store.load('r');
    const note = sidecar.find((entry) => entry.kind === 'bad_input');
    const text = note?.kind === 'bad_input' ? note.text : '';
    expect(text.startsWith('{"key": "[secret]", "é"')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(256 * 1024);
  });
});
