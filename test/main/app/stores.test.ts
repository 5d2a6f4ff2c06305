import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeDesk, Shown, startChat, type Desk, type DeskOptions } from '../../support/app';
import { failureOf, until } from '../../support/wait';

let desk: Desk;
const open = (options: DeskOptions = {}) => (desk = makeDesk(options));
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
});

const archive = () => ({ name: 'archive', url: `file:${join(desk.home, 'archive')}` });
const page = (stores?: string[]) =>
  desk.window().call('library.page', { offset: 0, limit: 50, ...(stores && { stores }) });
const journal = (folder: string, id: string) => readFileSync(join(desk.home, folder, `${id}.json`));

/** A desk with a second store, and a finished chat in each. */
async function two() {
  open({ answers: [true] });
  const client = desk.window();
  await client.call('stores.save', { store: archive() });
  await until(async () => (await client.call('stores.list', {})).stores[1]?.state === 'ok');
  const first = await startChat(client, 'hello from the usual store');
  await first.shown.status('your_turn');
  const { id } = await client.call('run.start', {
    prompt: 'hello from the archive',
    chat: true,
    private: false,
    profile: 'Practice',
    store: 'archive',
  });
  const shown = await new Shown(client, id).status('your_turn');
  return { client, usual: first.id, other: id, shown };
}

describe('stores side by side', () => {
  it('show the runs of all in one list, each under its store, and filter by it', async () => {
    const { usual, other } = await two();
    expect(other).toMatch(/^archive\./);
    await until(async () => (await page()).total === 2);
    const all = await page();
    expect(all.rows.map((row) => [row.id, row.store])).toEqual([
      [other, 'archive'],
      [usual, 'Test'],
    ]);
    expect(all.stores).toEqual([
      { name: 'default', label: 'Test', count: 1, state: 'ok' },
      { name: 'archive', label: 'archive', count: 1, state: 'ok' },
    ]);
    expect((await page(['archive'])).rows.map((row) => row.id)).toEqual([other]);
    expect(await page(['default'])).toMatchObject({ total: 1, all: 2, rows: [{ id: usual }] });
  });

  it('keep a chat where it began: it is followed, said to, renamed, deleted and restored there', async () => {
    const { client, other, shown } = await two();
    const bare = other.slice('archive.'.length);
    expect(shown.head?.row.id).toBe(other);
    await client.call('run.say', { id: other, text: 'and again' });
    await until(() => shown.texts().includes('and again'));
    await shown.status('your_turn');
    expect(journal('archive', bare).toString()).toContain('and again');
    await client.call('run.rename', { id: other, title: 'Mine' });
    await until(async () => (await page(['archive'])).rows[0]?.title === 'Mine');
    expect((await client.call('run.record', { id: other, seq: 1, from: 0, limit: 1000 })).kind).toBe('meta');
    await client.call('run.trash', { id: other });
    await until(async () => (await page()).total === 1);
    await client.call('run.restore', { id: other });
    await until(async () => (await page()).total === 2);
    await client.call('run.say', { id: other, text: 'once more' });
    await until(async () => (await page(['archive'])).rows[0]?.status === 'your_turn');
    await client.call('run.reset', { id: other, prompt: 'a fresh start' });
    await until(async () => (await page(['archive'])).total === 2);
    expect((await page(['default'])).total).toBe(1);
  });

  it('copy a run over and back with the same bytes, tell the two apart, and refuse what is there already', async () => {
    const { client, usual } = await two();
    const copied = await client.call('run.copy', { id: usual, to: 'archive' });
    expect(copied).toMatchObject({ id: `archive.${usual}`, store: 'archive', dropped: 0, missingTexts: 0 });
    expect(journal('archive', usual).equals(journal('runs', usual))).toBe(true);
    expect(copied.bytes).toBe(journal('runs', usual).length);
    const ids = (await page()).rows.map((row) => row.id);
    expect(ids).toEqual(expect.arrayContaining([usual, `archive.${usual}`]));
    expect((await failureOf(client.call('run.copy', { id: usual, to: 'archive' }))).code).toBe('exists');
    expect((await failureOf(client.call('run.copy', { id: usual, to: 'default' }))).code).toBe('bad_request');
    expect((await failureOf(client.call('run.copy', { id: usual, to: 'none' }))).code).toBe('store_unknown');
    // The copy goes on by itself; the original stays as it is.
    const before = journal('runs', usual);
    await client.call('run.say', { id: `archive.${usual}`, text: 'only in the copy' });
    await until(() => journal('archive', usual).toString().includes('only in the copy'));
    expect(journal('runs', usual).equals(before)).toBe(true);
    // Back, where it was deleted.
    await until(async () => (await page(['archive'])).rows.every((row) => row.status === 'your_turn'));
    await client.call('run.trash', { id: usual });
    expect((await client.call('run.copy', { id: `archive.${usual}`, to: 'default' })).id).toBe(usual);
    expect(journal('runs', usual).equals(journal('archive', usual))).toBe(true);
  });

  it('go from the list when they are removed, with everything in them left alone', async () => {
    const { client, other } = await two();
    const bare = other.slice('archive.'.length);
    const before = journal('archive', bare);
    await client.call('stores.remove', { name: 'archive' });
    await until(async () => (await page()).total === 1);
    expect((await client.call('stores.list', {})).stores.map(({ name }) => name)).toEqual(['default']);
    expect(journal('archive', bare).equals(before)).toBe(true);
    expect((await failureOf(client.call('run.say', { id: other, text: 'x' }))).code).toBe('store_unknown');
    // Allowed once, it comes back unasked.
    await client.call('stores.save', { store: archive() });
    await until(async () => (await page()).total === 2);
    expect(desk.asked.questions.length).toBe(1);
  });

  it('are not taken away under a run that is at work', async () => {
    const { client, other } = await two();
    await client.call('run.say', { id: other, text: 'wait 30 seconds' });
    await until(async () => (await page(['archive'])).rows.some((row) => row.status === 'running'));
    expect((await failureOf(client.call('stores.remove', { name: 'archive' }))).code).toBe('busy');
    await client.call('run.cancel', { id: other });
  });
});

describe('a store that nobody allowed', () => {
  it.each([
    ['a folder', { name: 'x', url: 'file:/etc' }, /\/etc/],
    [
      'a server, with a variable of this machine',
      { name: 'x', url: 'nats://203.0.113.7:4222/RUNS', auth: { token_env: 'ANTHROPIC_API_KEY' } },
      /203\.0\.113\.7:4222[\s\S]*ANTHROPIC_API_KEY/,
    ],
    [
      'a server, with files of this machine',
      { name: 'x', url: 'nats://203.0.113.7/RUNS', auth: { creds: '/home/ada/.ssh/id_ed25519' } },
      /id_ed25519/,
    ],
  ])('is asked for outside the page, whether tested or saved: %s', async (_what, store, words) => {
    open({ answers: [false, false] });
    const client = desk.window();
    for (const call of [
      () => client.call('stores.test', { store }),
      () => client.call('stores.save', { store }),
    ]) {
      expect((await failureOf(call())).code).toBe('forbidden');
    }
    expect(desk.asked.questions.length).toBe(2);
    const [question] = desk.asked.questions;
    expect(`${question?.message}\n${question?.detail}`).toMatch(words);
    expect((await client.call('stores.list', {})).stores.length).toBe(1);
  });

  it('is asked for again when anything but its name changes', async () => {
    open({ answers: [true, false] });
    const client = desk.window();
    await client.call('stores.save', { store: archive() });
    await client.call('stores.save', { store: { ...archive(), name: 'renamed' }, was: 'archive' });
    expect(desk.asked.questions.length).toBe(1);
    const elsewhere = { name: 'renamed', url: `file:${join(desk.home, 'other')}` };
    expect((await failureOf(client.call('stores.save', { store: elsewhere, was: 'renamed' }))).code).toBe(
      'forbidden',
    );
    expect((await client.call('stores.list', {})).stores[1]).toMatchObject({
      name: 'renamed',
      url: archive().url,
    });
  });

  it('may not be the folder that a run works in', async () => {
    open({ kind: 'electron', answers: [true], picks: [] });
    const client = desk.window();
    mkdirSync(join(desk.home, 'archive'));
    await client.call('stores.save', { store: archive() });
    const start = client.call('run.start', {
      prompt: 'hello',
      chat: true,
      private: false,
      profile: 'Practice',
      folder: join(desk.home, 'archive'),
    });
    expect((await failureOf(start)).code).toBe('forbidden');
  });
});

describe('a store that cannot be used', () => {
  it('is a row with its reason, and hides nobody else’s runs', async () => {
    open({ answers: [true] });
    const client = desk.window();
    const { shown } = await startChat(client, 'hello');
    await shown.status('your_turn');
    await client.call('stores.save', { store: { name: 'team', url: 'nats://127.0.0.1:9/RUNS' } });
    await until(async () => (await client.call('stores.list', {})).stores[1]?.state === 'unreachable');
    const all = await page();
    expect(all.total).toBe(1);
    expect(all.stores[1]).toMatchObject({ name: 'team', state: 'unreachable', count: 0 });
    expect(all.stores[1]?.reason?.code).toBe('store_unavailable');
    const start = client.call('run.start', {
      prompt: 'hello',
      chat: true,
      private: false,
      profile: 'Practice',
      store: 'team',
    });
    expect((await failureOf(start)).code).toBe('store_unavailable');
  });

  it('names a variable that is not set, in the test and in its state, and never a secret', async () => {
    open({ answers: [true], env: { OTHER: 'hush-hush' } });
    const client = desk.window();
    const store = { name: 'team', url: 'nats://127.0.0.1:9/RUNS', auth: { token_env: 'TEAM_TOKEN' } };
    const { checks } = await client.call('stores.test', { store });
    expect(checks).toEqual([expect.objectContaining({ name: 'login', outcome: 'failed' })]);
    await client.call('stores.save', { store });
    await until(async () => (await client.call('stores.list', {})).stores[1]?.state === 'unreachable');
    const list = await client.call('stores.list', {});
    expect(list.stores[1]?.reason?.message).toContain('TEAM_TOKEN');
    expect(JSON.stringify(list)).not.toContain('hush');
  });

  it('in a broken file never hides the usual store', async () => {
    open();
    mkdirSync(join(desk.home, 'config'), { recursive: true });
    writeFileSync(join(desk.home, 'config', 'stores.yaml'), 'stores: [');
    const list = await desk.window().call('stores.list', {});
    expect(list.problem?.message).toContain('line 1');
    expect(list.stores.map(({ name, state }) => [name, state])).toEqual([['default', 'ok']]);
    const save = desk.window().call('stores.save', { store: archive() });
    expect(['forbidden', 'settings_broken']).toContain((await failureOf(save)).code);
  });

  it('is only read where another program made the folder, and says so in its test', async () => {
    open({ answers: [true] });
    const folder = join(desk.home, 'archive');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'somebody');
    const { checks } = await desk.window().call('stores.test', { store: archive() });
    expect(checks.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['folder', 'ok'],
      ['runs', 'ok'],
      ['writing', 'caution'],
    ]);
    await desk.window().call('stores.save', { store: archive() });
    await until(async () => (await desk.window().call('stores.list', {})).stores[1]?.writable === false);
  });
});
