import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { serve } from '../../../src/shared/contract/serve';
import { FRAME_LIMIT } from '../../../src/shared/contract/frame';
import { Peers } from '../../../src/main/shell/browser/peer';
import { LIVE_PATH } from '../../../src/shared/contract/paths';
import { openBrowserDoor, type BrowserDoor } from '../../../src/main/shell/browser/server';
import { contentPolicy } from '../../../src/main/shell/policy';
import { ask, enter } from '../../support/door';
import { notingHandlers } from '../../support/handlers';
import { until } from '../../support/wait';

let root: string;
let door: BrowserDoor;
let host: string;
let connected: number;
let calls: unknown[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-door-'));
  await writeFile(join(root, 'index.html'), '<!doctype html><title>Holdfast</title>');
  await writeFile(join(root, 'app-Ab3dE5_g.js'), '1');
  connected = 0;
  const noting = notingHandlers({ 'prefs.get': () => ({ theme: 'dark', zoom: 1 }) });
  calls = noting.calls;
  door = await openBrowserDoor({
    root,
    port: 0,
    onConnect: (port) => {
      connected++;
      serve(noting.handlers, port);
    },
  });
  host = `127.0.0.1:${door.port}`;
});
afterEach(async () => {
  await door.close();
  await rm(root, { recursive: true, force: true });
});

/** Tries to connect; 'open', or the status of the refusal. */
async function live(headers: Record<string, string>, path = LIVE_PATH): Promise<WebSocket | number> {
  const socket = new WebSocket(`ws://${host}${path}`, { headers });
  return new Promise((resolve) => {
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('error', () => resolve(-1));
  });
}

describe('browser door', () => {
  it('exchanges its link once for a strict cookie and takes the token out of the address', async () => {
    const { pathname, search } = new URL(door.link());
    const first = await ask(host, pathname + search);
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe('/');
    expect(first.headers['cache-control']).toBe('no-store');
    expect(first.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^holdfast-${door.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    );
    expect((await ask(host, pathname + search)).status).toBe(403);
    const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    // Who is in already is not turned away by a used link.
    expect((await ask(host, pathname + search, { cookie })).status).toBe(303);
    expect((await ask(host, pathname + search, { cookie })).headers['set-cookie']).toBeUndefined();
  });

  it('serves the page with the decided policy, letter by letter, and never without the cookie', async () => {
    const { cookie } = await enter(door.link());
    const page = await ask(host, '/', { cookie });
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
        "require-trusted-types-for 'script'",
    );
    expect(contentPolicy('none')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
        "require-trusted-types-for 'script'",
    );
    expect(page.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect((await ask(host, '/app-Ab3dE5_g.js', { cookie })).headers['cache-control']).toContain('immutable');
    for (const path of ['/', '/index.html', '/app-Ab3dE5_g.js', '/admitted', '/nothing']) {
      const answer = await ask(host, path);
      expect(answer.status).toBe(403);
      expect(answer.headers['content-security-policy']).toBeDefined();
    }
    expect((await ask(host, '/admitted', { cookie })).status).toBe(204);
    expect((await ask(host, '/nothing.js', { cookie })).status).toBe(404);
    expect((await ask(host, '/', { cookie }, 'POST')).status).toBe(405);
  });

  it('refuses every Host but its own, so that a name pointed at loopback gets nothing', async () => {
    const { cookie } = await enter(door.link());
    const link = new URL(door.link());
    for (const name of [
      'evil.example',
      `evil.example:${door.port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${door.port + 1}`,
      `127.0.0.1.evil.example:${door.port}`,
      `0.0.0.0:${door.port}`,
      `[::1]:${door.port}`,
      `LOCALHOST.:${door.port}`,
      ' ',
    ]) {
      expect((await ask(host, '/', { host: name, cookie })).status, name).toBeGreaterThanOrEqual(400);
      const used = await ask(host, link.pathname + link.search, { host: name });
      expect(used.headers['set-cookie'], name).toBeUndefined();
      expect(await live({ host: name, origin: `http://${name}`, cookie }), name).not.toBeInstanceOf(
        WebSocket,
      );
    }
    // The link was not used up by any of them.
    expect((await ask(host, link.pathname + link.search)).status).toBe(303);
    expect(connected).toBe(0);
  });

  it('takes a WebSocket only from its own page, with the cookie, at its own path', async () => {
    const { cookie } = await enter(door.link());
    const origin = `http://${host}`;
    const refused: [string, Record<string, string>, string?][] = [
      ['no cookie', { origin }],
      ['no origin', { cookie }],
      ['null origin', { origin: 'null', cookie }],
      ['foreign origin', { origin: 'https://evil.example', cookie }],
      ['other port', { origin: `http://127.0.0.1:${door.port + 1}`, cookie }],
      ['other scheme', { origin: `https://${host}`, cookie }],
      ['other loopback name', { origin: `http://localhost:${door.port}`, cookie }],
      ['wrong cookie', { origin, cookie: `holdfast-${door.port}=${'a'.repeat(43)}` }],
      ['cookie of another port', { origin, cookie: cookie.replace(`${door.port}`, '1') }],
      ['empty cookie', { origin, cookie: `holdfast-${door.port}=` }],
      ['other path', { origin, cookie }, '/'],
      ['path with query', { origin, cookie }, `${LIVE_PATH}?x`],
    ];
    for (const [what, headers, path] of refused) expect(await live(headers, path), what).toBe(403);
    expect(connected).toBe(0);
    const socket = await live({ origin, cookie: `other=1; ${cookie}` });
    expect(socket).toBeInstanceOf(WebSocket);
    (socket as WebSocket).terminate();
    expect(connected).toBe(1);
  });

  it('ends a connection that sends more than a frame may have, and accepts nothing of it', async () => {
    const { cookie } = await enter(door.link());
    const socket = (await live({ origin: `http://${host}`, cookie })) as WebSocket;
    const closed = once(socket, 'close');
    const big = {
      kind: 'call',
      call: 1,
      name: 'draft.set',
      input: { key: 'k', text: 'x'.repeat(FRAME_LIMIT) },
    };
    socket.send(JSON.stringify(big));
    expect((await closed)[0]).toBe(1009);
    expect(calls).toEqual([]);
  });

  it('answers what is no frame, in text or bytes, and serves several windows at once', async () => {
    const { cookie } = await enter(door.link());
    const windows = await Promise.all([1, 2, 3].map(() => live({ origin: `http://${host}`, cookie })));
    for (const socket of windows as WebSocket[]) {
      const got: string[] = [];
      socket.on('message', (data) => got.push(String(data)));
      socket.send('nonsense');
      socket.send(Buffer.from([0, 1, 2]));
      socket.send(JSON.stringify({ kind: 'call', call: 1, name: 'prefs.get', input: {} }));
      await until(() => got.length === 3);
      expect(got.map((text) => (JSON.parse(text) as { call: number; ok: boolean }).ok)).toEqual([
        false,
        false,
        true,
      ]);
      socket.terminate();
    }
    expect(connected).toBe(3);
  });

  it('drops a window that gives no sign of life', async () => {
    await door.close();
    let gone = 0;
    door = await openBrowserDoor({
      root,
      port: 0,
      beatMs: 40,
      onConnect: (port) => port.onClose(() => gone++),
    });
    host = `127.0.0.1:${door.port}`;
    const { cookie } = await enter(door.link());
    // A connection that never answers a ping: the upgrade by hand, then silence.
    const silent = createConnection({ host: '127.0.0.1', port: door.port });
    silent.write(
      `GET ${LIVE_PATH} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nCookie: ${cookie}\r\nUpgrade: websocket\r\n` +
        'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    silent.resume();
    await until(() => gone === 1);
    silent.destroy();
    const healthy = (await live({ origin: `http://${host}`, cookie })) as WebSocket;
    let pings = 0;
    healthy.on('ping', () => pings++);
    await until(() => pings > 4);
    expect(healthy.readyState).toBe(WebSocket.OPEN);
    healthy.terminate();
  });

  it('closes with windows open, within a second', async () => {
    const { cookie } = await enter(door.link());
    await live({ origin: `http://${host}`, cookie });
    const begun = Date.now();
    await door.close();
    expect(Date.now() - begun).toBeLessThan(2_000);
  });

  it('goes on by a page where another page led to the link, for a redirect would leave the strict cookie behind', async () => {
    const { pathname, search } = new URL(door.link());
    const answer = await ask(host, pathname + search, { 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']?.[0]).toContain('SameSite=Strict');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toContain('content="0;url=/"');
  });

  it('finds its cookie among those of other servers, wherever it is, and takes no other for it', async () => {
    const { cookie } = await enter(door.link());
    const others = Array.from({ length: 180 }, (_, n) => `other-${n}=${'x'.repeat(4_000)}`);
    const sent = (list: string[]) => ask(host, '/admitted', { cookie: list.join('; ') });
    expect((await sent([...others, cookie])).status).toBe(204);
    expect((await sent([cookie, ...others])).status).toBe(204);
    const name = cookie.slice(0, cookie.indexOf('=') + 1);
    expect((await sent([`${name}${'a'.repeat(43)}`, `${name}short`, cookie])).status).toBe(204);
    for (const wrong of [`x${cookie}`, `${cookie}x`, cookie.slice(0, -1), name, `${name}"${cookie}"`])
      expect((await sent([wrong, ...others])).status, wrong).toBe(403);
  });
});

describe('the owner of a connection', () => {
  const head =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  const rest = (uid: number, inode: number) =>
    `01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 0 0 10 -1\n`;
  const server = (uid: number) => `   0: 0100007F:1F90 0100007F:D431 ${rest(uid, 7)}`;
  const tcp = (uid: number, inode = 8) =>
    `${head}${server(1000)}   1: 0100007F:D431 0100007F:1F90 ${rest(uid, inode)}`;
  const tcp6 = (uid: number, inode = 8) =>
    `${head}   0: 0000000000000000FFFF00000100007F:D431 0000000000000000FFFF00000100007F:1F90 ${rest(uid, inode)}`;
  const socket = (more: object = {}) =>
    ({
      remoteFamily: 'IPv4',
      remoteAddress: '127.0.0.1',
      remotePort: 0xd431,
      localAddress: '127.0.0.1',
      localPort: 8080,
      ...more,
    }) as never;
  const judge = (first: string, second: string, more?: object) =>
    new Peers(() => Promise.resolve([first, second]), 1000).isStranger(socket(more));

  it('is known in the tables of both families', async () => {
    expect(await judge(tcp(1000), head)).toBe(false);
    expect(await judge(head, tcp6(1000))).toBe(false);
    expect(await judge(tcp(0), head)).toBe(false);
    expect(await judge(tcp(1001), head)).toBe(true);
    expect(await judge(head, tcp6(1001))).toBe(true);
    expect(await judge(tcp(1000), tcp6(1001))).toBe(true);
    const mapped = {
      remoteFamily: 'IPv6',
      remoteAddress: '::ffff:127.0.0.1',
      localAddress: '::ffff:127.0.0.1',
    };
    expect(await judge(head, tcp6(1000), mapped)).toBe(false);
  });

  it('is a stranger when not listed, closed already, of another family, or when nothing can be read', async () => {
    expect(await judge(head + server(1000), head)).toBe(true);
    expect(await judge('', '')).toBe(true);
    expect(await judge(tcp(0, 0), head)).toBe(true);
    expect(await judge(tcp(1000), head, { remoteFamily: 'IPv6', remoteAddress: '::1' })).toBe(true);
    expect(await judge(tcp(1000), head, { remoteAddress: undefined })).toBe(true);
    expect(await judge(tcp(1000), head, { remotePort: 0xd432 })).toBe(true);
    expect(await new Peers(() => Promise.reject(new Error('no')), 1000).isStranger(socket())).toBe(true);
    expect(await new Peers(() => Promise.reject(new Error('no')), null).isStranger(socket())).toBe(false);
  });

  it('costs one look for all who wait, never begun before they came, and none for who was judged', async () => {
    let looks = 0;
    const peers = new Peers(() => {
      looks++;
      return Promise.resolve([tcp(1000), head] as const);
    }, 1000);
    const known = socket();
    await Promise.all([
      peers.isStranger(known),
      ...Array.from({ length: 200 }, () => peers.isStranger(socket())),
    ]);
    expect(looks).toBe(1);
    await peers.isStranger(known);
    expect(looks).toBe(1);
    await peers.isStranger(socket());
    expect(looks).toBe(2);
  });
});
