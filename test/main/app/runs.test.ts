import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { transcriptItem } from '../../../src/shared/contract/items';
import type { Client } from '../../../src/shared/contract/connect';
import type { Model } from '../../../src/main/model/model';
import { makeDesk, Shown, startChat, type Desk } from '../../support/app';
import { scriptedModel } from '../../support/scripted-model';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
let client: Client;
beforeEach(() => {
  desk = makeDesk();
  client = desk.window();
  writeFileSync(join(desk.folder, 'notes.txt'), 'one line about pears\n');
});
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
});

describe('a run behind the contract', () => {
  it('goes from the prompt to the person’s turn, streamed, recorded and listed', async () => {
    const { id, shown } = await startChat(client, 'read notes.txt', { folder: desk.folder });
    await shown.status('your_turn');
    expect(shown.head).toMatchObject({
      mode: 'live',
      chat: true,
      phase: 'idle',
      profile: 'Practice',
      folder: desk.folder,
      durability: 'disk',
    });
    expect(shown.texts().join('\n')).toContain('one line about pears');
    expect(shown.call()).toMatchObject({
      tool: 'read_file',
      state: 'ok',
      changes: false,
      result: { isError: false },
    });
    expect(shown.call()?.tookMs).toBeGreaterThanOrEqual(0);
    expect(shown.stream).toEqual({ text: '', thinking: '' });
    const page = await client.call('library.page', { offset: 0, limit: 10 });
    expect(page).toMatchObject({ total: 1, all: 1, counts: { your_turn: 1 }, days: [{ count: 1 }] });
    expect(page.rows[0]).toMatchObject({ id, title: 'read notes.txt', status: 'your_turn', private: false });
    const bytes = readFileSync(join(desk.home, 'runs', `${id}.json`)).length;
    expect(shown.head?.bytes).toBe(bytes);
  });

  it('shows live the very items that it shows when it is read back', async () => {
    const { id, shown } = await startChat(client, 'list and read notes.txt and search pears', {
      folder: desk.folder,
    });
    await shown.status('your_turn');
    await client.call('run.say', { id, text: 'think about pears' });
    await until(() => shown.list().filter((item) => item.kind === 'prompt').length === 2);
    await shown.status('your_turn');
    const live = shown.list();
    const second = makeDesk({ home: desk.home });
    const stored = new Shown(second.window(), id);
    await stored.status('your_turn');
    expect(stored.head?.mode).toBe('still');
    expect(stored.list()).toEqual(live);
    for (const item of live) transcriptItem.parse(item);
    await second.close();
  });

  it('waits for a person before anything changes, runs what was allowed, and nothing by a wrong or used hash', async () => {
    const { id, shown } = await startChat(client, 'write out.txt: hello', { folder: desk.folder });
    await shown.status('waiting');
    const hash = shown.head?.approval?.hash ?? '';
    expect(shown.head?.approval).toMatchObject({ tool: 'write_file' });
    expect(shown.call('write_file')).toMatchObject({ state: 'waiting', changes: true });
    expect(existsSync(join(desk.folder, 'out.txt'))).toBe(false);
    for (const wrong of ['', 'x', hash.slice(1), `${hash}0`]) {
      expect(await client.call('run.approve', { id, hash: wrong, decision: 'once' })).toEqual({
        done: false,
      });
    }
    expect(existsSync(join(desk.folder, 'out.txt'))).toBe(false);
    expect(await client.call('run.approve', { id, hash, decision: 'once' })).toEqual({ done: true });
    await shown.status('your_turn');
    expect(readFileSync(join(desk.folder, 'out.txt'), 'utf8')).toContain('hello');
    expect(shown.call('write_file')).toMatchObject({ state: 'ok' });
    expect(await client.call('run.approve', { id, hash, decision: 'once' })).toEqual({ done: false });
    expect(desk.asked.attention.map((event) => event.what)).toEqual(['waiting', 'finished']);
  });

  it('tells the model what the person said instead, and shows the call as not run', async () => {
    const { id, shown } = await startChat(client, 'write out.txt: hello', { folder: desk.folder });
    await shown.status('waiting');
    const hash = shown.head?.approval?.hash ?? '';
    await client.call('run.approve', { id, hash, decision: 'deny', words: 'not in this folder' });
    await shown.status('your_turn');
    expect(shown.call('write_file')).toMatchObject({ state: 'not_run' });
    expect(shown.call('write_file')?.result?.text).toContain('not in this folder');
    expect(existsSync(join(desk.folder, 'out.txt'))).toBe(false);
  });

  it('queues what is said meanwhile, takes it back, pauses at a boundary and shows it', async () => {
    const { id, shown } = await startChat(client, 'wait 1', { folder: desk.folder });
    await until(() => shown.head?.phase === 'tool');
    expect(shown.head?.runningTool).toMatchObject({ tool: 'wait' });
    await until(() => shown.call('wait')?.state === 'running');
    await client.call('run.say', { id, text: 'first' });
    await client.call('run.say', { id, text: 'second' });
    await until(() => shown.head?.queued.length === 2);
    expect(await client.call('run.unqueue', { id, message: shown.head?.queued[0]?.id ?? '' })).toEqual({
      done: true,
    });
    await until(() => shown.head?.queued.length === 1);
    await client.call('run.pause', { id });
    await until(() => shown.head?.pausing === true || shown.head?.row.status === 'paused');
    await shown.status('paused');
    expect(shown.list().at(-1)).toMatchObject({ kind: 'end', reason: 'suspended', past: false });
  });

  it('stops at once when it is cancelled, and can be resumed to its end', async () => {
    const { id, shown } = await startChat(client, 'wait 30', { folder: desk.folder });
    await until(() => shown.head?.phase === 'tool');
    await client.call('run.cancel', { id });
    await shown.status('paused', 5_000);
    expect(shown.head?.mode).toBe('still');
    const view = await client.call('run.preflight', { id });
    expect(view).toMatchObject({ ok: true, profile: 'Practice', folder: desk.folder, writer: 'none' });
    expect(view.matching).toContain('Practice');
    await client.call('run.resume', {
      id,
      profile: 'Practice',
      force: false,
      acceptEndpoint: false,
      unknown: [],
      say: 'say enough',
    });
    await shown.status('your_turn');
    expect(shown.texts().join('\n')).toContain('enough');
    expect(shown.list().find((item) => item.kind === 'end')).toMatchObject({ past: true });
  });

  it('begins anew in another run when it is reset, live and stored', async () => {
    const { id, shown } = await startChat(client, 'say one');
    await shown.status('your_turn');
    expect(await client.call('run.reset', { id, prompt: 'say two' })).toEqual({ done: true });
    await until(() => shown.rotated !== undefined);
    const next = new Shown(client, shown.rotated ?? '');
    await next.status('your_turn');
    expect(next.texts().join()).toContain('two');
    expect(next.texts().join()).not.toContain('one');
    await shown.status('paused');
    const second = makeDesk({ home: desk.home });
    const other = second.window();
    const stored = new Shown(other, id);
    await until(() => stored.head !== undefined);
    await other.call('run.reset', { id, prompt: 'say three' });
    await until(() => stored.rotated !== undefined);
    expect(stored.rotated).not.toBe(id);
    await second.close();
  });

  it('keeps a private chat out of the disk while it lives in the list', async () => {
    const { id, shown } = await startChat(client, 'say a secret pear', { private: true });
    await shown.status('your_turn');
    expect(shown.head).toMatchObject({ durability: 'memory', row: { private: true } });
    expect(shown.texts().join()).toContain('a secret pear');
    await client.call('run.say', { id, text: 'say more pears' });
    await until(() => shown.texts().join().includes('more pears'));
    await client.call('draft.set', { key: id, text: 'a private draft' });
    expect(await client.call('draft.get', { key: id })).toEqual({ text: 'a private draft' });
    const record = await client.call('run.record', { id, seq: 1, from: 0, limit: 1000 });
    expect(record).toMatchObject({ kind: 'meta', durability: 'memory' });
    const page = await client.call('library.page', { offset: 0, limit: 10 });
    expect(page.rows.map((row) => row.id)).toEqual([id]);
    expect((await failureOf(client.call('run.rename', { id, title: 'T' }))).code).toBe('unsupported');
    const files = readdirSync(desk.home, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    for (const file of files) {
      expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toMatch(/secret pear|private draft/);
    }
    await client.call('run.trash', { id });
    await until(async () => (await client.call('library.page', { offset: 0, limit: 10 })).all === 0);
  });

  it('shows the same run in two windows, and goes on when one leaves in the middle of a stream', async () => {
    await desk.close();
    let release: () => void = () => undefined;
    const model = scriptedModel([
      { text: 'a long answer', hold: new Promise<void>((resolve) => (release = resolve)) },
    ]);
    desk = makeDesk({ model });
    const first = desk.window();
    const second = desk.window();
    const { id, shown } = await startChat(first, 'go');
    const other = new Shown(second, id);
    await until(() => shown.stream.text === 'a long answer' && other.stream.text === 'a long answer');
    second.close();
    // A window that comes in the middle has all that was streamed.
    const third = new Shown(desk.window(), id);
    await until(() => third.stream.text === 'a long answer');
    release();
    await shown.status('your_turn');
    await third.status('your_turn');
    expect(third.texts()).toEqual(['go', 'a long answer']);
    expect(third.stream.text).toBe('');
  });

  it('voids what was streamed when a call is tried again', async () => {
    await desk.close();
    let restart: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (restart = resolve));
    const model: Model = {
      ...scriptedModel([]),
      async *answer() {
        yield { type: 'text', text: 'void words' };
        await gate;
        yield { type: 'retry', attempt: 1, waitMs: 1, reason: 'overloaded', restarted: true };
        yield { type: 'text', text: 'final words' };
        const content = [{ text: { text: 'final words' } }];
        const usage = { in_tokens: 1, out_tokens: 1 };
        yield { type: 'turn', turn: { content, stop_reason: 'end_turn', usage } };
      },
    };
    desk = makeDesk({ model });
    const { shown } = await startChat(desk.window(), 'go');
    await until(() => shown.stream.text === 'void words');
    restart();
    await shown.status('your_turn');
    const end = shown.changes.find((change) => change.type === 'stream_end' && change.reason !== undefined);
    expect(end).toBeDefined();
    expect(shown.texts()).toEqual(['go', 'final words']);
  });
});
