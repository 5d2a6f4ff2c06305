import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf, STATE_ORDER, type Entry } from '../../../src/main/library/entry';
import { Queries, type RunQuery } from '../../../src/main/library/query';
import { localDay } from '../../../src/main/library/words';
import { FACET_LIMIT, sortField, type SortField } from '../../../src/shared/contract/library';
import { runStatus, type RunRow } from '../../../src/shared/contract/views';

const NOON = new Date(2026, 5, 15, 12).getTime();
const HOUR = 3_600_000;

function row(id: string, more: Partial<RunRow> = {}): RunRow {
  return {
    id,
    title: `Run ${id}`,
    renamed: false,
    status: 'finished',
    detail: '',
    model: 'm1',
    store: 'Here',
    created: new Date(NOON - 48 * HOUR).toISOString(),
    updated: new Date(NOON).toISOString(),
    steps: 1,
    pinned: false,
    tags: [],
    private: false,
    elsewhere: false,
    ...more,
  };
}
const entries = (rows: RunRow[], store = ''): Entry[] => rows.map((one) => entryOf(one, store, ''));
function queries(all: Entry[]): Queries {
  const made = new Queries();
  made.set(all);
  return made;
}
const ids = (made: Queries, query: RunQuery = {}) => made.find(query).entries.map((entry) => entry.row.id);

describe('a query', () => {
  it('finds newest first, with pinned runs on top and the days of the others', () => {
    const made = queries(
      entries([
        row('old', { updated: new Date(NOON - 24 * HOUR).toISOString() }),
        row('pinned', { updated: new Date(NOON - 99 * HOUR).toISOString(), pinned: true }),
        row('new'),
        row('newer', { updated: new Date(NOON + HOUR).toISOString() }),
      ]),
    );
    expect(ids(made)).toEqual(['pinned', 'newer', 'new', 'old']);
    expect(made.find({})).toMatchObject({
      pinned: 1,
      days: [
        { day: '2026-06-15', count: 2 },
        { day: '2026-06-14', count: 1 },
      ],
    });
    expect(made.find({ sort: { by: 'title', up: true } }).days).toEqual([]);
  });

  it('finds words in every form in which people type them', () => {
    const made = queries(
      entries([
        row('a', { title: 'Đà Nẵng, Łódź and Straße' }),
        row('b', { title: '한국어 여행'.normalize('NFD') }),
        row('c', { title: 'ＦＵＬＬ width' }),
      ]),
    );
    for (const words of ['da nang', 'lodz', 'ŁÓDŹ'.normalize('NFD'), 'strasse'])
      expect.soft(ids(made, { words }), words).toEqual(['a']);
    for (const words of ['한국어', '여행'.normalize('NFD')]) expect.soft(ids(made, { words })).toEqual(['b']);
    expect(ids(made, { words: 'full' })).toEqual(['c']);
  });

  it('sorts by every field both ways, and what has no value comes last both ways', () => {
    const counters = (tokens: number) => ({
      in_tokens: tokens,
      out_tokens: 1,
      llm_calls: 0,
      tool_calls: 0,
      remote_tool_calls: 0,
      cache_read_tokens: 0,
      cache_create_tokens: 0,
    });
    const made = queries(
      entries([
        row('a', {
          title: 'apple',
          status: 'running',
          model: 'z',
          steps: 9,
          counters: counters(5),
          store: 'B',
        }),
        row('b', {
          title: 'Banana',
          status: 'failed',
          model: 'y',
          steps: 10,
          counters: counters(50),
          store: 'A',
        }),
        row('none', {
          title: 'zebra',
          status: 'new',
          model: undefined,
          steps: undefined,
          created: undefined,
          store: 'C',
        }),
      ]),
    );
    const expected: Record<SortField, string[]> = {
      title: ['a', 'b', 'none'],
      status: ['a', 'b', 'none'],
      model: ['b', 'a', 'none'],
      store: ['b', 'a', 'none'],
      steps: ['a', 'b', 'none'],
      tokens: ['a', 'b', 'none'],
      updated: ['a', 'b', 'none'],
      created: ['a', 'b', 'none'],
    };
    for (const by of sortField.options) {
      const up = ids(made, { sort: { by, up: true } });
      expect([by, up]).toEqual([by, expected[by]]);
      const down = ids(made, { sort: { by, up: false } });
      const missing = ['model', 'steps', 'tokens', 'created'].includes(by);
      expect([by, down]).toEqual([
        by,
        missing ? [...expected[by].slice(0, 2).toReversed(), 'none'] : expected[by].toReversed(),
      ]);
    }
  });

  it('takes days as local ones, from their first to their last moment', () => {
    const at = (...when: [number, number, number, number?, number?, number?]) =>
      new Date(...when).toISOString();
    const made = queries(
      entries([
        row('before', { updated: at(2026, 2, 28, 23, 59, 59) }),
        row('first', { updated: at(2026, 2, 29, 0, 0, 0) }),
        row('last', { updated: at(2026, 2, 31, 23, 59, 59) }),
        row('after', { updated: at(2026, 3, 1, 0, 0, 0) }),
      ]),
    );
    expect(ids(made, { from: '2026-03-29', to: '2026-03-31' })).toEqual(['last', 'first']);
    expect(ids(made, { from: '2026-04-01' })).toEqual(['after']);
    expect(ids(made, { to: '2026-03-28' })).toEqual(['before']);
  });

  it('counts of each kind what the other kinds leave, and never hides what is chosen', () => {
    const made = queries([
      ...entries([
        row('a', { status: 'failed', model: 'm1', tags: ['x', 'y'] }),
        row('b', { status: 'failed', model: 'm2', tags: ['x'] }),
        row('c', { status: 'finished', model: 'm2' }),
      ]),
      ...entries([row('team.d', { status: 'failed', model: 'm3' })], 'team'),
    ]);
    const { facets, counts, byStore } = made.find({ states: ['failed'], tags: ['x'], models: ['gone'] });
    expect(facets).toEqual({
      states: [{ value: 'failed', count: 0 }],
      models: [
        { value: 'm1', count: 1 },
        { value: 'm2', count: 1 },
        { value: 'gone', count: 0 },
      ],
      tags: [{ value: 'x', count: 0 }],
      stores: [],
    });
    expect(counts).toEqual({ failed: 3, finished: 1, needs_you: 3 });
    expect(Object.fromEntries(byStore)).toEqual({ '': 3, team: 1 });
    expect(made.find({ stores: new Set(['team']) }).facets).toMatchObject({
      states: [{ value: 'failed', count: 1 }],
      stores: [
        { value: '', count: 3 },
        { value: 'team', count: 1 },
      ],
    });
    const many = queries(entries(Array.from({ length: 500 }, (_, n) => row(`r${n}`, { tags: [`t${n}`] }))));
    expect(many.find({}).facets.tags).toHaveLength(FACET_LIMIT);
    expect(many.find({ tags: ['t499'] }).facets.tags.map(({ value }) => value)).toContain('t499');
  });

  it('looks at a list of ten thousand once where one run changed, and not at all where none did', () => {
    let looks = 0;
    const all = Array.from({ length: 10_000 }, (_, n) => {
      const updated = NOON - ((n * 7_919) % 10_000) * HOUR;
      const entry = entryOf(row(`r${n}`, { updated: new Date(updated).toISOString() }), '', '');
      return Object.defineProperty(entry, 'updated', {
        get: () => {
          looks++;
          return updated;
        },
      });
    });
    const made = queries(all);
    const first = made.find({});
    const sorting = looks;
    looks = 0;
    expect(made.find({})).toBe(first);
    expect(looks).toBe(0);
    made.set([...all.slice(0, 5_000), ...all.slice(5_001), entryOf(row('fresh'), '', '')]);
    expect(made.find({}).entries).toHaveLength(10_000);
    // Two for each comparison of a list that is sorted but for one, and a few for each entry.
    expect(looks).toBeLessThan(8 * 10_000);
    expect(sorting).toBeGreaterThan(2.5 * looks);
  });

  it('gives after any changes what a look at everything gives', () => {
    const status = fc.constantFrom(...runStatus.options);
    const change = fc.record({
      id: fc.integer({ min: 0, max: 25 }).map(String),
      gone: fc.boolean(),
      title: fc.constantFrom('apple', 'Banana', 'cherry 10', 'cherry 9', ''),
      status,
      model: fc.constantFrom('m1', 'm2', undefined),
      tags: fc.subarray(['x', 'y', 'z']),
      pinned: fc.boolean(),
      steps: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      hours: fc.integer({ min: 0, max: 60 }),
    });
    const query: fc.Arbitrary<RunQuery> = fc.record(
      {
        states: fc.subarray(runStatus.options, { minLength: 1 }),
        models: fc.constant(['m1']),
        tags: fc.subarray(['x', 'y'], { minLength: 1 }),
        words: fc.constantFrom('CHERRY', 'run m1', 'an'),
        from: fc.constant('2026-06-14'),
        to: fc.constant('2026-06-14'),
        pinned: fc.boolean(),
        sort: fc.record({ by: fc.constantFrom(...sortField.options), up: fc.boolean() }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(change, { maxLength: 8 }), query), { maxLength: 8 }),
        (rounds) => {
          const now = new Map<string, Entry>();
          const made = new Queries();
          for (const [changes, asked] of rounds) {
            for (const { id, gone, hours, ...rest } of changes) {
              now.delete(id);
              const updated = new Date(NOON - hours * HOUR).toISOString();
              if (!gone) now.set(id, entryOf(row(id, { ...rest, updated }), '', 'prompt'));
            }
            made.set([...now.values()]);
            const found = made.find(asked);
            expect(new Set(found.entries)).toEqual(
              new Set([...now.values()].filter((entry) => fits(entry, asked))),
            );
            expect(inOrder(found.entries, asked, found.pinned)).toBe(true);
            expect(found.days.reduce((sum, { count }) => sum + count, 0)).toBe(
              found.days.length === 0 ? 0 : found.entries.length - found.pinned,
            );
            expect(queries([...now.values()]).find(asked).facets).toEqual(found.facets);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** The filters once more, one by one and without haste. */
function fits({ row: one, text }: Entry, query: RunQuery): boolean {
  const day = localDay(new Date(one.updated));
  return (
    (!query.states || query.states.includes(one.status)) &&
    (!query.models || query.models.includes(one.model ?? '-')) &&
    (!query.tags || query.tags.some((tag) => one.tags.includes(tag))) &&
    (!query.words ||
      query.words
        .toLowerCase()
        .split(' ')
        .every((word) => text.includes(word))) &&
    (query.from === undefined || day >= query.from) &&
    (query.to === undefined || day <= query.to) &&
    (query.pinned === undefined || one.pinned === query.pinned)
  );
}

function inOrder(found: Entry[], query: RunQuery, pinned: number): boolean {
  const { by, up } = query.sort ?? { by: 'updated' as const, up: false };
  const value = ({ row: one, updated, created, tokens }: Entry) =>
    ({
      title: one.title,
      status: STATE_ORDER[one.status],
      model: one.model,
      store: one.store,
      steps: one.steps,
      tokens,
      updated,
      created,
    })[by];
  const { compare } = new Intl.Collator();
  const lawful = (a: Entry, b: Entry) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined) return y === undefined;
    const order = typeof x === 'string' ? compare(x, String(y)) : x - Number(y);
    return up ? order <= 0 : order >= 0;
  };
  const part = (list: Entry[]) => list.every((entry, n) => n === 0 || lawful(list[n - 1]!, entry));
  // Among pinned ones a missing value keeps its place in the order of the field.
  const top = found.slice(0, pinned);
  return (
    top.every((entry) => entry.row.pinned) &&
    found.slice(pinned).every((entry) => !entry.row.pinned) &&
    part(found.slice(pinned))
  );
}
