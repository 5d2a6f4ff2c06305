import type { Handlers } from '../../shared/contract/serve';
import type { Services } from './app';

type KeyHandlers = Pick<Handlers, Extract<keyof Handlers, `keys.${string}`>>;

/** The saved keys. */
export function keyHandlers({ keys, profiles, tell }: Services): KeyHandlers {
  const changed = () => {
    tell('profiles.changed', {});
    tell('keys.changed', {});
  };
  return {
    'keys.list': () => keys.list(),
    'keys.hold': (input) => keys.hold(input),
    'keys.replace': async ({ id, value }) => {
      await profiles.mayReplace(await keys.entry(id));
      const entry = await keys.replace(id, value);
      changed();
      return entry;
    },
    'keys.remove': async ({ id }) => {
      const was = await keys.remove(id);
      changed();
      return { done: was };
    },
  };
}
