import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Library } from '../../../src/main/library/library';
import { runRow, type LiveRun } from '../../../src/main/library/rows';
import { amount, firstWords, localDay, some } from '../../../src/main/library/words';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore, RunSummary } from '../../../src/main/journal/journal';
import { Failure } from '../../../src/shared/run/failure';
import { runRow as rowSchema } from '../../../src/shared/contract/views';
import { answerRecord, callRecord, metaRecord, terminalRecord } from '../../support/journal-records';
import { failureOf, until } from '../../support/wait';

let folder: string;
let store: RunStore;
let library: Library;
let changed: string[][];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-library-'));
  store = fileStore(join(folder, 'runs'));
  changed = [];
  library = open(store);
});
afterEach(async () => {
  library.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

function open(of: RunStore, live: Map<string, LiveRun> = new Map()): Library {
  const made = new Library({
    live: () => live,
    onChange: (ids) => changed.push(ids),
    onStoreChange: () => undefined,
    gatherMs: 5,
  });
  made.add('', 'Here', of);
  return made;
}
async function put(id: string, prompt: string, end?: 'completed' | 'suspended' | 'error'): Promise<void> {
  const journal = await store.create(id, metaRecord(id, prompt, true));
  await journal.append(answerRecord(2, 'yes'));
  if (end) await journal.append(terminalRecord(3, end, end === 'error' ? 'The service is gone.' : undefined));
  await journal.close();
}
/** The store, but for its list. */
const listing = (list: RunStore['list']): RunStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'list') return list;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
const page = (more: Partial<Parameters<Library['page']>[0]> = {}) =>
  library.page({ offset: 0, limit: 50, ...more });

describe('library', () => {
  it('lists newest first, counts states over all, and groups what it found by local day', async () => {
    await put('a', 'first prompt about pears');
    await put('b', 'second prompt', 'completed');
    await put('c', 'third prompt about pears', 'error');
    const all = await page();
    expect(all.rows.map((row) => row.id)).toEqual(['c', 'b', 'a']);
    expect(all).toMatchObject({
      total: 3,
      all: 3,
      counts: { your_turn: 1, finished: 1, failed: 1 },
      trashed: 0,
    });
    expect(all.days).toEqual([{ day: localDay(new Date()), count: 3 }]);
    for (const row of all.rows) rowSchema.parse(row);
    expect(all.rows[0]?.detail).toBe('The service is gone.');
    expect(await page({ states: ['finished', 'failed'] })).toMatchObject({ total: 2, all: 3 });
    const found = await page({ words: 'PEARS  prompt' });
    expect(found).toMatchObject({ total: 2, all: 3, counts: { your_turn: 1, finished: 1, failed: 1 } });
    expect((await page({ words: 'nothing like it' })).rows).toEqual([]);
    expect((await page({ offset: 1, limit: 1 })).rows.map((row) => row.id)).toEqual(['b']);
    expect((await page({ offset: 9 })).rows).toEqual([]);
  });

  it('hears of runs that come, grow, are renamed and go, from this and any other process', async () => {
    await page();
    const other = fileStore(join(folder, 'runs'));
    const journal = await other.create('x', metaRecord('x', 'from elsewhere'));
    await until(async () => (await page()).total === 1);
    expect((await page()).rows[0]).toMatchObject({ id: 'x', status: 'running' });
    await journal.append(answerRecord(2, 'done'));
    await journal.close();
    await until(async () => (await page()).rows[0]?.status === 'your_turn');
    await other.label('x', { title: 'Renamed there' });
    await until(async () => (await page()).rows[0]?.title === 'Renamed there');
    await other.trash('x');
    await until(async () => (await page()).total === 0);
    await until(() => changed.some((ids) => ids.includes('x')));
    await other.close();
  });

  it('puts what this process writes in its place, private runs too', async () => {
    await put('old', 'an older run');
    const state = {
      prompt: 'a live one',
      next_iteration: 2,
      fingerprint: { model: 'm', provider: 'practice', max_iterations: 50, max_tokens: 0 },
    };
    const snapshot = (id: string, more: object) => ({
      id,
      private: false,
      phase: 'calling',
      state,
      counters: {
        llm_calls: 1,
        tool_calls: 0,
        remote_tool_calls: 0,
        in_tokens: 900,
        out_tokens: 100,
        cache_read_tokens: 0,
        cache_create_tokens: 0,
      },
      steps: { used: 2, cap: 50 },
      queued: [],
      pausing: false,
      ...more,
    });
    const soon = new Date(Date.now() + 60_000).toISOString();
    const long = new Date(Date.now() - 90 * 24 * 3600_000).toISOString();
    const live = new Map<string, LiveRun>([
      [
        'new',
        {
          snapshot: snapshot('new', { runningTool: { tool: 'wait' }, phase: 'tool' }) as never,
          updated: soon,
          created: soon,
        },
      ],
      [
        'hidden',
        {
          snapshot: snapshot('hidden', { private: true, phase: 'idle' }) as never,
          updated: long,
          created: long,
        },
      ],
    ]);
    library.close();
    library = open(store, live);
    const all = await page();
    expect(all.rows.map((row) => [row.id, row.status, row.private])).toEqual([
      ['new', 'running', false],
      ['old', 'your_turn', false],
      ['hidden', 'your_turn', true],
    ]);
    expect(all.rows[0]?.detail).toBe('wait · step 2 of 50');
    expect(all.days.map((day) => day.count)).toEqual(all.days.length === 3 ? [1, 1, 1] : [2, 1]);
  });

  it('says that the store cannot be read instead of looking empty, and reads it when it can', async () => {
    let broken = true;
    const failing = listing(() =>
      broken
        ? Promise.reject(new Failure({ code: 'store_unavailable', message: 'The disk is away.' }))
        : store.list(),
    );
    await put('a', 'x');
    library.close();
    library = open(failing);
    expect((await failureOf(page())).code).toBe('store_unavailable');
    broken = false;
    expect((await page()).total).toBe(1);
  });

  it('keeps its order and its sums over ten thousand runs, page by page', async () => {
    const rows = Array.from({ length: 10_000 }, (_, n): RunSummary => {
      const updated = new Date(Date.UTC(2026, 0, 1) + ((n * 7919) % 10_000) * 3_600_000);
      return {
        id: `run${n}`,
        health: n % 100 === 0 ? 'damaged' : 'ok',
        prompt: `prompt number ${n}`,
        updated,
        size: 100,
        warnings: 0,
        alerts: 0,
        catalogue: {},
        writer: 'none',
        durability: 'disk',
        interactive: true,
        endsOnAssistant: n % 2 === 0,
      };
    });
    library.close();
    library = open(listing(async () => rows));
    const seen: string[] = [];
    let days = 0;
    for (let offset = 0; offset < 10_000; offset += 200) {
      const { rows: part, total, days: all } = await page({ offset, limit: 200 });
      expect(total).toBe(10_000);
      days = all.reduce((sum, day) => sum + day.count, 0);
      seen.push(...part.map((row) => row.updated));
    }
    expect(seen.length).toBe(10_000);
    expect(days).toBe(10_000);
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect((await page({ states: ['damaged'] })).total).toBe(100);
    expect((await page({ words: 'number 77' })).total).toBe(280);
  });
});

describe('rows', () => {
  it('say where a run stands in half a sentence', async () => {
    const journal = await store.create('i', metaRecord('i', 'x', false));
    await journal.append(callRecord(2, ['c1'], 0, 'write_file'));
    await journal.close();
    const row = runRow(await store.summary('i'), undefined, 'Here');
    expect(row).toMatchObject({
      status: 'interrupted',
      detail: 'in write_file · step 1 of 50',
      private: false,
    });
  });
  it('have short titles and readable figures', () => {
    expect(firstWords('  One \n\t line ')).toBe('One line');
    expect(firstWords('')).toBe('Empty prompt');
    expect(firstWords('word '.repeat(50))).toMatch(/^(word )+word…$/);
    expect([...firstWords('🙂'.repeat(200))].length).toBe(81);
    expect([0, 999, 1_000, 1_250, 41_200, 999_499, 999_501, 12_345_678].map(amount)).toEqual([
      '0',
      '999',
      '1k',
      '1.3k',
      '41k',
      '999k',
      '1M',
      '12M',
    ]);
    expect([some(1, 'step'), some(2, 'step')]).toEqual(['1 step', '2 steps']);
  });
});
