import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../src/main/model/model';
import { retryAfter } from '../../../src/main/model/errors';
import { hear, shownText, testRequest } from '../../support/model-calls';
import {
  beginStream,
  sendJson,
  sendStream,
  testServer,
  type Responder,
  type TestServer,
} from '../../support/stream-server';
import { adapters, sendAnswer } from './adapters';
import { bytesOf } from './streams';

let server: TestServer;
afterEach(() => server.stop());

const retries = (events: ModelEvent[]) => events.flatMap((event) => (event.type === 'retry' ? [event] : []));

describe.each(adapters)('retries of the $provider adapter', (adapter) => {
  const serve = async (respond: Responder) => {
    server = await testServer(respond);
    return adapter.model(server.origin);
  };

  it.each([408, 409, 429, 500, 502, 503, 504, 529])('tries again after %i and says so', async (status) => {
    const model = await serve((_request, response, count) =>
      count < 3
        ? sendJson(response, status, { error: { message: 'not now' } })
        : sendAnswer(adapter, response),
    );
    const heard = await hear(model);
    expect(shownText(heard)).toBe('Hello!');
    expect(heard.turn).toBeDefined();
    expect(server.requests).toHaveLength(3);
    expect(retries(heard.events).map(({ attempt, restarted }) => [attempt, restarted])).toEqual([
      [2, false],
      [3, false],
    ]);
    expect(new Set(server.requests.map((request) => request.body)).size).toBe(1);
  });

  it.each([400, 401, 402, 403, 404, 413, 422])('does not try again after %i', async (status) => {
    const model = await serve((_request, response) =>
      sendJson(response, status, { error: { message: 'no' } }),
    );
    const heard = await hear(model);
    expect(heard.failure).toBeDefined();
    expect(heard.events).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('gives up after five tries, with the reason of the last', async () => {
    const model = await serve((_request, response) =>
      sendJson(response, 503, { error: { message: 'still busy' } }),
    );
    const heard = await hear(model);
    expect(heard.failure?.code).toBe('model_overloaded');
    expect(heard.failure?.message).toContain('still busy');
    expect(heard.failure?.kept).toBeTruthy();
    expect(heard.failure?.todo).toBeTruthy();
    expect(server.requests).toHaveLength(5);
  });

  it('waits longer each time, with some of it left to chance', async () => {
    server = await testServer((_request, response) => sendJson(response, 503, {}));
    const heard = await hear(adapter.model(server.origin, { backoffMs: 20 }));
    const waits = retries(heard.events).map((event) => event.waitMs);
    expect(waits).toHaveLength(4);
    waits.forEach((wait, i) => {
      expect(wait).toBeGreaterThanOrEqual(20 * 2 ** i * 0.75 - 1);
      expect(wait).toBeLessThanOrEqual(20 * 2 ** i);
    });
  });

  it.each([
    ['retry-after-ms', '40', 40],
    ['retry-after', '0.04', 40],
  ])('waits as long as %s asks', async (header, value, waitMs) => {
    const model = await serve((_request, response, count) =>
      count === 1
        ? sendJson(response, 429, { error: { message: 'slow down' } }, { [header]: value })
        : sendAnswer(adapter, response),
    );
    const before = Date.now();
    const heard = await hear(model);
    expect(Date.now() - before).toBeGreaterThanOrEqual(waitMs - 2);
    expect(retries(heard.events)[0]).toMatchObject({ waitMs });
    expect(retries(heard.events)[0]!.reason).toContain('asks to slow down');
  });

  it('does not wait beyond the time of the call, and tells how long the service wants', async () => {
    const model = await serve((_request, response) =>
      sendJson(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '90' }),
    );
    const heard = await hear(model, testRequest({ timeoutMs: 5_000 }));
    expect(heard.failure?.code).toBe('model_rate_limit');
    expect(heard.failure?.message).toContain('90 seconds');
    expect(heard.failure?.data).toMatchObject({ retryAfterMs: 90_000, status: 429 });
    expect(server.requests).toHaveLength(1);
  });

  it('obeys a service that forbids another try, and one that asks for it', async () => {
    const no = await serve((_request, response) =>
      sendJson(response, 500, { error: { message: 'broken' } }, { 'x-should-retry': 'false' }),
    );
    expect((await hear(no)).failure?.code).toBe('model_overloaded');
    expect(server.requests).toHaveLength(1);
    await server.stop();
    const yes = await serve((_request, response, count) =>
      count === 1
        ? sendJson(response, 400, { error: { message: 'odd' } }, { 'x-should-retry': 'true' })
        : sendAnswer(adapter, response),
    );
    expect((await hear(yes)).turn).toBeDefined();
  });

  it('tries again when the connection drops before any content', async () => {
    const model = await serve((_request, response, count) => {
      if (count === 1) response.socket?.destroy();
      else if (count === 2) {
        beginStream(response);
        response.write(bytesOf(adapter.api, adapter.begin('x').slice(0, 1), ''), () => response.destroy());
      } else return sendAnswer(adapter, response);
    });
    const heard = await hear(model);
    expect(shownText(heard)).toBe('Hello!');
    expect(retries(heard.events)).toHaveLength(2);
  });

  it('tries again when an overload is told inside a stream that has shown nothing', async () => {
    const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    const model = await serve((_request, response, count) =>
      count === 1
        ? sendStream(response, bytesOf(adapter.api, [...adapter.begin('x').slice(0, 1), overloaded], ''))
        : sendAnswer(adapter, response),
    );
    const heard = await hear(model);
    expect(shownText(heard)).toBe('Hello!');
    expect(retries(heard.events)).toHaveLength(1);
  });

  it.each(['dropped', 'ended', 'an error event'])('never tries again after content: %s', async (how) => {
    const model = await serve((_request, response) => {
      const begun = bytesOf(adapter.api, adapter.begin('Once upon'), '');
      if (how === 'ended') return sendStream(response, begun);
      beginStream(response);
      if (how === 'dropped') response.write(begun, () => setTimeout(() => response.destroy(), 20));
      else {
        response.write(begun);
        response.end('event: error\ndata: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n');
      }
    });
    const heard = await hear(model);
    expect(shownText(heard)).toBe('Once upon');
    expect(heard.failure?.code).toBe(how === 'an error event' ? 'model_overloaded' : 'model_unreachable');
    expect(heard.failure?.kept).toContain('recorded');
    expect(retries(heard.events)).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('takes a whole answer although the connection drops behind it, and late usage never holds it up', async () => {
    const lines = adapter.answer('Fine.');
    const model = await serve((_request, response, count) => {
      beginStream(response);
      const sent = bytesOf(adapter.api, lines.slice(0, adapter.api === 'anthropic' ? 5 : 3), '');
      response.write(sent, () => {
        if (count === 1) setTimeout(() => response.destroy(), 20);
      });
    });
    expect((await hear(model)).turn?.content).toEqual([{ text: { text: 'Fine.' } }]);
    const patient = adapter.model(server.origin, { graceMs: 60 });
    const before = Date.now();
    expect((await hear(patient)).turn?.content).toEqual([{ text: { text: 'Fine.' } }]);
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  it('uses a connection again for calls that follow each other', async () => {
    const sockets = new Set<unknown>();
    const model = await serve((_request, response) => {
      sockets.add(response.socket);
      return sendAnswer(adapter, response);
    });
    for (let i = 0; i < 6; i++) await hear(model);
    expect(sockets.size).toBeLessThan(3);
  });
});

describe('what a service says about waiting', () => {
  it('reads seconds, milliseconds and dates', () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    const read = (headers: Record<string, string>) => retryAfter(new Headers(headers), now);
    expect(read({})).toBeUndefined();
    expect(read({ 'retry-after': '3' })).toBe(3_000);
    expect(read({ 'retry-after': '1.5' })).toBe(1_500);
    expect(read({ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' })).toBe(30_000);
    expect(read({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' })).toBe(0);
    expect(read({ 'retry-after': 'soon' })).toBeUndefined();
    expect(read({ 'retry-after': '9', 'retry-after-ms': '250.2' })).toBe(251);
  });
});
