import { splitKey } from '../../../shared/contract/run-key';
import type { Reader } from './reader';

/** One reader for each store, so that a store that is slow or away holds up nobody. Runs go by their keys here. */
export class StoreReaders implements Reader {
  readonly #others = new Map<string, Reader>();

  /** `open`: makes the reader of a store beside the usual one; throws the store's Failures. */
  constructor(
    private readonly usual: Reader,
    private readonly make: (store: string) => Reader,
  ) {}

  open: Reader['open'] = async (key, ...how) => this.#at(key).open(splitKey(key).id, ...how);
  whole: Reader['whole'] = async (key) => this.#at(key).whole(splitKey(key).id);
  progress: Reader['progress'] = async (key) => this.#at(key).progress(splitKey(key).id);
  begin: Reader['begin'] = async (key) => this.#at(key).begin(splitKey(key).id);
  feed: Reader['feed'] = async (key, ...rest) => this.#at(key).feed(splitKey(key).id, ...rest);
  refresh: Reader['refresh'] = async (key) => this.#at(key).refresh(splitKey(key).id);
  mark: Reader['mark'] = async (key, marks) => this.#at(key).mark(splitKey(key).id, marks);
  items: Reader['items'] = async (key, ...rest) => this.#at(key).items(splitKey(key).id, ...rest);
  text: Reader['text'] = async (key, ...rest) => this.#at(key).text(splitKey(key).id, ...rest);
  find: Reader['find'] = async (key, words) => this.#at(key).find(splitKey(key).id, words);
  record: Reader['record'] = async (key, ...rest) => this.#at(key).record(splitKey(key).id, ...rest);
  around: Reader['around'] = async (key, seq) => this.#at(key).around(splitKey(key).id, seq);
  locate: Reader['locate'] = async (key, target) => this.#at(key).locate(splitKey(key).id, target);
  turns: Reader['turns'] = async (key, ...rest) => this.#at(key).turns(splitKey(key).id, ...rest);
  stand: Reader['stand'] = async (key, seq) => this.#at(key).stand(splitKey(key).id, seq);
  drop: Reader['drop'] = async (key) => this.#at(key).drop(splitKey(key).id);

  /** The store went, or is another one under this name now. */
  forget(store: string): void {
    void this.#others.get(store)?.close();
    this.#others.delete(store);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.usual, ...this.#others.values()].map((reader) => reader.close()));
    this.#others.clear();
  }

  #at(key: string): Reader {
    const { store } = splitKey(key);
    if (store === '') return this.usual;
    let reader = this.#others.get(store);
    if (!reader) this.#others.set(store, (reader = this.make(store)));
    return reader;
  }
}
