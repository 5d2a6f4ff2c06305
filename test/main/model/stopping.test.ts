import { afterEach, describe, expect, it } from 'vitest';
import { hear, shownText, testRequest } from '../../support/model-calls';
import {
  beginStream,
  sendJson,
  sendStream,
  testServer,
  type Responder,
  type TestServer,
} from '../../support/stream-server';
import { until } from '../../support/wait';
import { adapters, sendAnswer } from './adapters';
import { bytesOf } from './streams';

let server: TestServer;
afterEach(() => server.stop());

describe.each(adapters)('stopping the $provider adapter', (adapter) => {
  const serve = async (respond: Responder) => {
    server = await testServer(respond);
    return adapter.model(server.origin);
  };

  it('closes the connection at once when cancelled before the answer begins', async () => {
    const cancel = new AbortController();
    const model = await serve(() => cancel.abort());
    const heard = await hear(model, testRequest(), cancel.signal);
    expect(heard.failure?.code).toBe('cancelled');
    await until(() => server.open.size === 0, 2_000);
    expect(server.requests).toHaveLength(1);
  });

  it('closes the connection at once when cancelled in the middle of an answer', async () => {
    const cancel = new AbortController();
    const model = await serve((_request, response) => {
      beginStream(response);
      response.write(bytesOf(adapter.api, adapter.begin('Once upon'), ''));
    });
    const heard = await hear(model, testRequest(), cancel.signal, () => cancel.abort());
    expect(shownText(heard)).toBe('Once upon');
    expect(heard.failure?.code).toBe('cancelled');
    await until(() => server.open.size === 0, 2_000);
  });

  it('closes the connection when its reader walks away', async () => {
    const model = await serve((_request, response) => {
      beginStream(response);
      response.write(bytesOf(adapter.api, adapter.begin('Once upon'), ''));
    });
    for await (const event of model.answer(testRequest(), new AbortController().signal)) {
      expect(event.type).toBe('text');
      break;
    }
    await until(() => server.open.size === 0, 2_000);
  });

  it('ends a wait between tries when cancelled', async () => {
    const cancel = new AbortController();
    const model = await serve((_request, response) =>
      sendJson(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '15' }),
    );
    const before = Date.now();
    const heard = await hear(model, testRequest(), cancel.signal, () => setTimeout(() => cancel.abort(), 20));
    expect(heard.failure?.code).toBe('cancelled');
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(server.requests).toHaveLength(1);
  });

  it('sends nothing when it was cancelled before', async () => {
    const model = await serve((_request, response) => sendAnswer(adapter, response));
    const heard = await hear(model, testRequest(), AbortSignal.abort());
    expect(heard.failure?.code).toBe('cancelled');
    expect(server.requests).toHaveLength(0);
  });

  it('gives up a service that never answers, in time, and closes the connection', async () => {
    const model = await serve(() => undefined);
    const before = Date.now();
    const heard = await hear(model, testRequest({ timeoutMs: 150 }));
    expect(heard.failure?.code).toBe('model_timeout');
    expect(heard.failure?.todo).toContain('time-out');
    expect(Date.now() - before).toBeLessThan(5_000);
    await until(() => server.open.size === 0, 2_000);
    expect(server.requests).toHaveLength(1);
  });

  it('gives up a service that only sends keep-alives', async () => {
    let timer: NodeJS.Timeout | undefined;
    const model = await serve((_request, response) => {
      beginStream(response);
      response.write(bytesOf(adapter.api, adapter.begin('Once upon'), ''));
      timer = setInterval(() => response.write(': still here\n\nevent: ping\ndata: {"type":"ping"}\n\n'), 10);
    });
    const heard = await hear(model, testRequest({ timeoutMs: 200 }));
    clearInterval(timer);
    expect(heard.failure?.code).toBe('model_timeout');
  });

  it('never gives up an answer that still flows', async () => {
    const model = await serve(async (_request, response) => {
      const events = adapter.answer('x');
      const piece = adapter.begin('more ').at(-1)!;
      beginStream(response);
      response.write(bytesOf(adapter.api, adapter.begin('more '), ''));
      for (let i = 0; i < 12; i++) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        response.write(bytesOf(adapter.api, [piece], ''));
      }
      response.end(bytesOf(adapter.api, events.slice(adapter.begin('x').length)));
    });
    const heard = await hear(model, testRequest({ timeoutMs: 300 }));
    expect(heard.turn?.content).toEqual([{ text: { text: 'more '.repeat(13) } }]);
  });

  it('does not count the time that its reader takes', async () => {
    const model = await serve((_request, response) => sendAnswer(adapter, response));
    let turns = 0;
    for await (const event of model.answer(testRequest({ timeoutMs: 150 }), new AbortController().signal)) {
      if (event.type === 'text') await new Promise((resolve) => setTimeout(resolve, 300));
      if (event.type === 'turn') turns++;
    }
    expect(turns).toBe(1);
  });

  it('answers a service that sends one JSON document in place of a stream', async () => {
    const whole =
      adapter.api === 'anthropic'
        ? '{"type":"message","role":"assistant","content":[{"type":"text","text":"Fine."},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1.0}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}'
        : '{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Fine.","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1.0}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}';
    const model = await serve((_request, response) => sendJson(response, 200, whole));
    expect((await hear(model)).turn).toEqual({
      content: [{ text: { text: 'Fine.' } }, { tool_use: { id: 'toolu_1', name: 'f', input: '{"a":1.0}' } }],
      stop_reason: 'tool_use',
      usage: { in_tokens: 3, out_tokens: 2 },
    });
  });

  it.each(['application/json', 'text/plain', ''])('reads a stream that calls itself "%s"', async (type) => {
    const model = await serve((_request, response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type });
      response.end(bytesOf(adapter.api, adapter.answer('Fine.')));
    });
    expect((await hear(model)).turn?.content).toEqual([{ text: { text: 'Fine.' } }]);
  });

  it('gives up one event that never ends, at once', { timeout: 120_000 }, async () => {
    const model = await serve((_request, response) => {
      beginStream(response);
      response.write('data: {"type":"x","text":"');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1 << 20)));
        response.once('drain', more);
      };
      more();
    });
    const heard = await hear(model, testRequest({ timeoutMs: 100_000 }));
    expect(heard.failure?.code).toBe('model_protocol');
    expect(server.requests).toHaveLength(1);
    await until(() => server.open.size === 0, 2_000);
  });

  it('reads an error that comes as a success', async () => {
    const model = await serve((_request, response) =>
      sendJson(
        response,
        200,
        { error: { type: 'rate_limit_error', message: 'slow down' } },
        { 'content-type': 'text/plain' },
      ),
    );
    expect((await hear(model, testRequest({ timeoutMs: 1_000 }))).failure?.code).toBe('model_rate_limit');
  });

  it('refuses a web page in place of an answer', async () => {
    const model = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Sign in</title>');
    });
    expect((await hear(model)).failure?.code).toBe('model_protocol');
  });

  it('gives a tool use an id that this conversation has not used', async () => {
    const call =
      adapter.api === 'anthropic'
        ? [
            '{"type":"message_start","message":{}}',
            '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_0","name":"f","input":{}}}',
            '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
            '{"type":"message_stop"}',
          ]
        : [
            '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_0","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}',
          ];
    const model = await serve((_request, response) => sendStream(response, bytesOf(adapter.api, call)));
    const first = (await hear(model)).turn!.content[0]!.tool_use!;
    expect(first.id).toBe('call_0');
    const messages = [
      { role: 'user' as const, content: [{ text: { text: 'Go' } }] },
      { role: 'assistant' as const, content: [{ tool_use: first }] },
      { role: 'user' as const, content: [{ tool_result: { tool_use_id: 'call_0', content: 'ok' } }] },
    ];
    const heard = await hear(model, testRequest({ messages }));
    const second = heard.turn!.content[0]!.tool_use!;
    expect(second.id).toMatch(/^[0-9A-Za-z]{9}$/);
    expect(heard.events.find((event) => event.type === 'tool')).toEqual({
      type: 'tool',
      id: second.id,
      name: 'f',
    });
  });
});
