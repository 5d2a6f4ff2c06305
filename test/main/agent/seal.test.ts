import { describe, expect, it } from 'vitest';
import { encodeLine } from '../../../src/shared/run/codec';
import { Failure } from '../../../src/shared/run/failure';
import { memoryStore } from '../../../src/main/journal/memory';
import type { RunStore } from '../../../src/main/journal/journal';
import { MAX_RESULT, headAndTail, withoutSecrets } from '../../../src/main/agent/seal';
import { faultyStore } from '../../support/crash';
import { scriptedModel } from '../../support/scripted-model';
import { run, scene, testTool } from '../../support/agent';

const result = async (store: RunStore) =>
  (await store.load('r')).records.find((record) => record.tool_result)?.tool_result?.result.content ?? '';
const once = (content: string) => testTool('big', () => ({ content }));
const call = () => scriptedModel([{ tools: [{ name: 'big' }] }, { text: 'end' }]);
const limited = (max: number): RunStore => {
  const base = memoryStore();
  return {
    ...base,
    async create(...args: Parameters<typeof base.create>) {
      const journal = await base.create(...args);
      return new Proxy(journal, {
        get: (target, key) => {
          if (key === 'maxRecordBytes') return max;
          if (key === 'append')
            return (record: Parameters<typeof journal.append>[0]) =>
              encodeLine(record).length > max
                ? Promise.reject(new Failure({ code: 'too_large', message: 'too large' }))
                : target.append(record);
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
};

describe('a tool result', () => {
  it('is recorded without the values of known secrets, as they are and as JSON holds them', async () => {
    const secrets = ['key-123456789', 'with"quote\\in it', 'short'];
    const content = `a key-123456789 b {"x":"with\\"quote\\\\in it"} short key-123456789`;
    const it_ = scene(call(), [once(content)], { secrets: () => secrets });
    await run(it_);
    expect(await result(it_.store)).toBe('a [secret] b {"x":"[secret]"} short [secret]');
    expect(withoutSecrets('x', [])).toBe('x');
  });

  it('of a failed or interrupted tool is cleaned as well, and input, thinking and raw blocks are not touched', async () => {
    const tool = testTool('big', () => {
      throw new Error('cannot open with key-123456789');
    });
    const model = scriptedModel([
      {
        thinking: 'key-123456789',
        tools: [{ name: 'big', input: { k: 'key-123456789' } }],
        blocks: [{ provider: { kind: 'x', raw: '{"a":"key-123456789"}' as never } }],
      },
      { text: 'end' },
    ]);
    const it_ = scene(model, [tool], { secrets: () => ['key-123456789'] });
    await run(it_);
    expect(await result(it_.store)).toBe('The tool failed: cannot open with [secret]');
    const { state } = await it_.store.load('r');
    expect(JSON.stringify(state.messages[1]).split('key-123456789')).toHaveLength(4);
  });

  it('that is long is clipped with its beginning and end, says so, and is kept whole beside the journal', async () => {
    const content = `BEGIN ${'🙂é'.repeat(100_000)} END`;
    const it_ = scene(call(), [once(content)]);
    expect((await run(it_)).outcome).toEqual({ reason: 'completed' });
    const shown = await result(it_.store);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(MAX_RESULT);
    expect(shown).toMatch(/^BEGIN 🙂é/u);
    expect(shown).toMatch(/é END$/);
    expect(shown).toContain('bytes are left out here. The whole text is kept beside this run.');
    expect(shown).not.toContain('\ufffd');
    const clip = (await it_.store.load('r')).sidecar.find((entry) => entry.kind === 'clip');
    expect(clip).toMatchObject({ tool_use_id: 'call_1_1', bytes: Buffer.byteLength(content) });
    expect(await it_.store.kept('r', clip?.kind === 'clip' ? clip.file : '')).toBe(content);
  });

  it('fits the store’s largest record, whatever escaping makes of it', async () => {
    for (const piece of ['x', '\u0001', '<', '🙂']) {
      const store = limited(4096);
      const it_ = scene(call(), [once(piece.repeat(60_000))], { store });
      expect((await run(it_)).outcome).toEqual({ reason: 'completed' });
      expect((await result(store)).length).toBeGreaterThan(100);
    }
  });

  it('is clipped even when the whole cannot be kept, and a private run keeps nothing', async () => {
    const content = 'x'.repeat(MAX_RESULT + 1);
    const store = faultyStore({ keep: () => new Failure({ code: 'no_space', message: 'full' }) });
    const failing = await run(scene(call(), [once(content)], { store }));
    expect(failing.outcome).toEqual({ reason: 'completed' });
    expect(failing.warnings).toEqual(['result_not_kept']);
    expect(await result(store)).toMatch(/bytes are left out here\. …\]/);
    const secretly = await run(scene(call(), [once(content)]), { store: undefined });
    expect(secretly.outcome).toEqual({ reason: 'completed' });
    expect(secretly.warnings).toEqual([]);
  });

  it('of exactly the limit is left alone', async () => {
    const it_ = scene(call(), [once('x'.repeat(MAX_RESULT))]);
    await run(it_);
    expect(await result(it_.store)).toHaveLength(MAX_RESULT);
  });

  it('is cut between characters at any size', () => {
    const text = 'a🙂é\u20acb'.repeat(50);
    for (let bytes = 0; bytes < 300; bytes++) {
      const { head, tail } = headAndTail(text, bytes);
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(bytes + 6);
    }
  });
});
