import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeLine } from '../../../src/shared/run/codec';
import type { RunRecord } from '../../../src/shared/run/record';
import { fileStore } from '../../../src/main/journal/file';
import { bringRich, richRecords } from '../../support/histories';
import { answerRecord, chatRecords, userRecord } from '../../support/journal-records';
import { makeDesk, makeHomeFolder, Shown, type Desk } from '../../support/app';
import { until } from '../../support/wait';

const desks: Desk[] = [];
const homes: string[] = [];
afterEach(async () => {
  await Promise.all(desks.splice(0).map((desk) => desk.close()));
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

async function desk(prepare: (home: string) => Promise<void> | void): Promise<Desk> {
  const home = makeHomeFolder();
  homes.push(home);
  await prepare(home);
  const made = makeDesk({ home, env: {} });
  desks.push(made);
  return made;
}

function put(home: string, id: string, records: RunRecord[]): string {
  const path = join(home, 'runs', `${id}.json`);
  mkdirSync(join(home, 'runs'), { recursive: true, mode: 0o700 });
  writeFileSync(path, Buffer.concat(records.map(encodeLine)), { mode: 0o600 });
  return path;
}

describe('reading a run', () => {
  it('needs no key, no profile, no folder and no settings', async () => {
    const { window, bugs } = await desk(async (home) => {
      await bringRich(fileStore(join(home, 'runs')));
      // Nothing of the settings can be read: folders lie where the files should be.
      for (const name of ['profiles.yaml', 'prices.yaml', 'stores.yaml'])
        mkdirSync(join(home, 'config', name), { recursive: true });
    });
    const client = window();
    const shown = new Shown(client, 'rich');
    await until(() => shown.head !== undefined && shown.list().length > 0);
    expect(shown.head).toMatchObject({ mode: 'still', lastSeq: 16 });
    expect(shown.list().length).toBe(shown.head?.items);
    const record = await client.call('run.record', { id: 'rich', seq: 2, from: 0, limit: 100_000 });
    expect(record.json).toBe(
      Buffer.from(encodeLine(richRecords('rich')[1] as RunRecord))
        .toString()
        .trim(),
    );
    expect(record).toMatchObject({ usage: { in: 10, out: 3, cacheRead: 0, cacheWrite: 0 }, fork: false });
    const stand = await client.call('run.stand', { id: 'rich', seq: 16 });
    expect(stand.pending?.tools.map(({ answered }) => answered)).toEqual([true, false]);
    const turns = await client.call('run.turns', { id: 'rich', from: 0, limit: 100 });
    expect(turns.models).toEqual([
      { after: 0, provider: 'practice', model: 'practice-1' },
      { after: 6, provider: 'practice', model: 'practice-2' },
    ]);
    expect(turns.rows.filter(({ kind }) => kind === 'prompt')).toHaveLength(4);
    expect(turns.rows.find(({ seq }) => seq === 2)).toMatchObject({ errors: 1, calls: 2, iteration: 0 });
    const found = await client.call('run.find', { id: 'rich', words: 'no such file' });
    expect(found.total).toBe(1);
    expect(await client.call('run.locate', { id: 'rich', next: 'error', from: -1 })).toMatchObject({
      index: found.hits[0]?.index,
    });
    expect(await client.call('run.locate', { id: 'rich', step: 999 })).toEqual({});
    expect((await client.call('prices.get', {})).problem).toContain('price file cannot be used');
    await expect(client.call('run.stand', { id: 'rich', seq: 99 })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(bugs).toEqual([]);
  });

  it('shows the end of a long run first, says that, and brings the rest without being asked', async () => {
    const records = chatRecords('long', 2_400, 'some words in a sentence '.repeat(60));
    const { window } = await desk((home) => void put(home, 'long', records));
    const client = window();
    const shown = new Shown(client, 'long');
    await until(() => shown.head !== undefined);
    expect(shown.head).toMatchObject({ reading: expect.any(Number), lastSeq: 2_400, warnings: [] });
    // What is not known yet comes from the list, not from nothing.
    expect(shown.head?.counters.llm_calls).toBe(1_200);
    await until(() => shown.changes.some(({ type }) => type === 'whole'));
    await until(() => shown.head?.reading === undefined);
    const whole = shown.changes.find((change) => change.type === 'whole');
    const page = await client.call('run.items', { id: 'long', from: 0, limit: 10 });
    expect(page).toMatchObject({ from: 0, total: shown.head?.items });
    expect(page.tail).toBeUndefined();
    expect(page.items[0]).toMatchObject({ kind: 'prompt', seq: 1 });
    expect(whole).toMatchObject({ total: page.total });
    const at = whole?.type === 'whole' ? whole.before : 0;
    const first = await client.call('run.items', { id: 'long', from: at, limit: 1 });
    expect(first.items[0]?.key).toBe(shown.order[0]);
  });

  it('takes what another process adds while the beginning is still being read', async () => {
    const records = chatRecords('long', 2_400, 'some words in a sentence '.repeat(60));
    let path = '';
    const { window } = await desk((home) => void (path = put(home, 'long', records)));
    const shown = new Shown(window(), 'long');
    await until(() => shown.head !== undefined);
    const more = [userRecord(2_401, 'one more thing'), answerRecord(2_402, 'And its answer', 1_200)];
    appendFileSync(path, Buffer.concat(more.map(encodeLine)));
    await until(() => shown.head?.lastSeq === 2_402 && shown.head.reading === undefined);
    await until(() => shown.texts().includes('And its answer'));
  });
});

describe('prices', () => {
  it('are kept in a file that a person can read, with their comments', async () => {
    let file = '';
    const { window } = await desk((home) => {
      file = join(home, 'config', 'prices.yaml');
      mkdirSync(join(home, 'config'), { recursive: true });
      writeFileSync(file, '# from the price list of May\ncurrency: EUR\n');
    });
    const client = window();
    expect(await client.call('prices.get', {})).toEqual({ currency: 'EUR', prices: [], file, problem: '' });
    const price = { model: 'practice-1', input: 3, output: 15, cache_read: 0.3 };
    await client.call('prices.save', { currency: 'EUR', prices: [price] });
    expect(readFileSync(file, 'utf8')).toContain('# from the price list of May');
    expect((await client.call('prices.get', {})).prices).toEqual([price]);
    await expect(
      client.call('prices.save', { currency: 'EUR', prices: [price, price] }),
    ).rejects.toMatchObject({ code: 'bad_request' });
    writeFileSync(file, 'models: [{ model: x, input: cheap }]\n');
    expect((await client.call('prices.get', {})).problem).toContain(
      'line 1, column 29: "input" has to be a number.',
    );
    await expect(client.call('prices.save', { currency: 'EUR', prices: [] })).rejects.toMatchObject({
      code: 'settings_broken',
    });
    expect(readFileSync(file, 'utf8')).toContain('cheap');
  });
});
