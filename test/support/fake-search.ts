import type { CommandOutput } from '../../src/shared/contract/contract';
import type { Handlers } from '../../src/shared/contract/serve';
import type { Failure } from '../../src/shared/run/failure';

/** What the stand-in finds, whatever it is asked; or why it finds nothing. */
export type FakeFinds = CommandOutput<'search.find'> | Failure;

export const nothingFound = (): CommandOutput<'search.find'> => ({
  hits: [],
  building: [],
  failed: [],
  empty: false,
});

export function fakeSearch(scene: { finds?: FakeFinds }): Pick<Handlers, 'search.find' | 'search.status'> {
  const found = () => {
    if (scene.finds instanceof Error) throw scene.finds;
    return scene.finds ?? nothingFound();
  };
  return {
    'search.find': found,
    'search.status': () => {
      const { building, failed } = found();
      return { stores: [], building, failed };
    },
  };
}
