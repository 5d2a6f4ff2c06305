import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates, type Certificates } from '../../support/certificates';
import { hear, shownText } from '../../support/model-calls';
import { testProxy } from '../../support/proxy';
import { socksProxy, type SocksOptions, type SocksProxy } from '../../support/socks-proxy';
import { testServer, type TestServer } from '../../support/stream-server';
import { adapters, sendAnswer } from './adapters';

/** A name and addresses that nobody has: only a proxy can lead there. */
const HOST = 'model.holdfast.test';
const IPV4 = '192.0.2.7';
const IPV6 = '2001:db8::7';

let trusted: Certificates;
beforeAll(() => {
  trusted = makeCertificates([HOST, IPV4, IPV6]);
});
afterAll(() => trusted.remove());

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});
const kept = <T extends { stop(): Promise<void> }>(one: T): T => {
  open.push(one);
  return one;
};

describe.each(adapters)('a SOCKS proxy for the $provider adapter', (adapter) => {
  const setUp = async (options: SocksOptions = {}, tls?: Certificates) => {
    const server: TestServer = kept(
      await testServer((_request, response) => sendAnswer(adapter, response), tls?.server),
    );
    const proxy: SocksProxy = kept(await socksProxy(server.port, options));
    return { server, proxy };
  };
  const ask = (origin: string, env: Record<string, string>) =>
    hear(adapter.model(origin, { env: { NODE_EXTRA_CA_CERTS: trusted.caFile, ...env }, tries: 1 }));

  it.each([
    ['ALL_PROXY', 'socks5', `https://${HOST}`, { kind: 'name', host: HOST, port: 443 }],
    ['all_proxy', 'socks5h', `https://${HOST}:8443`, { kind: 'name', host: HOST, port: 8443 }],
    ['HTTPS_PROXY', 'socks', `https://${IPV4}`, { kind: 'ipv4', host: IPV4, port: 443 }],
    ['ALL_PROXY', 'SOCKS5', `https://[${IPV6}]:444`, { kind: 'ipv6', host: IPV6, port: 444 }],
    ['HTTP_PROXY', 'socks5', `http://${HOST}`, { kind: 'name', host: HOST, port: 80 }],
    ['ALL_PROXY', 'socks5', `http://${IPV4}:8000`, { kind: 'ipv4', host: IPV4, port: 8000 }],
    ['ALL_PROXY', 'socks5', `http://[${IPV6}]`, { kind: 'ipv6', host: IPV6, port: 80 }],
  ])('%s=%s:// leads to %s, and looks the name up', async (name, scheme, origin, call) => {
    const { proxy } = await setUp({}, origin.startsWith('https') ? trusted : undefined);
    const heard = await ask(origin, { [name]: `${scheme}://127.0.0.1:${proxy.port}` });
    expect([shownText(heard), heard.failure]).toEqual(['Hello!', undefined]);
    expect(proxy.seen).toEqual([call]);
    expect(proxy.complaints).toEqual([]);
  });

  it.each([
    ['somebody', 'secret'],
    ['somebody', ''],
    ['me@corp:x', 'p:@/%# ü'],
    ['u'.repeat(60) + 'ü'.repeat(97), 'p'.repeat(255)],
  ])('takes a login, and nobody else sees it: %#', async (user, password) => {
    const { proxy, server } = await setUp(
      { login: { user, password }, slowly: true, bound: 'name' },
      trusted,
    );
    const login = [user, password].map(encodeURIComponent).join(':');
    const heard = await ask(`https://${HOST}`, { ALL_PROXY: `socks5://${login}@127.0.0.1:${proxy.port}` });
    expect([shownText(heard), heard.failure, proxy.complaints]).toEqual(['Hello!', undefined, []]);
    const [request] = server.requests;
    expect(JSON.stringify(request)).not.toContain(encodeURIComponent(user));
    expect(request?.headers['proxy-authorization']).toBeUndefined();
  });

  it('says what is wrong with it, without its password', async () => {
    for (const [options, words] of [
      [{ login: { user: 'me', password: 'other' } }, 'does not accept the user and password'],
      [{ reply: 2 }, `does not let calls to ${HOST} through`],
      [{ reply: 1 }, `cannot reach ${HOST}`],
      [{ reply: 4 }, `cannot reach ${HOST}`],
      [{ reply: 5 }, `cannot reach ${HOST}`],
      [{ foreign: true }, 'is not a SOCKS 5 proxy'],
    ] as const) {
      const { proxy } = await setUp(options);
      const env = { ALL_PROXY: `socks5://me:hunter22@127.0.0.1:${proxy.port}` };
      const { failure } = await ask(`https://${HOST}`, env);
      expect([failure?.code, failure?.message]).toEqual([
        'model_unreachable',
        expect.stringContaining(words),
      ]);
      expect(JSON.stringify([failure, failure?.cause])).not.toContain('hunter22');
      expect(proxy.complaints).toEqual([]);
    }
    const { proxy } = await setUp({ login: { user: 'me', password: 'x' } });
    const { failure } = await ask(`https://${HOST}`, { ALL_PROXY: `socks5://127.0.0.1:${proxy.port}` });
    expect(failure?.message).toContain('does not accept the user and password');
  });

  it('is never used for this machine, nor for what NO_PROXY names', async () => {
    const { proxy, server } = await setUp();
    const env = {
      ALL_PROXY: `socks5://127.0.0.1:${proxy.port}`,
      HTTP_PROXY: `socks5://127.0.0.1:${proxy.port}`,
    };
    for (const host of ['127.0.0.1', 'localhost'])
      expect(shownText(await ask(`http://${host}:${server.port}`, env))).toBe('Hello!');
    for (const [host, none] of [
      [HOST, HOST],
      [HOST, '.holdfast.test'],
      [HOST, 'other, *.holdfast.test:80'],
      [HOST, '*'],
      [`[${IPV6}]:1`, `[${IPV6}]`],
      ['[::1]:1', ''],
    ] as const)
      expect((await ask(`http://${host}`, { ...env, NO_PROXY: none })).failure?.code).toBe(
        'model_unreachable',
      );
    expect(proxy.seen).toEqual([]);
  });

  it('gives way to a proxy that is named for the scheme', async () => {
    const { proxy, server } = await setUp();
    const other = kept(await testProxy(server.port));
    const env = { ALL_PROXY: `socks5://127.0.0.1:${proxy.port}`, HTTP_PROXY: other.url };
    expect(shownText(await ask(`http://${HOST}`, env))).toBe('Hello!');
    expect([other.seen, proxy.seen]).toEqual([[`${HOST}:80`], []]);
  });
});
