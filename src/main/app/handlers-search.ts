import type { searchCommands } from '../../shared/contract/search';
import type { Handlers } from '../../shared/contract/serve';
import type { Services } from './app';

/** Search over the runs of all stores. */
export function searchHandlers({ searches }: Services): Pick<Handlers, keyof typeof searchCommands> {
  return {
    'search.find': (query) => searches.find(query),
    'search.status': () => searches.status(),
  };
}
