import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeRecord } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import { isFailure } from '../../src/shared/run/failure';
import type { Failure } from '../../src/shared/run/failure';
import { answerRecord, metaRecord, userRecord } from '../support/journal-records';
import { journalChild } from '../support/journal-children';
import { need } from '../support/prerequisites';

/** A disk that is really full, and a limit on file sizes that the kernel really enforces. */
let place: string;
let mounted: boolean;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-full-')));
  mounted = false;
});
afterEach(() => {
  if (mounted) spawnSync('umount', [place]);
  rmSync(place, { recursive: true, force: true });
});

/** Mounts a file system of this size at `place`; undefined where that is not allowed. */
function smallDisk(kilobytes: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'holdfast-test', place]);
  mounted = status === 0;
  return mounted ? place : undefined;
}

describe('A disk that is full', () => {
  it('ends the writer, keeps every acknowledged record, and lets the run go on once there is space', async (context) => {
    const disk = need(context, smallDisk(128), 'small tmpfs', 'mounting one is not allowed here');
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(40_000));
    const store = fileStore(join(disk, 'runs'));
    const journal = await store.create('run', metaRecord('run'));
    const acknowledged = [encodeRecord(metaRecord('run'))];
    let failure: Failure | undefined;
    for (let seq = 2; failure === undefined; seq++) {
      const text = `${seq} ${'x'.repeat(777)}`;
      const record = seq % 2 ? userRecord(seq, text) : answerRecord(seq, text, seq);
      try {
        await journal.append(record);
        acknowledged.push(encodeRecord(record));
      } catch (error) {
        if (!isFailure(error)) throw error;
        failure = error;
      }
    }
    expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'no_space']);
    expect(failure.todo).toMatch(/space/);
    expect(acknowledged.length).toBeGreaterThan(20);
    await journal.close();
    const size = statSync(join(disk, 'runs', 'run.json')).size;

    // Still full: it can be read, and nothing is made worse.
    const full = await store.load('run');
    expect(full.records.map(encodeRecord).slice(0, acknowledged.length)).toEqual(acknowledged);
    const again = await store.open('run').catch((error: unknown) => error);
    if (isFailure(again)) expect(again.code).toBe('no_space');
    else await (again as Awaited<ReturnType<typeof store.open>>).close();
    expect((await store.load('run')).records.length).toBeGreaterThanOrEqual(acknowledged.length);

    rmSync(join(disk, 'ballast'));
    const next = await fileStore(join(disk, 'runs')).open('run');
    for (let n = 0; n < 3; n++) {
      const seq = next.lastSeq + 1;
      const record = seq % 2 ? userRecord(seq, 'free') : answerRecord(seq, 'free', seq);
      await next.append(record);
      acknowledged.push(encodeRecord(record));
    }
    await next.close();
    const loaded = await store.load('run');
    expect(loaded.records.map(encodeRecord)).toEqual(acknowledged);
    expect(loaded.warnings).toEqual([]);
    await context.annotate(
      `full disk: ${acknowledged.length} records acknowledged, 0 lost; ${size} bytes when full`,
      'figures',
    );
  });

  it('does not burn the name of a run that could not begin', async (context) => {
    const disk = need(context, smallDisk(64), 'small tmpfs', 'mounting one is not allowed here');
    const store = fileStore(join(disk, 'runs'));
    await (await store.create('first', metaRecord('first'))).close();
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(36_000));
    const failure = await store
      .create('run', metaRecord('run', 'x'.repeat(40_000)))
      .catch((error: unknown) => error);
    expect(isFailure(failure, 'no_space')).toBe(true);
    rmSync(join(disk, 'ballast'));
    await (await store.create('run', metaRecord('run', 'now'))).close();
    expect((await store.load('run')).state.prompt).toBe('now');
  });
});

describe('A limit on the size of files', () => {
  it('ends the writer, keeps every acknowledged record, and the run goes on without it', async (context) => {
    need(context, existsSync('/bin/sh') ? true : undefined, 'sh', 'there is none');
    const directory = join(place, 'runs');
    mkdirSync(place, { recursive: true });
    const child = journalChild({ role: 'fill', directory, id: 'run', name: 'filler' }, 'ulimit -f 60');
    await child.ended;
    const failed = child.events.flatMap((event) => (event.what === 'failed' ? [event] : []));
    expect(failed.map((event) => event.code)).toEqual(Array(4).fill('journal_dead'));
    expect(failed[0]!.reason).toBe('no_space');
    expect(child.events.at(-1)).toEqual({ what: 'done' });
    expect(child.events.some((event) => event.what === 'unhandled')).toBe(false);
    const acknowledged = child.acknowledged();
    expect(acknowledged.length).toBeGreaterThan(10);

    const store = fileStore(directory);
    const journal = await store.open('run');
    const seq = journal.lastSeq + 1;
    const record = seq % 2 ? userRecord(seq, 'on') : answerRecord(seq, 'on', seq);
    await journal.append(record);
    await journal.close();
    const there = (await store.load('run')).records.map(encodeRecord);
    expect(there.slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(there.at(-1)).toBe(encodeRecord(record));
    await context.annotate(`file size limit: ${acknowledged.length} records acknowledged, 0 lost`, 'figures');
  });
});
