import { asFailure } from '../shared/run/failure';
import type { RunStore } from './journal/journal';
import { openStore } from './journal/registry';
import { SearchIndex } from './library/search';
import type { SearchAnswer, SearchCall, SearchData } from './library/search/worker-index';
import { beginPart, tell } from './part';

/** The process that searches the runs of one store for the window; worker-index.ts is its other end. */
let data: SearchData;

interface Opened {
  store: RunStore;
  index: SearchIndex;
}
let opening: Promise<Opened> | undefined;

/** A store or an index that could not be opened is tried again with the next question. */
function opened(): Promise<Opened> {
  opening ??= open().catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function open(): Promise<Opened> {
  const { store: url, login, cache } = data;
  const store = await openStore(url, login);
  try {
    return { store, index: await SearchIndex.open(store, cache) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const answer = (value: SearchAnswer): void => void tell(value);
const PROGRESS_MS = 100;
let told = 0;

async function run(call: SearchCall): Promise<unknown> {
  if (call.method === 'close' && !opening) return undefined;
  const { index, store } = await opened();
  switch (call.method) {
    case 'search':
      return index.search(call.query);
    case 'status':
      return index.status();
    case 'update':
      return index.update(
        (progress) => {
          const now = performance.now();
          if (progress.done < progress.total && now - told < PROGRESS_MS) return;
          told = now;
          answer({ progress });
        },
        undefined,
        call.ids,
        { skip: call.skip ?? [], onRun: (at) => answer({ at }) },
      );
    case 'close':
      await index.close();
      return store.close();
  }
}

beginPart<SearchData, SearchCall>((given) => {
  data = given;
  return (call) => {
    run(call).then(
      (value) => answer({ n: call.n, ok: true, value }),
      (error: unknown) => answer({ n: call.n, ok: false, failure: asFailure(error).toJSON() }),
    );
  };
});
