import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../src/main/journal/file';
import type { Vfs } from '../../src/main/journal/file/vfs';
import { faultyVfs } from '../support/faulty-vfs';
import type { Fault, FaultyVfs } from '../support/faulty-vfs';
import { live, nothingTold, wrong } from '../support/journal-life';
import { soak } from '../support/prerequisites';
import { unsyncedVfs } from '../support/unsynced-vfs';
import { storeFolder } from '../support/store-folder';
import type { StoreFolder } from '../support/store-folder';

/**
 * One operation of the file layer fails in every way there is, then the next one, until none is left to fail. Whatever
 * was acknowledged is there afterwards, the run goes on, and nothing escapes as an unhandled rejection.
 */
const FAULTS: Fault[] = ['EIO', 'ENOSPC', 'EACCES', 'short', 'torn'];

let folder: StoreFolder;
let unhandled: unknown[];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  folder = storeFolder();
  unhandled = [];
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
  folder.remove();
});

/** Lives through a fault at every point. `layer` puts something between, as a mutant does. */
async function everyPoint(
  fault: Fault,
  lasting: boolean,
  layer: (vfs: FaultyVfs) => Vfs,
): Promise<{ points: number; acknowledged: number; complaints: string[] }> {
  const complaints: string[] = [];
  let acknowledged = 0;
  for (let at = 1; ; at++) {
    const id = `run-${fault}-${lasting ? 'lasting' : 'once'}-${at}`;
    const vfs = faultyVfs(unsyncedVfs);
    const told = nothingTold();
    const only = fault === 'short' || fault === 'torn' ? (['write', 'overwrite'] as const) : undefined;
    vfs.plan({ at, fault, lasting, ...(only && { only }) });
    const store = fileStore(folder.path, { vfs: layer(vfs) });
    await live(store, id, told);
    await store.close();
    acknowledged += told.records.length;
    const reached = vfs.failed.length > 0;
    const complaint = await wrong(fileStore(folder.path, { vfs: unsyncedVfs }), id, told).catch(
      (error: unknown) => String(error),
    );
    if (complaint !== undefined)
      complaints.push(`${fault} at ${at} (${vfs.failed[0] ?? 'nothing'}): ${complaint}`);
    if (!reached) return { points: at - 1, acknowledged, complaints };
  }
}

describe('A file layer that fails', () => {
  const totals = { points: 0, acknowledged: 0 };
  it.each(
    FAULTS.flatMap((fault) => [
      { fault, lasting: false },
      ...(soak || fault === 'ENOSPC' ? [{ fault, lasting: true }] : []),
    ]),
  )(
    'at any operation with $fault (lasting: $lasting) takes nothing that was acknowledged',
    async ({ fault, lasting }) => {
      const { points, acknowledged, complaints } = await everyPoint(fault, lasting, (vfs) => vfs);
      expect(complaints).toEqual([]);
      expect(points).toBeGreaterThan(fault === 'short' || fault === 'torn' ? 15 : 60);
      totals.points += points;
      totals.acknowledged += acknowledged;
      expect(unhandled).toEqual([]);
    },
  );

  it('gives figures', async (context) => {
    expect(totals.points).toBeGreaterThan(200);
    await context.annotate(
      `injected I/O faults: ${totals.points} points, ${totals.acknowledged} acknowledged records, 0 false acknowledgements, 0 unhandled rejections`,
      'figures',
    );
  });

  it('would take acknowledged records from a writer that does not check the length, and this test would see it', async () => {
    const trusting = (vfs: FaultyVfs): Vfs => ({
      ...spread(vfs),
      write: async (fd, data) => {
        await vfs.write(fd, data);
        return data.length;
      },
    });
    const { complaints } = await everyPoint('short', false, trusting);
    expect(complaints.length).toBeGreaterThan(0);
  });

  it('would take them from a writer that swallows errors, and this test would see it', async () => {
    const deaf = (vfs: FaultyVfs): Vfs => ({
      ...spread(vfs),
      write: (fd, data) => vfs.write(fd, data).catch(() => data.length),
    });
    expect((await everyPoint('torn', false, deaf)).complaints.length).toBeGreaterThan(0);
  });
});

/** The operations alone: a getter copied by spreading would freeze. */
const spread = (vfs: FaultyVfs): Vfs => {
  const { count: _count, failed: _failed, plan: _plan, ...operations } = vfs;
  return operations;
};
