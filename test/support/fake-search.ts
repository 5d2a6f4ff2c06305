import type { CommandOutput } from '../../src/shared/contract/contract';
import type { Handlers } from '../../src/shared/contract/serve';

/** What the stand-in finds, whatever it is asked. */
export type FakeFinds = CommandOutput<'search.find'>;

export const nothingFound = (): FakeFinds => ({ hits: [], building: [], failed: [], empty: false });

export function fakeSearch(scene: { finds?: FakeFinds }): Pick<Handlers, 'search.find' | 'search.status'> {
  return {
    'search.find': () => scene.finds ?? nothingFound(),
    'search.status': () => {
      const { building, failed } = scene.finds ?? nothingFound();
      return { stores: [], building, failed };
    },
  };
}
