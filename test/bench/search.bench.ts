import { appendFileSync, existsSync } from 'node:fs';
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
const WORDS_EACH = 330;
/** As many different words as a large collection of texts has; the common ones are far more common, and shorter. */
const VOCABULARY = 60_000;
const ROUNDS = 40;

/** Building the index of ten thousand runs, and looking into it. HOLDFAST_BENCH_KEEP: a folder that keeps the runs. */
export async function bench() {
  const kept = process.env.HOLDFAST_BENCH_KEEP;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const runs = kept ? join(kept, `search-${RUNS}-${RECORDS}-${WORDS_EACH}`) : join(folder, 'runs');
  try {
    const bytes = RUNS * (await fill(runs));
    const store = fileStore(runs);
    await store.list();
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const index = await SearchIndex.open(store, folder);
    let peak = before;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
    const early: number[] = [];
    const start = performance.now();
    await index.update(({ done, total }) => {
      if (done % 250 !== 0 || done === total) return;
      const asked = performance.now();
      void index
        .search({ words: WORDS[done % 7] ?? '', limit: 20 })
        .then(() => early.push(performance.now() - asked));
    });
    const built = performance.now() - start;
    clearInterval(sampling);
    const ask = (words: (n: number) => string) =>
      times(ROUNDS, (n) => index.search({ words: words(n), limit: 20 }));
    const figures = [
      ...spread('a common word', await ask((n) => WORDS[n] ?? '')),
      ...spread('two common words', await ask((n) => `${WORDS[n]} ${WORDS[n + 3]}`)),
      ...spread('a phrase of common words', await ask((n) => `"${WORDS[n % 8]} ${WORDS[n % 5]}"`)),
      ...spread('a rare word', await ask((n) => `needle${n * 250}end`)),
      ...spread('the beginning of many words', await ask((n) => `${(WORDS[400 + n] ?? '').slice(0, 3)}`)),
      ...spread(
        'a common word in one part',
        await times(ROUNDS, (n) => index.search({ words: WORDS[n] ?? '', parts: ['prompt'], limit: 20 })),
      ),
      ...spread('a word that is nowhere', await ask((n) => `nosuchword${n}`)),
    ];
    const found = (await index.search({ words: 'needle4750end' })).hits.length;
    const again = await times(5, () => index.update());
    const changed = `${runName(4711)}.json`;
    const grow = (seq: number) =>
      appendFileSync(join(runs, changed), encodeLine(userRecord(seq, `one more ${WORDS[seq]}`)));
    let seq = RECORDS + 2;
    const grown = await times(9, async () => {
      grow(seq++);
      await index.update(undefined, undefined, [runName(4711)]);
    });
    grow(seq);
    const listed = await times(1, () => index.update());
    const { chars } = index.status();
    await index.close();
    // What grew here would otherwise stay so in runs that are kept.
    await writeFile(join(runs, changed), journal(4711));
    const size = (await stat(index.path)).size;
    return {
      name: `Search in ${RUNS.toLocaleString('en')} runs, ${Math.round(bytes / 1e6)} MB (${Math.round(chars / 1e6)} MB of text)`,
      figures: [
        { label: 'index built', value: built / 1000, unit: 's' },
        { label: 'pace', value: bytes / 1e6 / (built / 1000), unit: 'MB/s' },
        { label: 'index / text', value: size / chars, unit: 'x', aim: '< 1' },
        { label: 'memory that building takes, at most', value: (peak - before) / 1e6, unit: 'MB' },
        { label: 'most memory of the process', value: peak / 1e6, unit: 'MB' },
        ...spread('first results while it builds', early),
        ...figures,
        { label: 'places of the rare word', value: found, unit: '', aim: '1' },
        { label: 'update when nothing changed', value: at(again, 0.5), unit: 'ms' },
        { label: 'update of one run that grew', value: at(grown, 0.5), unit: 'ms' },
        { label: 'update of one run that grew, found by listing', value: at(listed, 0.5), unit: 'ms' },
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const at = (sorted: readonly number[], share: number): number =>
  [...sorted].sort((a, b) => a - b)[Math.floor((sorted.length - 1) * share)] ?? 0;

const spread = (label: string, all: readonly number[]) => [
  { label, value: at(all, 0.5), unit: 'ms', aim: '<= 150' },
  { label: `${label}, 95 of 100`, value: at(all, 0.95), unit: 'ms' },
];

async function times(rounds: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const start = performance.now();
    await work(n);
    all.push(performance.now() - start);
  }
  return all;
}

/** Words as long as those of English: the hundred most common ones short, rare ones long. */
const WORDS = Array.from({ length: VOCABULARY + 1 }, (_, rank) => {
  const [consonants, vowels] = ['bcdfghjklmnprstvwz', 'aeiou'];
  const letter = (from: string, n: number) => from[n % from.length] ?? '';
  const syllable = (n: number) => letter(consonants, n) + letter(vowels, Math.floor(n / 18));
  let word = syllable(rank * 7 + 3) + letter(consonants, rank * 5);
  if (rank >= 100) word += syllable(Math.floor(rank / 3)) + (rank % 2 ? letter(consonants, rank) : '');
  if (rank >= 10_000) word += syllable(Math.floor(rank / 90)) + (rank % 3 ? 's' : '');
  return word;
});

const runName = (n: number) => `run${String(n).padStart(6, '0')}`;

/** The same bytes each time it is asked. Words are as unevenly common as in any language. */
function journal(n: number): Buffer {
  let seed = 11 + n * 48_271;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const text = () =>
    Array.from({ length: WORDS_EACH }, () => WORDS[Math.floor(VOCABULARY ** random())]).join(' ');
  const meta = metaRecord(runName(n), `task ${n} needle${n}end`);
  if (meta.meta) meta.meta.created = new Date(Date.UTC(2025, 0) + n * 3_600_000).toISOString();
  const records = [meta];
  for (let seq = 2; seq <= RECORDS + 1; seq++)
    records.push(seq % 2 === 0 ? answerRecord(seq, text(), seq / 2 - 1) : userRecord(seq, text()));
  return Buffer.concat(records.map(encodeLine));
}

/** Writes the runs where they are not there yet; gives the bytes of one, on average. */
async function fill(runs: string): Promise<number> {
  const last = join(runs, `${runName(RUNS - 1)}.json`);
  if (!existsSync(last)) {
    await mkdir(runs, { recursive: true, mode: 0o700 });
    await writeFile(join(runs, '.holdfast-store'), '');
    for (let n = 0; n < RUNS; n++) await writeFile(join(runs, `${runName(n)}.json`), journal(n));
  }
  return (await stat(last)).size;
}
