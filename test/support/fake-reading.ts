import type { readingCommands } from '../../src/shared/contract/reading';
import type { TurnRow } from '../../src/shared/contract/reading';
import type { Handlers } from '../../src/shared/contract/serve';
import type { FakeRun } from './fake-app';

type Names = Exclude<
  keyof typeof readingCommands,
  'run.items' | 'run.text' | 'run.kept' | 'run.find' | 'run.record'
>;

/** What the stand-in answers about places, turns and states of a run, made from its items. */
export function fakeReading(run: (id: string) => FakeRun): Pick<Handlers, Names> {
  return {
    'run.locate': ({ id, seq, next, previous, from }) => {
      const { items } = run(id);
      const by = previous ? -1 : 1;
      for (let index = seq === undefined ? (from ?? -1) + by : 0; items[index]; index += by) {
        const item = items[index];
        if (!item) break;
        const bad = item.kind === 'call' && item.result?.isError === true;
        const fits = seq === undefined ? (next ?? previous) === (bad ? 'error' : item.kind) : item.seq >= seq;
        if (fits) return { index, key: item.key };
      }
      return {};
    },
    'run.around': () => ({ items: [], at: 0 }),
    'run.turns': ({ id, from, limit }) => {
      const { items, head } = run(id);
      const rows = items.flatMap((item, index): TurnRow[] => {
        const { seq, at } = item;
        const base = { seq, index, ...(at !== undefined && { at }) };
        if (item.kind === 'prompt') return [{ kind: 'prompt', ...base, words: item.text.slice(0, 90) }];
        if (item.kind !== 'text') return [];
        const tokens = { in: 1_200 + 900 * index, out: 180, cacheRead: 400 * index, cacheWrite: 0 };
        const words = item.text.slice(0, 90);
        const { iteration } = item;
        return [
          { kind: 'turn', ...base, words, iteration, tools: ['read_file'], calls: 2, errors: 0, ...tokens },
        ];
      });
      return {
        rows: rows.slice(from, from + limit),
        total: rows.length,
        lastSeq: head.lastSeq,
        turns: rows.filter(({ kind }) => kind === 'turn').length,
        models: [{ after: 0, provider: 'practice', model: 'practice-1' }],
      };
    },
    'run.stand': ({ id, seq }) => ({
      seq,
      messages: 4,
      last: [{ role: 'user', parts: [{ kind: 'text', text: 'Go on, but leave the film.' }] }],
      counters: run(id).head.counters,
      nextIteration: 3,
      lastStopReason: 'tool_use',
      ended: false,
      fork: true,
    }),
    'prices.get': () => ({
      currency: 'USD',
      prices: [],
      file: '/home/ada/.config/holdfast/prices.yaml',
      problem: '',
    }),
    'prices.save': () => ({ done: true }),
  };
}
