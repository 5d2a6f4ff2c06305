import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/shared/run/profile';
import { anthropicModel } from '../../../src/main/model/anthropic/index';
import { openaiModel } from '../../../src/main/model/openai/index';
import { hear, testProfile } from '../../support/model-calls';
import { sendJson, testServer, type TestServer } from '../../support/stream-server';
import { adapters, sendAnswer } from './adapters';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe('headers', () => {
  const seen = async (
    provider: 'anthropic' | 'openai',
    values: Partial<Profile>,
    env: Record<string, string> = {},
  ) => {
    const adapter = adapters.find((candidate) => candidate.provider === provider)!;
    server = await testServer((_request, response) => sendAnswer(adapter, response));
    const heard = await hear(adapter.model(server.origin, { env }, values));
    expect(heard.turn).toBeDefined();
    return server.requests[0]!;
  };

  it('carry no key where there is none', async () => {
    for (const provider of ['anthropic', 'openai'] as const) {
      const { headers } = await seen(provider, {}, { ANTHROPIC_API_KEY: 'sk-ant-1', OPENAI_API_KEY: 'sk-1' });
      expect(headers['authorization']).toBeUndefined();
      expect(headers['x-api-key']).toBeUndefined();
      expect(JSON.stringify(headers)).not.toContain('sk-');
      await server!.stop();
    }
  });

  it('carry the key that the profile names', async () => {
    const anthropic = await seen('anthropic', { key_env: 'K' }, { K: 'key-0123456789' });
    expect(anthropic.url).toBe('/v1/messages');
    expect(anthropic.headers).toMatchObject({
      authorization: 'Bearer key-0123456789',
      'x-api-key': 'key-0123456789',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    await server!.stop();
    const openai = await seen('openai', { key_env: 'K' }, { K: 'key-0123456789' });
    expect(openai.url).toBe('/v1/chat/completions');
    expect(openai.headers['authorization']).toBe('Bearer key-0123456789');
    expect(openai.body).not.toContain('key-0123456789');
  });

  it('of the environment that are meant for a vendor go to nobody else', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      ANTHROPIC_CUSTOM_HEADERS: 'X-Private: one',
      OPENAI_CUSTOM_HEADERS: 'X-Private: two\nX-Other: three',
      OPENAI_ORG_ID: 'org-private',
      OPENAI_PROJECT_ID: 'proj-private',
      ANTHROPIC_AUTH_TOKEN: 'token-private',
    });
    try {
      for (const provider of ['anthropic', 'openai'] as const) {
        const { headers } = await seen(provider, {});
        expect(JSON.stringify(headers)).not.toMatch(/private|one|two|three/);
        await server!.stop();
      }
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    }
  });
});

describe('lists of models', () => {
  it('come from Anthropic page by page', async () => {
    server = await testServer((request, response) => {
      const after = new URL(request.url, 'http://x').searchParams.get('after_id');
      const page = (ids: string[], more: boolean) => ({
        data: ids.map((id) => ({ type: 'model', id, display_name: id })),
        has_more: more,
        first_id: ids[0],
        last_id: ids.at(-1),
        next_page: more ? ids.at(-1) : null,
      });
      sendJson(
        response,
        200,
        after || request.url.includes('page=') ? page(['c'], false) : page(['a', 'b'], true),
      );
    });
    const model = anthropicModel(testProfile({ provider: 'anthropic', endpoint: server.origin }), {
      env: {},
    });
    expect(await model.models(new AbortController().signal)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [{ object: 'list', data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] }, ['b', 'a']],
    [{ models: [{ name: 'llama:8b', model: 'llama:8b' }] }, ['llama:8b']],
    [
      [{ id: 'x' }, { id: 'y' }],
      ['x', 'y'],
    ],
    [{ object: 'list', data: [] }, []],
  ])('come from compatible services in any shape', async (body, names) => {
    server = await testServer((_request, response) => sendJson(response, 200, body));
    const model = openaiModel(testProfile({ provider: 'openai', endpoint: server.origin }), { env: {} });
    expect(await model.models(new AbortController().signal)).toEqual(names);
    expect(server.requests[0]!.url).toBe('/v1/models');
  });

  it.each(['anthropic', 'openai'] as const)('fail in plain words and stop at once: %s', async (provider) => {
    const adapter = adapters.find((candidate) => candidate.provider === provider)!;
    let silent = false;
    server = await testServer((_request, response) => {
      if (!silent) sendJson(response, 401, { error: { message: 'invalid x-api-key' } });
    });
    const model = adapter.model(server.origin, { env: { K: 'key-0123456789' } }, { key_env: 'K' });
    await expect(model.models(new AbortController().signal)).rejects.toMatchObject({ code: 'model_auth' });
    silent = true;
    await expect(model.models(AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('that are none are told apart from empty ones', async () => {
    server = await testServer((_request, response) => sendJson(response, 200, { hello: 'world' }));
    const model = openaiModel(testProfile({ provider: 'openai', endpoint: server.origin }), { env: {} });
    await expect(model.models(new AbortController().signal)).rejects.toMatchObject({
      code: 'model_protocol',
    });
  });
});
