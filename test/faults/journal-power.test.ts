import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../src/main/journal/file';
import type { Vfs } from '../../src/main/journal/file/vfs';
import { faultyVfs } from '../support/faulty-vfs';
import type { FaultyVfs } from '../support/faulty-vfs';
import { live, nothingTold, wrong } from '../support/journal-life';
import type { Told } from '../support/journal-life';
import { unsyncedVfs } from '../support/unsynced-vfs';
import { powerVfs } from '../support/power-vfs';
import type { Survivor } from '../support/power-vfs';
import { sampled } from '../support/prerequisites';

/**
 * Power goes at every operation of a run's life, in a model of a disk that keeps only what was synced, or by chance some
 * of the rest. What was acknowledged before that moment is there afterwards, and the run goes on.
 */
let root: string;
beforeEach(() => void (root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-power-')))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Cuts {
  cuts: number;
  acknowledged: number;
  complaints: string[];
}

/** A seeded generator, so that a failure can be had again. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const copyOf = (told: Told): Told => ({
  records: [...told.records],
  notes: [...told.notes],
  texts: new Map(told.texts),
});

/** Lives one life, takes an image of the disk at every operation, then looks at all images. `mutate` stands above the disk. */
async function cutEverywhere(
  survivor: Survivor,
  seed: number,
  mutate: (vfs: Vfs) => Vfs = (vfs) => vfs,
  faults?: FaultyVfs,
): Promise<Cuts> {
  const disk = join(root, `disk-${survivor}-${seed}`);
  mkdirSync(disk);
  const power = powerVfs(disk, faults ?? unsyncedVfs);
  const random = randomOf(seed);
  const told = nothingTold();
  const images: { path: string; told: Told }[] = [];
  power.onOperation(() => {
    // Before the fault, this life is like any other.
    if (faults !== undefined && faults.failed.length === 0) return;
    const path = join(root, `image-${survivor}-${seed}-${images.length}`);
    mkdirSync(path);
    power.image(path, survivor, random);
    images.push({ path, told: copyOf(told) });
  });
  const store = fileStore(join(disk, 'runs'), { vfs: mutate(power.vfs) });
  await live(store, 'run', told);
  await store.close();
  if (faults === undefined) expect(told.records).toHaveLength(12);

  const complaints: string[] = [];
  for (const [n, { path, told: before }] of images.entries()) {
    const after = fileStore(join(path, 'runs'), { vfs: unsyncedVfs });
    const complaint = await wrong(after, 'run', before).catch((error: unknown) => String(error));
    if (complaint !== undefined) complaints.push(`cut ${n}: ${complaint}`);
    await after.close();
    rmSync(path, { recursive: true, force: true });
  }
  return { cuts: images.length, acknowledged: told.records.length, complaints };
}

describe('Power that goes', () => {
  it('at any operation takes nothing that was acknowledged', async (context) => {
    let cuts = 0;
    for (const survivor of ['nothing', 'all', 'part'] as const) {
      const seeds = survivor === 'part' ? sampled(3, 60) : 1;
      for (let seed = 1; seed <= seeds; seed++) {
        const result = await cutEverywhere(survivor, seed);
        expect({ survivor, seed, complaints: result.complaints }).toEqual({ survivor, seed, complaints: [] });
        expect(result.cuts).toBeGreaterThan(60);
        cuts += result.cuts;
      }
    }
    await context.annotate(`power cuts on a two-plane disk: ${cuts}, acknowledged records lost 0`, 'figures');
  });

  it('after a sync that failed and lost what it should have kept takes nothing either', async (context) => {
    let cuts = 0;
    for (let at = 1; ; at++) {
      const faults = faultyVfs(unsyncedVfs);
      faults.plan({ at, fault: 'EIO', only: ['sync', 'syncAll'] });
      const result = await cutEverywhere('nothing', 1_000 + at, (vfs) => vfs, faults);
      expect({ at, complaints: result.complaints }).toEqual({ at, complaints: [] });
      cuts += result.cuts;
      if (faults.failed.length === 0) break;
    }
    await context.annotate(`power cuts after a failed sync: ${cuts}, acknowledged records lost 0`, 'figures');
  });

  it('after such a sync would take records from a store that trusts what it reads, and this test would see it', async () => {
    let complaints = 0;
    for (let at = 5; at < 9; at++) {
      const faults = faultyVfs(unsyncedVfs);
      faults.plan({ at, fault: 'EIO', only: ['sync', 'syncAll'] });
      const trusting = (vfs: Vfs): Vfs => ({ ...vfs, overwrite: async (_fd, data) => data.length });
      complaints += (await cutEverywhere('nothing', 2_000 + at, trusting, faults)).complaints.length;
    }
    expect(complaints).toBeGreaterThan(0);
  });

  it.each<[string, Partial<Vfs>]>([
    ['does not sync records', { sync: async () => undefined }],
    ['does not sync new files', { syncAll: async () => undefined }],
    ['does not sync the folder', { syncDirectory: async () => undefined }],
  ])('would take it from a writer that %s, and this test would see it', async (_what, without) => {
    const { complaints } = await cutEverywhere('nothing', 1, (vfs) => ({ ...vfs, ...without }));
    expect(complaints.length).toBeGreaterThan(0);
  });
});
