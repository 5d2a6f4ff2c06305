import { parentPort, workerData } from 'node:worker_threads';
import { asFailure } from '../shared/run/failure';
import { InlineReader } from './app/read/inline-reader';
import { toolWords } from './app/read/tool-words';
import type { ReaderAnswer, ReaderCall, ReaderData } from './app/read/worker-reader';
import { openStore } from './journal/registry';
import { builtInTools } from './tool/registry';

/** The thread that reads the runs of one store for the window; worker-reader.ts is its other end. */
const { store, login } = workerData as ReaderData;
let opening: Promise<InlineReader> | undefined;

/** A store that could not be opened is tried again with the next question. */
function reader(): Promise<InlineReader> {
  opening ??= openStore(store, login).then(
    (opened) => new InlineReader(opened, toolWords(builtInTools('practice'))),
    (error: unknown) => {
      opening = undefined;
      throw error;
    },
  );
  return opening;
}

// Calls reach the reader in the order in which they came, also while the store is opened.
parentPort?.on('message', ({ n, method, args }: ReaderCall) => {
  const answer = (value: ReaderAnswer) => parentPort?.postMessage(value);
  reader()
    .then((opened) => (opened[method] as (...args: unknown[]) => Promise<unknown>).apply(opened, args))
    .then(
      (value) => answer({ n, ok: true, value }),
      (error: unknown) => answer({ n, ok: false, failure: asFailure(error).toJSON() }),
    );
});
