import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/shared/contract/connect';
import { makeDesk, Shown, type Desk } from '../../support/app';
import { bring, bringRich } from '../../support/histories';
import { chatRecords, terminalRecord } from '../../support/journal-records';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
let client: Client;
beforeEach(() => {
  desk = makeDesk();
  client = desk.window();
});
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
});

describe('another run from the beginning of one', () => {
  it('is made at a boundary, knows its origin, and leaves the old one alone', async () => {
    const bytes = await bringRich(desk.store);
    const { points, total, lastSeq } = await client.call('run.forkPoints', { id: 'rich' });
    expect(points.map(({ seq }) => seq)).toEqual([1, 4, 5, 7, 9, 10, 11, 12, 13, 14]);
    expect([total, lastSeq]).toEqual([10, 16]);
    const refused = await failureOf(client.call('run.fork', { id: 'rich', at: 3 }));
    expect(refused).toMatchObject({ code: 'bad_request', data: { before: 1, after: 4 } });
    const { id, records } = await client.call('run.fork', { id: 'rich', at: 5 });
    expect(records).toBe(5);
    const shown = new Shown(client, id);
    await shown.status('your_turn');
    expect(shown.head).toMatchObject({ origin: { from: 'rich', through: 5, why: 'fork' }, lastSeq: 5 });
    const fork = Buffer.from(await desk.store.bytes(id));
    expect(bytes.subarray(0, fork.length)).toEqual(fork);
    expect(Buffer.from(await desk.store.bytes('rich'))).toEqual(bytes);
    // It goes on through the same gates.
    expect((await client.call('run.preflight', { id })).records).toBe(5);
  });
});

describe('two runs side by side', () => {
  it('show what they were written against, were asked, used and came to', async () => {
    await bringRich(desk.store);
    await bring(desk.store, 'long', [...chatRecords('long', 40), terminalRecord(41, 'error', 'No answer.')]);
    const { a, b } = await client.call('run.compare', { a: 'rich', b: 'long' });
    expect(a).toMatchObject({
      id: 'rich',
      title: 'A <rich> run',
      store: 'Test',
      status: 'interrupted',
      // What a forced resume accepted, not what the run began with.
      fingerprint: { model: 'practice-2', max_iterations: '50' },
      profile: 'Practice',
      records: 16,
      answer: { seq: 13, text: 'More.', more: 0 },
      promptCount: 4,
    });
    expect(a.tools).toEqual([
      { name: 'read_file', calls: 3, errors: 1 },
      { name: 'append_file', calls: 2, errors: 0 },
    ]);
    expect(a.prompts.map(({ seq }) => seq)).toEqual([1, 7, 12, 14]);
    expect(b).toMatchObject({
      id: 'long',
      records: 41,
      counters: { llm_calls: 20 },
      outcome: { reason: 'error', message: 'No answer.' },
    });
  });

  it('are read as far as they can be', async () => {
    const bytes = await bringRich(desk.store);
    await bring(desk.store, 'gone', chatRecords('gone', 4));
    const at = bytes.indexOf('{"seq":9,');
    writeFileSync(
      join(desk.home, 'runs', 'rich.json'),
      Buffer.concat([bytes.subarray(0, at), Buffer.from('garbage\n'), bytes.subarray(at)]),
    );
    writeFileSync(join(desk.home, 'runs', 'gone.json'), 'garbage\nmore\n');
    const { a, b } = await client.call('run.compare', { a: 'rich', b: 'gone' });
    expect(a).toMatchObject({ status: 'damaged', failure: { code: 'corrupt' }, records: 8 });
    expect(b).toMatchObject({ status: 'damaged', records: 0, prompts: [] });
    expect(b.failure).toBeDefined();
  });
});

describe('a repair', () => {
  it('does what was shown and nothing else, and the run tells of it', async () => {
    const bytes = await bringRich(desk.store);
    const file = join(desk.home, 'runs', 'rich.json');
    const at = bytes.indexOf('{"seq":9,');
    const hurt = Buffer.concat([bytes.subarray(0, at), Buffer.from('garbage\n'), bytes.subarray(at)]);
    writeFileSync(file, hurt);
    const plan = await client.call('run.repairPlan', { id: 'rich' });
    expect(plan).toMatchObject({ kind: 'inside', keeps: { records: 8, bytes: at }, cuts: { offset: at } });
    const repair = (sha256: string, inside: boolean) =>
      failureOf(client.call('run.repair', { id: 'rich', sha256, inside }));
    expect(await repair('0'.repeat(64), true)).toMatchObject({ code: 'conflict' });
    expect(await repair(plan.sha256, false)).toMatchObject({ code: 'bad_request' });
    expect(readFileSync(file)).toEqual(hurt);
    const { backup } = await client.call('run.repair', { id: 'rich', sha256: plan.sha256, inside: true });
    expect(readFileSync(join(desk.home, 'runs', backup))).toEqual(hurt);
    expect(readFileSync(file)).toEqual(bytes.subarray(0, at));
    const shown = new Shown(client, 'rich');
    await until(() => shown.head?.repairs !== undefined);
    expect(shown.head).toMatchObject({ lastSeq: 8, repairs: [{ bytes: hurt.length - at, backup }] });
  });
});
