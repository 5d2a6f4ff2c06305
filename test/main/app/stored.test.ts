import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRAME_LIMIT } from '../../../src/shared/contract/frame';
import { encodeLine } from '../../../src/shared/run/codec';
import { TEXT_LIMIT } from '../../../src/shared/contract/items';
import { fileStore } from '../../../src/main/journal/file';
import { makeDesk, Shown, startChat, type Desk } from '../../support/app';
import {
  answerRecord,
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { failureOf, until } from '../../support/wait';
import type { RunRecord } from '../../../src/shared/run/record';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
beforeEach(() => {
  desk = makeDesk();
});
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
});

const path = (id: string) => join(desk.home, 'runs', `${id}.json`);
/** Writes a run as its writer would have, and after it what no writer would have. */
async function put(id: string, records: RunRecord[], tail = ''): Promise<void> {
  const [meta, ...rest] = records;
  const journal = await desk.store.create(id, meta as RunRecord);
  for (const record of rest) await journal.append(record);
  await journal.close();
  appendFileSync(path(id), tail);
}

describe('a stored run', () => {
  it('opens without key, profile or folder, paired over the whole conversation, in pages', async () => {
    await put('old', chatRecords('old', 120));
    const client = desk.window();
    const shown = new Shown(client, 'old');
    await until(() => shown.head !== undefined);
    expect(shown.head).toMatchObject({ mode: 'still', chat: true, lastSeq: 120 });
    const items = [];
    for (let from = 0; from < (shown.head?.items ?? 0); from += 50) {
      const page = await client.call('run.items', { id: 'old', from, limit: 50 });
      expect(page.items.length).toBeLessThanOrEqual(50);
      expect(page.from).toBe(from);
      items.push(...page.items);
    }
    expect(items.length).toBe(shown.head?.items);
    expect(new Set(items.map((item) => item.key)).size).toBe(items.length);
    const calls = items.filter((item) => item.kind === 'call');
    expect(calls.length).toBeGreaterThan(25);
    for (const call of calls.slice(0, -1)) expect(call.result?.text).toContain(String(call.seq + 1));
    const beyond = await client.call('run.items', { id: 'old', from: 100_000, limit: 50 });
    expect(beyond).toMatchObject({ items: [], total: items.length });
  });

  it('cuts long texts and gives the rest by pieces, whole and between characters', async () => {
    const text = '🙂 pear '.repeat(40_000);
    await put('long', [
      metaRecord('long'),
      callRecord(2, ['c1']),
      resultRecord(3, 'c1', text),
      answerRecord(4, 'done', 1),
    ]);
    const client = desk.window();
    const { items } = await client.call('run.items', { id: 'long', from: 0, limit: 50 });
    const call = items.find((item) => item.kind === 'call');
    expect(call?.result?.text.length).toBeLessThanOrEqual(TEXT_LIMIT);
    expect((call?.result?.text.length ?? 0) + (call?.result?.more ?? 0)).toBe(text.length);
    let got = call?.result?.text ?? '';
    while (got.length < text.length) {
      const more = await client.call('run.text', {
        id: 'long',
        key: call?.key ?? '',
        part: 'result',
        from: got.length,
        limit: 33_333,
      });
      expect(more.total).toBe(text.length);
      expect(more.text.length).toBeGreaterThan(0);
      got += more.text;
    }
    expect(got === text).toBe(true);
    const found = await client.call('run.find', { id: 'long', words: 'PEAR' });
    expect(found).toEqual({ total: 40_000, hits: [{ index: 1, key: call?.key, count: 40_000 }] });
    const missing = { id: 'long', key: '99.9', part: 'text', from: 0, limit: 5 } as const;
    expect((await failureOf(client.call('run.text', missing))).code).toBe('not_found');
  });

  it('fits a page of the worst texts into a frame', async () => {
    const worst = '\u0001'.repeat(TEXT_LIMIT);
    const records: RunRecord[] = [metaRecord('worst')];
    for (let seq = 2; seq < 120; seq += 2)
      records.push(answerRecord(seq, worst, seq), userRecord(seq + 1, worst));
    await put('worst', records);
    const page = await desk.window().call('run.items', { id: 'worst', from: 0, limit: 200 });
    expect(page.items.length).toBe(119);
    expect(JSON.stringify(page).length).toBeLessThan(FRAME_LIMIT);
    const last = page.items.at(-1);
    expect(last && 'text' in last && last.text.length + (last.more ?? 0)).toBe(TEXT_LIMIT);
  });

  it('shows a record as it stands in the journal, with its place', async () => {
    await put('raw', [metaRecord('raw'), callRecord(2, ['c1']), resultRecord(3, 'c1', 'x')]);
    const bytes = readFileSync(path('raw'));
    const client = desk.window();
    for (const seq of [1, 2, 3]) {
      const record = await client.call('run.record', { id: 'raw', seq, from: 0, limit: 100_000 });
      const there = bytes.subarray(record.offset, record.offset + record.bytes).toString('utf8');
      expect(record).toMatchObject({ seq, json: there, total: there.length, durability: 'disk' });
      expect(bytes[record.offset + record.bytes]).toBe(0x0a);
    }
    const piece = await client.call('run.record', { id: 'raw', seq: 2, from: 10, limit: 5 });
    expect(piece.json.length).toBe(5);
    expect((await failureOf(client.call('run.record', { id: 'raw', seq: 9, from: 0, limit: 5 }))).code).toBe(
      'not_found',
    );
  });

  it('opens a damaged run to its damage, with the reason and what can be read', async () => {
    await put('bad', chatRecords('bad', 6), 'this is no record\n');
    appendFileSync(path('bad'), encodeLine(answerRecord(7, 'after')));
    const client = desk.window();
    const shown = await new Shown(client, 'bad').status('damaged');
    expect(shown.head?.failure).toMatchObject({ code: 'corrupt', data: { line: 7, records: 6 } });
    expect(shown.head?.row.detail).toContain('line 7');
    const last = shown.list().at(-1);
    expect(last).toMatchObject({ kind: 'notice', tone: 'bad' });
    expect(shown.list().length).toBeGreaterThan(4);
    expect((await client.call('run.record', { id: 'bad', seq: 3, from: 0, limit: 9 })).kind).toBe(
      'tool_result',
    );
    expect((await failureOf(client.call('run.preflight', { id: 'bad' }))).code).toBe('corrupt');
    await until(
      async () => (await client.call('library.page', { offset: 0, limit: 10 })).counts['damaged'] === 1,
    );
  });

  it('says not_found for a run that is not there, and only that', async () => {
    const client = desk.window();
    const shown = new Shown(client, 'nothing');
    await until(() => shown.failure !== undefined);
    expect(shown.failure?.code).toBe('not_found');
    for (const call of [
      () => client.call('run.items', { id: 'nothing', from: 0, limit: 1 }),
      () => client.call('run.preflight', { id: 'nothing' }),
      () => client.call('run.trash', { id: 'nothing' }),
      () => client.call('run.kept', { id: 'nothing', name: 'x.txt', from: 0, limit: 1 }),
    ]) {
      expect((await failureOf(call())).code).toBe('not_found');
    }
  });

  it('moves a run to the trash and back, in the list at once', async () => {
    await put('gone', [
      metaRecord('gone', 'a run to delete'),
      answerRecord(2, 'yes'),
      terminalRecord(3, 'completed'),
    ]);
    const client = desk.window();
    const changed: string[] = [];
    client.on('library.changed', ({ ids }) => changed.push(...ids));
    const all = async () => client.call('library.page', { offset: 0, limit: 10 });
    await until(async () => (await all()).total === 1);
    await client.call('run.trash', { id: 'gone' });
    expect(await all()).toMatchObject({ total: 0, trashed: 1 });
    await client.call('run.restore', { id: 'gone' });
    expect(await all()).toMatchObject({ total: 1, trashed: 0, rows: [{ status: 'finished' }] });
    await client.call('run.rename', { id: 'gone', title: '  A better name ' });
    expect((await all()).rows[0]).toMatchObject({ title: 'A better name', renamed: true });
    await client.call('run.rename', { id: 'gone', title: '' });
    expect((await all()).rows[0]).toMatchObject({ title: 'a run to delete', renamed: false });
    await until(() => changed.length > 0);
  });

  it('follows a run that another process writes, read-only and live', async () => {
    const other = fileStore(join(desk.home, 'runs'));
    const journal = await other.create('shared', metaRecord('shared', 'written elsewhere'));
    const client = desk.window();
    const shown = new Shown(client, 'shared');
    await until(() => shown.head !== undefined);
    for (const record of [
      callRecord(2, ['c1']),
      resultRecord(3, 'c1', 'found it'),
      answerRecord(4, 'it is so', 1),
    ]) {
      await journal.append(record);
      await until(() => (shown.head?.lastSeq ?? 0) >= record.seq);
    }
    expect(shown.texts()).toContain('it is so');
    expect(shown.call()).toMatchObject({ result: { text: 'found it' } });
    const locked = await failureOf(
      client.call('run.resume', {
        id: 'shared',
        profile: 'Practice',
        force: true,
        acceptEndpoint: false,
        unknown: [],
      }),
    );
    expect(locked.code).toBe('locked');
    await journal.close();
    await other.close();
    expect(readFileSync(path('shared'), 'utf8').trimEnd().split('\n').length).toBe(4);
  });

  it('says goodbye by suspending what works, and lists it as paused', async () => {
    const client = desk.window();
    const { shown, id } = await startChat(client, 'wait 30', { folder: desk.folder });
    await until(() => shown.head?.phase === 'tool');
    expect(desk.app.live()).toEqual([{ id, title: 'wait 30', private: false }]);
    await desk.app.close();
    expect(desk.app.live()).toEqual([]);
    const lines = readFileSync(path(id), 'utf8').trimEnd().split('\n');
    expect(lines.at(-1)).toContain('suspended');
    expect(
      (
        await failureOf(
          client.call('run.start', {
            prompt: 'x',
            chat: true,
            private: false,
            profile: 'Practice',
          }),
        )
      ).code,
    ).toBe('busy');
  });
});
