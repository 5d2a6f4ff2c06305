import { readFileSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { encodeRecord } from '../../src/shared/run/codec';
import { fileStore } from '../../src/main/journal/file';
import { isFailure } from '../../src/shared/run/failure';
import { answerRecord, metaRecord, userRecord } from '../support/journal-records';
import { journalChild } from '../support/journal-children';
import type { Child } from '../support/journal-children';
import type { ChildTask } from '../support/journal-child';
import { sampled } from '../support/prerequisites';
import { ready, storeFolder } from '../support/store-folder';
import type { StoreFolder } from '../support/store-folder';
import { failureOf } from '../support/wait';

/** Several processes want one run: one writes at a time, and nothing that one of them was told is lost or mixed up. */
let folder: StoreFolder;
let children: Child[];
beforeEach(() => {
  folder = storeFolder();
  ready(folder.path);
  folder.put('run', [metaRecord('run')]);
  children = [];
});
afterEach(async () => {
  for (const child of children) if (child.process.exitCode === null) child.process.kill('SIGKILL');
  await Promise.all(children.map((child) => child.ended));
  folder.remove();
});

interface Fight {
  opened: number;
  refused: number;
  acknowledged: number;
  /** Acknowledged records that are not in the journal. */
  lost: number;
  /** Why the journal cannot be read, if it cannot: two writers' records in one another. */
  damage: string | undefined;
}

interface Trouble {
  /** Stops and continues processes at random. */
  stops?: boolean;
  /** Sets the time of the lock's sign hours back and forward, as a wrong clock does. */
  clocks?: boolean;
  /** Kills processes at random and starts others in their place. */
  kills?: boolean;
}

async function fight(
  count: number,
  ms: number,
  trouble: Trouble,
  task: Partial<ChildTask> = {},
): Promise<Fight> {
  const end = Date.now() + ms;
  const start = (): Child => {
    const name = `child ${children.length}`;
    const left = Math.max(200, end - Date.now());
    const child = journalChild({ role: 'fight', directory: folder.path, id: 'run', name, ms: left, ...task });
    children.push(child);
    return child;
  };
  const running = Array.from({ length: count }, start);
  await Promise.all(running.map((child) => child.event('ready')));
  for (let n = 0; Date.now() < end; n++) {
    const child = running[n % count]!;
    if (trouble.stops) {
      child.process.kill('SIGSTOP');
      await pause(20 + (n % 7) * 15);
      child.process.kill('SIGCONT');
    }
    if (trouble.clocks) shift(n % 2 === 0 ? -3_600 : 3_600);
    if (trouble.kills && n % 3 === 2) {
      child.process.kill('SIGKILL');
      running[n % count] = start();
    }
    await pause(5 + (n % 5) * 10);
  }
  await Promise.all(children.map((child) => child.ended));
  return verdict();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function shift(seconds: number): void {
  const then = Date.now() / 1000 + seconds;
  try {
    utimesSync(folder.of('run.lock.d'), then, then);
  } catch {
    // Nobody holds it at this moment.
  }
}

async function verdict(): Promise<Fight> {
  const events = children.flatMap((child) => child.events);
  expect(events.some((event) => event.what === 'unhandled')).toBe(false);
  const acknowledged = children.flatMap((child) => child.acknowledged());
  let damage: string | undefined;
  try {
    await fileStore(folder.path).load('run');
  } catch (error) {
    if (!isFailure(error)) throw error;
    damage = error.message;
  }
  const lines = new Set(readFileSync(folder.of('run.json'), 'utf8').split('\n'));
  return {
    opened: events.filter((event) => event.what === 'open').length,
    refused: events.filter((event) => event.what === 'refused').length,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((record) => !lines.has(record)).length,
    damage,
  };
}

const figures = (context: TestContext, what: string, { opened, refused, acknowledged, lost }: Fight) =>
  context.annotate(
    `${what}: ${opened} takeovers, ${refused} refusals, ${acknowledged} acknowledged, ${lost} lost, 0 interleaved`,
    'figures',
  );

describe('Processes that fight for one run', () => {
  const ms = sampled(4_000, 60_000);
  const cases: [string, number, Trouble][] = [
    ['two', 2, {}],
    ['six', 6, {}],
    ['two, stopped at random', 2, { stops: true }],
    ['six, stopped at random, with clocks an hour off', 6, { stops: true, clocks: true }],
    ['six, killed at random', 6, { kills: true, clocks: true }],
  ];
  it.for(cases)(
    '%s: none writes into another’s, and nothing acknowledged is lost',
    async ([what, count, trouble], context) => {
      const result = await fight(count, ms, trouble);
      expect([result.lost, result.damage]).toEqual([0, undefined]);
      expect(result.acknowledged).toBeGreaterThan(5);
      expect(result.opened).toBeGreaterThanOrEqual(count);
      await figures(context, what, result);
    },
  );

  it('without lock and fence would write into one another, and this test would see it', async () => {
    const result = await fight(3, 2_500, {}, { locking: { kernel: false, proper: false }, fence: false });
    expect(result.damage !== undefined || result.lost > 0).toBe(true);
  });
});

describe('After kill -9', () => {
  it('the next process opens the run at once, at its first try', async (context) => {
    const waits: number[] = [];
    const rounds = sampled(8, 100);
    for (let round = 0; round < rounds; round++) {
      const child = journalChild({
        role: 'hold',
        directory: folder.path,
        id: 'run',
        name: `holder ${round}`,
      });
      children.push(child);
      await child.event('open');
      const store = fileStore(folder.path);
      expect(await store.writer('run')).toBe('elsewhere');
      expect((await failureOf(store.open('run'))).code).toBe('locked');
      child.process.kill('SIGKILL');
      await child.ended;
      expect(await store.writer('run')).toBe('none');
      const start = performance.now();
      const journal = await store.open('run');
      waits.push(performance.now() - start);
      expect((await journal.load()).records.map(encodeRecord).at(-1)).toBe(child.acknowledged()[0]);
      await journal.close();
    }
    waits.sort((a, b) => a - b);
    const [middle, worst] = [waits[waits.length >> 1]!, waits.at(-1)!].map((one) => one.toFixed(1));
    await context.annotate(
      `open after kill -9: ${rounds} kills, p50 ${middle} ms, worst ${worst} ms`,
      'figures',
    );
  });

  it('and a holder that merely sleeps keeps its run, and goes on when it wakes', async () => {
    const child = journalChild({ role: 'hold', directory: folder.path, id: 'run', name: 'sleeper' });
    children.push(child);
    await child.event('open');
    child.process.kill('SIGSTOP');
    shift(-7_200);
    const store = fileStore(folder.path);
    for (let n = 0; n < 5; n++) expect((await failureOf(store.open('run'))).code).toBe('locked');
    child.process.kill('SIGCONT');
    child.process.stdin!.write('go on\n');
    await child.ended;
    await (await store.open('run')).close();
  });
});

describe('The fence, with every lock off', () => {
  const off = { locking: { kernel: false, proper: false } };
  const rounds = sampled(150, 3_000);
  const record = (seq: number, text: string) =>
    seq % 2 === 0 ? answerRecord(seq, text, seq) : userRecord(seq, text);

  /** Two writers hold one run, and write at moments a little apart. Counts the journals that two writers got into. */
  async function interleavings(
    options: Parameters<typeof fileStore>[1],
    together: boolean,
  ): Promise<{ mixed: number; refused: number; lost: number }> {
    const counts = { mixed: 0, refused: 0, lost: 0 };
    for (let round = 0; round < rounds; round++) {
      const id = `round${round}`;
      folder.put(id, [metaRecord(id)]);
      const writers = await Promise.all(
        ['a', 'b'].map(async (name) => ({ name, journal: await fileStore(folder.path, options).open(id) })),
      );
      const told: string[] = [];
      const work = async ({ name, journal }: (typeof writers)[number], n: number): Promise<void> => {
        for (let turn = 0; turn < n % 4; turn++) await new Promise((resolve) => setImmediate(resolve));
        for (let count = 0; count < 3; count++) {
          const next = record(journal.lastSeq + 1, `${name} ${count}`);
          try {
            await journal.append(next);
            told.push(encodeRecord(next));
          } catch (error) {
            if (!isFailure(error)) throw error;
            counts.refused += 1;
            return;
          }
        }
      };
      if (together) await Promise.all([work(writers[0]!, round), work(writers[1]!, round >> 2)]);
      else for (const writer of writers) await work(writer, 0);
      await Promise.all(writers.map(({ journal }) => journal.close()));
      try {
        const there = new Set((await fileStore(folder.path).load(id)).records.map(encodeRecord));
        if (told.some((one) => !there.has(one))) counts.lost += 1;
      } catch (error) {
        if (!isFailure(error, 'corrupt')) throw error;
        counts.mixed += 1;
      }
    }
    return counts;
  }

  it('stops every writer that comes after another one', async (context) => {
    const [fenced, bare] = [
      await interleavings({ ...off }, false),
      await interleavings({ ...off, fence: false }, false),
    ];
    expect(fenced).toEqual({ mixed: 0, refused: rounds, lost: 0 });
    expect(bare).toEqual({ mixed: rounds, refused: 0, lost: 0 });
    await context.annotate(
      `writers one after another, no lock: mixed journals ${fenced.mixed} with fence, ${bare.mixed} without, of ${rounds}`,
      'figures',
    );
  });

  it('narrows the window between two that write at once, which only the lock closes', async (context) => {
    const [fenced, bare] = [
      await interleavings({ ...off }, true),
      await interleavings({ ...off, fence: false }, true),
    ];
    expect(bare.mixed).toBeGreaterThan(rounds / 2);
    expect(fenced.mixed).toBeLessThan(bare.mixed);
    await context.annotate(
      `writers at once, no lock: mixed journals ${fenced.mixed} with fence, ${bare.mixed} without, of ${rounds}`,
      'figures',
    );
  });
});
