import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates, type Certificates } from '../../support/certificates';
import { hear, shownText } from '../../support/model-calls';
import { testProxy, type TestProxy } from '../../support/proxy';
import { testServer, type TestServer } from '../../support/stream-server';
import { adapters, sendAnswer } from './adapters';

/** A name that nobody has: only a proxy can lead anywhere. */
const HOST = 'model.holdfast.test';

let trusted: Certificates;
let other: Certificates;
beforeAll(() => {
  trusted = makeCertificates([HOST, '127.0.0.1']);
  other = makeCertificates(['another.holdfast.test']);
});
afterAll(() => {
  trusted.remove();
  other.remove();
});

let server: TestServer | undefined;
let proxy: TestProxy | undefined;
afterEach(async () => {
  await server?.stop();
  await proxy?.stop();
});

describe.each(adapters)('the network of the $provider adapter', (adapter) => {
  const open = async (tls?: Certificates) => {
    server = await testServer((_request, response) => sendAnswer(adapter, response), tls?.server);
    return server;
  };

  describe('through a proxy', () => {
    it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])(
      'reaches a TLS service that %s leads to',
      async (name) => {
        proxy = await testProxy((await open(trusted)).port);
        const model = adapter.model(`https://${HOST}`, {
          env: { [name]: proxy.url, NODE_EXTRA_CA_CERTS: trusted.caFile },
        });
        expect(shownText(await hear(model))).toBe('Hello!');
        expect(proxy.seen).toEqual([`${HOST}:443`]);
      },
    );

    it('reaches a plain service, and takes an address without a scheme', async () => {
      proxy = await testProxy((await open()).port);
      const model = adapter.model(`http://${HOST}:8000`, {
        env: { HTTP_PROXY: proxy.url.replace('http://', '') },
      });
      expect(shownText(await hear(model))).toBe('Hello!');
      expect(proxy.seen).toEqual([`${HOST}:8000`]);
    });

    it('shows the proxy its password, and nobody else', async () => {
      proxy = await testProxy((await open(trusted)).port);
      const model = adapter.model(`https://${HOST}`, {
        env: { HTTPS_PROXY: proxy.url.replace('//', '//me:secret@'), NODE_EXTRA_CA_CERTS: trusted.caFile },
      });
      await hear(model);
      expect(proxy.authorization).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`);
      expect(JSON.stringify(server!.requests[0]!.headers)).not.toContain('Basic');
    });

    it.each([HOST, '.holdfast.test', '*'])('goes around it for what NO_PROXY names: %s', async (name) => {
      proxy = await testProxy((await open()).port);
      const model = adapter.model(`http://${HOST}`, {
        env: { HTTP_PROXY: proxy.url, NO_PROXY: name },
        tries: 1,
      });
      expect((await hear(model)).failure?.code).toBe('model_unreachable');
      expect(proxy.seen).toEqual([]);
    });

    it('never uses it for this machine', async () => {
      const { origin, port } = await open();
      proxy = await testProxy(port);
      const model = adapter.model(origin, { env: { HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url } });
      expect(shownText(await hear(model))).toBe('Hello!');
      expect(proxy.seen).toEqual([]);
    });

    it.each([
      [407, 'wants a password'],
      [403, 'does not let calls'],
    ])('says so when it refuses with %i', async (status, words) => {
      proxy = await testProxy(1, status);
      const { failure } = await hear(
        adapter.model(`https://${HOST}`, { env: { HTTPS_PROXY: proxy.url }, tries: 1 }),
      );
      expect(failure?.code).toBe('model_unreachable');
      expect(failure!.message).toContain(words);
    });

    it('says so when its address makes no sense', async () => {
      const { failure } = await hear(
        adapter.model(`https://${HOST}`, { env: { HTTPS_PROXY: 'ftp://me:pass@x' } }),
      );
      expect(failure?.code).toBe('model_unreachable');
      expect(failure!.todo).toContain('HTTPS_PROXY');
      expect(JSON.stringify(failure)).not.toContain('pass@');
    });
  });

  describe('over TLS', () => {
    const origin = () => server!.origin;

    it.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('trusts the authority that %s names', async (name) => {
      await open(trusted);
      const model = adapter.model(origin(), { env: { [name]: trusted.caFile } });
      expect(shownText(await hear(model))).toBe('Hello!');
    });

    it('refuses an unknown authority, and tells what to do', async () => {
      await open(trusted);
      const { failure, events } = await hear(adapter.model(origin()));
      expect(failure?.code).toBe('model_tls');
      expect(failure!.message).toContain('authority');
      expect(failure!.todo).toContain('NODE_EXTRA_CA_CERTS');
      expect(events).toEqual([]);
      expect(server!.requests).toEqual([]);
    });

    it('refuses a certificate for another name', async () => {
      await open(other);
      const { failure } = await hear(adapter.model(origin(), { env: { NODE_EXTRA_CA_CERTS: other.caFile } }));
      expect(failure?.code).toBe('model_tls');
      expect(failure!.message).toContain('another name');
    });

    it('says so when a certificate file cannot be read', async () => {
      await open(trusted);
      const env = { NODE_EXTRA_CA_CERTS: `${trusted.caFile}.gone` };
      expect((await hear(adapter.model(origin(), { env }))).failure?.code).toBe('model_tls');
    });
  });

  it('names a server that does not listen', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    const { failure, events } = await hear(adapter.model(`http://127.0.0.1:${port}`));
    expect(failure?.code).toBe('model_unreachable');
    expect(failure!.message).toContain('Nothing answers');
    expect(failure!.todo).toContain('Start the model server');
    expect(events).toEqual([]);
  });

  it('names a server that does not exist', async () => {
    const { failure } = await hear(adapter.model('http://no-such-model.invalid', { tries: 1 }));
    expect(failure?.code).toBe('model_unreachable');
    expect(failure!.message).toMatch(/no server named no-such-model\.invalid|does not answer/);
  });
});
