import { parentPort, workerData } from 'node:worker_threads';
import { asFailure } from '../shared/run/failure';
import { openStore } from './journal/registry';
import { SearchIndex } from './library/search';
import type { SearchAnswer, SearchCall, SearchData } from './library/search/worker-index';

/** The thread that searches runs for the window; worker-index.ts is its other end. */
const { store: url, cache } = workerData as SearchData;
const store = await openStore(url);
const opening = SearchIndex.open(store, cache);
opening.catch(() => undefined);

const answer = (value: SearchAnswer): void => parentPort?.postMessage(value);
const PROGRESS_MS = 100;
let told = 0;

async function run(call: SearchCall): Promise<unknown> {
  const index = await opening;
  switch (call.method) {
    case 'search':
      return index.search(call.query);
    case 'status':
      return index.status();
    case 'update':
      return index.update((progress) => {
        const now = performance.now();
        if (progress.done < progress.total && now - told < PROGRESS_MS) return;
        told = now;
        answer({ progress });
      });
    case 'close':
      await index.close();
      return store.close();
  }
}

parentPort?.on('message', (call: SearchCall) => {
  run(call).then(
    (value) => answer({ n: call.n, ok: true, value }),
    (error: unknown) => answer({ n: call.n, ok: false, failure: asFailure(error).toJSON() }),
  );
});
