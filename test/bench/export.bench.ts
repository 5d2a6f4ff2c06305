import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import ksuid from 'ksuid';
import { encodeLine } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import { exportRuns } from '../../src/main/library/export';
import { EXPORT_FORMATS } from '../../src/main/library/export/types';
import { importRuns } from '../../src/main/library/import';
import { chatRecords } from '../support/journal-records';

const SOAK = process.env.HOLDFAST_SOAK === '1';
const RECORDS = 10_000;
/** Characters of each result and answer: the journal has some 12 MB, in a soak 120. */
const CHARS = SOAK ? 15_000 : 1_500;

/** A run of ten thousand records, exported in every format and imported back. */
export async function bench() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const runs = join(folder, 'runs');
  try {
    await mkdir(runs, { mode: 0o700 });
    await writeFile(join(runs, '.holdfast-store'), '');
    const text = 'some words in a sentence, and `code`, and more. '.repeat(CHARS / 48);
    const data = Buffer.concat(chatRecords('long', RECORDS, text).map(encodeLine));
    await writeFile(join(runs, 'long.json'), data);
    const store = fileStore(runs);
    const figures: { label: string; value: number; unit: string; aim?: string }[] = [];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let whole = true;
    for (const format of EXPORT_FORMATS) {
      const out = join(folder, `long.${format}`);
      delay.reset();
      delay.enable();
      const start = performance.now();
      const { runs: reports } = await exportRuns(store, ['long'], { format, out });
      const seconds = (performance.now() - start) / 1000;
      delay.disable();
      whole &&= reports.every(({ complete }) => complete);
      figures.push({ label: `${format}: time`, value: seconds, unit: 's' });
      figures.push({ label: `${format}: longest hold-up`, value: delay.max / 1e6, unit: 'ms' });
      const size = await stat(out);
      if (size.isFile()) figures.push({ label: `${format}: size`, value: size.size / 1e6, unit: 'MB' });
    }
    const target = fileStore(join(folder, 'other'));
    const start = performance.now();
    const { imported } = await importRuns(target, [join(folder, 'long.zip')], {
      newId: () => ksuid.randomSync().string,
    });
    figures.push({ label: 'import of the zip', value: (performance.now() - start) / 1000, unit: 's' });
    figures.push({
      label: 'imported, and every export complete',
      value: whole ? imported : 0,
      unit: '',
      aim: '1',
    });
    return {
      name: `Export of ${RECORDS.toLocaleString('en')} records, ${Math.round(data.length / 1e6)} MB`,
      figures,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
