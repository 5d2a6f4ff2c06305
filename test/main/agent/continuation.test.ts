import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { continuationPrompt } from '../../../src/main/agent/continuation';
import type { Message, RawJson, ToolResultBlock } from '../../../src/shared/run/record';
import type { RunState } from '../../../src/shared/run/state';

const user = (text: string): Message => ({ role: 'user', content: [{ text: { text } }] });
const says = (text: string): Message => ({ role: 'assistant', content: [{ text: { text } }] });
const calls = (id: string, name: string, input: string): Message => ({
  role: 'assistant',
  content: [{ text: { text: 'I look.' } }, { tool_use: { id, name, input: input as RawJson } }],
});
const result = (tool_use_id: string, content: string, is_error?: boolean): ToolResultBlock => ({
  tool_use_id,
  content,
  ...(is_error && { is_error }),
});

const stateOf = (prompt: string, messages: Message[], values: Partial<RunState> = {}): RunState => ({
  version: 3,
  run_id: 'r',
  prompt,
  interactive: true,
  fingerprint: {
    provider: 'anthropic',
    model: 'm',
    system_hash: '',
    tools_hash: '',
    thinking_mode: 'off',
    max_tokens: 0,
    max_iterations: 1,
  },
  messages,
  counters: {
    llm_calls: 0,
    tool_calls: 0,
    remote_tool_calls: 0,
    in_tokens: 0,
    out_tokens: 0,
    cache_read_tokens: 0,
    cache_create_tokens: 0,
  },
  next_iteration: 0,
  pending: null,
  last_stop_reason: '',
  terminal: null,
  completed: false,
  ...values,
});

describe('the prompt of a run that continues a too long one', () => {
  it('tells the task, later requests, what tools did and the last words', () => {
    const prompt = continuationPrompt(
      stateOf('Count the files.', [
        user('Count the files.'),
        calls('a', 'list_files', '{"path":"."}'),
        { role: 'user', content: [{ tool_result: result('a', 'one\ntwo') }] },
        says('There are two.'),
        user('And the folders?'),
        calls('b', 'list_files', '{"path":"x"}'),
        { role: 'user', content: [{ tool_result: result('b', 'No such folder', true) }] },
        says('I cannot find them.'),
      ]),
    );
    expect(prompt).toMatch(/^This goes on from an earlier conversation/);
    expect(prompt).toContain('an excerpt of its 8 messages and 2 tool calls');
    expect(prompt).toContain('## The task\n\nCount the files.');
    expect(prompt).toContain('## What was asked later\n\n- And the folders?');
    expect(prompt).toContain('- list_files {"path":"."}: one two');
    expect(prompt).toContain('- list_files {"path":"x"}: failed: No such folder');
    expect(prompt).toContain('You: There are two.\nPerson: And the folders?');
    expect(prompt).toContain('You: I cannot find them.');
    expect(prompt).not.toContain('## Not finished');
    expect(prompt).not.toContain('left out');
  });

  it('names calls of an open turn that have no answer, and claims nothing about them', () => {
    const prompt = continuationPrompt(
      stateOf('Go.', [user('Go.')], {
        pending: {
          assistant: {
            role: 'assistant',
            content: [
              { tool_use: { id: 'a', name: 'append_file', input: '{"path":"a"}' as RawJson } },
              { tool_use: { id: 'b', name: 'write_file', input: '{"path":"b"}' as RawJson } },
            ],
          },
          iteration: 1,
          stop_reason: 'tool_use',
          results: [result('a', 'done')],
          answered: ['a'],
        },
      }),
    );
    expect(prompt).toContain('- append_file {"path":"a"}: done');
    expect(prompt).toContain('- write_file {"path":"b"}: no answer');
    expect(prompt).toContain(
      '## Not finished\n\n- write_file {"path":"b"} was asked for, but has no recorded result.',
    );
  });

  it('keeps the newest and counts what it leaves out', () => {
    const messages = [user('Start.')];
    for (let i = 1; i <= 400; i++) messages.push(says(`Answer ${i} ${'x'.repeat(90)}`), user(`Request ${i}`));
    const prompt = continuationPrompt(stateOf('Start.', messages), { maxChars: 6_000 });
    expect(prompt.length).toBeLessThanOrEqual(6_000);
    expect(prompt).toContain('Request 400');
    expect(prompt).toContain('Answer 400');
    expect(prompt).not.toContain('Answer 1 ');
    expect(prompt).toMatch(/\(\d+ earlier requests left out\)/);
    expect(prompt).toMatch(/\(\d+ earlier messages left out\)/);
  });

  it('clips one endless message in the middle and says by how much', () => {
    const long = `begin ${'y'.repeat(500_000)} end`;
    const prompt = continuationPrompt(stateOf(long, [user(long), says(long)]));
    expect(prompt.length).toBeLessThanOrEqual(24_000);
    expect(prompt).toContain('begin yyy');
    expect(prompt).toContain('yyy end');
    expect(prompt).toMatch(/\[…\d+ characters left out…\]/);
  });

  it('is bounded, whole text and the same each time, for any conversation', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    const block = fc.oneof(
      text.map((t) => ({ text: { text: t } })),
      text.map((t) => ({ thinking: { text: t } })),
      fc.record({ id: fc.string({ maxLength: 3 }), name: text }).map((call) => ({
        tool_use: { ...call, input: '{"a":1}' as RawJson },
      })),
      fc
        .record({ tool_use_id: fc.string({ maxLength: 3 }), content: text })
        .map((tool_result) => ({ tool_result })),
    );
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      content: fc.option(fc.array(block, { maxLength: 4 })),
    });
    fc.assert(
      fc.property(
        text,
        fc.array(message, { maxLength: 30 }),
        fc.integer({ min: 0, max: 9_000 }),
        (task, messages, maxChars) => {
          const state = stateOf(task, messages);
          const prompt = continuationPrompt(state, { maxChars });
          expect(prompt.length).toBeLessThanOrEqual(Math.max(2_000, maxChars));
          expect(prompt.isWellFormed()).toBe(true);
          expect(continuationPrompt(state, { maxChars })).toBe(prompt);
        },
      ),
      { numRuns: 200 },
    );
  });
});
