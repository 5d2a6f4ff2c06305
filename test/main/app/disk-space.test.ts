import { afterEach, describe, expect, it, vi } from 'vitest';
import { DiskSpace } from '../../../src/main/app/disk-space';
import { levelOf, spaceOf, type Space } from '../../../src/main/journal/file/space';
import { holdfast } from '../../../src/main/cli/program';
import { agentParts } from '../../../src/main/parts';
import { openNamed } from '../../../src/main/journal/named';
import { PRACTICE } from '../../../src/main/settings/profiles';
import { makeDesk, startChat, type Desk } from '../../support/app';
import { tempFolder } from '../../support/folder';
import { testScreen } from '../../support/screen';
import { until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
const GB = 1_000_000_000;
const MB = 1_000_000;
const LARGE = 500 * GB;

describe('how much space is little', () => {
  it.each([
    [{ free: 2 * GB, size: LARGE }, undefined],
    [{ free: 900 * MB, size: LARGE }, 'low'],
    [{ free: 90 * MB, size: LARGE }, 'critical'],
    [{ free: 0, size: LARGE }, 'full'],
    // A small disk is not always low.
    [{ free: 400 * MB, size: 512 * MB }, undefined],
    [{ free: 40 * MB, size: 512 * MB }, 'low'],
    [{ free: 5 * MB, size: 512 * MB }, 'critical'],
  ] as const)('of %j is %s', (space, level) => {
    expect(levelOf(space)).toBe(level);
  });

  it('takes a little more to be enough again than it took to be little', () => {
    expect(levelOf({ free: 1_050 * MB, size: LARGE }, 'low')).toBe('low');
    expect(levelOf({ free: 1_150 * MB, size: LARGE }, 'low')).toBeUndefined();
    expect(levelOf({ free: 105 * MB, size: LARGE }, 'critical')).toBe('critical');
    expect(levelOf({ free: 120 * MB, size: LARGE }, 'critical')).toBe('low');
  });

  it('is asked of the disk that the folder will be on, where it is not there yet', async () => {
    const folder = tempFolder();
    const [here, below] = await Promise.all([spaceOf(folder), spaceOf(`${folder}/a/b/c`)]);
    expect(here?.size).toBeGreaterThan(0);
    expect(below?.size).toBe(here?.size);
  });
});

describe('the watch over the disks', () => {
  it('looks at once, again and again, and tells only what changed', async () => {
    let space: Space | undefined = { free: 2 * GB, size: LARGE };
    const told: (string | undefined)[] = [];
    let looks = 0;
    const disk: DiskSpace = new DiskSpace({
      folders: () => new Map([['', '/runs']]),
      look: async () => {
        looks++;
        return space;
      },
      onChange: () => told.push(disk.of('')?.level),
      everyMs: 5,
    });
    await until(() => looks > 3);
    expect(told).toEqual([]);
    space = { free: 500 * MB, size: LARGE };
    await until(() => told.length === 1);
    space = { free: 50 * MB, size: LARGE };
    await until(() => told.length === 2);
    // Nobody can tell: nothing is said.
    space = undefined;
    await until(() => told.length === 3);
    disk.close();
    expect(told).toEqual(['low', 'critical', undefined]);
    const before = looks;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(looks).toBe(before);
  });
});

describe('a disk that is full while something is written', () => {
  afterEach(() => void vi.useRealTimers());

  it('is named within a second, whenever it filled up, and looked at until it no longer is', async () => {
    vi.useFakeTimers();
    // The window's clock stands still but for what the test lets pass, however slow the machine is.
    for (let filled = 0; filled <= 1_000; filled += 90) {
      let space: Space = { free: 2 * GB, size: LARGE };
      let busy = true;
      const told: (string | undefined)[] = [];
      const disk: DiskSpace = new DiskSpace({
        folders: () => new Map([['', '/runs']]),
        look: async () => space,
        onChange: () => told.push(disk.of('')?.level),
        busy: () => busy,
      });
      await vi.advanceTimersByTimeAsync(filled);
      space = { free: 0, size: LARGE };
      await vi.advanceTimersByTimeAsync(1_000);
      expect(told).toEqual(['full']);
      // The run ended by it; whoever frees space still sees that at once.
      busy = false;
      space = { free: 2 * GB, size: LARGE };
      await vi.advanceTimersByTimeAsync(1_000);
      expect(told).toEqual(['full', undefined]);
      disk.close();
    }
  });
});

describe('low space', () => {
  let desk: Desk | undefined;
  afterEach(async () => {
    expect(desk?.bugs ?? []).toEqual([]);
    await desk?.close();
    desk = undefined;
  });

  it('is told to the window before a run starts, and taken back when there is space again', async () => {
    let space: Space = { free: 2 * GB, size: LARGE };
    desk = makeDesk({ space: async () => space });
    const client = desk.window();
    const told: (string | undefined)[] = [];
    const look = async () => (await client.call('stores.list', {})).stores[0]?.space?.level;
    client.on('stores.changed', () => void look().then((level) => told.push(level)));
    expect(await look()).toBeUndefined();
    space = { free: 60 * MB, size: LARGE };
    await startChat(client, 'hello');
    await until(() => told.at(-1) === 'critical');
    expect((await client.call('stores.list', {})).stores[0]?.space).toEqual({
      level: 'critical',
      free: 60 * MB,
    });
    space = { free: 3 * GB, size: LARGE };
    const { shown } = await startChat(client, 'hello');
    await until(async () => (await look()) === undefined);
    await shown.status('your_turn');
  });

  it.each([
    [60 * MB, /almost no space is left.*60 MB free/],
    [600 * MB, /space is getting low.*600 MB free/],
    [6 * GB, undefined],
  ])('of %d bytes is told by the command before it runs anything', async (free, words) => {
    const home = tempFolder();
    const screen = testScreen();
    const exit = await holdfast(['run', 'hello'], {
      screen,
      version: '0',
      keys: () => Promise.reject(new Error('no keys here')),
      parts: async () => agentParts({}),
      store: (word) => openNamed(word, { usual: `file:${home}/runs`, path: `${home}/stores.yaml` }),
      profile: async () => PRACTICE,
      space: async () => ({ free, size: LARGE }),
    });
    expect(exit).toBe(0);
    if (words) expect(screen.stderr).toMatch(words);
    else expect(screen.stderr).not.toMatch(/space/);
    expect(screen.stderr.indexOf('space')).toBeLessThan(screen.stderr.indexOf('run '));
  });
});
