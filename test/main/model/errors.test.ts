import { afterEach, describe, expect, it } from 'vitest';
import type { FailureCode } from '../../../src/shared/run/failure';
import { hear } from '../../support/model-calls';
import { sendJson, sendStream, testServer, type TestServer } from '../../support/stream-server';
import { adapters } from './adapters';
import { bytesOf } from './streams';

let server: TestServer | undefined;
afterEach(() => server?.stop());

const KEY = 'sk-canary-0123456789abcdef';
const anthropic = (type: string, message: string, details?: unknown) => ({
  type: 'error',
  error: { type, message, details: details ?? null },
  request_id: 'req_1',
});
const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});

/** What services were seen to answer, in their own shapes and in each other's. */
const ANSWERS: [string, number, unknown, FailureCode][] = [
  ['a bad key', 401, anthropic('authentication_error', 'invalid x-api-key'), 'model_auth'],
  ['a bad key', 401, openai(`Incorrect API key provided: ${KEY}.`, 'invalid_api_key'), 'model_auth'],
  [
    'a bad key in a bad status',
    400,
    openai('Incorrect API key provided: sk-cana*****cdef', 'x'),
    'model_auth',
  ],
  ['a key without the right', 403, anthropic('permission_error', 'Your key may not use this'), 'model_auth'],
  [
    'no credit',
    400,
    anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
    'model_credit',
  ],
  ['no credit', 402, anthropic('billing_error', 'Payment required'), 'model_credit'],
  [
    'no quota',
    429,
    openai('You exceeded your current quota, please check your plan.', 'insufficient_quota'),
    'model_credit',
  ],
  ['no balance', 402, { error: { message: 'Insufficient Balance' } }, 'model_credit'],
  [
    'a spend limit',
    429,
    anthropic('rate_limit_error', 'Spend limit reached', { error_code: 'enforced_spend_limit_reached' }),
    'model_credit',
  ],
  ['a model that is gone', 404, anthropic('not_found_error', 'model: claude-1'), 'model_gone'],
  ['a model that is gone', 404, openai('The model `gpt-2` does not exist', 'model_not_found'), 'model_gone'],
  [
    'a model that is gone',
    400,
    openai('The model has been decommissioned', 'model_decommissioned'),
    'model_gone',
  ],
  [
    'a model that is not pulled',
    404,
    { error: 'model "qwen" not found, try pulling it first' },
    'model_gone',
  ],
  ['an address without a service', 404, '<html><body>404 Not Found</body></html>', 'model_gone'],
  [
    'too long a context',
    400,
    anthropic('invalid_request_error', 'prompt is too long: 201000 tokens > 200000 maximum'),
    'model_context',
  ],
  [
    'too long a context',
    400,
    openai("This model's maximum context length is 8192 tokens.", 'context_length_exceeded'),
    'model_context',
  ],
  [
    'too long a context',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
        n_ctx: 4096,
      },
    },
    'model_context',
  ],
  [
    'too long a prompt',
    400,
    openai("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    'model_context',
  ],
  [
    'too long a prompt',
    400,
    openai('Invalid request: Your request exceeded model token limit: 8192'),
    'model_context',
  ],
  [
    'too long an answer',
    400,
    anthropic(
      'invalid_request_error',
      'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens',
    ),
    'model_request',
  ],
  [
    'too large a request',
    413,
    anthropic('request_too_large', 'Request exceeds the maximum size'),
    'model_context',
  ],
  [
    'a rate limit',
    429,
    anthropic('rate_limit_error', 'Number of request tokens has exceeded your per-minute rate limit'),
    'model_rate_limit',
  ],
  ['a rate limit', 429, { message: 'Requests rate limit exceeded' }, 'model_rate_limit'],
  [
    'a rate limit on tokens',
    429,
    openai('Request too large for m on tokens per min (TPM): Limit 10, Requested 12', 'rate_limit_exceeded'),
    'model_rate_limit',
  ],
  ['an overload', 529, anthropic('overloaded_error', 'Overloaded'), 'model_overloaded'],
  ['an error of its own', 500, anthropic('api_error', 'Internal server error'), 'model_overloaded'],
  ['a bad gateway without words', 502, '', 'model_overloaded'],
  ['a time-out of a gateway', 504, '<html>504</html>', 'model_timeout'],
  [
    'a refused request',
    400,
    anthropic('invalid_request_error', 'tools.0.name: String should match pattern'),
    'model_request',
  ],
  [
    'a refused request in FastAPI’s shape',
    422,
    { detail: [{ loc: ['body', 'messages'], msg: 'Field required' }] },
    'model_request',
  ],
  [
    'a refused request in a list',
    400,
    [{ error: { code: 400, message: 'Bad schema', status: 'INVALID_ARGUMENT' } }],
    'model_request',
  ],
  ['a refused request in plain text', 400, 'Bad Request: no tools here', 'model_request'],
];

describe.each(adapters)('errors of the $provider adapter', (adapter) => {
  const options = { env: { MY_KEY: KEY }, tries: 1 };

  it.each(ANSWERS)('tells %s (%i) in plain words', async (_what, status, body, code) => {
    server = await testServer((_request, response) => sendJson(response, status, body));
    const { failure } = await hear(adapter.model(server.origin, options, { key_env: 'MY_KEY' }));
    expect(failure?.code).toBe(code);
    expect(failure!.message).toMatch(/^[^{}<>]{10,}[.:]/);
    expect(failure!.kept).toContain('recorded');
    expect(failure!.todo).toMatch(/\.$/);
    expect(failure!.data).toMatchObject({ status, host: `127.0.0.1:${server.port}`, model: 'test-model' });
  });

  it('passes on what the service said, bounded, on one line and without the key', async () => {
    const said = `No:\n${KEY} and\tsk-proj-abc***xyz ${'x'.repeat(2_000)}`;
    server = await testServer((_request, response) => sendJson(response, 400, { error: { message: said } }));
    const { failure } = await hear(adapter.model(server.origin, options, { key_env: 'MY_KEY' }));
    const told = JSON.stringify(failure);
    expect(told).toContain('It says: No: [key] and [key] xxx');
    expect(told).not.toContain('canary');
    expect(told).not.toContain('abc***');
    expect(failure!.message.length).toBeLessThan(800);
  });

  it('offers a new run when the context is too long', async () => {
    server = await testServer((_request, response) =>
      sendJson(response, 400, { error: { message: 'too many tokens', code: 'context_length_exceeded' } }),
    );
    const { failure } = await hear(adapter.model(server.origin, options));
    expect(failure).toMatchObject({ code: 'model_context', data: { offer: 'continue_in_new_run' } });
    expect(failure!.todo).toContain('new run that begins with a summary');
  });

  it('asks for a key when a service without one in the profile wants it', async () => {
    server = await testServer((_request, response) => sendJson(response, 401, { error: 'Unauthorized' }));
    const { failure } = await hear(adapter.model(server.origin, options));
    expect(failure?.code).toBe('key_missing');
    expect(failure!.todo).toContain('Enter the key in Models and keys');
  });

  it('never follows a service to another address', async () => {
    const elsewhere = await testServer((_request, response) => sendJson(response, 200, {}));
    server = await testServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.origin}/v1/messages` });
      response.end();
    });
    const { failure } = await hear(adapter.model(server.origin, options, { key_env: 'MY_KEY' }));
    expect(failure?.code).toBe('model_unreachable');
    expect(failure!.message).toContain(elsewhere.origin);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  it('reads no more of an endless error than it needs', async () => {
    server = await testServer((_request, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write('no '.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const { failure } = await hear(adapter.model(server.origin, options));
    expect(failure?.code).toBe('model_request');
    expect(failure!.message.length).toBeLessThan(800);
  });

  it.each(['model_rate_limit', 'model_context', 'model_auth'])(
    'tells an error inside a stream: %s',
    async (code) => {
      const inside = {
        model_rate_limit: anthropic('rate_limit_error', 'slow down'),
        model_context: openai('maximum context length is 10', 'context_length_exceeded'),
        model_auth: anthropic('authentication_error', 'invalid x-api-key'),
      }[code];
      server = await testServer((_request, response) =>
        sendStream(response, bytesOf(adapter.api, [...adapter.begin('Well'), JSON.stringify(inside)])),
      );
      const { failure } = await hear(adapter.model(server.origin, options, { key_env: 'MY_KEY' }));
      expect(failure?.code).toBe(code);
    },
  );
});
