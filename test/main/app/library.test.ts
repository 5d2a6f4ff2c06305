import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore, RunSummary } from '../../../src/main/journal/journal';
import { CHANGE_LIMIT, KEYS_LIMIT, TAGS_LIMIT } from '../../../src/shared/contract/library';
import { makeDesk, makeHomeFolder, startChat, type Desk, type DeskOptions } from '../../support/app';
import { answerRecord, chatRecords, metaRecord } from '../../support/journal-records';
import { journalBytes, ready, snapshotOf } from '../../support/store-folder';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
const open = (options: DeskOptions = {}) => (desk = makeDesk(options));
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
});

const page = (more: object = {}) => desk.window().call('library.page', { offset: 0, limit: 200, ...more });
const rowOf = async (id: string) => (await page()).rows.find((row) => row.id === id);
const runs = () => join(desk.home, 'runs');
const journal = (id: string, ...more: string[]) => join(runs(), ...more, `${id}.json`);

async function put(...ids: string[]): Promise<void> {
  for (const id of ids) {
    const written = await desk.store.create(id, metaRecord(id, `prompt of ${id}`));
    await written.append(answerRecord(2, 'yes'));
    await written.close();
  }
}

/** A store that lists so many runs, and is otherwise a real one. */
function listing(folder: string, rows: RunSummary[]): RunStore {
  const store = fileStore(folder);
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'list') return async () => rows;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
const summaries = (count: number): RunSummary[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `run${n}`,
    health: 'ok',
    prompt: `prompt number ${n}`,
    model: `m${n % 3}`,
    provider: 'practice',
    created: new Date(Date.UTC(2026, 0, 1) + n * 60_000),
    updated: new Date(Date.UTC(2026, 0, 1) + n * 60_000),
    size: 100,
    warnings: 0,
    alerts: 0,
    catalogue: n % 1_000 === 0 ? { pinned: true, tags: ['kept'] } : {},
    writer: 'none',
    durability: 'disk',
    interactive: true,
    endsOnAssistant: n % 2 === 0,
  }));

describe('the list of runs', () => {
  it('gives the keys of all that a filter finds without their rows, and says where it stops', async () => {
    const home = makeHomeFolder();
    open({ home, store: listing(join(home, 'runs'), summaries(25_000)) });
    const client = desk.window();
    const found = await client.call('library.keys', { offset: 0, limit: KEYS_LIMIT, models: ['m1', 'm2'] });
    expect(found).toMatchObject({ total: 16_666 });
    expect(new Set(found.keys).size).toBe(16_666);
    const all = await client.call('library.keys', { offset: 0, limit: KEYS_LIMIT });
    expect([all.keys.length, all.total]).toEqual([KEYS_LIMIT, 25_000]);
    // In the order of the list: a part of the keys is that part of the rows.
    const some = await client.call('library.keys', { offset: 100, limit: 50 });
    expect(some.keys).toEqual((await page({ offset: 100, limit: 50 })).rows.map((row) => row.id));
    expect(await client.call('library.tags', { ids: all.keys })).toEqual({
      tags: [{ value: 'kept', count: 25 }],
      pinned: 25,
    });
    const tooMany = { offset: 0, limit: KEYS_LIMIT + 1 };
    expect((await failureOf(client.call('library.keys', tooMany))).code).toBe('bad_request');
  });

  it('filters by tag, model and pin, sorts, and counts what there is to filter by', async () => {
    open();
    await put('a', 'b', 'c');
    const client = desk.window();
    await client.call('runs.label', { ids: ['a', 'b'], add: ['work'], pinned: true });
    await client.call('runs.label', { ids: ['b'], add: ['tax'], pinned: false });
    await client.call('run.rename', { id: 'c', title: 'Zebra' });
    expect((await page({ tags: ['work'] })).rows.map((row) => row.id)).toEqual(['a', 'b']);
    expect((await page({ pinned: true })).rows.map((row) => row.id)).toEqual(['a']);
    expect((await page({ sort: { by: 'title', up: false } })).rows.map((row) => row.id)).toEqual([
      'a',
      'c',
      'b',
    ]);
    const { facets } = await page({ facets: true });
    expect(facets).toEqual({
      states: [{ value: 'your_turn', count: 3 }],
      models: [{ value: 'practice-1', count: 3 }],
      tags: [
        { value: 'work', count: 2 },
        { value: 'tax', count: 1 },
      ],
      stores: [{ value: 'default', count: 3 }],
    });
    expect((await page()).facets).toBeUndefined();
    expect((await failureOf(page({ from: '2026-13-01' }))).code).toBe('bad_request');
  });
});

describe('pins and tags', () => {
  it('are added and taken away, kept in the catalogue, and change no journal', async () => {
    open();
    await put('a', 'b');
    const before = [readFileSync(journal('a')), readFileSync(journal('b'))];
    const client = desk.window();
    const report = await client.call('runs.label', {
      ids: ['a', 'b', 'nobody', 'a'],
      pinned: true,
      add: ['  new  ', 'x', 'x'],
    });
    expect(report.done).toEqual(['a', 'b']);
    expect(report.failed).toMatchObject([{ id: 'nobody', failure: { code: 'not_found' } }]);
    expect(await rowOf('a')).toMatchObject({ pinned: true, tags: ['new', 'x'] });
    await client.call('runs.label', { ids: ['a'], remove: ['x', 'never there'] });
    await client.call('runs.label', { ids: ['b'], remove: ['x', 'new'], pinned: false });
    expect(await rowOf('a')).toMatchObject({ pinned: true, tags: ['new'] });
    expect(await rowOf('b')).toMatchObject({ pinned: false, tags: [] });
    expect((await fileStore(runs()).summary('a')).catalogue).toEqual({ pinned: true, tags: ['new'] });
    // What is so already is not written once more.
    const size = readFileSync(join(runs(), '.catalogue.jsonl')).length;
    await client.call('runs.label', { ids: ['a'], pinned: true, add: ['new'] });
    expect(readFileSync(join(runs(), '.catalogue.jsonl')).length).toBe(size);
    expect([readFileSync(journal('a')), readFileSync(journal('b'))]).toEqual(before);
  });

  it('are kept of a run that is being written, here or elsewhere, and of one that is damaged', async () => {
    open();
    const client = desk.window();
    const { id, shown } = await startChat(client, 'wait 30', { folder: desk.folder });
    await until(() => shown.head?.phase === 'tool');
    const elsewhere = fileStore(runs());
    const held = await elsewhere.create('held', metaRecord('held'));
    writeFileSync(
      journal('bad'),
      Buffer.concat([journalBytes(chatRecords('bad', 3)), Buffer.from('{{\n{{\n')]),
    );
    await until(async () => (await page()).total === 3);
    const ids = [id, 'held', 'bad'];
    const report = await client.call('runs.label', { ids, pinned: true, add: ['seen'] });
    expect(report).toEqual({ done: ids, failed: [] });
    for (const one of ids) expect(await rowOf(one)).toMatchObject({ pinned: true, tags: ['seen'] });
    expect((await rowOf('bad'))?.status).toBe('damaged');
    expect((await page()).pinned).toBe(3);
    await held.close();
    await elsewhere.close();
  });

  it('have a limit that is told, and none for a private chat', async () => {
    open();
    await put('a');
    const client = desk.window();
    const add = Array.from({ length: TAGS_LIMIT }, (_, n) => `t${n}`);
    await client.call('runs.label', { ids: ['a'], add });
    const { failed } = await client.call('runs.label', { ids: ['a'], add: ['one more'] });
    expect(failed).toMatchObject([{ id: 'a', failure: { code: 'bad_request' } }]);
    expect((await rowOf('a'))?.tags).toEqual(add);
    const { id } = await startChat(client, 'hello', { private: true });
    const report = await client.call('runs.label', { ids: [id], pinned: true });
    expect(report.failed).toMatchObject([{ failure: { code: 'unsupported' } }]);
    const gone = await client.call('runs.trash', { ids: [id] });
    expect(gone.failed).toMatchObject([{ failure: { code: 'unsupported' } }]);
    expect(await rowOf(id)).toBeDefined();
  });
});

describe('a folder that is only read', () => {
  it('shows its runs like any other, and says why nothing of them changes', async () => {
    const home = makeHomeFolder();
    mkdirSync(join(home, 'theirs'));
    writeFileSync(join(home, 'theirs', 'x1.json'), journalBytes(chatRecords('x1', 8)));
    writeFileSync(join(home, 'theirs', 'x1.lock'), '');
    open({ home, answers: [true] });
    await put('mine');
    const before = snapshotOf(join(home, 'theirs'));
    const client = desk.window();
    await client.call('stores.save', { store: { name: 'fisk', url: `file:${join(home, 'theirs')}` } });
    await until(async () => (await page()).total === 2);
    expect(await rowOf('fisk.x1')).toMatchObject({ store: 'fisk', status: 'your_turn', model: 'practice-1' });
    const { stores } = await client.call('stores.list', {});
    expect(stores[1]).toMatchObject({ writable: false });
    for (const command of ['runs.label', 'runs.trash'] as const) {
      const change = command === 'runs.label' ? { pinned: true } : {};
      const report = await client.call(command, { ids: ['fisk.x1', 'mine'], ...change });
      expect([command, report.done]).toEqual([command, ['mine']]);
      expect(report.failed).toMatchObject([{ id: 'fisk.x1', failure: { code: 'store_read_only' } }]);
      expect(report.failed[0]?.failure.todo).toBeTruthy();
    }
    expect((await failureOf(client.call('run.rename', { id: 'fisk.x1', title: 'T' }))).code).toBe(
      'store_read_only',
    );
    expect(snapshotOf(join(home, 'theirs'))).toEqual(before);
  });
});

describe('the trash', () => {
  it('takes what is not in use, says why the rest stays, and gives all of it back', async () => {
    open();
    await put('a', 'b');
    const client = desk.window();
    const busy = await startChat(client, 'wait 30', { folder: desk.folder });
    await until(() => busy.shown.head?.phase === 'tool');
    const elsewhere = fileStore(runs());
    const held = await elsewhere.create('held', metaRecord('held'));
    await until(async () => (await page()).total === 4);
    const report = await client.call('runs.trash', { ids: ['a', busy.id, 'held', 'b', 'nobody'] });
    expect(report.done).toEqual(['a', 'b']);
    expect(report.failed.map(({ id, failure }) => [id, failure.code])).toEqual([
      [busy.id, 'busy'],
      ['held', 'locked'],
      ['nobody', 'not_found'],
    ]);
    expect(await page()).toMatchObject({ total: 2, trashed: 2 });
    const shown = (await client.call('library.trash', { offset: 0, limit: 10 })).rows.map(
      ({ row }) => row.id,
    );
    expect([...shown].sort()).toEqual(['a', 'b']);
    expect(await client.call('library.trashKeys', { offset: 1, limit: 10 })).toEqual({
      keys: shown.slice(1),
      total: 2,
    });
    expect(await client.call('runs.restore', { ids: ['a', 'b', 'c'] })).toMatchObject({
      done: ['a', 'b'],
      failed: [{ id: 'c', failure: { code: 'not_found' } }],
    });
    expect(await page()).toMatchObject({ total: 4, trashed: 0 });
    await held.close();
    await elsewhere.close();
  });

  it('tells what is in it, since when and how large, the latest first, in pages', async () => {
    open();
    const ids = Array.from({ length: 9 }, (_, n) => `r${n}`);
    await put(...ids);
    const client = desk.window();
    const sizes = ids.reduce((sum, id) => sum + readFileSync(journal(id)).length, 0);
    const began = Date.now();
    for (const id of ids) {
      await client.call('run.trash', { id });
      await new Promise((resolve) => setTimeout(resolve, 12));
    }
    const all = await client.call('library.trash', { offset: 0, limit: 200 });
    expect(all).toMatchObject({ total: 9, bytes: sizes, keeps: [], failed: [] });
    expect(all.rows.map(({ row }) => row.id)).toEqual(ids.toReversed());
    for (const { at } of all.rows) {
      expect(Date.parse(at ?? '')).toBeGreaterThan(began - 50);
      expect(Date.parse(at ?? '')).toBeLessThan(Date.now() + 50);
    }
    const part = await client.call('library.trash', { offset: 3, limit: 2 });
    expect(part.rows).toEqual(all.rows.slice(3, 5));
  });

  it('is deleted for good only after the person agreed outside of the page, who is told what goes', async () => {
    open({ answers: [false, true, true] });
    await put('a', 'b', 'c', 'd');
    const client = desk.window();
    await client.call('runs.trash', { ids: ['a', 'b', 'c'] });
    const refused = await failureOf(client.call('runs.purge', { ids: ['a'] }));
    expect(refused.code).toBe('forbidden');
    expect(desk.asked.questions[0]).toMatchObject({ message: 'Delete 1 run for good?' });
    expect(desk.asked.questions[0]?.detail).toContain('“prompt of a”');
    expect(existsSync(journal('a', 'trash'))).toBe(true);
    // What is not in the trash does not go, agreed or not.
    const report = await client.call('runs.purge', { ids: ['a', 'd'] });
    expect(report).toMatchObject({ done: 1, failed: [{ id: 'd', failure: { code: 'not_found' } }] });
    expect([existsSync(journal('a', 'trash')), existsSync(journal('d'))]).toEqual([false, true]);
    // Another number than the one that was shown: somebody else is at it too.
    expect((await failureOf(client.call('library.emptyTrash', { total: 5 }))).code).toBe('conflict');
    expect(desk.asked.questions.length).toBe(2);
    expect(await client.call('library.emptyTrash', { total: 2 })).toEqual({ done: 2, failed: [] });
    expect(readdirSync(join(runs(), 'trash'))).toEqual([]);
    await until(async () => (await page()).total === 1);
    expect((await page()).trashed).toBe(0);
  });

  it('notices what another program puts in and takes out', async () => {
    open();
    await put('a', 'b');
    await until(async () => (await page()).total === 2);
    const other = fileStore(runs());
    await other.trash('a');
    await until(async () => (await page()).trashed === 1);
    await other.restore('a');
    await until(async () => (await page()).trashed === 0);
    await other.close();
  });

  it('of a store that keeps everything is told as such, and takes nothing', async () => {
    const home = makeHomeFolder();
    const real = fileStore(join(home, 'runs'));
    const why = 'Messages of this stream cannot be deleted.';
    const keeping = new Proxy(real, {
      get: (target, name) => {
        if (name === 'keeps') return why;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    open({ home, store: keeping });
    const { keeps } = await desk.window().call('library.trash', { offset: 0, limit: 10 });
    expect(keeps).toEqual([{ label: 'Test', why }]);
  });

  it('does not hide the others when one cannot be read', async () => {
    const home = makeHomeFolder();
    ready(join(home, 'second'));
    open({ home, answers: [true] });
    await put('a');
    const client = desk.window();
    await client.call('stores.save', { store: { name: 'second', url: `file:${join(home, 'second')}` } });
    await until(async () => (await client.call('stores.list', {})).stores[1]?.state === 'ok');
    await client.call('run.trash', { id: 'a' });
    writeFileSync(join(home, 'second', 'trash'), 'not a folder');
    const { total, failed } = await client.call('library.trash', { offset: 0, limit: 10 });
    expect(total).toBe(1);
    expect(failed).toMatchObject([{ label: 'second', failure: { code: 'store_unavailable' } }]);
  });

  it('is changed in pieces of a size that can be watched', async () => {
    open();
    const ids = Array.from({ length: CHANGE_LIMIT + 1 }, (_, n) => `r${n}`);
    expect((await failureOf(desk.window().call('runs.trash', { ids }))).code).toBe('bad_request');
  });
});

describe('what needs a person', () => {
  it('counts only what waits for one: a try that was marked as done does not, until it goes on', async () => {
    const desk = makeDesk();
    const client = desk.window();
    const page = (needsYou?: true) =>
      client.call('library.page', { offset: 0, limit: 20, ...(needsYou && { needsYou }) });
    const { id, shown } = await startChat(client, 'fail with auth');
    await until(() => shown.head?.row.status === 'failed');
    const other = await startChat(client, 'say fine');
    await other.shown.status('your_turn');
    expect((await page()).counts['needs_you']).toBe(1);
    await client.call('runs.label', { ids: [id, other.id], done: true });
    // Nothing is done of what never waited.
    const second = makeDesk({ home: desk.home });
    const away = second.window();
    await until(async () =>
      (await away.call('library.page', { offset: 0, limit: 20 })).rows.some((row) => row.done === true),
    );
    const seen = await away.call('library.page', { offset: 0, limit: 20, needsYou: true });
    expect([seen.total, seen.counts['needs_you'] ?? 0]).toEqual([0, 0]);
    const rows = (await away.call('library.page', { offset: 0, limit: 20 })).rows;
    expect(rows.find((row) => row.id === other.id)?.done).toBeUndefined();
    await away.call('runs.label', { ids: [id], done: false });
    await until(
      async () => (await away.call('library.page', { offset: 0, limit: 20, needsYou: true })).total === 1,
    );
    await away.call('runs.label', { ids: [id], done: true });
    await until(
      async () => (await away.call('library.page', { offset: 0, limit: 20, needsYou: true })).total === 0,
    );
    await desk.close();
    await second.close();
  });
});
