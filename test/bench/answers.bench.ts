import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeLine } from '../../src/shared/run/codec';
import { cleanUp, makeHome, start } from '../e2e/harness';
import { chatRecords } from '../support/journal-records';

const RECORDS = 10_000;

/** How long the process behind the window takes for something small while a very long run is opened, searched and read. */
export async function bench() {
  try {
    const home = makeHome();
    mkdirSync(home.runs, { recursive: true, mode: 0o700 });
    const text = 'some words in a sentence, and `code`, and **more**. '.repeat(60);
    const data = Buffer.concat(chatRecords('long', RECORDS, text).map(encodeLine));
    writeFileSync(join(home.runs, 'long.json'), data, { mode: 0o600 });
    const { page } = await start('browser door', { home });
    await page.locator('[data-run-row]').waitFor();
    // The runner names inner functions with a helper that pages do not have.
    await page.evaluate('globalThis.__name = (value) => value');
    const { waits, work, failed } = await page.evaluate(measure);
    if (failed.length > 0) throw new Error(`Not answered: ${failed.join(', ')}`);
    const sorted = waits.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {
      name: `Answers while ${(data.length / 1e6).toFixed(0)} MB are read`,
      figures: [
        { label: `the reading (open, find, items, a record)`, value: work, unit: 'ms' },
        { label: `a small answer meanwhile, median of ${sorted.length}`, value: at(0.5), unit: 'ms' },
        { label: 'the same, 99 of 100', value: at(0.99), unit: 'ms', aim: '<= 50' },
        { label: 'the same, longest', value: at(1), unit: 'ms', aim: '<= 50' },
      ],
    };
  } finally {
    await cleanUp();
  }
}

/** Asks for something small every few milliseconds while the run is read. Runs in the page, on a line of its own. */
async function measure(): Promise<{ waits: number[]; work: number; failed: string[] }> {
  const socket = new WebSocket(`ws://${location.host}/ws`);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const open = new Map<number, (reply: { ok: boolean }) => void>();
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as { call?: number; ok: boolean };
    if (frame.call !== undefined) open.get(frame.call)?.(frame);
  });
  let last = 0;
  const failed: string[] = [];
  const ask = (name: string, input: unknown) =>
    new Promise<void>((resolve) => {
      const call = ++last;
      open.set(call, (reply) => {
        if (!reply.ok) failed.push(name);
        resolve();
      });
      socket.send(JSON.stringify({ kind: 'call', call, name, input }));
    });
  await ask('prefs.get', {});
  const waits: number[] = [];
  let reading = true;
  const asking = (async () => {
    while (reading) {
      const begun = performance.now();
      await ask('prefs.get', {});
      waits.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const begun = performance.now();
  await ask('run.watch', { id: 'long' });
  await ask('run.find', { id: 'long', words: 'a sentence' });
  await ask('run.items', { id: 'long', from: 4_000, limit: 100 });
  await ask('run.record', { id: 'long', seq: 5_000, from: 0, limit: 1_000 });
  const work = performance.now() - begun;
  reading = false;
  await asking;
  socket.close();
  return { waits, work, failed };
}
