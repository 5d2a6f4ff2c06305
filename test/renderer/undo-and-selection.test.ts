import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../src/shared/contract/connect';
import { soak } from '../support/prerequisites';

vi.stubGlobal('window', globalThis);
const { setClient } = await import('../../src/renderer/client');
const { recheckToasts, useApp } = await import('../../src/renderer/store/app');
const { deleteRuns } = await import('../../src/renderer/store/runs');
const { browseChoice, clearFilters, openBrowse, refreshBrowse, setQuery, sortBy, useBrowse } =
  await import('../../src/renderer/store/browse');

/** What the main process would have: runs with a tag each, and which of them are in the trash. */
const runs = new Map<string, { tag: string; trashed: boolean }>();
const restored: string[][] = [];

function listed(tags?: readonly string[]): string[] {
  return [...runs].flatMap(([id, run]) => (run.trashed || (tags && !tags.includes(run.tag)) ? [] : [id]));
}

const answers: Record<string, (input: never) => unknown> = {
  'library.page': ({ tags, offset, limit }: { tags?: string[]; offset: number; limit: number }) => {
    const ids = listed(tags);
    const rows = ids.slice(offset, offset + limit).map((id) => ({ id }));
    return {
      rows,
      total: ids.length,
      all: runs.size,
      counts: {},
      pinned: 0,
      trashed: 0,
      days: [],
      stores: [],
    };
  },
  'library.keys': ({ tags }: { tags?: string[] }) => ({ keys: listed(tags), total: listed(tags).length }),
  'library.trashKeys': () => {
    const keys = [...runs].flatMap(([id, run]) => (run.trashed ? [id] : []));
    return { keys, total: keys.length };
  },
  'runs.trash': ({ ids }: { ids: string[] }) => {
    for (const id of ids) runs.set(id, { tag: runs.get(id)?.tag ?? '', trashed: true });
    return { done: ids, failed: [] };
  },
  'runs.restore': ({ ids }: { ids: string[] }) => {
    restored.push(ids);
    return { done: ids, failed: [] };
  },
};
setClient({
  call: (name: string, input: unknown) =>
    answers[name]
      ? Promise.resolve().then(() => answers[name]?.(input as never))
      : new Promise(() => undefined),
} as unknown as Client);

const settled = async () => {
  for (let n = 0; n < 12; n++) await Promise.resolve();
};

beforeEach(() => {
  runs.clear();
  restored.length = 0;
  useApp.setState({ toasts: [] });
});

describe('Undo', () => {
  it('is there as long as there is something to undo, and goes when it was done elsewhere', async () => {
    for (const id of ['a', 'b']) runs.set(id, { tag: '', trashed: false });
    await deleteRuns(['a', 'b']);
    const undo = () => useApp.getState().toasts.find(({ action }) => action?.label === 'Undo');
    await recheckToasts();
    expect(undo()).toBeDefined();
    runs.set('a', { tag: '', trashed: false });
    await recheckToasts();
    // One of both is still in the trash, and only that one is brought back.
    undo()?.action?.run();
    await vi.waitFor(() => expect(restored).toEqual([['b']]));
    runs.delete('b');
    await recheckToasts();
    expect(undo()).toBeUndefined();
  });
});

describe('what is chosen in the table', () => {
  it('is always something that the table has, whatever is filtered, moved, deleted and looked at', async () => {
    const step = fc.oneof(
      fc.record({ choose: fc.nat(9) }),
      fc.record({ filter: fc.constantFrom(['x'], ['y'], ['x', 'y'], undefined) }),
      fc.record({ sort: fc.constant(true) }),
      fc.record({ clear: fc.constant(true) }),
      fc.record({ tag: fc.nat(9), as: fc.constantFrom('x', 'y') }),
      fc.record({ trash: fc.nat(9) }),
      fc.record({ leave: fc.constant(true) }),
      fc.record({ all: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        runs.clear();
        for (let n = 0; n < 10; n++) runs.set(`r${n}`, { tag: n % 2 ? 'x' : 'y', trashed: false });
        useBrowse.setState({ query: {}, rows: [], chosen: new Set() });
        let close = openBrowse();
        await settled();
        for (const one of steps) {
          const before = useBrowse.getState();
          if ('choose' in one) browseChoice.one(one.choose, 'toggle');
          else if ('filter' in one) setQuery({ tags: one.filter && [...one.filter] });
          else if ('sort' in one) sortBy('title');
          else if ('clear' in one) clearFilters();
          else if ('all' in one) await browseChoice.all();
          else if ('leave' in one) {
            close();
            expect(useBrowse.getState().chosen.size).toBe(0);
            close = openBrowse();
          } else {
            const id = `r${'tag' in one ? one.tag : one.trash}`;
            const run = runs.get(id);
            if ('tag' in one) runs.set(id, { tag: one.as, trashed: run?.trashed ?? false });
            else runs.set(id, { tag: run?.tag ?? '', trashed: true });
            refreshBrowse();
          }
          // At once, also before the new rows have come.
          if ('filter' in one || 'clear' in one) expect(useBrowse.getState().chosen.size).toBe(0);
          if ('sort' in one) expect(useBrowse.getState().chosen).toEqual(before.chosen);
          await settled();
          const { chosen, query } = useBrowse.getState();
          const there = new Set(listed(query.tags));
          expect([...chosen].filter((id) => !there.has(id))).toEqual([]);
        }
        close();
      }),
      { numRuns: soak ? 3000 : 200 },
    );
  });
});
