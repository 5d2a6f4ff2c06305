import type { Link } from './link';
import type { NatsJournal } from './writer';

/** Journals that this process has open, over all its stores on one stream. */
export class Holders {
  static readonly #all = new WeakMap<Link, Map<string, Holders>>();
  readonly #open = new Map<string, Set<NatsJournal>>();

  static of(link: Link, stream: string): Holders {
    let streams = Holders.#all.get(link);
    if (streams === undefined) Holders.#all.set(link, (streams = new Map()));
    let holders = streams.get(stream);
    if (holders === undefined) streams.set(stream, (holders = new Holders()));
    return holders;
  }

  /** Whether a journal is open that may still write. */
  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  get(id: string): NatsJournal | undefined {
    return [...(this.#open.get(id) ?? [])].find((journal) => journal.dead === undefined);
  }

  add(id: string, journal: NatsJournal): void {
    const journals = this.#open.get(id) ?? new Set();
    this.#open.set(id, journals.add(journal));
  }

  remove(id: string, journal: NatsJournal): void {
    const journals = this.#open.get(id);
    journals?.delete(journal);
    if (journals?.size === 0) this.#open.delete(id);
  }
}
