/**
 * How runs are told apart where several stores stand side by side: two stores may hold the same id, and after a copy they
 * do. A run of the usual store goes by its id, a run of any other store by `store.id`. Neither part can hold a dot, so a
 * key names one run and can be taken apart.
 */
export interface RunPlaceName {
  /** Name of the store; empty for the usual one. */
  store: string;
  id: string;
}

export const runKey = (store: string, id: string): string => (store === '' ? id : `${store}.${id}`);

export function splitKey(key: string): RunPlaceName {
  const dot = key.indexOf('.');
  return dot < 0 ? { store: '', id: key } : { store: key.slice(0, dot), id: key.slice(dot + 1) };
}

/** Id of a run as its store knows it; what people are shown. */
export const bareId = (key: string): string => splitKey(key).id;
