import type { RunStore } from '../../src/main/journal/journal';
import { SearchIndex } from '../../src/main/library/search';
import type { SearchProgress } from '../../src/main/library/search';
import type { RunIndex } from '../../src/main/library/search/worker-index';

/** The index that the thread has, without the thread: for stores that only this process can see. */
export function inlineIndex(
  store: RunStore,
  cache: string,
  onProgress: (progress: SearchProgress) => void = () => undefined,
): RunIndex {
  const opening = SearchIndex.open(store, cache);
  opening.catch(() => undefined);
  return {
    search: async (query) => (await opening).search(query),
    update: async (ids) => (await opening).update(onProgress, undefined, ids),
    status: async () => (await opening).status(),
    close: async () => (await opening).close(),
  };
}
