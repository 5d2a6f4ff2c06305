import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunIndex } from '../../../src/main/library/search/worker-index';
import type { CommandInput } from '../../../src/shared/contract/contract';
import type { SearchHit, SearchProgressView } from '../../../src/shared/contract/search';
import type { Client } from '../../../src/shared/contract/connect';
import { encodeLine } from '../../../src/shared/run/codec';
import { Failure } from '../../../src/shared/run/failure';
import type { RunRecord } from '../../../src/shared/run/record';
import { makeDesk, makeHomeFolder, startChat, type Desk, type DeskOptions } from '../../support/app';
import { richRecords } from '../../support/histories';
import { inlineIndex } from '../../support/inline-index';
import {
  answerRecord,
  callRecord,
  metaRecord,
  resultRecord,
  userRecord,
} from '../../support/journal-records';
import { journalBytes, ready } from '../../support/store-folder';
import { failureOf, until } from '../../support/wait';

let desk: Desk;
let home: string;
const open = (options: DeskOptions = {}) => {
  home = options.home ?? makeHomeFolder();
  desk = makeDesk({ ...options, home });
  return desk.window();
};
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

/** A home whose stores hold these runs; the later ones are older. */
function homeWith(runs: Record<string, RunRecord[]>, folder = 'runs', at = makeHomeFolder()): string {
  const path = join(at, folder);
  mkdirSync(path, { recursive: true });
  ready(path);
  for (const [n, [id, records]] of Object.entries(runs).entries()) {
    writeFileSync(join(path, `${id}.json`), journalBytes(records), { mode: 0o600 });
    const when = new Date(Date.UTC(2026, 5, 20) - n * 3_600_000);
    utimesSync(join(path, `${id}.json`), when, when);
  }
  return at;
}
const talk = (id: string, ...texts: string[]): RunRecord[] => [
  metaRecord(id, `Ask ${id}`),
  ...texts.map((text, n) => (n % 2 === 0 ? answerRecord(n + 2, text, n / 2) : userRecord(n + 2, text))),
];

type Query = Partial<CommandInput<'search.find'>>;
/** Asks on, as a window does, until it has as many as it wants: a page ends early where the machine is slow. */
async function find(client: Client, words: string, { limit = 50, ...more }: Query = {}) {
  const first = await client.call('search.find', { words, limit, ...more });
  const hits = [...first.hits];
  let { next } = first;
  while (next !== undefined && hits.length < limit) {
    const page = await client.call('search.find', {
      words,
      ...more,
      limit: limit - hits.length,
      after: next,
    });
    hits.push(...page.hits);
    next = page.next;
  }
  return { ...first, hits, next };
}
/** Asks until every store is read whole. */
async function whole(client: Client, words: string, more: Query = {}) {
  await until(async () => (await find(client, words, more)).building.length === 0);
  return find(client, words, more);
}
const short = (hits: readonly SearchHit[]) => hits.map(({ run, seq, part }) => `${run}#${seq} ${part}`);
const marked = (hit: SearchHit | undefined) =>
  hit?.snippet.filter((piece) => piece.marked).map((piece) => piece.text);

describe('search over the contract', () => {
  it('finds words in every kind of text, with title, state, place in the run and marked words', async () => {
    const client = open({ home: homeWith({ rich: richRecords('rich'), b: talk('b', 'four apples') }) });
    const { hits, next, failed, empty } = await whole(client, 'four ticks');
    expect({ next, failed, empty }).toEqual({ next: undefined, failed: [], empty: false });
    expect(hits).toMatchObject([
      { run: 'rich', seq: 3, part: 'result', status: 'interrupted', store: 'Test', model: 'practice-1' },
    ]);
    expect(hits[0]?.title).toContain('Find');
    expect(marked(hits[0])).toEqual(['four', 'ticks']);
    const kinds = async (words: string) => short((await find(client, words)).hits);
    expect(await kinds('think about')).toEqual(['rich#2 thinking']);
    expect(await kinds('append_file')).toEqual(['rich#15 input', 'rich#15 input']);
    expect((await find(client, 'append_file')).hits[0]?.tool).toBe('append_file');
    expect(await kinds('"go on"')).toEqual(['rich#7 prompt']);
    expect(await kinds('apple')).toEqual(['b#2 answer']);
  });

  it('gives each run once, the newest run first, in pages that neither repeat nor leave out', async () => {
    const runs = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`r${n}`, talk(`r${n}`, ...Array<string>(7).fill('pear tree'))]),
    );
    const client = open({ home: homeWith(runs) });
    await whole(client, 'pear');
    const through = async (limit: number) => {
      const seen: SearchHit[] = [];
      let after: string | undefined;
      for (let page = 0; page < 300; page++) {
        const found = await find(client, 'pear', { limit, ...(after !== undefined && { after }) });
        expect(found.hits.length).toBeLessThanOrEqual(limit);
        seen.push(...found.hits);
        after = found.next;
        if (after === undefined) break;
      }
      return seen;
    };
    const seen = await through(8);
    expect(short(seen)).toEqual(short(await through(200)));
    expect(new Set(short(seen)).size).toBe(30 * 7);
    expect([...new Set(seen.map((hit) => hit.run))]).toHaveLength(30);
    const turns = seen.filter((hit, n) => hit.run !== seen[n - 1]?.run);
    expect(turns).toHaveLength(30);
  });

  it('shows a run that grew once and as the newest, and finds what it says a moment later', async () => {
    const client = open({ home: homeWith({ a: talk('a', 'plum one'), b: talk('b', 'plum two') }) });
    await client.call('library.page', { offset: 0, limit: 50 });
    await whole(client, 'plum');
    appendFileSync(join(home, 'runs', 'b.json'), encodeLine(userRecord(3, 'plum three')));
    await until(async () => (await find(client, 'three')).hits.length === 1);
    const { hits } = await find(client, 'plum');
    expect(short(hits)).toEqual(['b#3 prompt', 'b#2 answer', 'a#2 answer']);
    const first = await find(client, 'plum', { limit: 1 });
    const second = await find(client, 'plum', { limit: 2, after: first.next ?? '' });
    expect(short([...first.hits, ...second.hits])).toEqual(short(hits));
  });

  it('filters by part and by run', async () => {
    const records = [
      ...talk('a', 'fig answer', 'fig prompt'),
      callRecord(4, ['c1'], 1, 'fig_tool'),
      resultRecord(5, 'c1', 'fig result'),
    ];
    const client = open({ home: homeWith({ a: records, b: talk('b', 'fig') }) });
    await whole(client, 'fig');
    const parts = async (...wanted: SearchHit['part'][]) =>
      short((await find(client, 'fig', { parts: wanted, run: 'a' })).hits);
    expect(await parts('prompt')).toEqual(['a#3 prompt']);
    expect(await parts('input', 'result')).toEqual(['a#5 result', 'a#4 input']);
    expect(await parts('thinking')).toEqual([]);
    expect(short((await find(client, 'fig', { run: 'b' })).hits)).toEqual(['b#2 answer']);
    // The word that marks a part in the index cannot be typed.
    expect(short((await find(client, '\uf8f21')).hits)).toEqual(short((await find(client, '1')).hits));
  });

  it.each([
    ['quotes', '"', '""', '"""', 'a"b"c', '"open'],
    [
      'operators',
      'NEAR',
      'NEAR(a b)',
      'AND',
      'OR',
      'NOT x',
      '* a',
      'a*',
      '-a',
      '^a',
      'prompt:a',
      '{a} : b',
      '+',
      'a + b',
    ],
    ['what SQL knows', "'; DROP TABLE run; --", '%', '?', '?1', ':a', '\\'],
    [
      'letters of the world',
      '🙂',
      'a🙂b',
      '東京',
      'קפה',
      'عربي',
      'ไทย',
      'é',
      '\u202eabc',
      '\ud800',
      'a\ud800',
    ],
    ['what is not seen', '\u0000', 'a\u0000b', '\u0001', '\u200b', '  ', '\n'],
    [
      'much',
      'x'.repeat(200_000),
      'x '.repeat(100_000),
      '"'.repeat(200_000),
      '東'.repeat(200_000),
      '('.repeat(9_999),
    ],
  ])('takes %s as words and never fails', async (_what, ...all) => {
    const client = open({ home: homeWith({ a: talk('a', 'a b c NEAR and or not x prompt abc') }) });
    await whole(client, 'abc');
    for (const words of all) {
      const found = await find(client, words);
      expect(found.failed, JSON.stringify(words.slice(0, 30))).toEqual([]);
      if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(words))
        expect(found).toMatchObject({ hits: [], empty: true });
    }
    expect((await find(client, 'a\u0000b')).hits).toHaveLength(1);
    expect((await find(client, 'NEAR')).hits).toHaveLength(1);
  });

  it('finds words of other scripts, and whatever accents they are typed with', async () => {
    const client = open({
      home: homeWith({ a: talk('a', '明日は東京に行く', 'Crème brûlée', 'שלום עולם', 'مرحبا بالعالم 🙂') }),
    });
    for (const [words, seq] of [
      ['東京', 2],
      ['creme BRULEE', 3],
      ['עולם', 4],
      ['مرحبا', 5],
    ] as const)
      expect(short((await whole(client, words)).hits)).toEqual([expect.stringContaining(`a#${seq} `)]);
    expect((await find(client, '京東')).hits).toEqual([]);
  });

  it('searches all stores at once, says which one cannot be reached, and goes on without it', async () => {
    const at = homeWith({ a: talk('a', 'quince here') });
    homeWith({ c: talk('c', 'quince there') }, 'archive', at);
    const client = open({ home: at, answers: [true, true] });
    await client.call('stores.save', { store: { name: 'archive', url: `file:${join(at, 'archive')}` } });
    await until(async () => (await client.call('stores.list', {})).stores[1]?.state === 'ok');
    await until(async () => (await find(client, 'quince')).hits.length === 2);
    expect(short((await find(client, 'quince')).hits).sort()).toEqual(['a#2 answer', 'archive.c#2 answer']);
    expect(short((await find(client, 'quince', { stores: ['archive'] })).hits)).toEqual([
      'archive.c#2 answer',
    ]);
    expect(short((await find(client, 'quince', { stores: ['default'] })).hits)).toEqual(['a#2 answer']);
    const one = await find(client, 'quince', { limit: 1 });
    const two = await find(client, 'quince', { limit: 1, after: one.next ?? '' });
    expect(short([...one.hits, ...two.hits]).sort()).toEqual(['a#2 answer', 'archive.c#2 answer']);
    await client.call('stores.save', { store: { name: 'away', url: 'nats://127.0.0.1:9/RUNS' } });
    await until(async () => (await client.call('stores.list', {})).stores[2]?.state === 'unreachable');
    const found = await find(client, 'quince');
    expect(found.hits).toHaveLength(2);
    expect(found.failed).toMatchObject([
      { store: 'away', label: 'away', failure: { code: 'store_unavailable' } },
    ]);
    expect((await client.call('search.status', {})).stores.map(({ store }) => store).sort()).toEqual(
      expect.arrayContaining(['archive', 'default']),
    );
    await client.call('stores.remove', { name: 'archive' });
    await until(async () => (await find(client, 'quince')).hits.length === 1);
  });

  it('never has private chats, and no run that is in the trash', async () => {
    const client = open({ home: homeWith({ a: talk('a', 'medlar') }) });
    await client.call('library.page', { offset: 0, limit: 50 });
    const secret = await startChat(client, 'say medlar', { private: true });
    await secret.shown.status('your_turn');
    expect(short((await whole(client, 'medlar')).hits)).toEqual(['a#2 answer']);
    await client.call('run.trash', { id: 'a' });
    expect((await find(client, 'medlar')).hits).toEqual([]);
    await client.call('run.restore', { id: 'a' });
    await until(async () => (await find(client, 'medlar')).hits.length === 1);
  });

  it('tells how far it is while it builds, in events and in every answer, and can be asked meanwhile', async () => {
    const runs = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [
        `r${n}`,
        talk(`r${n}`, ...Array<string>(40).fill(`olive ${n}`)),
      ]),
    );
    const client = open({ home: homeWith(runs) });
    const told: SearchProgressView[] = [];
    client.on('search.progress', (progress) => told.push(progress));
    const { hits } = await find(client, 'olive', { limit: 5 });
    expect(hits.length).toBeLessThanOrEqual(5);
    await until(async () => (await find(client, 'olive')).building.length === 0);
    expect(told.at(-1)).toMatchObject({ store: 'default', label: 'Test', done: 120, total: 120 });
    expect((await client.call('search.status', {})).stores).toMatchObject([{ store: 'default', runs: 120 }]);
  });

  it('loses nothing when its cache is deleted between two starts', async () => {
    const at = homeWith({ a: talk('a', 'loquat') });
    const client = open({ home: at });
    await whole(client, 'loquat');
    await desk.close();
    rmSync(join(at, 'cache'), { recursive: true });
    const again = open({ home: at });
    expect((await whole(again, 'loquat')).hits).toHaveLength(1);
  });

  it('asks an index that died once more, tells of one that stays dead, and forgets that when it is back', async () => {
    let dead = 0;
    const indexOf: DeskOptions['indexOf'] = (_entry, store, onProgress) => {
      const real = inlineIndex(store, join(home, 'cache'), onProgress);
      const search: RunIndex['search'] = async (query) => {
        if (dead-- > 0) throw new Failure({ code: 'internal', message: 'secret details' });
        return real.search(query);
      };
      return { ...real, search };
    };
    const client = open({ home: homeWith({ a: talk('a', 'papaya') }), indexOf });
    await whole(client, 'papaya');
    dead = 1;
    expect((await find(client, 'papaya')).hits).toHaveLength(1);
    dead = 2;
    const { hits, failed } = await find(client, 'papaya');
    expect(hits).toEqual([]);
    expect(failed).toMatchObject([{ store: 'default', failure: { kept: 'Runs are not touched by it.' } }]);
    expect(JSON.stringify(failed)).not.toContain('secret');
    expect((await find(client, 'papaya')).failed).toEqual([]);
  });

  it('says that it is not all where the index cannot be brought up to date, and finds what is in it', async () => {
    const at = homeWith({ a: talk('a', 'tamarind') });
    const first = open({ home: at });
    await whole(first, 'tamarind');
    await desk.close();
    let full = true;
    const indexOf: DeskOptions['indexOf'] = (_entry, store, onProgress) => {
      const real = inlineIndex(store, join(home, 'cache'), onProgress);
      const update: RunIndex['update'] = async (ids) => {
        if (full) throw new Failure({ code: 'no_space', message: 'There is no room.' });
        return real.update(ids);
      };
      return { ...real, update };
    };
    const client = open({ home: at, indexOf });
    await until(async () => (await find(client, 'tamarind')).failed.length === 1);
    const found = await find(client, 'tamarind');
    expect(found.failed).toMatchObject([{ store: 'default', partly: true, failure: { code: 'no_space' } }]);
    expect([found.hits.length, found.building.length]).toEqual([1, 0]);
    expect((await client.call('search.status', {})).failed).toHaveLength(1);
    full = false;
    await until(async () => (await find(client, 'tamarind')).failed.length === 0);
  });

  it('refuses a page that it never gave', async () => {
    const client = open({ home: homeWith({ a: talk('a', 'x') }) });
    for (const after of ['x', '{}', '[["a"]]', '[[1,2]]', '"'])
      expect(await failureOf(find(client, 'x', { after }))).toMatchObject({ code: 'bad_request' });
    expect((await whole(client, 'x', { after: '[["","garbage"]]' })).hits).toHaveLength(1);
  });
});
