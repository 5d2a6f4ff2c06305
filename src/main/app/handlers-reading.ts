import { dirname, join } from 'node:path';
import type { readingCommands } from '../../shared/contract/reading';
import type { Handlers } from '../../shared/contract/serve';
import { loadPrices, PRICES_FILE, savePrices } from '../settings/prices';
import type { Services } from './app';
import { cut } from './read/call-item';

/** Reading one run. */
export function readingHandlers(services: Services): Pick<Handlers, keyof typeof readingCommands> {
  const { reader, sessions, stores } = services;
  // Beside the profiles, where a person looks for settings.
  const pricesPath = join(dirname(services.profilesPath), PRICES_FILE);
  return {
    'run.items': ({ id, from, limit }) => reader.items(id, from, limit),
    'run.text': ({ id, key, part, from, limit }) => reader.text(id, key, part, from, limit),
    'run.kept': async ({ id: key, name, from, limit }) => {
      const { store, id } = stores.place(key);
      const text = await store.kept(id, name);
      return { text: cut(text.slice(from), limit).text, total: text.length };
    },
    'run.find': ({ id, words }) => reader.find(id, words),
    'run.around': ({ id, seq }) => reader.around(id, seq),
    'run.locate': ({ id, ...target }) => reader.locate(id, target),
    'run.turns': ({ id, from, limit }) => reader.turns(id, from, limit),
    'run.stand': ({ id, seq }) => reader.stand(id, seq),
    'prices.get': () => loadPrices(pricesPath),
    'prices.save': async (table) => {
      await savePrices(table, pricesPath);
      return { done: true };
    },
    'run.record': async ({ id, seq, from, limit }) => {
      const { text, ...rest } = await reader.record(id, seq, from, limit);
      const durability = sessions.isPrivate(id) ? 'memory' : stores.place(id).store.durability;
      return { seq, json: text, durability, ...rest };
    },
  };
}
