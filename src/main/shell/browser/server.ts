import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { FRAME_LIMIT, type Port } from '../../../shared/contract/frame';
import { ADMITTED_PATH, AGAIN_PATH, LIVE_PATH } from '../../../shared/contract/paths';
import { socketPort, type SocketLike } from '../../../shared/contract/text-port';
import { readAsset } from '../assets';
import { pageHeaders } from '../policy';
import { Peers } from './peer';
import { redirectPage } from './redirect';
import { Gatekeeper } from './token';

export interface DoorOptions {
  /** Folder of the built window. */
  root: string;
  /** 0: any free one. */
  port: number;
  /** A window connected. */
  onConnect(port: Port): void;
  /** Milliseconds between two signs of life of a connection. */
  beatMs?: number;
  /**
   * Hands a new link to the browser of the person, by a file that only this user reads, and gives the path of that file.
   * `quiet`: makes the file only.
   */
  again?(quiet: boolean): string;
  /** Origins of the questions that the window shows in frames. */
  frames?: readonly string[];
  /** Tells strangers; absent: asks the system. */
  peers?: Pick<Peers, 'isStranger'>;
}

export interface BrowserDoor {
  readonly port: number;
  /** Whether a request, to whatever port, brings a cookie of this door and comes from this user. */
  admits(request: IncomingMessage): Promise<boolean>;
  /** A link that works once. */
  link(): string;
  close(): Promise<void>;
}

/** Milliseconds between two new links that pages ask for. */
const AGAIN_GAP = 2_000;
const ASK_AGAIN = `<form method="post" action="${AGAIN_PATH}"><button>Open Holdfast again</button></form>`;
/** A page with that one button, and nothing else. */
const ASKING_POLICY = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** More than this unsent, in bytes: nobody reads at the other end. */
const BACKLOG = 64 * 1024 * 1024;

/**
 * Bytes of a request's head. Cookies know no ports: whatever other servers of this machine set comes along, and a
 * browser keeps up to 180 cookies of 4 KB for one host.
 */
const HEADER_LIMIT = 1024 * 1024;

/**
 * The window over loopback HTTP. Refuses every request whose Host is not the door's own name (so a foreign name that
 * was pointed at loopback gets nowhere), every WebSocket whose Origin is not the door's own page, and, but for the
 * token's exchange, everything without the cookie. Who has the cookie or a token must be this user too, where the system
 * tells; who has neither costs no look.
 */
export async function openBrowserDoor(options: DoorOptions): Promise<BrowserDoor> {
  const server = createServer({
    maxHeaderSize: HEADER_LIMIT,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
  });
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  const gate = new Gatekeeper(port);
  const peers = options.peers ?? new Peers();
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const headers = pageHeaders('self', options.frames);

  const plain = (response: ServerResponse, status: number, text: string) => {
    const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Holdfast</title><p>${text}</p></html>`;
    response.writeHead(status, {
      ...headers,
      'cache-control': 'no-store',
      ...(status === 403 && { connection: 'close', 'content-security-policy': ASKING_POLICY }),
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(body);
  };

  let lastAgain = -Infinity;
  /** For who can read this user's files, which is the only way to the new link. Costs at most one look in two seconds. */
  const again = async (request: IncomingMessage, response: ServerResponse, query: string) => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const own = origin === undefined || origin === `http://${request.headers.host ?? ''}`;
    if (!options.again || !own || site === 'cross-site' || site === 'same-site') {
      plain(response, 403, 'This page isn’t allowed to ask for a link.');
      return;
    }
    if (performance.now() - lastAgain < AGAIN_GAP) {
      plain(response, 429, 'A new link was just made. Wait a moment before you ask for another one.');
      return;
    }
    lastAgain = performance.now();
    if (await peers.isStranger(request.socket)) {
      plain(response, 403, 'This is not for you.');
      return;
    }
    const quiet = query === 'quiet';
    const file = options.again(quiet);
    if (quiet) {
      response.writeHead(200, {
        ...headers,
        'cache-control': 'no-store',
        'content-type': 'application/json',
      });
      response.end(JSON.stringify({ file }));
      return;
    }
    const shown = file.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
    plain(
      response,
      200,
      `Holdfast is opening in your browser. If nothing opens, open this file within a minute: <code>${shown}</code>. You can close this page.`,
    );
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!hosts.has(request.headers.host ?? '')) {
      plain(response, 403, 'This is not for you.');
      return;
    }
    const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
    if (request.method === 'POST' && path === AGAIN_PATH) {
      await again(request, response, query);
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      plain(response, 405, 'Holdfast only shows its window here.');
      return;
    }
    const admitted = gate.admits(request.headers.cookie);
    const token = path === '/' ? new URLSearchParams(query).get('token') : null;
    const known = token !== null && gate.knows(token);
    // Before a token is used up: a stranger who saw it must not be able to spend it.
    if ((admitted || known) && (await peers.isStranger(request.socket))) {
      plain(response, 403, 'This is not for you.');
      return;
    }
    if (token !== null) {
      const cookie = gate.exchange(token);
      if (cookie === undefined && !admitted) {
        plain(response, 403, `This link was used already, or isn’t from this Holdfast. ${ASK_AGAIN}`);
        return;
      }
      const fresh = { 'cache-control': 'no-store', ...(cookie !== undefined && { 'set-cookie': cookie }) };
      // The token leaves the address bar, and with it the history.
      if (request.headers['sec-fetch-site'] === 'cross-site') {
        // A redirect would still count as the other page's doing, and the strict cookie would stay behind.
        response.writeHead(200, { ...headers, ...fresh, 'content-type': 'text/html; charset=utf-8' });
        response.end(redirectPage('/'));
      } else {
        response.writeHead(303, { ...headers, ...fresh, location: '/' });
        response.end();
      }
      return;
    }
    if (!admitted) {
      plain(response, 403, `Open Holdfast with the link that it printed, or ask for a new one. ${ASK_AGAIN}`);
      return;
    }
    if (path === ADMITTED_PATH) {
      response.writeHead(204, { ...headers, 'cache-control': 'no-store' });
      response.end();
      return;
    }
    const asset = await readAsset(options.root, path);
    if (!asset) {
      plain(response, 404, 'There is nothing here.');
      return;
    }
    response.writeHead(200, {
      ...headers,
      'content-type': asset.type,
      'content-length': asset.body.byteLength,
      'cache-control': asset.frozen ? 'private, max-age=31536000, immutable' : 'no-store',
    });
    response.end(request.method === 'HEAD' ? undefined : asset.body);
  };
  server.on('request', (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  const sockets = new WebSocketServer({ noServer: true, maxPayload: FRAME_LIMIT, perMessageDeflate: false });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const host = request.headers.host ?? '';
    const known =
      request.url === LIVE_PATH &&
      hosts.has(host) &&
      request.headers.origin === `http://${host}` &&
      gate.admits(request.headers.cookie);
    const refuse = () =>
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
        socket.destroy(),
      );
    if (!known) {
      refuse();
      return;
    }
    void peers.isStranger(request.socket).then((stranger) => {
      if (stranger) {
        refuse();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (live) => {
        watchBeat(live, beats);
        live.on('error', () => live.terminate());
        options.onConnect(socketPort(live as SocketLike));
      });
    });
  });

  const beats = new Map<WebSocket, boolean>();
  const timer = setInterval(() => {
    for (const [live, heard] of beats) {
      if (!heard || live.bufferedAmount > BACKLOG) live.terminate();
      else {
        beats.set(live, false);
        live.ping();
      }
    }
  }, options.beatMs ?? 15_000);
  timer.unref();

  return {
    port,
    admits: async (request) =>
      gate.admits(request.headers.cookie) && !(await peers.isStranger(request.socket)),
    link: () => `http://127.0.0.1:${port}/?token=${gate.token()}`,
    async close() {
      clearInterval(timer);
      for (const live of sockets.clients) live.close(1001);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A window that is going away has this long to say goodbye.
      const impatient = setTimeout(() => {
        for (const live of sockets.clients) live.terminate();
        server.closeAllConnections();
      }, 500);
      server.closeIdleConnections();
      await closed;
      clearTimeout(impatient);
    },
  };
}

function watchBeat(live: WebSocket, beats: Map<WebSocket, boolean>): void {
  beats.set(live, true);
  live.on('pong', () => beats.set(live, true));
  live.on('close', () => beats.delete(live));
}

/** Only ever on loopback. */
function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
