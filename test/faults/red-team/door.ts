import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { startProgram } from '../../../src/main/program';
import { openInBrowser } from '../../../src/main/shell/browser/open';
import type { BrowserDoor, DoorOptions } from '../../../src/main/shell/browser/server';
import type * as Token from '../../../src/main/shell/browser/token';
import { ask, enter } from '../../support/door';
import { tempFolder } from '../../support/folder';
import { until } from '../../support/wait';
import { NotHere, weakenedModules, type Attempt } from './attempt';
import { flood } from './flood';

const real = () => import('../../../src/main/shell/browser/server');
type Made = Awaited<ReturnType<typeof real>>;

/** A door with nothing behind it but a page. */
async function withDoor<T>(
  use: (door: BrowserDoor) => Promise<T>,
  { made = real(), ...more }: { made?: Promise<Made> } & Partial<DoorOptions> = {},
): Promise<T> {
  const { openBrowserDoor } = await made;
  const root = tempFolder({ 'index.html': '<!doctype html><title>Holdfast</title>' });
  const door = await openBrowserDoor({ root, port: 0, onConnect: () => undefined, ...more });
  try {
    return await use(door);
  } finally {
    await door.close();
  }
}

/** The status that a program of another user gets for a request that is right in every other way. */
function asOtherUser(address: string, port: number, path: string, cookie: string): Promise<number> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new NotHere('two users: only root on Linux can become another user');
  const script = `require('node:http').get({ host: ${JSON.stringify(address)}, port: ${port},
    path: ${JSON.stringify(path)}, headers: { host: '127.0.0.1:${port}', cookie: ${JSON.stringify(cookie)} } },
    (answer) => { process.stdout.write(String(answer.statusCode)); answer.destroy(); });`;
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['-e', script],
      { uid: 65_534, gid: 65_534, cwd: '/', env: {} },
      (error, stdout) => (error ? reject(error) : resolve(Number(stdout))),
    );
  });
}

/** The mutant: nobody is a stranger. */
const anyone: Partial<DoorOptions> = { peers: { isStranger: () => Promise.resolve(false) } };
const LOOK = 'the look at who owns the other end';

const fromAddress = (address: string): Attempt[] => [
  {
    name: `another user has the cookie and comes from ${address}`,
    by: 'another user of this machine',
    mutant: LOOK,
    try: (weakened) =>
      withDoor(
        async (opened) => {
          const { cookie } = await enter(opened.link());
          return (await asOtherUser(address, opened.port, '/', cookie)) === 200 ? 'the page' : undefined;
        },
        weakened ? anyone : {},
      ),
  },
  {
    name: `another user saw the one-time link and comes from ${address}`,
    by: 'another user of this machine',
    mutant: LOOK,
    try: (weakened) =>
      withDoor(
        async (opened) => {
          const { host, pathname, search } = new URL(opened.link());
          const status = await asOtherUser(address, opened.port, pathname + search, '');
          if (status < 400) return `status ${status}`;
          const owner = await ask(host, pathname + search);
          return owner.headers['set-cookie'] ? undefined : 'the link was used up';
        },
        weakened ? anyone : {},
      ),
  },
];

/** What was wrong with the file that leads the browser to a link; undefined: nothing. */
function wrongWithFile(link: string, heard: string[]): string | undefined {
  const start = (program: string, words: readonly string[]) => {
    heard.push(program, ...words);
    return Promise.resolve();
  };
  for (const platform of ['linux', 'darwin', 'win32'] as const)
    for (const snap of [false, true]) {
      const opening = openInBrowser(link, tempFolder(), start, { platform, snap, home: tempFolder() });
      if (heard.at(-1) !== opening.file) return `${platform}: ${heard.join(' ')}`;
      const open = [opening.file, dirname(opening.file)].filter((path) => statSync(path).mode & 0o77);
      if (process.platform !== 'win32' && open.length > 0) return `others may read ${open.join(', ')}`;
      if (!readFileSync(opening.file, 'utf8').includes(`url=${link}`)) return 'the file leads nowhere';
      opening.end();
      if (existsSync(dirname(opening.file))) return 'the file stays behind';
    }
  return undefined;
}

/** What a program that Holdfast starts finds of the keys and logins that profiles and stores name. */
async function keysOfChild(weakened: boolean): Promise<string | undefined> {
  const config = tempFolder({
    'holdfast/profiles.yaml':
      'profiles:\n  - {name: Own, provider: openai, model: m, endpoint: "https://models.example/v1", key_env: CANARY_PROFILE}\n',
    'holdfast/stores.yaml':
      'stores:\n  - {name: team, url: "nats://127.0.0.1:4222/RUNS", auth: {user: me, password_env: CANARY_PASSWORD}}\n' +
      '  - {name: other, url: "nats://127.0.0.1:4222/RUNS", auth: {token_env: CANARY_TOKEN}}\n',
  });
  const keys = ['CANARY_PROFILE', 'CANARY_PASSWORD', 'CANARY_TOKEN', 'ANTHROPIC_API_KEY'];
  const folder = tempFolder({ show: '#!/bin/sh\nenv > "$1.new" && mv "$1.new" "$1"\n' });
  const program = join(folder, 'show');
  chmodSync(program, 0o700);
  const said = join(folder, 'said');
  for (const key of keys) vi.stubEnv(key, `canary-${key}`);
  vi.stubEnv('XDG_CONFIG_HOME', config);
  vi.stubEnv('CANARY_OTHER', 'passed on');
  try {
    if (weakened) spawn(program, [said], { stdio: 'ignore' });
    else await startProgram(program, [said]);
    await until(() => existsSync(said));
  } finally {
    vi.unstubAllEnvs();
  }
  const environment = readFileSync(said, 'utf8');
  if (!environment.includes('CANARY_OTHER=passed on')) return 'what is no key is missing, too';
  return keys.filter((key) => environment.includes(`canary-${key}`)).join(', ') || undefined;
}

export const door: readonly Attempt[] = [
  {
    name: 'a foreign name that points at loopback uses the one-time link',
    by: 'the network',
    try: () =>
      withDoor(async (opened) => {
        const { pathname, search } = new URL(opened.link());
        const own = `127.0.0.1:${opened.port}`;
        for (const host of [
          'evil.example',
          `evil.example:${opened.port}`,
          `${own}.evil.example`,
          `@${own}`,
        ]) {
          const answer = await ask(own, pathname + search, { host });
          if (answer.status < 400 || answer.headers['set-cookie']) return `${host}: ${answer.status}`;
        }
        return undefined;
      }),
  },
  {
    name: 'a one-time link is used a second time',
    by: 'another user of this machine',
    mutant: 'forgetting a token that was used',
    async try(weakened) {
      const made = weakened
        ? weakenedModules<typeof Token, Made>(
            'src/main/shell/browser/token.ts',
            ({ Gatekeeper }) => ({
              Gatekeeper: class extends Gatekeeper {
                override exchange(): string {
                  return `${this.cookieName}=1`;
                }
              },
            }),
            real,
          )
        : real();
      return withDoor(
        async (opened) => {
          const link = opened.link();
          await enter(link);
          const { host, pathname, search } = new URL(link);
          const again = await ask(host, pathname + search);
          return again.headers['set-cookie'] ? 'a second cookie' : undefined;
        },
        { made },
      );
    },
  },
  ...['127.0.0.1', '::ffff:127.0.0.1'].flatMap(fromAddress),
  {
    name: 'the one-time link is read from the words of the program that opens the browser',
    by: 'another user of this machine',
    mutant: 'the file that redirects',
    async try(weakened) {
      const link = `http://127.0.0.1:4711/?token=${'a1B2'.repeat(11).slice(1)}`;
      const heard: string[] = [];
      const wrong = weakened ? void heard.push('xdg-open', link) : wrongWithFile(link, heard);
      return wrong ?? heard.find((word) => word.includes('token') || word.includes('a1B2'));
    },
  },
  {
    name: 'a program that Holdfast starts reads keys and logins in its environment',
    by: 'another user of this machine',
    mutant: 'the environment without keys',
    try: keysOfChild,
  },
  {
    name: 'another server of this machine sets 180 cookies of 4 KB',
    by: 'the network',
    try: () =>
      withDoor(async (opened) => {
        const { host, cookie } = await enter(opened.link());
        const others = Array.from({ length: 180 }, (_, n) => `c${n}=${'x'.repeat(4_090)}`).join('; ');
        const answer = await ask(host, '/', { cookie: `${others}; ${cookie}` });
        return answer.status === 200 ? undefined : `the owner is locked out: ${answer.status}`;
      }),
  },
  {
    name: 'a flood of 1,000 refused requests a second delays a window',
    by: 'another user of this machine',
    mutant: 'refusals that cost nothing',
    try: flood,
  },
];
