import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeLine } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import { SearchIndex } from '../../src/main/library/search';
import { answerRecord, metaRecord, userRecord } from '../support/journal-records';

const SOAK = process.env.HOLDFAST_SOAK === '1';
/** 10,000 runs; 200 MB, in a soak 1 GB. */
const RUNS = 10_000;
const RECORDS = SOAK ? 50 : 10;
const WORDS_EACH = 260;
/** As many different words as a large collection of texts has; the common ones are far more common. */
const VOCABULARY = 60_000;

/** Building the index of ten thousand runs, and looking into it. */
export async function bench() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const runs = join(folder, 'runs');
  try {
    const bytes = await fill(runs);
    const store = fileStore(runs);
    await store.list();
    const index = await SearchIndex.open(store, folder);
    let peak = 0;
    const early: number[] = [];
    const start = performance.now();
    await index.update(({ done }) => {
      if (done % 500 !== 0) return;
      peak = Math.max(peak, process.memoryUsage().rss);
      const asked = performance.now();
      void index.search({ words: 'w1 w2', limit: 20 }).then(() => early.push(performance.now() - asked));
    });
    const built = performance.now() - start;
    const again = await timed(() => index.update());
    const ask = (words: string) => median(15, () => index.search({ words, limit: 20 }));
    const [common, begin, two, phrase, rare, nothing] = [
      await ask('w1'),
      await ask('needle47'),
      await ask('w3 w7'),
      await ask('"w1 w2"'),
      await ask('needle4711'),
      await ask('nosuchword'),
    ];
    const found = (await index.search({ words: 'needle4711' })).hits.length;
    const { chars } = index.status();
    await index.close();
    const size = (await stat(index.path)).size;
    return {
      name: `Search in ${RUNS.toLocaleString('en')} runs, ${Math.round(bytes / 1e6)} MB`,
      figures: [
        { label: 'index built', value: built / 1000, unit: 's' },
        { label: 'pace', value: bytes / 1e6 / (built / 1000), unit: 'MB/s' },
        { label: 'index / text', value: size / chars, unit: 'x', aim: '< 1' },
        { label: 'most memory of the process', value: peak / 1e6, unit: 'MB' },
        { label: 'update when nothing changed', value: again, unit: 'ms' },
        {
          label: 'first results while it builds',
          value: early.sort((a, b) => a - b)[early.length >> 1] ?? 0,
          unit: 'ms',
          aim: '<= 150',
        },
        { label: 'a common word', value: common, unit: 'ms', aim: '<= 150' },
        { label: 'two common words', value: two, unit: 'ms', aim: '<= 150' },
        { label: 'a phrase of common words', value: phrase, unit: 'ms', aim: '<= 150' },
        { label: 'the beginning of many words', value: begin, unit: 'ms' },
        { label: 'a rare word', value: rare, unit: 'ms', aim: '<= 150' },
        { label: 'a word that is nowhere', value: nothing, unit: 'ms' },
        { label: 'places of the rare word', value: found, unit: '', aim: '1' },
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(runs: string): Promise<number> {
  await mkdir(runs, { mode: 0o700 });
  await writeFile(join(runs, '.holdfast-store'), '');
  let seed = 11;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  // Words are as unevenly common as in any language.
  const word = () => `w${Math.floor(VOCABULARY ** random())}`;
  let bytes = 0;
  for (let n = 0; n < RUNS; n++) {
    const id = `run${String(n).padStart(6, '0')}`;
    const meta = metaRecord(id, `task ${n}${n === 4711 ? ' needle4711' : ''}`);
    if (meta.meta) meta.meta.created = new Date(Date.UTC(2025, 0) + n * 3_600_000).toISOString();
    const records = [meta];
    for (let seq = 2; seq <= RECORDS + 1; seq++) {
      const text = Array.from({ length: WORDS_EACH }, word).join(' ');
      records.push(seq % 2 === 0 ? answerRecord(seq, text, seq / 2 - 1) : userRecord(seq, text));
    }
    const data = Buffer.concat(records.map(encodeLine));
    bytes += data.length;
    await writeFile(join(runs, `${id}.json`), data);
  }
  return bytes;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function median(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) times.push(await timed(work));
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}
