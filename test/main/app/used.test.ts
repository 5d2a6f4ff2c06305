import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { InlineReader } from '../../../src/main/app/read/inline-reader';
import { toolWords } from '../../../src/main/app/read/tool-words';
import { builtInTools } from '../../../src/main/tool/registry';
import { makeDesk, makeHomeFolder, Shown, startChat, type Desk } from '../../support/app';
import { bring } from '../../support/histories';
import { answerRecord, chatRecords } from '../../support/journal-records';
import { scriptedModel } from '../../support/scripted-model';
import { until } from '../../support/wait';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) {
    expect(desk.bugs).toEqual([]);
    await desk.close();
  }
});
const write = { name: 'write_file', input: { path: 'a.txt', text: 'x' } };
const usage = { in_tokens: 10, out_tokens: 5, cache_read_tokens: 1_000, cache_create_tokens: 200 };
const call = { tools: [write], usage };
const choice = { profile: 'Practice', force: false, acceptEndpoint: false, unknown: [] };

/** A window on the run in a process that never saw it. */
async function restarted(home: string, ...script: object[]) {
  const desk = makeDesk({ home, model: scriptedModel(script) });
  desks.push(desk);
  return { desk, client: desk.window() };
}
const told = ({ head }: Shown) => ({
  steps: head?.steps,
  lastStep: head?.lastStep,
  budget: head?.budget,
  row: head?.row.detail,
});

describe('what a run has used', () => {
  it('is told the same live, stopped, stored and resumed', async () => {
    const home = makeHomeFolder();
    let { desk, client } = await restarted(home, { text: 'one', usage }, call, call);
    const { id, shown } = await startChat(client, 'hello', { folder: desk.folder });
    await shown.status('your_turn');
    expect(shown.head?.steps).toEqual({ used: 1, cap: 50 });
    await client.call('run.say', { id, text: 'write' });
    await shown.status('waiting');
    expect(shown.head).toMatchObject({ steps: { used: 1, cap: 50 }, lastStep: 2 });
    await client.call('run.cancel', { id });
    await shown.status('paused');
    const stopped = told(shown);
    // Tokens of the cache count too, as they do against the limit.
    expect(stopped).toEqual({
      steps: { used: 1, cap: 50 },
      lastStep: 2,
      budget: { used: 2 * 1_215, cap: 2_000_000 },
      row: 'step 2',
    });
    await desk.close();

    ({ desk, client } = await restarted(home, call));
    let stored = await new Shown(client, id).status('paused');
    expect(told(stored)).toEqual(stopped);
    await client.call('run.resume', { id, ...choice });
    await stored.status('waiting');
    // The count goes on, and as many are allowed again.
    expect(stored.head).toMatchObject({ steps: { used: 2, cap: 51 }, lastStep: 3 });
    await client.call('run.cancel', { id });
    await stored.status('paused');
    const again = told(stored);
    expect(again).toMatchObject({ steps: { used: 2, cap: 51 }, lastStep: 3, row: 'step 3' });
    await desk.close();

    ({ desk, client } = await restarted(home, { text: 'two', usage }));
    stored = await new Shown(client, id).status('paused');
    expect(told(stored)).toEqual(again);
    await client.call('run.resume', { id, ...choice, say: 'never mind' });
    await stored.status('your_turn');
    await until(() => stored.head?.phase === 'idle');
    expect(stored.head).toMatchObject({ steps: { used: 1, cap: 50 }, lastStep: 4 });
    await desk.close();

    ({ desk, client } = await restarted(home));
    stored = await new Shown(client, id).status('your_turn');
    expect(stored.head).toMatchObject({ steps: { used: 1, cap: 50 }, lastStep: 4 });
  });

  it('has the limits that a forced resume accepted, also when it is read back', async () => {
    const home = makeHomeFolder();
    const profiles = (steps: number, tokens: number) => {
      mkdirSync(join(home, 'config'), { recursive: true });
      writeFileSync(
        join(home, 'config', 'profiles.yaml'),
        `profiles:\n  - name: Work\n    provider: practice\n    model: m\n    tools: [write_file]\n    limits: { max_iterations: ${steps}, max_tokens: ${tokens} }\n`,
      );
    };
    profiles(5, 100_000);
    let { desk, client } = await restarted(home, call);
    const { id, shown } = await startChat(client, 'write', { profile: 'Work', folder: desk.folder });
    await shown.status('waiting');
    expect(shown.head).toMatchObject({ steps: { used: 1, cap: 5 }, budget: { cap: 100_000 } });
    await client.call('run.cancel', { id });
    await shown.status('paused');
    await desk.close();

    profiles(7, 90_000);
    ({ desk, client } = await restarted(home, call));
    const live = await new Shown(client, id).status('paused');
    await client.call('run.resume', { id, ...choice, profile: 'Work', force: true });
    await live.status('waiting');
    const limits = { steps: { used: 2, cap: 8 }, budget: { cap: 90_000 } };
    expect(live.head).toMatchObject(limits);
    await client.call('run.cancel', { id });
    await live.status('paused');
    await desk.close();
    ({ desk, client } = await restarted(home));
    expect((await new Shown(client, id).status('paused')).head).toMatchObject(limits);
  });

  it('is the same number in the list as above the conversation', async () => {
    const home = makeHomeFolder();
    const { desk, client } = await restarted(home, { text: 'one', usage });
    const { shown } = await startChat(client, 'hello');
    await shown.status('your_turn');
    const { rows } = await client.call('library.page', { offset: 0, limit: 1 });
    expect(rows[0]?.detail).toBe('1 step · 1.2k tokens');
    expect(shown.head?.budget.used).toBe(1_215);
    expect(desk.bugs).toEqual([]);
  });

  it('is not guessed from the end of a long run that does not show where its newest message began', async () => {
    const { desk } = await restarted(makeHomeFolder());
    const long = chatRecords('long', 400, 'x'.repeat(200));
    await bring(desk.store, 'long', long);
    const alone = [...chatRecords('alone', 2), ...answers(400)];
    await bring(desk.store, 'alone', alone);
    const reader = new InlineReader(desk.store, toolWords(builtInTools('practice')), {
      long: 1,
      ending: 50,
      end: 8_000,
    });
    const seen = await reader.open('long', true);
    expect([seen.reading, seen.steps]).toEqual([0, (await reader.whole('long')).overview.steps]);
    const hidden = await reader.open('alone', true);
    expect([hidden.reading, hidden.steps]).toEqual([0, undefined]);
    expect((await reader.whole('alone')).overview.steps).toEqual({ used: 401, cap: 50 });
    await reader.close();
  });
});

const answers = (count: number) =>
  Array.from({ length: count }, (_, n) => answerRecord(n + 3, 'y'.repeat(200), n + 1));
