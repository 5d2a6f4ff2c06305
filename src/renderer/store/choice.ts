import { KEYS_LIMIT } from '../../shared/contract/library';
import { toast, toastFailure } from './app';

interface List {
  get(): { chosen: ReadonlySet<string>; total: number };
  set(change: { chosen: ReadonlySet<string> }): void;
  /** The run in a place; undefined where it was not loaded. */
  keyAt(index: number): string | undefined;
  /** The runs of some places in their order, also of those that were never loaded. */
  keys(places: { offset: number; limit: number }): Promise<{ keys: string[] }>;
}

/** What is chosen in a long list: one run, several, a range, all. */
export class Choice {
  /** Where a range begins, and what was chosen before it. */
  #anchor: { at: number; before: ReadonlySet<string> } = { at: 0, before: new Set() };

  constructor(private readonly list: List) {}

  one(index: number, how: 'only' | 'toggle'): void {
    const key = this.list.keyAt(index);
    if (key === undefined) return;
    const chosen = new Set(how === 'only' ? [] : this.list.get().chosen);
    if (how === 'toggle' && chosen.has(key)) chosen.delete(key);
    else chosen.add(key);
    const before = new Set(chosen);
    before.delete(key);
    this.#anchor = { at: index, before };
    this.list.set({ chosen });
  }

  /** All from where the range began; rows between that were never loaded too. */
  async to(index: number): Promise<void> {
    const { at, before } = this.#anchor;
    const [from, to] = at < index ? [at, index] : [index, at];
    const loaded = Array.from({ length: to - from + 1 }, (_, n) => this.list.keyAt(from + n));
    const keys = loaded.every((key) => key !== undefined) ? loaded : await this.#keys(from, to - from + 1);
    this.list.set({ chosen: new Set([...before, ...keys]) });
  }

  /** Everything that the list has, without loading it. */
  async all(): Promise<void> {
    const keys = await this.#keys(0, KEYS_LIMIT);
    const { total } = this.list.get();
    if (keys.length > 0 && keys.length < total)
      toast({
        tone: 'warn',
        text: `The first ${keys.length.toLocaleString('en')} of ${total.toLocaleString('en')} runs are selected: no more can be at once.`,
      });
    this.#anchor = { at: 0, before: new Set() };
    this.list.set({ chosen: new Set(keys) });
  }

  none(): void {
    this.#anchor = { at: this.#anchor.at, before: new Set() };
    this.list.set({ chosen: new Set() });
  }

  /** They are not in the list any more. */
  leave(keys: readonly string[]): void {
    const { chosen } = this.list.get();
    const left = new Set(chosen);
    for (const key of keys) left.delete(key);
    if (left.size !== chosen.size) this.list.set({ chosen: left });
  }

  /** Only what the list still has stays chosen: it may have changed elsewhere. */
  async keep(): Promise<void> {
    const asked = this.list.get().chosen;
    if (asked.size === 0) return;
    const there = new Set<string>();
    for (let offset = 0; ; offset += KEYS_LIMIT) {
      const { keys } = await this.list.keys({ offset, limit: KEYS_LIMIT }).catch(() => ({ keys: undefined }));
      // It could not be asked; it will be again.
      if (keys === undefined) return;
      for (const key of keys) there.add(key);
      if (keys.length < KEYS_LIMIT) break;
    }
    this.leave([...asked].filter((key) => !there.has(key)));
  }

  async #keys(offset: number, limit: number): Promise<string[]> {
    try {
      return (await this.list.keys({ offset, limit: Math.min(limit, KEYS_LIMIT) })).keys;
    } catch (error) {
      toastFailure(error);
      return [];
    }
  }
}
