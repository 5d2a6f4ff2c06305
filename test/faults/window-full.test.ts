import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDesk, Shown, startChat, type Desk } from '../support/app';
import { need } from '../support/prerequisites';
import { scriptedModel } from '../support/scripted-model';
import { until } from '../support/wait';

/** A disk that is really full, under a window that shows a run. */
let place: string;
let mounted: boolean;
let desk: Desk | undefined;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-window-full-')));
  mounted = false;
});
afterEach(async () => {
  await desk?.close();
  desk = undefined;
  if (mounted) spawnSync('umount', [place]);
  rmSync(place, { recursive: true, force: true });
});

function smallDisk(kilobytes: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'holdfast-test', place]);
  mounted = status === 0;
  return mounted ? place : undefined;
}

function fill(disk: string): void {
  for (let n = 0; statfsSync(disk).bavail > 0; n++) {
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(join(disk, `ballast${n}`), Buffer.alloc(Math.max(1, Number(bavail) * Number(bsize))));
    } catch {
      break;
    }
  }
}

describe('A disk that fills up while an answer arrives', () => {
  it('is named in the run within a second, and takes nothing off the screen', async (context) => {
    const disk = need(context, smallDisk(2_000), 'small tmpfs', 'mounting one is not allowed here');
    let release: () => void = () => undefined;
    const half = `half of the second answer ${'and more '.repeat(8_000)}`;
    const hold = new Promise<void>((resolve) => (release = resolve));
    const model = scriptedModel([{ text: 'first answer' }, { text: half, hold }]);
    desk = makeDesk({ home: disk, model });
    const client = desk.window();
    const { id, shown } = await startChat(client, 'say first');
    await shown.status('your_turn');
    await client.call('run.say', { id, text: 'say second' });
    await until(() => shown.stream.text === half);
    fill(disk);
    const full = Date.now();
    const level = async () => (await client.call('stores.list', {})).stores[0]?.space?.level;
    await until(async () => (await level()) === 'full');
    // A slow machine takes its time; by the app's own clock it is a second, which disk-space.test.ts holds.
    expect(Date.now() - full).toBeLessThan(3_000);
    expect(shown.stream.text).toBe(half);
    release();
    await until(() => shown.head?.failure?.code === 'journaling');
    expect(shown.head?.failure).toMatchObject({ data: { reason: 'no_space' } });
    const readable = ['say first', 'first answer', 'say second', 'half of the second answer'];
    const texts = () => shown.texts().join('\n');
    await until(() => readable.every((text) => texts().includes(text)));

    // Whoever comes now sees the same, and so does the library.
    const later = new Shown(desk.window(), id);
    await until(() => readable.every((text) => later.texts().join('\n').includes(text)));
    expect(later.failure).toBeUndefined();
    expect((await client.call('library.page', { offset: 0, limit: 10 })).rows.map((row) => row.id)).toEqual([
      id,
    ]);
    expect((await client.call('run.preflight', { id })).records).toBe(3);
    expect((await client.call('run.record', { id, seq: 2, from: 0, limit: 1000 })).json).toContain(
      'first answer',
    );

    // With room again it goes on from the last record.
    spawnSync('sh', ['-c', `rm -f ${join(disk, 'ballast')}*`]);
    await until(async () => (await level()) !== 'full');
    expect(texts()).toContain('first answer');
  });
});
