import { describe, expect, it } from 'vitest';
import { anthropicBody } from '../../../src/main/model/anthropic/body';
import { instead, thinkingType } from '../../../src/main/model/anthropic/thinking';
import { testRequest, userSays } from '../../support/model-calls';
import { INPUT, says, tool, TURN } from './conversations';

const plain = {
  thinking: undefined,
  dropUnboundThinking: false,
  withoutThinking: false,
  signedThinkingOnly: true,
};
interface AnthropicBody {
  system?: { text: string; cache_control?: unknown }[];
  tools?: { cache_control?: unknown }[];
  thinking?: unknown;
  messages: { role: string; content: Record<string, unknown>[] }[];
}
const parsed = (text: string): AnthropicBody => JSON.parse(text) as AnthropicBody;

describe('a Messages API request', () => {
  it('sends recorded JSON back as the text that it is', () => {
    const body = anthropicBody(testRequest({ messages: TURN }), plain);
    expect(body).toContain(`{"type":"tool_use","id":"toolu_1","name":"list","input":${INPUT}}`);
    expect(body).toContain('{"type":"redacted_thinking","data":"Em\\/+","n":1.0}');
    expect(body).toContain('{"type":"thinking","thinking":"Hm <&>.","signature":"ErUB+/w=="}');
    expect(body).toContain(
      '{"type":"text","text":"Looking.","citations":[{"type":"char_location","start":1.0}]}',
    );
    expect(body).toContain(
      '{"type":"tool_result","tool_use_id":"toolu_1","content":"a \\"b\\"\\n","is_error":true}',
    );
    expect(parsed(body).messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  });

  it.each([
    [true, { type: 'ephemeral', ttl: '1h' }],
    [false, { type: 'ephemeral' }],
  ])('marks two places for the prompt cache, for longer in a chat: %s', (chat, mark) => {
    const request = testRequest({ chat, system: ['One', '', 'Two'], tools: [tool], messages: TURN });
    const body = parsed(anthropicBody(request, plain));
    expect(body.system).toEqual([
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two', cache_control: mark },
    ]);
    expect(body.messages.at(-1)!.content.at(-1)).toEqual({
      type: 'text',
      text: 'Well?',
      cache_control: mark,
    });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(2);
  });

  it('marks the tools where there is no system prompt, and no block that must go back as it came', () => {
    const paused = [userSays('Look'), says({ text: { text: 'One moment.' } }, TURN[1]!.content![1]!)];
    const body = parsed(anthropicBody(testRequest({ system: [''], tools: [tool], messages: paused }), plain));
    expect(body.system).toBeUndefined();
    expect(body.tools![0]!.cache_control).toEqual({ type: 'ephemeral' });
    expect(body.messages.at(-1)!.content.map((block) => block['cache_control'])).toEqual([
      { type: 'ephemeral' },
      undefined,
    ]);
  });

  it('leaves unsigned thinking out where signatures are checked, and keeps it elsewhere', () => {
    const messages = [userSays('Hi'), says({ thinking: { text: 'Hm.' } }, { text: { text: 'Hi.' } })];
    expect(anthropicBody(testRequest({ messages }), plain)).not.toContain('Hm.');
    expect(anthropicBody(testRequest({ messages }), { ...plain, signedThinkingOnly: false })).toContain(
      '{"type":"thinking","thinking":"Hm.","signature":""}',
    );
  });

  it.each([
    ['claude-3-7-sonnet-20250219', 'enabled', undefined],
    ['claude-sonnet-4-20250514', 'enabled', undefined],
    ['claude-opus-4-1', 'enabled', undefined],
    ['claude-haiku-4-5-20251001', 'enabled', undefined],
    ['claude-opus-4-6', 'adaptive', undefined],
    ['claude-opus-4-8', 'adaptive', undefined],
    ['claude-opus-5', 'adaptive', 'disabled'],
    ['claude-haiku-5-5', 'adaptive', 'disabled'],
    ['claude-sonnet-5-5', 'adaptive', 'between_tools'],
    ['claude-opus-5-5', 'adaptive', undefined],
    ['claude-fable-5-1', 'adaptive', undefined],
    ['some-gateway/model', 'adaptive', undefined],
  ])('asks %s for thinking as it wants to be asked', (model, on, off) => {
    expect(thinkingType(model, 'summarized')).toBe(on);
    expect(thinkingType(model, 'off')).toBe(off);
  });

  it('asks again in another way when the service refuses one, but not for ever', () => {
    expect(instead('adaptive')).toBe('enabled');
    expect(instead('enabled')).toBe('adaptive');
    expect(instead('disabled')).toBeUndefined();
    expect(instead(undefined)).toBeNull();
  });

  it('keeps a thinking budget below the length limit', () => {
    const budget = (max: number) =>
      parsed(anthropicBody(testRequest({ maxOutputTokens: max }), { ...plain, thinking: 'enabled' }))
        .thinking;
    expect(budget(16_384)).toEqual({ type: 'enabled', budget_tokens: 8_192 });
    expect(budget(1_500)).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(budget(1_024)).toBeUndefined();
    expect(
      parsed(anthropicBody(testRequest(), { ...plain, thinking: 'adaptive', dropUnboundThinking: true }))
        .thinking,
    ).toEqual({
      type: 'adaptive',
      display: 'summarized',
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    });
  });
});
