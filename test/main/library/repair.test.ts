import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { memoryStore } from '../../../src/main/journal/memory';
import { exportRuns } from '../../../src/main/library/export';
import { planRepair, repairRun } from '../../../src/main/library/repair';
import { tempFolder } from '../../support/folder';
import { bringRich } from '../../support/histories';

/** A run in a folder, its journal replaced by what `damage` makes of it. */
async function damaged(damage: (bytes: Buffer) => Buffer) {
  const folder = tempFolder();
  const runs = join(folder, 'runs');
  const bytes = await bringRich(fileStore(runs));
  const after = damage(bytes);
  writeFileSync(join(runs, 'rich.json'), after);
  return { folder, runs, store: fileStore(runs), bytes, after, file: join(runs, 'rich.json') };
}
const inside = (bytes: Buffer): Buffer => {
  const at = bytes.indexOf('{"seq":9,');
  return Buffer.concat([bytes.subarray(0, at), Buffer.from('\u0000garbage\n'), bytes.subarray(at)]);
};

describe('a repair', () => {
  it('tells what is wrong and what it would cut, and changes nothing by that', async () => {
    const { store, after, file, runs } = await damaged(inside);
    const before = readdirSync(runs);
    const plan = await planRepair(store, 'rich');
    expect(plan).toMatchObject({
      kind: 'inside',
      failure: { code: 'corrupt', data: { line: 9 } },
      keeps: { records: 8 },
      cuts: { line: 9, lines: 9, readable: 8, text: expect.stringContaining('garbage') as string },
    });
    expect(plan.cuts?.hex).toMatch(/^00 67 61 72/);
    expect(plan.cuts?.bytes).toBe(after.length - plan.keeps.bytes);
    expect(readFileSync(file)).toEqual(after);
    expect(readdirSync(runs)).toEqual(before);
  });

  it('of damage inside is never made unless somebody agreed to it', async () => {
    const { store, after, file } = await damaged(inside);
    const plan = await planRepair(store, 'rich');
    await expect(repairRun(store, plan)).rejects.toMatchObject({
      code: 'bad_request',
      data: { readable: 8 },
    });
    expect(readFileSync(file)).toEqual(after);
  });

  it('keeps all bytes first, cuts exactly what was shown, and notes that it did', async () => {
    const { store, runs, bytes, after, file } = await damaged(inside);
    const plan = await planRepair(store, 'rich');
    const done = await repairRun(store, plan, { inside: true });
    expect(done.backup).toBe('rich.backup');
    expect(readFileSync(join(runs, done.backup))).toEqual(after);
    expect(readFileSync(file)).toEqual(bytes.subarray(0, plan.keeps.bytes));
    const { sidecar, records, sidecarBound } = await store.load('rich');
    expect([records.length, sidecarBound]).toEqual([8, true]);
    expect(sidecar.at(-1)).toMatchObject({
      kind: 'repair',
      offset: plan.keeps.bytes,
      bytes: plan.cuts?.bytes,
      sha256: plan.sha256,
      backup: 'rich.backup',
    });
    // Damaged anew, it keeps the first backup.
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('more garbage\n{}\n')]));
    const again = await planRepair(store, 'rich');
    expect((await repairRun(store, again, { inside: true })).backup).toBe('rich.2.backup');
    expect(readFileSync(join(runs, 'rich.backup'))).toEqual(after);
    expect((await store.list()).map(({ id, health }) => [id, health])).toEqual([['rich', 'ok']]);
  });

  it('of an unfinished end needs no more than the asking', async () => {
    const { store, bytes, file } = await damaged((whole) =>
      Buffer.concat([whole, Buffer.from('{"seq":17,"proto')]),
    );
    const plan = await planRepair(store, 'rich');
    expect(plan).toMatchObject({
      kind: 'end',
      keeps: { records: 16 },
      cuts: { bytes: 16, lines: 1, readable: 0 },
    });
    await repairRun(store, plan);
    expect(readFileSync(file)).toEqual(bytes);
  });

  it('leaves a journal alone that changed since it was shown, or that somebody writes', async () => {
    const { store, file } = await damaged((whole) => Buffer.concat([whole, Buffer.from('{"seq":17,')]));
    const plan = await planRepair(store, 'rich');
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('"')]));
    await expect(repairRun(store, plan)).rejects.toMatchObject({ code: 'conflict' });
    const writer = await store.open('rich');
    await expect(repairRun(store, plan)).rejects.toMatchObject({ code: 'locked' });
    await writer.close();
  });

  it.each([
    ['a healthy run', (bytes: Buffer) => bytes, 'none'],
    [
      'another version',
      (bytes: Buffer) => Buffer.from(bytes.toString().replace('"version":3', '"version":4')),
      'none',
    ],
    ['a run without a first record', () => Buffer.from('rubbish\nmore\n'), 'hopeless'],
  ])('does nothing to %s', async (_name, damage, kind) => {
    const { store, after, file } = await damaged(damage);
    const plan = await planRepair(store, 'rich');
    expect([plan.kind, plan.cuts]).toEqual([kind, undefined]);
    await expect(repairRun(store, plan, { inside: true })).rejects.toMatchObject({ code: 'bad_request' });
    expect(readFileSync(file)).toEqual(after);
  });

  it('is not possible where runs are kept otherwise, and says what is', async () => {
    const { store } = await damaged(inside);
    const plan = await planRepair(store, 'rich');
    await expect(repairRun(memoryStore(), plan, { inside: true })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('can be spared by exporting what is intact', async () => {
    const { store, folder } = await damaged(inside);
    const { runs } = await exportRuns(store, ['rich'], { format: 'md', out: join(folder, 'out.md') });
    expect(runs[0]).toMatchObject({ complete: true, written: { records: 8 }, damage: { code: 'corrupt' } });
  });
});
