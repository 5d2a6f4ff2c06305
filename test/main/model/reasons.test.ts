import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceError, type Where } from '../../../src/main/model/errors';
import { readProblem } from '../../../src/main/model/problem';

const KEY = 'sk-or-v1-0123456789abcdef0123456789abcdef';
const PLAIN = 'Zx81QpLm77TtRr20';
const where: Where = {
  host: 'gateway.test',
  model: 'm',
  local: false,
  keyVariable: 'K',
  key: { saved: false },
  secrets: [KEY, PLAIN],
};
const json = JSON.stringify;

/** What services and gateways send, with the reason where each of them has it. */
const SHAPES: Record<string, (why: string) => unknown> = {
  OpenAI: (why) => ({ error: { message: why, type: 'invalid_request_error', param: null, code: null } }),
  Anthropic: (why) => ({
    type: 'error',
    error: { type: 'invalid_request_error', message: why },
    request_id: 'req_1',
  }),
  'OpenRouter, raw JSON': (why) => ({
    error: {
      message: 'Provider returned error',
      code: 400,
      metadata: { raw: json({ error: { message: why, code: 'x' } }), provider_name: 'Crucible' },
    },
    user_id: 'user_1',
  }),
  'OpenRouter, raw JSON of JSON': (why) => ({
    error: { message: 'Provider returned error', metadata: { raw: json({ error: json({ message: why }) }) } },
  }),
  'OpenRouter, raw text': (why) => ({
    error: { message: 'Provider returned error', metadata: { raw: why } },
  }),
  'OpenRouter, moderation': (why) => ({
    error: {
      code: 403,
      message: 'Input was flagged',
      metadata: { reasons: [why], flagged_input: 'x', model_slug: 'm' },
    },
  }),
  LiteLLM: (why) => ({
    error: {
      message: `litellm.BadRequestError: OpenAIException - ${json({ error: { message: why, type: 'x' } })}`,
      type: null,
      param: null,
      code: '400',
    },
  }),
  'LiteLLM, Python': (why) => ({
    error: { message: `litellm.APIError: Error code: 400 - {'error': {'message': '${why}'}}` },
  }),
  'LiteLLM, fallbacks': (why) => ({
    error: {
      message: `litellm.RateLimitError: ${why}\nReceived Model Group=m\nAvailable Model Group Fallbacks=None`,
    },
  }),
  vLLM: (why) => ({ object: 'error', message: why, type: 'BadRequestError', param: null, code: 400 }),
  'vLLM, validation': (why) => ({
    object: 'error',
    message: `[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': '${why}'}]`,
    code: 400,
  }),
  FastAPI: (why) => ({
    detail: [{ type: 'x', loc: ['body', 'n'], msg: why, input: { messages: ['hello'] } }],
  }),
  'FastAPI, text': (why) => ({ detail: why }),
  'FastAPI, object': (why) => ({ detail: { error: { message: why } } }),
  Azure: (why) => ({
    error: {
      code: 'content_filter',
      message: why,
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: { hate: { filtered: true } },
      },
    },
  }),
  'Azure, inner': (why) => ({
    error: { code: 'BadRequest', message: 'Bad request.', innererror: { message: why } },
  }),
  'Azure, management': (why) => ({ statusCode: 429, message: why }),
  'Azure, details': (why) => ({
    error: { code: 'x', message: 'Failed', details: [{ code: 'y', target: 't', message: why }] },
  }),
  'Cloudflare, API': (why) => ({
    success: false,
    errors: [{ code: 5006, message: why }],
    messages: [],
    result: null,
  }),
  'Cloudflare, page': (why) =>
    `<!DOCTYPE html><html><head><title>gateway.test | 502: Bad gateway</title><style>p{color:red}</style></head><body><script>var a="<b>";</script><h1>Bad gateway</h1><p>${why}</p></body></html>`,
  'nginx, page': (why) =>
    `<html>\r\n<head><title>${why}</title></head>\r\n<body><center><h1>413</h1></center></body></html>`,
  'S3, XML': (why) =>
    `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>${why}</Message></Error>`,
  'plain text': (why) => why,
  'envoy, plain text': (why) => `upstream connect error or disconnect/reset before headers. ${why}`,
  'Google, list': (why) => [{ error: { code: 400, message: why, status: 'INVALID_ARGUMENT' } }],
  'Google, details': (why) => ({
    error: {
      code: 400,
      message: 'Request contains an invalid argument.',
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'f', description: why }],
        },
      ],
    },
  }),
  'Google, localized': (why) => ({
    error: { code: 400, message: 'No.', details: [{ '@type': 'x', locale: 'en-US', message: why }] },
  }),
  Bedrock: (why) => ({ message: why, __type: 'ValidationException' }),
  'Bedrock, capital': (why) => ({ Message: why }),
  Mistral: (why) => ({
    object: 'error',
    message: { detail: [{ loc: ['body'], msg: why }] },
    type: 'x',
    code: 2000,
  }),
  Cohere: (why) => ({ id: 'x', message: why }),
  'Hugging Face': (why) => ({ error: why, error_type: 'validation' }),
  'Hugging Face, list': (why) => ({ error: ['Error in `parameters`', why] }),
  Replicate: (why) => ({ title: 'Unprocessable', detail: why, status: 422 }),
  'problem+json': (why) => ({ type: 'about:blank', title: why, status: 400, instance: '/v1' }),
  'JSON:API': (why) => ({
    errors: [{ status: '400', title: 'Bad', detail: why, source: { pointer: '/data' } }],
  }),
  GraphQL: (why) => ({
    data: null,
    errors: [{ message: 'Failed', extensions: { exception: { message: why } } }],
  }),
  Ollama: (why) => ({ error: why }),
  'llama.cpp': (why) => ({ error: { code: 400, message: why, type: 'invalid_request_error' } }),
  DashScope: (why) => ({ code: 'InvalidParameter', message: why, request_id: 'x' }),
  Baidu: (why) => ({ error_code: 336003, error_msg: why, id: 'x' }),
  MiniMax: (why) => ({ base_resp: { status_code: 1004, status_msg: why } }),
  Spring: (why) => ({
    timestamp: '2026-01-01',
    status: 400,
    error: 'Bad Request',
    message: why,
    path: '/v1',
  }),
  OAuth: (why) => ({ error: 'invalid_client', error_description: why }),
  gRPC: (why) => ({ code: 3, message: 'invalid', details: [{ '@type': 't', detail: why }] }),
  'Kong and Traefik': (why) => ({ message: why, request_id: 'x' }),
  Rails: (why) => ({ errors: { max_tokens: [why] } }),
  Django: (why) => ({ max_tokens: [why] }),
  'Fault of Apigee': (why) => ({ fault: { faultstring: why, detail: { errorcode: 'x' } } }),
  'response of a proxy': (why) => ({
    error: { message: 'Upstream failed', response: { data: { error: { message: why } } } },
  }),
  'body of a proxy': (why) => ({ error: { message: 'Upstream failed', body: json({ errors: [why] }) } }),
  'cause within cause': (why) => ({
    error: { message: 'a', cause: { message: 'b', cause: { message: why } } },
  }),
  'message objects': (why) => ({ error: { message: { message: { text: why } } } }),
  'messages, a list': (why) => ({ status: 'error', messages: ['Failed', why] }),
  'error within a stream': (why) => `event: error\ndata: ${json({ error: { message: why } })}\n\n`,
  'number first': (why) => ({ error: 500, reason: why }),
  'long first sentence': (why) => ({
    error: { message: 'Long words. '.repeat(200), metadata: { raw: why } },
  }),
  'with what was asked': (why) => ({
    error: {
      message: why,
      request: { messages: [{ role: 'user', content: 'my secret diary' }] },
      input: 'my secret diary',
    },
  }),
};

/** What stands around such an answer, as gateways before gateways put it. */
const AROUND: ((body: unknown) => unknown)[] = [
  (body) => body,
  (body) => json(body),
  (body) => json(json(body)),
  (body) => [body],
  (body) => ({ error: body }),
  (body) => ({ error: { message: 'Upstream error', upstream: body } }),
  (body) => ({
    error: { message: 'Upstream error', metadata: { raw: typeof body === 'string' ? body : json(body) } },
  }),
  (body) => ({ detail: body }),
  (body) => ({ error: { message: `Error code: 400 - ${typeof body === 'string' ? body : json(body)}` } }),
  (body) => ({ type: 'error', error: { type: 'api_error', message: json(body) } }),
];

const word = fc.constantFrom(
  'pears',
  'tokens',
  'Größe',
  '東京',
  'n=3',
  'limit 4,096',
  'a/b',
  'image',
  'role `tool`',
  'x_y',
);
const planted = fc.array(word, { minLength: 2, maxLength: 8 }).map((all) => `too many ${all.join(' ')}`);

describe('the reason of a refusal, wherever a gateway puts it', () => {
  const told = (body: unknown, status = 400) =>
    serviceError(where, status, new Headers(), body).failure.message;

  it.each(Object.entries(SHAPES))('is told: %s', (_, shape) => {
    const why = 'mock-1 supports at most 1 image per prompt';
    expect(told(shape(why))).toContain(why);
    expect(told(json(shape(why)))).toContain(why);
  });

  it('is told through up to two gateways, bounded, with no key and nothing of the request', () => {
    const shapes = Object.values(SHAPES);
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.nat(shapes.length - 1),
        fc.array(fc.nat(AROUND.length - 1), { maxLength: 2 }),
        planted,
        fc.constantFrom(400, 401, 403, 404, 413, 422, 429, 500, 503),
        (shape, around, why, status) => {
          const body = around.reduce<unknown>((inner, at) => AROUND[at]!(inner), shapes[shape]!(why));
          const message = told(body, status);
          seen.add(`${shape} ${around.join()}`);
          expect(message, json(body)).toContain(why);
          expect(message.length).toBeLessThan(900);
          expect(message).not.toContain('diary');
        },
      ),
      { numRuns: 1_500, seed: 5 },
    );
    expect(seen.size).toBeGreaterThan(200);
  });

  it('never shows a key', () => {
    const forms = [
      KEY,
      PLAIN,
      `${KEY.slice(0, 12)}****${KEY.slice(-4)}`,
      Buffer.from(`Bearer ${KEY}`).toString('base64'),
      encodeURIComponent(KEY),
      `Bearer ${PLAIN}`,
      'AIzaSyA1234567890abcdefghijklmnopqrstuv',
      'gsk_abcdefghijklmnop1234567890',
    ];
    const shapes = Object.values(SHAPES);
    fc.assert(
      fc.property(
        fc.nat(shapes.length - 1),
        fc.nat(AROUND.length - 1),
        fc.constantFrom(...forms),
        fc.constantFrom('', 'x'.repeat(580), 'word '.repeat(115), 'y'.repeat(16_360)),
        (shape, around, key, before) => {
          const { failure } = serviceError(
            where,
            400,
            new Headers(),
            AROUND[around]!(shapes[shape]!(`${before} Incorrect API key provided: ${key}.`)),
          );
          const all = json([failure.message, failure.todo, failure.data]);
          for (const form of forms) expect(all).not.toContain(form.slice(0, 16));
          expect(all).not.toContain(PLAIN.slice(0, 9));
        },
      ),
      { numRuns: 600, seed: 3 },
    );
  });

  it('costs little, whatever is sent, and nothing of it fails', () => {
    const begun = performance.now();
    for (const body of [
      '{"a":'.repeat(50_000),
      '['.repeat(100_000),
      '<'.repeat(100_000),
      `<html>${'<script>'.repeat(5_000)}`,
      json({ errors: Array.from({ length: 50_000 }, (_, n) => ({ message: `m${n}` })) }),
      '{"message":"' + '[{'.repeat(40_000) + '"}',
      '&#'.repeat(50_000),
    ])
      readProblem(body);
    expect(performance.now() - begun).toBeLessThan(5_000);
    fc.assert(fc.property(fc.jsonValue(), (value) => void readProblem(value).message.length));
  });
});
