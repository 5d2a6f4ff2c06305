import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { WorkerReader } from '../../../src/main/app/read/worker-reader';
import { FatalRuns } from '../../../src/main/library/fatal-runs';

/** A process that answers like the real one, but dies or never answers when it is told to. */
const PART = `
let data;
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (!data) return void (data = message.data);
  const { n, method, args: [id] } = message;
  if (id === 'die') process.exit(1);
  if (id === 'abort') process.abort();
  if (id === 'throw') throw new Error('out of order');
  if (id === 'once' && method === 'open') process.exit(1);
  if (id === 'silent') return;
  if (id === 'fail')
    return process.send({ n, ok: false, failure: { code: 'not_found', message: 'No such run.' } });
  process.send({ n, ok: true, value: { method, id, store: data.store, pid: process.pid } });
});
`;

const folders: string[] = [];
const readers: WorkerReader[] = [];
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function make(source = PART, fatal = new FatalRuns()): WorkerReader {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-part-'));
  folders.push(folder);
  const file = join(folder, 'reader.mjs');
  writeFileSync(file, source);
  const reader = new WorkerReader(pathToFileURL(file), { store: 'memory:', login: {} }, fatal);
  readers.push(reader);
  return reader;
}

const stopped = {
  code: 'io',
  message: expect.stringContaining('reads runs stopped'),
  kept: 'All that was recorded is kept.',
  todo: 'Open the run again.',
  data: { reader: 'stopped' },
};

describe('the reader in a process of its own', () => {
  it('passes every question on, and failures back with their codes', async () => {
    const reader = make();
    expect(await reader.stand('a', 3)).toMatchObject({ method: 'stand', id: 'a', store: 'memory:' });
    expect(await reader.locate('a', { seq: 1 })).toMatchObject({ method: 'locate' });
    expect(await reader.turns('a', 0, 10)).toMatchObject({ method: 'turns' });
    expect(await reader.whole('a')).toMatchObject({ method: 'whole' });
    expect(await reader.progress('a')).toMatchObject({ method: 'progress' });
    await expect(reader.open('fail')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['die', 'throw', 'abort'])(
    'fails what is under way when the process ends (%s), is there again, and tells of a run that ends the next one too',
    async (how) => {
      const fatal = new FatalRuns();
      const told: string[] = [];
      fatal.onFatal = (key) => told.push(key);
      const reader = make(PART, fatal);
      const silent = reader.items('silent', 0, 10);
      const deadly = reader.open(how);
      await expect(silent).rejects.toMatchObject(stopped);
      await expect(deadly).rejects.toMatchObject(stopped);
      expect(await reader.open('a')).toMatchObject({ id: 'a' });
      expect(fatal.has('', how)).toBe(false);
      // Now it is alone, so nothing else is lost, and whatever ended it was this run.
      const other = reader.items('silent', 0, 10);
      expect(await reader.open(how)).toMatchObject({ failure: { code: 'too_large' }, items: 0 });
      expect(await reader.refresh(how)).toMatchObject({ overview: { failure: { code: 'too_large' } } });
      await expect(reader.stand(how, 1)).rejects.toMatchObject({ code: 'too_large' });
      expect([told, fatal.in(''), fatal.in('team')]).toEqual([[how], [how], []]);
      expect(await reader.open('b')).toMatchObject({ id: 'b' });
      void other.catch(() => undefined);
    },
  );

  it('does not take the other runs for the one that ended it', async () => {
    const fatal = new FatalRuns();
    const reader = make(PART, fatal);
    const others = [reader.items('once', 0, 1), reader.text('silent', 'k', 'text', 0, 1)];
    const deadly = reader.open('die');
    for (const one of [...others.slice(1), deadly]) await expect(one).rejects.toMatchObject(stopped);
    await others[0]?.catch(() => undefined);
    const { pid } = (await reader.items('once', 0, 1)) as unknown as { pid: number };
    expect(await reader.items('a', 0, 1)).toMatchObject({ id: 'a' });
    expect(await reader.open('die')).toMatchObject({ failure: { code: 'too_large' } });
    // The process of the other one lived on.
    expect(await reader.items('once', 0, 1)).toMatchObject({ pid });
    expect(fatal.in('')).toEqual(['die']);
  });

  it('says how a process ended that does not even start', async () => {
    const reader = make('throw new Error("no room");');
    await expect(reader.open('a')).rejects.toMatchObject({
      ...stopped,
      message: expect.stringContaining('code 1'),
    });
  });

  it('answers nothing after it was closed', async () => {
    const reader = make();
    const silent = reader.items('silent', 0, 10);
    const failing = expect(silent).rejects.toMatchObject(stopped);
    await reader.close();
    await failing;
    await expect(reader.open('a')).rejects.toMatchObject(stopped);
  });
});
