import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Responder = (
  request: SeenRequest,
  response: ServerResponse,
  /** From 1. */
  count: number,
) => void | Promise<void>;

export interface TestServer {
  readonly origin: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  /** Connections that are open now. */
  readonly open: Set<Socket>;
  /** Resolves when the next connection is closed by whoever opened it. */
  closed(): Promise<void>;
  stop(): Promise<void>;
}

/** A real HTTP server on a free loopback port that answers as it is told and remembers what it was asked. */
export async function testServer(
  respond: Responder,
  tls?: { key: string; cert: string },
  host = '127.0.0.1',
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const open = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen: SeenRequest = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(seen);
      Promise.resolve(respond(seen, response, requests.length)).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    });
  };
  const server: Server = tls ? createTlsServer(tls, handler) : createServer(handler);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      waiting.splice(0).forEach((wake) => wake());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    open,
    closed: () => new Promise<void>((resolve) => waiting.push(resolve)),
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Begins an event stream. */
export const beginStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
};

/** Sends a body as an event stream, in pieces of `size` bytes (0: whole). */
export async function sendStream(response: ServerResponse, body: string | Buffer, size = 0): Promise<void> {
  const bytes = Buffer.from(body);
  beginStream(response);
  const step = size || Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length; at += step) {
    const room = response.write(bytes.subarray(at, at + step));
    if (!room) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

/** Sends JSON with a status. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Events of a Messages API stream from their JSON texts. */
export const anthropicEvents = (texts: readonly string[], newline = '\n'): string =>
  texts
    .map((text) => {
      const type = /"type"\s*:\s*"([a-z_]+)"/.exec(text)?.[1] ?? 'message';
      return `event: ${type}${newline}data: ${text}${newline}${newline}`;
    })
    .join('');

/** Events of a chat completions stream from their JSON texts. */
export const chatEvents = (texts: readonly string[], end = '[DONE]', newline = '\n'): string =>
  [...texts, ...(end === '' ? [] : [end])].map((text) => `data: ${text}${newline}${newline}`).join('');
