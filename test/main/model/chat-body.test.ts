import { describe, expect, it } from 'vitest';
import { rawJson } from '../../../src/shared/run/codec';
import type { Message } from '../../../src/shared/run/record';
import { endpointOf } from '../../../src/main/model/endpoint';
import { chatBody } from '../../../src/main/model/openai/body';
import { habitsOf } from '../../../src/main/model/openai/service';
import { testProfile, testRequest, userSays } from '../../support/model-calls';
import { answers, INPUT, says, tool, TURN } from './conversations';

describe('a chat completions request', () => {
  const habits = (endpoint: string, model = 'm') =>
    habitsOf(endpointOf(testProfile({ provider: 'openai', endpoint })), model);
  const messagesOf = (body: string) => (JSON.parse(body) as { messages: Record<string, unknown>[] }).messages;
  const REASONED: Message[] = [
    userSays('One'),
    says({ thinking: { text: 'plain' } }, { text: { text: 'Yes.' } }),
    userSays('Two'),
    says({ thinking: { text: 'calling' } }, { tool_use: { id: 'c1', name: 'list', input: rawJson(INPUT) } }),
    answers({ tool_result: { tool_use_id: 'c1', content: 'ok' } }),
    says({ thinking: { text: 'closing' } }, { text: { text: 'Done.' } }),
    userSays('Three'),
  ];

  it('writes tools, calls and results the way this API has them', () => {
    const request = testRequest({ system: ['One', 'Two'], tools: [tool], messages: [...TURN] });
    const body = chatBody(request, habits('https://api.openai.com/v1'));
    expect(messagesOf(body)).toEqual([
      { role: 'system', content: 'One\n\nTwo' },
      { role: 'user', content: 'Look' },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'list', arguments: INPUT } }],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'a "b"\n' },
      { role: 'user', content: 'Well?' },
    ]);
    expect(JSON.parse(body)).toMatchObject({
      model: 'test-model',
      max_completion_tokens: 1024,
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        { type: 'function', function: { name: 'list', description: 'Lists', parameters: tool.input_schema } },
      ],
    });
  });

  it('says null where a message only calls tools', () => {
    const call = says({ tool_use: { id: 'c1', name: 'list', input: rawJson('{}') } });
    expect(
      messagesOf(
        chatBody(testRequest({ messages: [userSays('Go'), call] }), habits('http://localhost:1')),
      )[2],
    ).toMatchObject({ content: null });
  });

  it('sends a call’s own extra back with it', () => {
    const call = says(
      { tool_use: { id: 'c1', name: 'list', input: rawJson('{}') } },
      {
        provider: {
          kind: 'tool_call_extra',
          raw: rawJson('{"id":"c1","extra_content":{"sig":"A\\/=","n":1.0}}'),
        },
      },
    );
    expect(
      chatBody(testRequest({ messages: [userSays('Go'), call] }), habits('http://localhost:1')),
    ).toContain('"extra_content":{"sig":"A\\/=","n":1.0}');
  });

  it.each([
    ['https://api.deepseek.com/v1', 'deepseek-chat', 'reasoning_content', [false, true, true]],
    ['https://api.moonshot.ai/v1', 'kimi-k3', 'reasoning_content', [false, true, true]],
    ['http://localhost:8000/v1', 'qwen', 'reasoning_content', [false, true, true]],
    ['https://gateway.example/v1', 'deepseek-v4-pro', 'reasoning_content', [false, true, true]],
    ['https://openrouter.ai/api/v1', 'x/y', 'reasoning', [true, true, true]],
    ['https://api.openai.com/v1', 'gpt-5', 'reasoning_content', [false, false, false]],
    ['https://api.mistral.ai/v1', 'magistral', 'reasoning_content', [false, false, false]],
    ['https://me.openai.azure.com/openai/v1', 'gpt-5', 'reasoning_content', [false, false, false]],
  ])('echoes reasoning where %s (%s) wants it', (endpoint, model, field, expected) => {
    const said = messagesOf(chatBody(testRequest({ messages: REASONED }), habits(endpoint, model)));
    const assistants = said.filter((message) => message['role'] === 'assistant');
    expect(assistants.map((message) => message[field] !== undefined)).toEqual(expected);
  });

  it('sends OpenRouter its own reasoning details in place of their text', () => {
    const messages = [
      userSays('One'),
      says(
        {
          provider: {
            kind: 'reasoning_details',
            raw: rawJson('[{"type":"reasoning.encrypted","data":"g\\/","w":1.0}]'),
          },
        },
        { thinking: { text: 'plain' } },
        { text: { text: 'Yes.' } },
      ),
      userSays('Two'),
    ];
    const body = chatBody(testRequest({ messages }), habits('https://openrouter.ai/api/v1'));
    expect(body).toContain('"reasoning_details":[{"type":"reasoning.encrypted","data":"g\\/","w":1.0}]');
    expect(body).not.toContain('"reasoning":"plain"');
    expect(chatBody(testRequest({ messages }), habits('https://api.deepseek.com'))).not.toContain(
      'reasoning_details',
    );
  });
});
