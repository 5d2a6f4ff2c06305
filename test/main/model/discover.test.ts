import { afterEach, describe, expect, it } from 'vitest';
import { discoverLocal } from '../../../src/main/model/discover';
import { sendJson, testServer, type Responder, type TestServer } from '../../support/stream-server';

const servers: TestServer[] = [];
const serve = async (respond: Responder, host?: string) => {
  const server = await testServer(respond, undefined, host);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const list = (owner: string, ...ids: string[]): Responder => {
  return (_request, response) =>
    sendJson(response, 200, {
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
    });
};

describe('finding local model servers', () => {
  it('names each kind and its models, in the order of the ports', async () => {
    const ollama = await serve(list('library', 'llama3.2:3b', 'qwen3:8b'));
    const studio = await serve(list('organization_owner', 'gemma-3'));
    const llama = await serve(list('llamacpp', 'model.gguf'));
    const vllm = await serve(list('vllm', 'Qwen/Qwen3'));
    const ports = [ollama, studio, llama, vllm].map((server) => server.port);
    const found = await discoverLocal({ ports });
    expect(found.map(({ kind, name, models }) => [kind, name, models])).toEqual([
      ['ollama', 'Ollama', ['llama3.2:3b', 'qwen3:8b']],
      ['lmstudio', 'LM Studio', ['gemma-3']],
      ['llamacpp', 'llama.cpp', ['model.gguf']],
      ['vllm', 'vLLM', ['Qwen/Qwen3']],
    ]);
    expect(found[0]!.endpoint).toBe(`http://127.0.0.1:${ollama.port}/v1`);
  });

  it('offers a server that has no model yet, and knows llama.cpp by its name', async () => {
    const empty = await serve((_request, response) => {
      response.setHeader('server', 'llama.cpp');
      sendJson(response, 200, { object: 'list', data: [] });
    });
    expect(await discoverLocal({ ports: [empty.port] })).toMatchObject([{ kind: 'llamacpp', models: [] }]);
  });

  it('finds a server that listens only on ::1', async (ctx) => {
    const six = await serve(list('library', 'a'), '::1').catch(() => undefined);
    if (!six) return ctx.skip('this machine has no IPv6 loopback');
    expect(await discoverLocal({ ports: [six.port] })).toMatchObject([
      { endpoint: `http://[::1]:${six.port}/v1`, models: ['a'] },
    ]);
  });

  it('passes over what is no model server, without sending it more than a question', async () => {
    const others = await Promise.all([
      serve((_request, response) => response.end('<html>hello</html>') && undefined),
      serve((_request, response) => sendJson(response, 404, { error: 'no' })),
      serve((_request, response) => sendJson(response, 200, { jobs: [] })),
      serve((_request, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' });
        response.end();
      }),
    ]);
    expect(await discoverLocal({ ports: others.map((server) => server.port) })).toEqual([]);
    for (const { requests } of others) {
      expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
        ['GET', '/v1/models', ''],
      ]);
      expect(requests[0]!.headers['authorization']).toBeUndefined();
    }
  });

  it('is not held up by a server that never answers', async () => {
    const silent = await serve(() => undefined);
    const endless = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('['.repeat(50_000)));
        response.once('drain', more);
      };
      more();
    });
    const good = await serve(list('vllm', 'a'));
    const before = Date.now();
    const found = await discoverLocal({ ports: [silent.port, endless.port, good.port], timeoutMs: 300 });
    expect(found).toMatchObject([{ kind: 'vllm' }]);
    expect(Date.now() - before).toBeLessThan(3_000);
  });

  it('finds nothing, quietly and quickly, where nothing listens', async () => {
    const gone = await serve(() => undefined);
    await gone.stop();
    const before = Date.now();
    expect(await discoverLocal({ ports: [gone.port] })).toEqual([]);
    expect(Date.now() - before).toBeLessThan(2_000);
    expect(await discoverLocal({ ports: [gone.port], signal: AbortSignal.abort() })).toEqual([]);
  });
});
