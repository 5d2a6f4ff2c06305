import { rawJson } from '../../../src/shared/run/codec';
import type { Block, Message } from '../../../src/shared/run/record';
import { userSays } from '../../support/model-calls';

export const says = (...content: Block[]): Message => ({ role: 'assistant', content });
export const answers = (...content: Block[]): Message => ({ role: 'user', content });
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Everything that a parser would change: spelling of numbers, order, doubled keys, escapes. */
export const INPUT = '{"limit":1.50,"10":"\\u003cx\\u003e","2":9007199254740993,"2":-0}';
export const tool = { name: 'list', description: 'Lists', input_schema: { type: 'object', properties: {} } };

/** A turn with every kind of block. */
export const TURN: Message[] = [
  userSays('Look'),
  says(
    { thinking: { text: 'Hm <&>.', signature: base64('ErUB+/w==') } },
    {
      provider: {
        kind: 'redacted_thinking',
        raw: rawJson('{"type":"redacted_thinking","data":"Em\\/+","n":1.0}'),
      },
    },
    { text: { text: 'Looking.' } },
    { provider: { kind: 'citations', raw: rawJson('[{"type":"char_location","start":1.0}]') } },
    { tool_use: { id: 'toolu_1', name: 'list', input: rawJson(INPUT) } },
  ),
  answers(
    { tool_result: { tool_use_id: 'toolu_1', content: 'a "b"\n', is_error: true } },
    { text: { text: 'Well?' } },
  ),
];
