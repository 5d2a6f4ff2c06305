import { parentPort, workerData } from 'node:worker_threads';
import { asFailure } from '../shared/run/failure';
import { InlineReader } from './app/read/inline-reader';
import { toolWords } from './app/read/tool-words';
import type { ReaderAnswer, ReaderCall } from './app/read/worker-reader';
import { openStore } from './journal/registry';
import { builtInTools } from './tool/registry';

/** The thread that reads runs for the window; worker-reader.ts is its other end. */
const { store } = workerData as { store: string };
const reader = new InlineReader(await openStore(store), toolWords(builtInTools('practice')));

parentPort?.on('message', ({ n, method, args }: ReaderCall) => {
  const run = reader[method] as (...args: unknown[]) => Promise<unknown>;
  const answer = (value: ReaderAnswer) => parentPort?.postMessage(value);
  run.apply(reader, args).then(
    (value) => answer({ n, ok: true, value }),
    (error: unknown) => answer({ n, ok: false, failure: asFailure(error).toJSON() }),
  );
});
