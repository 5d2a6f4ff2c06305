import { closeSync, fdatasync, openSync, write } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeLine } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import { metaRecord, resultRecord, callRecord } from '../support/journal-records';

const ROUNDS = 1_500;
const WARM_UP = 100;

/**
 * What an append costs beside the bare minimum for the same bytes: one write and one fdatasync. Both are measured in
 * turn, in one process and one folder, so that a busy disk slows both alike.
 */
export async function bench() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const bare = openSync(join(folder, 'bare'), 'a', 0o600);
  const store = fileStore(join(folder, 'runs'));
  try {
    const journal = await store.create('bench', metaRecord('bench'));
    const text = 'x'.repeat(220);
    const [appends, bares]: [number[], number[]] = [[], []];
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const seq = journal.lastSeq + 1;
      const record =
        seq % 2 === 0 ? callRecord(seq, [`call_${seq}`]) : resultRecord(seq, `call_${seq - 1}`, text);
      const line = encodeLine(record);
      const first = performance.now();
      if (round % 2 === 0) await journal.append(record);
      else await bareAppend(bare, line);
      const middle = performance.now();
      if (round % 2 === 0) await bareAppend(bare, line);
      else await journal.append(record);
      const last = performance.now();
      if (round < WARM_UP) continue;
      appends.push(round % 2 === 0 ? middle - first : last - middle);
      bares.push(round % 2 === 0 ? last - middle : middle - first);
    }
    await journal.close();
    const [append, minimum] = [quantile(appends, 0.5), quantile(bares, 0.5)];
    const figures = [
      { label: 'append, p50', value: append * 1000, unit: 'µs' },
      { label: 'bare write + fdatasync, p50', value: minimum * 1000, unit: 'µs' },
      { label: 'append / bare, p50', value: append / minimum, unit: 'x', aim: '<= 1.25' },
      { label: 'append, p99', value: quantile(appends, 0.99) * 1000, unit: 'µs' },
      { label: 'bare write + fdatasync, p99', value: quantile(bares, 0.99) * 1000, unit: 'µs' },
    ];
    return {
      name: `Append, ${ROUNDS} records of ${encodeLine(resultRecord(3, 'call_2', text)).length} bytes`,
      figures,
    };
  } finally {
    closeSync(bare);
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const bareAppend = (fd: number, data: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) =>
    write(fd, data, 0, data.length, null, (failed) =>
      failed ? reject(failed) : fdatasync(fd, (error) => (error ? reject(error) : resolve())),
    ),
  );

function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
