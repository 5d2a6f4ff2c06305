import type { searchCommands } from '../../shared/contract/search';
import type { Handlers } from '../../shared/contract/serve';
import type { Services } from './app';

/** Search over the runs of all stores. */
export function searchHandlers(_services: Services): Pick<Handlers, keyof typeof searchCommands> {
  return {};
}
