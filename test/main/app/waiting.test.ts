import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/shared/run/failure';
import { copyRun } from '../../../src/main/journal/copy';
import { fileStore } from '../../../src/main/journal/file';
import { memoryStore } from '../../../src/main/journal/memory';
import type { RunStore } from '../../../src/main/journal/journal';
import { forkRun } from '../../../src/main/library/fork';
import { preflight, resumeRun } from '../../../src/main/agent';
import { makeDesk, makeHomeFolder, Shown, startChat, type Desk } from '../../support/app';
import { records, testParts, testProfile, testTool } from '../../support/agent';
import { scriptedModel } from '../../support/scripted-model';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
const desks: Desk[] = [];
const homes: string[] = [];
const desk = (options: Parameters<typeof makeDesk>[0]): Desk => {
  const made = makeDesk(options);
  desks.push(made);
  return made;
};
/** What a kill at this moment leaves: the disk as it is. */
function killed(home: string): string {
  const copy = makeHomeFolder();
  homes.push(copy);
  cpSync(home, copy, { recursive: true, filter: (path) => !path.includes('.lock') });
  return copy;
}
afterEach(async () => {
  for (const one of desks.splice(0)) {
    expect(one.bugs).toEqual([]);
    await one.close();
  }
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

const waiting = (shown: Shown): [string, boolean][] =>
  (shown.head?.queued ?? []).map(({ text, held }) => [text, held]);
const said = async (store: RunStore, id: string): Promise<string[]> =>
  (await records(store, id)).filter((line) => line.startsWith('user '));
const hanging = () => scriptedModel([{ text: 'slowly', hang: true }, { text: 'answer' }], { repeat: true });

/** A chat at work with two messages that wait. */
async function atWork(options: Parameters<typeof makeDesk>[0] = {}) {
  const home = makeHomeFolder();
  homes.push(home);
  const model = hanging();
  const one = desk({ home, model, ...options });
  const client = one.window();
  const { id, shown } = await startChat(client, 'go');
  await model.streamed(1);
  await client.call('run.say', { id, text: 'QUEUED-ONE', queue: true });
  await client.call('run.say', { id, text: 'QUEUED-TWO', queue: true });
  await until(() => shown.head?.queued.length === 2);
  return { home, model, desk: one, client, id, shown };
}

describe('what waits to be said', () => {
  it('is on the disk when it is accepted, and a kill at that moment leaves it, in its order and unsent', async () => {
    const { home, id, desk: one } = await atWork();
    expect((await one.store.slip(id, 'queue'))?.text).toContain('QUEUED-TWO');
    const model = hanging();
    const again = desk({ home: killed(home), model });
    const shown = new Shown(again.window(), id);
    await until(() => waiting(shown).length === 2);
    expect(waiting(shown)).toEqual([
      ['QUEUED-ONE', true],
      ['QUEUED-TWO', true],
    ]);
    expect([model.requests.length, await said(again.store, id)]).toEqual([0, []]);
  });

  it('survives Stop, stays unsent through Try again, and is in the journal once when it is sent', async () => {
    const { home, client, id, shown, desk: one, model } = await atWork();
    await client.call('run.cancel', { id });
    await shown.status('paused');
    expect(waiting(shown)).toEqual([
      ['QUEUED-ONE', true],
      ['QUEUED-TWO', true],
    ]);
    await client.call('run.again', { id });
    await shown.status('your_turn');
    expect(await said(one.store, id)).toEqual([]);
    expect(waiting(shown).map(([, held]) => held)).toEqual([true, true]);
    await client.call('run.send', { id, message: shown.head?.queued[1]?.id ?? '' });
    await until(() => model.requests.length === 3 && shown.head?.row.status === 'your_turn');
    expect(await said(one.store, id)).toEqual(['user QUEUED-TWO']);
    expect(waiting(shown)).toEqual([['QUEUED-ONE', true]]);
    const restarted = new Shown(desk({ home: killed(home), model: hanging() }).window(), id);
    await until(() => waiting(restarted).length === 1);
    expect(waiting(restarted)).toEqual([['QUEUED-ONE', true]]);
  });

  it('can be sent after a pause from where the run rests; calls that have not begun are then not run', async () => {
    const change = testTool('append_file', undefined, { changes: true });
    const model = scriptedModel([
      { tools: [{ name: 'append_file', input: { path: 'a', text: 'x' } }] },
      { text: 'ok' },
    ]);
    const {
      client,
      id,
      shown,
      desk: one,
    } = await (async () => {
      const one = desk({ model });
      const client = one.window();
      return { ...(await startChat(client, 'go', { folder: one.folder })), client, desk: one };
    })();
    await shown.status('waiting');
    await client.call('run.say', { id, text: 'yes, go ahead', queue: true });
    expect(shown.head?.approval).toBeDefined();
    await client.call('run.pause', { id });
    await shown.status('paused');
    await until(() => waiting(shown).length === 1);
    await client.call('run.send', { id, message: shown.head?.queued[0]?.id ?? '' });
    await shown.status('your_turn');
    expect((await records(one.store, id)).slice(2)).toEqual([
      'terminal suspended',
      'result call_1_1 ! Not run: the person stopped the turn before this call began.',
      'user yes, go ahead',
      'assistant 1 ok [end_turn]',
    ]);
    expect(change.runs).toEqual([]);
    expect(waiting(shown)).toEqual([]);
  });

  it('can be dropped, and sent or dropped once only', async () => {
    const { client, id, shown } = await atWork();
    await client.call('run.cancel', { id });
    await shown.status('paused');
    const [one, two] = shown.head?.queued ?? [];
    expect(await client.call('run.unqueue', { id, message: one?.id ?? '' })).toEqual({ done: true });
    await until(() => waiting(shown).length === 1);
    expect(await client.call('run.unqueue', { id, message: one?.id ?? '' })).toEqual({ done: false });
    expect((await failureOf(client.call('run.send', { id, message: one?.id ?? '' }))).code).toBe('not_found');
    await client.call('run.send', { id, message: two?.id ?? '' });
    await shown.status('your_turn');
    expect((await failureOf(client.call('run.send', { id, message: two?.id ?? '' }))).code).toBe('not_found');
    expect(waiting(shown)).toEqual([]);
  });

  it('is not sent twice where a crash came between its record and the queue', async () => {
    const { home, client, id, shown, desk: one } = await atWork();
    await client.call('run.cancel', { id });
    await shown.status('paused');
    const slip = (await one.store.slip(id, 'queue'))?.text ?? '';
    const { messages } = JSON.parse(slip) as { messages: { id: string; text: string; seq?: number }[] };
    await client.call('run.send', { id, message: messages[0]?.id ?? '' });
    await shown.status('your_turn');
    const seq = (await one.store.load(id)).records.find((record) => record.user)?.seq;
    const copy = killed(home);
    const store = fileStore(join(copy, 'runs'));
    // The number of the record was durable before the record was; what came after is what the crash took.
    await store.putSlip(id, 'queue', JSON.stringify({ messages: [{ ...messages[0], seq }, messages[1]] }));
    const restarted = new Shown(desk({ home: copy, model: hanging() }).window(), id);
    await until(() => restarted.head !== undefined);
    expect(waiting(restarted)).toEqual([['QUEUED-TWO', true]]);
    // Another record at that number: it was never sent.
    await store.putSlip(id, 'queue', JSON.stringify({ messages: [{ ...messages[0], text: 'other', seq }] }));
    const other = new Shown(desk({ home: copy, model: hanging() }).window(), id);
    await until(() => other.head !== undefined);
    expect(waiting(other)).toEqual([['other', true]]);
  });

  it('that can be kept nowhere is refused, so that it stays in its field', async () => {
    const base = memoryStore();
    let full = false;
    const store: RunStore = {
      ...base,
      putSlip: async (...args) => {
        if (full) throw new Failure({ code: 'no_space', message: 'The disk is full.' });
        return base.putSlip(...args);
      },
    };
    const { client, id, shown } = await atWork({ store });
    full = true;
    const failure = await failureOf(client.call('run.say', { id, text: 'QUEUED-THREE', queue: true }));
    expect(failure).toMatchObject({ code: 'no_space', kept: expect.stringContaining('stays in its field') });
    expect(waiting(shown).length).toBe(2);
    // What was taken out of the queue in vain is still there.
    expect(
      (await failureOf(client.call('run.unqueue', { id, message: shown.head?.queued[0]?.id ?? '' }))).code,
    ).toBe('no_space');
    await client.call('run.cancel', { id });
    await shown.status('paused');
    expect(waiting(shown).map(([text]) => text)).toEqual(['QUEUED-ONE', 'QUEUED-TWO']);
  });

  it('of a private chat is in memory only, and survives Stop there', async () => {
    const model = hanging();
    const one = desk({ model });
    const client = one.window();
    const { id, shown } = await startChat(client, 'go', { private: true });
    await model.streamed(1);
    await client.call('run.say', { id, text: 'QUEUED-ONE', queue: true });
    await client.call('run.cancel', { id });
    await shown.status('paused');
    await until(() => waiting(shown).length === 1);
    expect(waiting(shown)).toEqual([['QUEUED-ONE', true]]);
    await client.call('run.again', { id });
    await shown.status('your_turn');
    expect(waiting(shown)).toEqual([['QUEUED-ONE', true]]);
    await client.call('run.send', { id, message: shown.head?.queued[0]?.id ?? '' });
    await until(() => waiting(shown).length === 0);
    await shown.status('your_turn');
    expect(await one.store.list()).toEqual([]);
  });

  it('is nobody else’s to send, and stays with the run: copies and forks have none, the trash keeps it', async () => {
    const { client, id, shown, desk: one } = await atWork();
    await client.call('run.cancel', { id });
    await shown.status('paused');
    const model = scriptedModel([{ text: 'of the command' }]);
    const parts = { ...testParts(model), newId: () => 'x' };
    const profile = testProfile();
    const seen = await preflight(parts, { store: one.store, id, profile, approvals: 'auto-deny' });
    const session = await resumeRun(parts, {
      store: one.store,
      id,
      profile,
      acceptOrigin: seen.origin.seen,
      approvals: 'auto-deny',
      force: true,
      say: 'from the command',
    });
    await session.settled();
    await session.close();
    expect(await said(one.store, id)).toEqual(['user from the command']);
    expect((await one.store.slip(id, 'queue'))?.text).toContain('QUEUED-ONE');
    const to = memoryStore();
    await copyRun(one.store, to, id);
    expect(await to.slip(id, 'queue')).toBeUndefined();
    const fork = await forkRun(one.store, id, { newId: () => 'fork' });
    expect(await one.store.slip(fork.id, 'queue')).toBeUndefined();
    await one.store.trash(id);
    await one.store.restore(id);
    expect((await one.store.slip(id, 'queue'))?.text).toContain('QUEUED-TWO');
  });

  it('is read from a damaged slip as the text that it is', async () => {
    const { home, client, id, shown } = await atWork();
    await client.call('run.cancel', { id });
    await shown.status('paused');
    const copy = killed(home);
    writeFileSync(join(copy, 'runs', `${id}.queue`), 'half of what was said');
    const restarted = new Shown(desk({ home: copy, model: hanging() }).window(), id);
    await until(() => waiting(restarted).length === 1);
    expect(waiting(restarted)[0]?.[1]).toBe(true);
  });
});
