import { lstatSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { encodeLine } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import type { RunStore } from '../../src/main/journal/journal';
import { Library } from '../../src/main/library/library';
import type { PageQuery } from '../../src/main/library/library';
import { sortField } from '../../src/shared/contract/library';
import { chatRecords } from '../support/journal-records';

const RUNS = 10_000;
/** Records of most runs, and of every hundredth. */
const [SHORT, LONG] = [8, 200];

/** First and second list of ten thousand runs, the bare readdir and stat of the same folder, and pages of the list. */
export async function bench() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const runs = join(folder, 'runs');
  try {
    await mkdir(runs, { mode: 0o700 });
    await writeFile(join(runs, '.holdfast-store'), '');
    let bytes = 0;
    for (let n = 0; n < RUNS; n++) {
      const id = `run${String(n).padStart(6, '0')}`;
      const data = Buffer.concat(chatRecords(id, n % 100 === 0 ? LONG : SHORT).map(encodeLine));
      bytes += data.length;
      await writeFile(join(runs, `${id}.json`), data);
    }
    const store = fileStore(runs);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const first = await timed(() => store.list());
    delay.disable();
    await store.close();
    const restarted = await timed(() => fileStore(runs).list());
    const bare: number[] = [];
    const second: number[] = [];
    for (let round = 0; round < 15; round++) {
      second.push((await timed(() => store.list())).ms);
      bare.push((await timed(async () => names(runs))).ms);
    }
    const [again, minimum] = [median(second), median(bare)];
    const pages = await measurePages(store);
    return {
      name: `List of ${RUNS.toLocaleString('en')} runs, ${Math.round(bytes / 1e6)} MB`,
      figures: [
        { label: 'rows', value: first.result.length, unit: '' },
        { label: 'first list', value: first.ms / 1000, unit: 's', aim: '<= 0.8' },
        {
          label: 'longest hold-up of the process meanwhile',
          value: delay.max / 1e6,
          unit: 'ms',
          aim: '<= 50',
        },
        { label: 'first list of the next process', value: restarted.ms / 1000, unit: 's', aim: '<= 0.8' },
        { label: 'second list', value: again, unit: 'ms' },
        { label: 'bare readdir + stat', value: minimum, unit: 'ms' },
        { label: 'second list / bare', value: again / minimum, unit: 'x', aim: '<= 1.5' },
        ...pages,
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What one look at the table costs the main process: first time, scrolling, after a change of one run. */
async function measurePages(store: RunStore) {
  const library = new Library({
    live: () => new Map(),
    onChange: () => undefined,
    onStoreChange: () => undefined,
  });
  library.add('', 'Bench', store);
  const look = async (query: Partial<PageQuery> = {}) =>
    (await timed(() => library.page({ offset: 0, limit: 100, ...query }))).ms;
  await look();
  const filters: Partial<PageQuery>[] = [
    { states: ['your_turn'] },
    { words: 'say here' },
    { models: ['practice-1'], from: '2020-01-01' },
  ];
  const sorts = sortField.options.map((by) => ({ sort: { by, up: true } }));
  const fresh: number[] = [];
  for (const sort of sorts) for (const filter of filters) fresh.push(await look({ ...filter, ...sort }));
  const scrolled: number[] = [];
  for (let offset = 0; offset < RUNS; offset += 500) scrolled.push(await look({ offset, ...sorts[0] }));
  const changed: number[] = [];
  for (const sort of sorts) {
    await store.label('run000001', { title: `Changed ${changed.length}` });
    await library.refresh('run000001');
    changed.push(await look({ words: 'say', ...sort }));
  }
  library.close();
  return [
    { label: 'page + filter + sort, the slowest of 24', value: Math.max(...fresh), unit: 'ms', aim: '<= 50' },
    { label: 'page + filter + sort, usually', value: median(fresh), unit: 'ms' },
    { label: 'the next page of the same', value: median(scrolled), unit: 'ms' },
    {
      label: 'the same after one run changed, the slowest of 8',
      value: Math.max(...changed),
      unit: 'ms',
      aim: '<= 50',
    },
  ];
}

const names = (folder: string): number =>
  readdirSync(folder).reduce((size, name) => size + lstatSync(join(folder, name)).size, 0);

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
