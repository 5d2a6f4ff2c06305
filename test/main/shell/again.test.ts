import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetRunning, noteRunning, runningLink } from '../../../src/main/app/running';
import { holdfast } from '../../../src/main/cli/program';
import { openBrowserDoor, type BrowserDoor } from '../../../src/main/shell/browser/server';
import { ask } from '../../support/door';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-again-'));
let door: BrowserDoor | undefined;
afterEach(async () => {
  await door?.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function open(stranger = false): Promise<{ host: string; handed: boolean[] }> {
  vi.stubEnv('XDG_STATE_HOME', folder);
  const handed: boolean[] = [];
  const made: BrowserDoor = await openBrowserDoor({
    root: folder,
    port: 0,
    onConnect: () => undefined,
    peers: { isStranger: async () => stranger },
    again: (quiet) => {
      handed.push(quiet);
      const file = join(folder, 'link.html');
      writeFileSync(file, `<a href="${made.link()}">`);
      return file;
    },
  });
  door = made;
  return { host: `127.0.0.1:${made.port}`, handed };
}

describe('the address of the browser door', () => {
  it('offers its owner a new link when the page is not let in, by a file and not by itself', async () => {
    const { host, handed } = await open();
    const page = await ask(host, '/');
    expect(page.status).toBe(403);
    expect(page.body).toContain('Open Holdfast again');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    const answer = await ask(host, '/again', { origin: `http://${host}` }, 'POST');
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('link.html');
    expect(answer.body + JSON.stringify(answer.headers)).not.toContain('token');
    expect(handed).toEqual([false]);
    // Once in a while only.
    expect((await ask(host, '/again', { origin: `http://${host}` }, 'POST')).status).toBe(429);
  });

  it('reads of what answers in its place no more than a little', async () => {
    vi.stubEnv('XDG_STATE_HOME', folder);
    let sent = 0;
    const server = createServer((_, response) => {
      const go = (): void => {
        while (!response.destroyed && sent < 500_000_000) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536, ' '))) return void response.once('drain', go);
        }
      };
      go();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      noteRunning((server.address() as AddressInfo).port);
      expect(await runningLink()).toBeUndefined();
      expect(sent).toBeLessThan(50_000_000);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('makes no link for other pages and other users', async () => {
    const first = await open();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:1` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await ask(first.host, '/again', headers, 'POST')).status).toBe(403);
    expect((await ask(first.host, '/again')).status).toBe(403);
    expect(first.handed).toEqual([]);
    await door?.close();
    const second = await open(true);
    expect((await ask(second.host, '/again', {}, 'POST')).status).toBe(403);
    expect(second.handed).toEqual([]);
  });

  it('is found by a second start of the same user, which gets a link that works', async () => {
    await open();
    expect(await runningLink()).toBeUndefined();
    noteRunning(door?.port ?? 0);
    const link = await runningLink();
    expect(link).toBe(/http[^"]+/.exec(readFileSync(join(folder, 'link.html'), 'utf8'))?.[0]);
    const { host, pathname, search } = new URL(link ?? '');
    expect((await ask(host, pathname + search)).status).toBe(303);
    forgetRunning(1);
    expect(readFileSync(join(folder, 'holdfast', 'browser-door.json'), 'utf8')).toContain('port');
    forgetRunning(door?.port ?? 0);
    expect(await runningLink()).toBeUndefined();
  });

  it('is printed anew by the command, whatever it was started with, and the command says when there is none', async () => {
    await open();
    const said = { out: '', err: '' };
    const link = async () => {
      said.out = said.err = '';
      const screen = {
        out: async (text: string) => void (said.out += text),
        err: (text: string) => void (said.err += text),
      };
      return holdfast(['link'], { screen, version: '0' } as unknown as Parameters<typeof holdfast>[1]);
    };
    expect(await link()).toBe(5);
    expect(said.err).toContain('isn’t open in a browser');
    // Another one that is gone, and this one, which shows a store of its own.
    noteRunning(1, true);
    noteRunning(door?.port ?? 0, false);
    expect(await link()).toBe(0);
    expect(await runningLink()).toBeUndefined();
    const { host, pathname, search } = new URL(said.out.trim());
    expect(host).toBe(`127.0.0.1:${door?.port}`);
    expect((await ask(host, pathname + search)).status).toBe(303);
    expect((await ask(host, pathname + search)).status).toBe(403);
  });
});
