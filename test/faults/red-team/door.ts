import type { BrowserDoor } from '../../../src/main/shell/browser/server';
import type * as Token from '../../../src/main/shell/browser/token';
import { ask, enter } from '../../support/door';
import { tempFolder } from '../../support/folder';
import { weakenedModules, type Attempt } from './attempt';

const real = () => import('../../../src/main/shell/browser/server');
type Made = Awaited<ReturnType<typeof real>>;

/** A door with nothing behind it but a page. */
async function withDoor<T>(use: (door: BrowserDoor) => Promise<T>, made: Promise<Made> = real()): Promise<T> {
  const { openBrowserDoor } = await made;
  const root = tempFolder({ 'index.html': '<!doctype html><title>Holdfast</title>' });
  const door = await openBrowserDoor({ root, port: 0, onConnect: () => undefined });
  try {
    return await use(door);
  } finally {
    await door.close();
  }
}

export const door: readonly Attempt[] = [
  {
    name: 'a foreign name that points at loopback uses the one-time link',
    by: 'the network',
    try: () =>
      withDoor(async (opened) => {
        const { pathname, search } = new URL(opened.link());
        for (const host of [
          'evil.example',
          `evil.example:${opened.port}`,
          `127.0.0.1.evil.example:${opened.port}`,
        ]) {
          const answer = await ask(`127.0.0.1:${opened.port}`, pathname + search, { host });
          if (answer.status < 400 || answer.headers['set-cookie']) return `${host}: ${answer.status}`;
        }
        return undefined;
      }),
  },
  {
    name: 'a one-time link is used a second time',
    by: 'another user of this machine',
    mutant: 'forgetting a token that was used',
    try: (weakened) =>
      withDoor(
        async (opened) => {
          const link = opened.link();
          await enter(link);
          const { host, pathname, search } = new URL(link);
          const again = await ask(host, pathname + search);
          return again.headers['set-cookie'] ? 'a second cookie' : undefined;
        },
        weakened
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
          : real(),
      ),
  },
];
