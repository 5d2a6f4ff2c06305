import { parentPort, workerData } from 'node:worker_threads';
import ksuid from 'ksuid';
import { asFailure } from '../shared/run/failure';
import type { MoverAnswer, MoverData } from './app/moving/mover';
import { runTask } from './app/moving/run-task';
import type { RunStore } from './journal/journal';
import { openStore } from './journal/registry';

/** The thread that does one task on whole runs: export, import, fork, repair, comparison. mover.ts is its other end. */
const { task, stores } = workerData as MoverData;
const opened = new Map<string, Promise<RunStore>>();
const stop = new AbortController();
const say = (answer: MoverAnswer): void => parentPort?.postMessage(answer);

const PROGRESS_MS = 100;
let told = 0;

function open(name: string): Promise<RunStore> {
  let store = opened.get(name);
  if (!store) {
    const address = stores[name];
    if (!address) throw new Error(`The task names no store "${name}".`);
    opened.set(name, (store = openStore(address.url, address.login)));
  }
  return store;
}

parentPort?.on('message', () => stop.abort());
try {
  const value = await runTask(
    task,
    { open, newId: () => ksuid.randomSync().string, now: () => new Date() },
    {
      signal: stop.signal,
      onProgress: (progress) => {
        const now = performance.now();
        if (now - told < PROGRESS_MS) return;
        told = now;
        say({ progress });
      },
    },
  );
  say({ ok: true, value });
} catch (error) {
  say({ ok: false, failure: asFailure(error).toJSON() });
}
for (const store of opened.values()) await store.then((one) => one.close()).catch(() => undefined);
// Nothing more is heard, so that the thread ends.
parentPort?.close();
