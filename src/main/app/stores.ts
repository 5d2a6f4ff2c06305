import { USUAL_STORE, type StoreEntry, type StoreView } from '../../shared/contract/stores';
import { splitKey } from '../../shared/contract/run-key';
import { Failure, asFailure } from '../../shared/run/failure';
import type { RunStore } from '../journal/journal';
import { loadStores } from '../settings/stores';

export interface StoresOptions {
  usual: RunStore;
  /** Name of the usual store for people. */
  label: string;
  /** The file with the others. */
  path: string;
  /** Opens the store of an entry; fails with the store's Failures. */
  open(entry: StoreEntry): Promise<RunStore>;
  /** A store can be used from now on, for the first time or under a new address. */
  onOpened(name: string, label: string, store: RunStore): void;
  /** It went out of the list, or its address changed. */
  onLeft(name: string): void;
  /** It was away and is there again. */
  onBack(name: string): void;
  /** Something that shows changed. */
  onChange(): void;
  /** How little space its disk has left; absent: enough, or nobody can tell. */
  space?(name: string): StoreView['space'];
}

interface Slot {
  /** Empty for the usual one. */
  name: string;
  label: string;
  entry?: StoreEntry;
  store?: RunStore;
  /** Why it was not opened. */
  failure?: Failure;
  /** Why it could not be listed. */
  trouble?: Failure;
  tries: number;
  timer?: NodeJS.Timeout;
  gone: boolean;
  stop?: () => void;
}

/** Milliseconds before the next try to open a store that was not reached; the last goes on without end. */
const AGAIN = [500, 1_000, 2_000, 5_000, 10_000, 30_000];

const PROMISES = {
  disk: 'On disk: each record is written and synced before it counts.',
  acknowledged:
    'Acknowledged by NATS: the server said that it has the record. When its disk has it is decided by sync_interval, and how many servers have it by the replicas of the stream.',
  memory: 'In memory only: it is gone when Holdfast ends.',
} as const;

export const promiseOf = (store: RunStore): string => PROMISES[store.durability];

/** The stores side by side: the usual one, which is always there, and those of the file. Names are empty for the usual. */
export class Stores {
  readonly #slots = new Map<string, Slot>();
  #closed = false;
  #loading: Promise<void> = Promise.resolve();

  constructor(private readonly options: StoresOptions) {
    const slot: Slot = {
      name: '',
      label: options.label,
      store: options.usual,
      tries: 0,
      gone: false,
    };
    this.#slots.set('', slot);
    this.#follow(slot, options.usual);
    void this.reload();
  }

  get usual(): RunStore {
    return this.options.usual;
  }

  /** The store of this name. `store_unavailable` with the reason while it is not open, `store_unknown`. */
  at(name: string): RunStore {
    const slot = this.#slots.get(name);
    if (slot?.store) return slot.store;
    if (!slot)
      throw new Failure({
        code: 'store_unknown',
        message: `There is no store called "${name}" any more.`,
        kept: 'What is in it is untouched.',
        todo: 'Add it again to see its runs.',
      });
    throw new Failure({
      code: 'store_unavailable',
      message: slot.failure
        ? `The store "${slot.label}" is not reached: ${slot.failure.message}`
        : `The store "${slot.label}" is being opened.`,
      kept: 'Everything in it is kept.',
      todo: slot.failure?.todo ?? 'Try again in a moment; Holdfast goes on trying by itself.',
    });
  }

  /** The run that a key names, in its store. */
  place(key: string): { store: RunStore; name: string; id: string } {
    const { store: name, id } = splitKey(key);
    return { store: this.at(name), name, id };
  }

  /** The name as the rest of the core has it: empty for the usual store. `store_unknown`. */
  named(name: string | undefined): string {
    const inner = name === undefined || name === USUAL_STORE ? '' : name;
    if (!this.#slots.has(inner)) this.at(inner);
    return inner;
  }

  /** A store beside the usual one, with its entry. Fails as `at`. */
  opened(name: string): { entry: StoreEntry; store: RunStore } {
    const store = this.at(name);
    const entry = this.#slots.get(name)?.entry;
    if (!entry) throw new Error('The usual store has no entry.');
    return { entry, store };
  }

  /** Folders that hold runs. */
  folders(): string[] {
    return [...this.folderOf().values()];
  }

  /** The same by the names of the stores. */
  folderOf(): Map<string, string> {
    return new Map(
      [...this.#slots.values()].flatMap(({ name, entry, store }): [string, string][] => {
        const url = entry?.url ?? store?.url ?? '';
        return url.startsWith('file:') ? [[name, url.slice('file:'.length)]] : [];
      }),
    );
  }

  /** Whether a store could be listed. */
  trouble(name: string, failure: Failure | undefined): void {
    const slot = this.#slots.get(name);
    if (!slot || slot.trouble?.message === failure?.message) return;
    if (failure) slot.trouble = failure;
    else delete slot.trouble;
    this.options.onChange();
  }

  views(): StoreView[] {
    return [...this.#slots.values()].map((slot) => this.#view(slot));
  }

  /** Reads the file again: opens what is new, lets go what went. Resolves when the list is right; opening goes on. */
  reload(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#reload()).catch(() => undefined);
    return this.#loading;
  }

  /** Tries now what would be tried later. */
  tryAgain(): void {
    for (const slot of this.#slots.values()) if (!slot.store && slot.timer) void this.#open(slot);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#loading;
    await Promise.allSettled([...this.#slots.values()].map((slot) => this.#leave(slot)));
  }

  async #reload(): Promise<void> {
    const { stores, problem } = await loadStores(this.options.path);
    if (this.#closed) return;
    // A file that broke takes nothing away that is open.
    if (problem) return this.options.onChange();
    const wanted = new Map(stores.map((entry) => [entry.name, entry]));
    for (const slot of [...this.#slots.values()]) {
      if (!slot.entry || same(slot.entry, wanted.get(slot.name))) continue;
      this.#slots.delete(slot.name);
      this.options.onLeft(slot.name);
      void this.#leave(slot);
    }
    for (const entry of stores) {
      if (this.#slots.has(entry.name)) continue;
      const slot: Slot = { name: entry.name, label: entry.name, entry, tries: 0, gone: false };
      this.#slots.set(entry.name, slot);
      void this.#open(slot);
    }
    this.options.onChange();
  }

  async #open(slot: Slot): Promise<void> {
    if (!slot.entry) return;
    clearTimeout(slot.timer);
    delete slot.timer;
    try {
      const store = await this.options.open(slot.entry);
      if (slot.gone || this.#closed) {
        await store.close();
        return;
      }
      slot.store = store;
      delete slot.failure;
      this.#follow(slot, store);
      this.options.onOpened(slot.name, slot.label, store);
    } catch (error) {
      if (slot.gone || this.#closed) return;
      slot.failure = asFailure(error);
      slot.timer = setTimeout(() => void this.#open(slot), AGAIN[Math.min(slot.tries++, AGAIN.length - 1)]);
      slot.timer.unref();
    }
    this.options.onChange();
  }

  #follow(slot: Slot, store: RunStore): void {
    const stop = store.connection?.onState((state) => {
      if (slot.gone || this.#closed) return;
      if (state === 'connected') this.options.onBack(slot.name);
      this.options.onChange();
    });
    if (stop) slot.stop = stop;
  }

  async #leave(slot: Slot): Promise<void> {
    slot.gone = true;
    clearTimeout(slot.timer);
    slot.stop?.();
    await slot.store?.close();
  }

  #view(slot: Slot): StoreView {
    const { store, entry } = slot;
    const url = store?.url ?? entry?.url ?? '';
    const kind = url.startsWith('file:') ? 'file' : url.startsWith('memory:') ? 'memory' : 'nats';
    const durability = store?.durability ?? (kind === 'file' ? 'disk' : 'acknowledged');
    const away = store?.connection !== undefined && store.connection.state !== 'connected';
    const reason = away ? lost() : (slot.failure ?? slot.trouble);
    const caution = store?.caution;
    const { keeps, oneProgram } = store ?? {};
    const space = this.options.space?.(slot.name);
    return {
      name: slot.name === '' ? USUAL_STORE : slot.name,
      label: slot.label,
      url,
      kind,
      usual: slot.name === '',
      state: reason ? 'unreachable' : store ? 'ok' : 'connecting',
      ...(reason && { reason: reason.toJSON() }),
      durability,
      promise: PROMISES[durability],
      ...(caution !== undefined && caution !== '' && { caution }),
      writable: store?.supports.write ?? true,
      ...(oneProgram !== undefined && { oneProgram }),
      ...(keeps !== undefined && { keeps }),
      ...(space && { space }),
      ...(entry && { entry }),
    };
  }
}

const lost = () =>
  new Failure({
    code: 'store_unavailable',
    message: 'The connection to the NATS server is gone; Holdfast goes on trying.',
    kept: 'Every record that NATS acknowledged is kept there. A run at work waits for a while and goes on when the server is back.',
    todo: 'Check that the server runs and can be reached.',
  });

const same = (a: StoreEntry, b: StoreEntry | undefined) => JSON.stringify(a) === JSON.stringify(b);
