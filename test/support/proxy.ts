import { createServer, request as httpRequest } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface TestProxy {
  readonly url: string;
  /** `host:port` of every call that came through, in order. */
  readonly seen: string[];
  /** What the last call showed as its right to use the proxy. */
  authorization: string | undefined;
  stop(): Promise<void>;
}

/** A real HTTP proxy (CONNECT and plain) on loopback that sends every call to `target`, or to the one for the host that it names. */
export async function testProxy(
  target: number | ((host: string) => number | undefined),
  refuse?: number,
): Promise<TestProxy> {
  const portFor = (host: string): number => (typeof target === 'number' ? target : (target(host) ?? 9));
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '');
    proxy.seen.push(`${asked.hostname}:${asked.port || 80}`);
    const onward = httpRequest(
      {
        port: portFor(asked.hostname),
        host: '127.0.0.1',
        method: request.method,
        path: asked.pathname + asked.search,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.on('connection', keep);
  server.on('connect', (request, client: Socket, head: Buffer) => {
    proxy.seen.push(request.url ?? '');
    proxy.authorization = request.headers['proxy-authorization'];
    if (refuse !== undefined) {
      client.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
      return;
    }
    const onward = connect(portFor((request.url ?? '').replace(/:\d+$/, '')), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(client);
      client.pipe(onward);
    });
    keep(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    authorization: undefined,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return proxy;
}
