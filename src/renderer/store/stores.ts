import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import { splitKey } from '../../shared/contract/run-key';
import { USUAL_STORE, type StoreView } from '../../shared/contract/stores';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { useApp } from './app';

interface StoresState {
  stores: StoreView[];
  file: string;
  /** Why the file of stores cannot be used. */
  problem: CommandOutput<'stores.list'>['problem'];
  ready: boolean;
  failure: FailureInfo | undefined;
}

/** The stores side by side, the usual one first. */
export const useStores = create<StoresState>(() => ({
  stores: [],
  file: '',
  problem: undefined,
  ready: false,
  failure: undefined,
}));

export async function loadStores(): Promise<void> {
  try {
    const list = await call('stores.list', {});
    useStores.setState({ problem: undefined, ...list, ready: true, failure: undefined });
  } catch (error) {
    useStores.setState({ failure: failureOf(error), ready: true });
  }
}

/** The store that a run is in, by the run's key. */
export function storeOfRun(stores: readonly StoreView[], key: string): StoreView | undefined {
  const name = splitKey(key).store || USUAL_STORE;
  return stores.find((store) => store.name === name);
}

/** The store that a new chat is kept in: the chosen one while it is there, else the usual one. */
export const pickStore = (stores: readonly StoreView[], wanted: string | undefined): StoreView | undefined =>
  stores.find((store) => store.name === wanted) ?? stores[0];

export function chooseStore(store: string): void {
  useApp.setState({ store });
  call('prefs.set', { store }).catch(() => undefined);
}
