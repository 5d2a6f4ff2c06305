import type { movingCommands } from '../../shared/contract/moving';
import type { Handlers } from '../../shared/contract/serve';
import type { Services } from './app';

/** Export, import, fork, repair, comparison. */
export function movingHandlers(_services: Services): Pick<Handlers, keyof typeof movingCommands> {
  return {};
}
