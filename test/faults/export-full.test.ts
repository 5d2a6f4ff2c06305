import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Upload } from '../../src/main/app/moving/upload';
import { fileStore } from '../../src/main/journal/file';
import { exportRuns } from '../../src/main/library/export';
import { importRuns } from '../../src/main/library/import';
import { tempFolder } from '../support/folder';
import { bring, bringRich, richNotes } from '../support/histories';
import { answerRecord, metaRecord } from '../support/journal-records';
import { need } from '../support/prerequisites';
import { failureOf } from '../support/wait';

/** A disk that is really full while runs leave or come in. */
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

function smallDisk(kilobytes: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'holdfast-test', place]);
  mounted = status === 0;
  return mounted ? place : undefined;
}

it('leaves nothing half-written behind, whatever the format, and says that there is no room', async (context) => {
  const disk = need(context, smallDisk(256), 'small tmpfs', 'mounting one is not allowed here');
  const store = fileStore(join(tempFolder(), 'runs'));
  // Nothing that a zip could make small.
  const text = randomBytes(400_000).toString('base64');
  const bytes = await bring(store, 'long', [metaRecord('long'), answerRecord(2, text)]);
  await bringRich(store);
  writeFileSync(join(disk, 'mine.txt'), 'mine');
  for (const format of ['md', 'html', 'json', 'journal', 'zip'] as const) {
    const out = join(disk, `out.${format}`);
    const failure = await failureOf(exportRuns(store, ['long'], { format, out }));
    expect([format, failure.code, readdirSync(disk)]).toEqual([format, 'no_space', ['mine.txt']]);
    expect(failure.todo).toMatch(/room/);
  }
  // Of several runs, those that fit are there whole.
  const several = await exportRuns(store, ['long', 'rich'], { format: 'md', out: `${join(disk, 'all')}/` });
  expect([several.runs.map(({ id }) => id), several.failed.map(({ id }) => id)]).toEqual([
    ['rich'],
    ['long'],
  ]);
  expect(readdirSync(join(disk, 'all'))).toEqual(['rich.md']);
  expect(Buffer.from(await store.bytes('long'))).toEqual(bytes);
});

it('takes in no more than there is room for', async (context) => {
  const disk = need(context, smallDisk(256), 'small tmpfs', 'mounting one is not allowed here');
  const failure = await failureOf(Upload.begin(disk, [{ name: 'a.json', size: 1_000 }]));
  expect(failure).toMatchObject({ code: 'no_space' });
  expect(readdirSync(disk)).toEqual([]);
});

it('leaves nothing of a run that there is no room to bring in', async (context) => {
  const disk = need(context, smallDisk(256), 'small tmpfs', 'mounting one is not allowed here');
  const from = fileStore(join(tempFolder(), 'runs'));
  const text = randomBytes(200_000).toString('base64');
  const notes = richNotes.filter(({ kind }) => kind === 'clip');
  const whole = [{ name: 'whole-1.txt', text }];
  await bring(from, 'long', [metaRecord('long'), answerRecord(2, text)], { sidecar: notes, texts: whole });
  await bring(from, 'kept', [metaRecord('kept'), answerRecord(2, 'x')], { sidecar: notes, texts: whole });
  await bringRich(from);
  const out = join(tempFolder(), 'out');
  await exportRuns(from, ['kept', 'long', 'rich'], { format: 'journal', out: `${out}/` });
  const runs = join(disk, 'runs');
  const report = await importRuns(fileStore(runs), [out], { newId: () => 'other' });
  expect(report.files.map((file) => [file.outcome, 'failure' in file && file.failure.code])).toEqual([
    ['failed', 'no_space'],
    ['failed', 'no_space'],
    ['imported', false],
  ]);
  expect(readdirSync(runs).filter((name) => !name.endsWith('.lock') && /long|kept/.test(name))).toEqual([]);
});
