import { encodeLine } from '../../src/shared/run/codec';
import { Failure } from '../../src/shared/run/failure';
import type { FailureInfo } from '../../src/shared/run/failure';
import type { RunRecord } from '../../src/shared/run/record';
import type { SidecarEntry } from '../../src/shared/run/sidecar';
import { memoryStore } from '../../src/main/journal/memory';
import type { Journal, RunStore } from '../../src/main/journal/journal';

/** What can go wrong with a journal of `faultyStore`: decided anew for each call. */
export interface Faults {
  /** Thrown instead of the append. */
  append?: (record: RunRecord) => unknown;
  note?: (entry: SidecarEntry) => unknown;
  keep?: () => unknown;
  open?: (id: string) => unknown;
  create?: (id: string) => unknown;
  /** Gets a function by which the lock of each journal can be lost. */
  lost?: (lose: (failure: FailureInfo) => void) => void;
}

/** A memory store whose journals fail as told. A failed append kills its journal, as in every store. */
export function faultyStore(faults: Faults, base: RunStore = memoryStore()): RunStore {
  const wrap = (journal: Journal): Journal => {
    let dead: unknown;
    return new Proxy(journal, {
      get(target, key) {
        switch (key) {
          case 'append':
            return async (record: RunRecord, own?: string) => {
              dead ??= faults.append?.(record);
              if (dead !== undefined) throw dead;
              return target.append(record, own);
            };
          case 'note':
            return async (entry: SidecarEntry) => {
              const fault = faults.note?.(entry);
              if (fault !== undefined) throw fault;
              return target.note(entry);
            };
          case 'keep':
            return async (id: string, text: string) => {
              const fault = faults.keep?.();
              if (fault !== undefined) throw fault;
              return target.keep(id, text);
            };
          case 'dead':
            return dead ? { code: 'journal_dead', message: 'dead' } : target.dead;
          case 'onDead':
            return (listener: (failure: FailureInfo) => void) =>
              faults.lost?.((failure) => {
                dead = new Failure(failure);
                listener(failure);
              });
          default: {
            const value: unknown = Reflect.get(target, key);
            return typeof value === 'function' ? value.bind(target) : value;
          }
        }
      },
    });
  };
  return {
    ...base,
    async create(id, meta, own) {
      const fault = faults.create?.(id);
      if (fault !== undefined) throw fault;
      return wrap(await base.create(id, meta, own));
    },
    async open(id) {
      const fault = faults.open?.(id);
      if (fault !== undefined) throw fault;
      return wrap(await base.open(id));
    },
  };
}

/**
 * A memory store that holds what a crash would have left of `store`: its journal up to record `seq` (all without it),
 * and of its sidecar the entries that `keep` says (all by default). The store it came from is not touched.
 */
export async function crashed(
  store: RunStore,
  id: string,
  options: { seq?: number; keep?: (entry: SidecarEntry) => boolean } = {},
): Promise<RunStore> {
  const { records, sidecar } = await store.load(id);
  const copy = memoryStore();
  const [meta, ...rest] = records.filter((record) => record.seq <= (options.seq ?? Infinity));
  if (!meta) throw new Error('a crash before the meta record leaves no run');
  const journal = await copy.create(id, meta);
  for (const record of rest) await journal.append(record);
  for (const entry of sidecar)
    if (entry.kind !== 'bind' && (options.keep?.(entry) ?? true)) await journal.note(entry);
  await journal.close();
  return copy;
}

/** The exact bytes of records, one line each. */
export const journalBytes = (records: RunRecord[]): Uint8Array =>
  Buffer.concat(records.map((record) => encodeLine(record)));
