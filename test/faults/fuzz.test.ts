import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { describe, expect, it, type TestContext } from 'vitest';
import { memoryStore } from '../../src/main/journal/memory';
import { metaSha256, readSidecar } from '../../src/main/journal/sidecar';
import { importFrom, stagedTree, zipTree } from '../../src/main/library/import';
import { linesIn } from '../../src/shared/run/slices';
import { tempFolder } from '../support/folder';
import { sampled } from '../support/prerequisites';
import { Seeded } from '../support/seeded';

/**
 * Files of others, damaged in every way that is cheap to make: nothing that is imported ends the process, takes longer
 * than 5 seconds or more than 1 GB.
 */
const CASES = sampled(2_000, 200_000);
const HANG_MS = 5_000;
const MEMORY = 1024 ** 3;

const GOLDEN = readFileSync(join(import.meta.dirname, '../fixtures/golden-v3.jsonl'));
const META = GOLDEN.subarray(0, GOLDEN.indexOf(0x0a));
const NOTES = Buffer.from(
  [
    { kind: 'bind', meta_sha256: metaSha256(META), app: 'holdfast', at: '2026-07-20T09:08:07Z' },
    { kind: 'config', at: '2026-07-20T09:08:07Z', profile: 'Practice', folder: '/tmp', endpoint: '' },
    { kind: 'intent', at: '2026-07-20T09:08:08Z', seq: 3, tool_use_id: 'a', name: 'write_file' },
    { kind: 'partial', at: '2026-07-20T09:08:08Z', after_seq: 2, iteration: 1, text: 'lost words' },
    { kind: 'clip', at: '2026-07-20T09:08:08Z', tool_use_id: 'a', file: 'a.txt', bytes: 10 },
    { kind: 'lineage', at: '2026-07-20T09:08:08Z', from: 'x', why: 'fork' },
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join(''),
);
/** What parsers stumble over. */
const PIECES = [
  '\n',
  '\r\n',
  '\0',
  '{},'.repeat(500),
  '['.repeat(5_000),
  '{"a":'.repeat(2_000),
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '<'.repeat(2_000),
  '-1',
  '1e999',
  '9007199254740993',
  'null',
  '"__proto__":{"x":1},',
  '../../',
  '\ufeff',
  '\u2028',
  '🎣'.repeat(50),
].map((piece) => Buffer.from(piece));

/** The same bytes with up to eight wounds. */
function wounded(bytes: Buffer, random: Seeded): Buffer {
  let out = Buffer.from(bytes);
  for (let wounds = 1 + random.below(8); wounds > 0; wounds--) {
    const at = random.below(out.length + 1);
    const length = random.below(random.below(4) === 0 ? 400 : 8);
    const [before, after] = [out.subarray(0, at), out.subarray(at)];
    const kinds = [
      () => Buffer.concat([before, random.pick(PIECES), after]),
      () => Buffer.concat([before, random.pick(PIECES), after.subarray(length)]),
      () => Buffer.concat([before, after.subarray(length)]),
      () => Buffer.concat([before, after.subarray(0, length), after]),
      () => Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)]),
      () => before,
    ];
    out = random.pick(kinds)();
  }
  return out;
}

interface Found {
  cases: number;
  taken: number;
  crashes: string[];
  slowest: number;
  memory: number;
}

async function hunt(seed: number, one: (random: Seeded, n: number) => Promise<boolean>): Promise<Found> {
  const random = new Seeded(seed);
  const found: Found = { cases: 0, taken: 0, crashes: [], slowest: 0, memory: 0 };
  for (let n = 0; n < CASES; n++) {
    const begun = performance.now();
    try {
      if (await one(random, n)) found.taken++;
    } catch (error) {
      found.crashes.push(`case ${n}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    found.cases++;
    found.slowest = Math.max(found.slowest, performance.now() - begun);
    if (n % 50 === 0) found.memory = Math.max(found.memory, process.memoryUsage().rss);
  }
  return found;
}

async function judge(context: TestContext, what: string, found: Found): Promise<void> {
  await context.annotate(
    `fuzz of ${what}: ${found.cases} cases, ${found.taken} taken, ${found.crashes.length} crashes, slowest ` +
      `${Math.round(found.slowest)} ms, ${Math.round(found.memory / 1024 / 1024)} MB`,
    'figures',
  );
  expect(found.crashes.slice(0, 3)).toEqual([]);
  expect(found.slowest).toBeLessThan(HANG_MS);
  expect(found.memory).toBeLessThan(MEMORY);
  // A fuzzer of which nothing comes through, or everything, looks at one door only.
  expect(found.taken).toBeGreaterThan(0);
  expect(found.taken).toBeLessThan(found.cases);
}

let ids = 0;
const newId = () => `fresh${++ids}`;

/** Imports what lies there; a failure that is nobody's is a crash. */
async function take(open: Parameters<typeof importFrom>[1][number]['open']): Promise<boolean> {
  const report = await importFrom(memoryStore(), [{ label: '', open }], { newId });
  for (const file of report.files)
    if (file.outcome === 'failed' && file.failure.code === 'internal')
      throw new Error(JSON.stringify(file.failure));
  return report.imported > 0;
}

describe('files of others', () => {
  it('are journals', async (context) => {
    const folder = tempFolder();
    const path = join(folder, '1');
    const found = await hunt(1, async (random) => {
      const bytes = wounded(GOLDEN, random);
      writeFileSync(path, bytes);
      return take(async () => stagedTree([{ name: 'orders-report.json', path, size: bytes.length }]));
    });
    await judge(context, 'journals', found);
  });

  it('are notes beside a journal', async (context) => {
    const folder = tempFolder({ 'j.json': GOLDEN });
    const [journal, notes] = [join(folder, 'j.json'), join(folder, 'n')];
    const found = await hunt(2, async (random, n) => {
      const bytes = wounded(NOTES, random);
      const read = readSidecar(linesIn(bytes.toString('utf8')), metaSha256(META));
      if (n % 4 === 0) {
        writeFileSync(notes, bytes);
        const taken = await take(async () =>
          stagedTree([
            { name: 'j.json', path: journal, size: GOLDEN.length },
            { name: 'j.aux.jsonl', path: notes, size: bytes.length },
          ]),
        );
        if (!taken) throw new Error('notes that cannot be read cost the run');
      }
      return read.entries.length > 3;
    });
    await judge(context, 'notes', found);
  });

  it('are zips', async (context) => {
    const folder = tempFolder();
    const good = join(folder, 'good.zip');
    const made = new yazl.ZipFile();
    made.addBuffer(GOLDEN, 'orders-report.json', { compress: false });
    made.addBuffer(NOTES, 'orders-report.aux.jsonl');
    made.addBuffer(GOLDEN, 'below/other.json');
    made.end();
    await pipeline(made.outputStream, createWriteStream(good));
    const zip = readFileSync(good);
    const path = join(folder, 'z.zip');
    const found = await hunt(3, async (random) => {
      writeFileSync(path, wounded(zip, random));
      return take(() => zipTree(path));
    });
    await judge(context, 'zips', found);
  });
});
