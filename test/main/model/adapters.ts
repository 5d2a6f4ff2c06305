import type { ServerResponse } from 'node:http';
import type { Profile } from '../../../src/shared/run/profile';
import { anthropicModel } from '../../../src/main/model/anthropic/index';
import type { ModelOptions } from '../../../src/main/model/client';
import type { Model } from '../../../src/main/model/model';
import { openaiModel } from '../../../src/main/model/openai/index';
import { testProfile } from '../../support/model-calls';
import { sendStream } from '../../support/stream-server';
import { bytesOf, type Api } from './streams';

/** The two adapters under one set of tests. */
export interface Adapter {
  api: Api;
  provider: 'anthropic' | 'openai';
  model(origin: string, options?: ModelOptions, values?: Partial<Profile>): Model;
  /** Event texts of an answer that says `text`. */
  answer(text: string): string[];
  /** Event texts that begin such an answer and stop in the middle. */
  begin(text: string): string[];
}

const json = JSON.stringify;

export const adapters: Adapter[] = [
  {
    api: 'anthropic',
    provider: 'anthropic',
    model: (origin, options = {}, values = {}) =>
      anthropicModel(testProfile({ provider: 'anthropic', endpoint: origin, ...values }), {
        env: {},
        backoffMs: 5,
        ...options,
      }),
    begin: (text) => [
      '{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":3}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${json(text)}}}`,
    ],
    answer(text) {
      return [
        ...this.begin(text),
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
        '{"type":"message_stop"}',
      ];
    },
  },
  {
    api: 'openai-chat',
    provider: 'openai',
    model: (origin, options = {}, values = {}) =>
      openaiModel(testProfile({ provider: 'openai', endpoint: `${origin}/v1`, ...values }), {
        env: {},
        backoffMs: 5,
        ...options,
      }),
    begin: (text) => [
      '{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
      `{"choices":[{"index":0,"delta":{"content":${json(text)}},"finish_reason":null}]}`,
    ],
    answer(text) {
      return [
        ...this.begin(text),
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}',
      ];
    },
  },
];

export const sendAnswer = (adapter: Adapter, response: ServerResponse, text = 'Hello!'): Promise<void> =>
  sendStream(response, bytesOf(adapter.api, adapter.answer(text)));
