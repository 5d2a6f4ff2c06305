import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { WorkerReader } from '../../../src/main/app/read/worker-reader';

/** A thread that answers like the real one, but dies or never answers when it is told to. */
const THREAD = `
import { parentPort, workerData } from 'node:worker_threads';
parentPort.on('message', ({ n, method, args: [id] }) => {
  if (id === 'die') process.exit(1);
  if (id === 'throw') throw new Error('out of order');
  if (id === 'silent') return;
  if (id === 'fail') {
    parentPort.postMessage({ n, ok: false, failure: { code: 'not_found', message: 'No such run.' } });
    return;
  }
  parentPort.postMessage({ n, ok: true, value: { method, id, store: workerData.store } });
});
`;

const folders: string[] = [];
const readers: WorkerReader[] = [];
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function make(source = THREAD): WorkerReader {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-thread-'));
  folders.push(folder);
  const file = join(folder, 'reader.mjs');
  writeFileSync(file, source);
  const reader = new WorkerReader(pathToFileURL(file), { store: 'memory:', login: {} });
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

describe('the reader in a thread of its own', () => {
  it('passes every question on, and failures back with their codes', async () => {
    const reader = make();
    expect(await reader.stand('a', 3)).toEqual({ method: 'stand', id: 'a', store: 'memory:' });
    expect(await reader.locate('a', { seq: 1 })).toMatchObject({ method: 'locate' });
    expect(await reader.turns('a', 0, 10)).toMatchObject({ method: 'turns' });
    expect(await reader.whole('a')).toMatchObject({ method: 'whole' });
    expect(await reader.progress('a')).toMatchObject({ method: 'progress' });
    await expect(reader.open('fail')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['die', 'throw'])(
    'fails what is under way when the thread ends (%s), and is there again',
    async (how) => {
      const reader = make();
      const silent = reader.items('silent', 0, 10);
      const deadly = reader.open(how);
      await expect(silent).rejects.toMatchObject(stopped);
      await expect(deadly).rejects.toMatchObject(stopped);
      expect(await reader.open('a')).toMatchObject({ id: 'a' });
      // As often as it takes.
      await expect(reader.open(how)).rejects.toMatchObject(stopped);
      expect(await reader.open('b')).toMatchObject({ id: 'b' });
    },
  );

  it('says why a thread does not even start', async () => {
    const reader = make('throw new Error("no room");');
    await expect(reader.open('a')).rejects.toMatchObject({
      ...stopped,
      message: expect.stringContaining('no room'),
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
