import { afterEach, describe, expect, it } from 'vitest';
import { rawJson } from '../../../src/shared/run/codec';
import type { Profile } from '../../../src/shared/run/profile';
import { hear, testRequest, userSays } from '../../support/model-calls';
import { sendJson, testServer, type TestServer } from '../../support/stream-server';
import { adapters, sendAnswer } from './adapters';
import { answers, base64, says } from './conversations';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe('what a service refuses but the call can do without', () => {
  interface Refusal {
    when: (body: string) => boolean;
    message: string;
  }
  const ask = async (
    provider: 'anthropic' | 'openai',
    refusals: Refusal[],
    request = testRequest(),
    values: Partial<Profile> = {},
  ) => {
    const adapter = adapters.find((candidate) => candidate.provider === provider)!;
    server = await testServer((seen, response) => {
      const refusal = refusals.find(({ when }) => when(seen.body));
      if (!refusal) return sendAnswer(adapter, response);
      sendJson(response, 400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: refusal.message },
      });
    });
    const model = adapter.model(server.origin, {}, values);
    const first = await hear(model, request);
    const asked = server.requests.length;
    const second = await hear(model, request);
    return { first, asked, second, askedAgain: server.requests.length - asked };
  };

  it.each([
    [
      'summarized' as const,
      'claude-new',
      'adaptive',
      '"thinking.type.adaptive" is not supported for this model.',
    ],
    [
      'off' as const,
      'claude-opus-5',
      'disabled',
      '"thinking.type.disabled" is not supported for this model.',
    ],
  ])('is given up once, said, and remembered: thinking %s of %s', async (thinking, model, type, message) => {
    const { first, asked, second, askedAgain } = await ask(
      'anthropic',
      [{ when: (body) => body.includes(`"type":"${type}"`), message }],
      testRequest({ thinking, model, maxOutputTokens: 4096 }),
    );
    expect(first.events[0]).toMatchObject({ type: 'retry', waitMs: 0, restarted: false });
    expect(first.turn).toBeDefined();
    expect(asked).toBe(2);
    expect(second.turn).toBeDefined();
    expect(askedAgain).toBe(1);
  });

  it('is earlier thinking that a changed prompt has made unusable: dropped by the service, or by us', async () => {
    const messages = [
      userSays('Hi'),
      says({ thinking: { text: 'Hm.', signature: base64('s') } }, { text: { text: 'Hi.' } }),
      userSays('So?'),
    ];
    const request = testRequest({ thinking: 'summarized', messages });
    const bound = {
      when: (body: string) => body.includes('"Hm."') && !body.includes('drop_block'),
      message:
        'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
    };
    const helped = await ask('anthropic', [bound], request);
    expect(helped.first.turn).toBeDefined();
    expect(helped.asked).toBe(2);
    expect(server!.requests[1]!.headers['anthropic-beta']).toContain('thinking-binding');
    await server!.stop();
    const unknown = {
      when: (body: string) => body.includes('drop_block'),
      message: 'thinking.block_binding: Extra inputs are not permitted',
    };
    const stripped = await ask('anthropic', [bound, unknown], request);
    expect(stripped.first.turn).toBeDefined();
    expect(stripped.asked).toBe(3);
    expect(server!.requests[2]!.body).not.toContain('Hm.');
    expect(server!.requests[2]!.body).toContain('"thinking":{"type":"adaptive"');
    expect(stripped.askedAgain).toBe(1);
  });

  it('is thinking in a turn that began without it', async () => {
    const { first, askedAgain } = await ask(
      'anthropic',
      [
        {
          when: (body) => body.includes('"thinking":{"type"'),
          message:
            'Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block',
        },
      ],
      testRequest({ thinking: 'summarized' }),
    );
    expect(first.turn).toBeDefined();
    expect(askedAgain, 'only for this call').toBe(2);
  });

  it.each([
    [
      'the length limit',
      '"max_tokens"',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
    ['usage in the stream', 'stream_options', 'stream_options: Extra inputs are not permitted'],
  ])('is %s in chat completions', async (_what, part, message) => {
    const { first, asked, askedAgain } = await ask('openai', [
      { when: (body) => body.includes(part), message },
    ]);
    expect(first.turn).toBeDefined();
    expect([asked, askedAgain]).toEqual([2, 1]);
  });

  it('is earlier reasoning, whether it must be there or must not', async () => {
    const messages = [
      userSays('Go'),
      says({ thinking: { text: 'Hm.' } }, { tool_use: { id: 'c1', name: 'list', input: rawJson('{}') } }),
      answers({ tool_result: { tool_use_id: 'c1', content: 'ok' } }),
    ];
    const request = testRequest({ messages });
    const refused = await ask(
      'openai',
      [
        {
          when: (body) => body.includes('"reasoning_content"'),
          message: "messages.1.reasoning_content: property 'reasoning_content' is unsupported",
        },
      ],
      request,
    );
    expect(refused.first.turn).toBeDefined();
    expect([refused.asked, refused.askedAgain]).toEqual([2, 1]);
  });

  it('ends the call when the service refuses everything', async () => {
    for (const provider of ['anthropic', 'openai'] as const) {
      const { first, asked } = await ask(
        provider,
        [
          {
            when: () => true,
            message: 'thinking reasoning_content stream_options max_tokens not supported signature',
          },
        ],
        testRequest({ thinking: 'summarized' }),
      );
      expect(first.failure?.code).toBe('model_request');
      expect(asked).toBeLessThan(8);
      await server!.stop();
    }
  });
});
