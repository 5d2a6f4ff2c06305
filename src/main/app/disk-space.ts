import { levelOf, spaceOf, type Space, type SpaceLevel } from '../journal/file/space';

const EVERY_MS = 60_000;
/** While something is written: a full disk is named within a second. */
const BUSY_MS = 400;

export interface DiskSpaceOptions {
  /** Stores that are folders, by the name of the store. */
  folders(): ReadonlyMap<string, string>;
  look?: (folder: string) => Promise<Space | undefined>;
  /** Something that shows changed: a store is low, or no more. */
  onChange(): void;
  everyMs?: number;
  /** A run is being written. */
  busy?(): boolean;
}

/** Looks at the disks under the stores, so that it can be said that one is filling up before a record does not fit. */
export class DiskSpace {
  readonly #low = new Map<string, { level: SpaceLevel; free: number }>();
  readonly #timer: NodeJS.Timeout;
  readonly #fast: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(private readonly options: DiskSpaceOptions) {
    void this.look();
    this.#timer = setInterval(() => void this.look(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
    this.#fast = setInterval(() => {
      // What was full is looked at until it no longer is.
      if (options.busy?.() || this.#isFull) void this.look();
    }, BUSY_MS);
    this.#fast.unref();
  }

  get #isFull(): boolean {
    return [...this.#low.values()].some(({ level }) => level === 'full');
  }

  /** What is low; absent: there is enough, or nobody can tell. */
  of(store: string): { level: SpaceLevel; free: number } | undefined {
    return this.#low.get(store);
  }

  /** Looks now. Never rejects: a disk that cannot be asked says nothing. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#fast);
  }

  async #look(): Promise<void> {
    const look = this.options.look ?? spaceOf;
    const folders = this.options.folders();
    let changed = false;
    for (const name of this.#low.keys()) if (!folders.has(name)) changed = this.#low.delete(name) || changed;
    for (const [name, folder] of folders) {
      const space = await look(folder);
      const before = this.#low.get(name);
      const level = space && levelOf(space, before?.level);
      if (level) this.#low.set(name, { level, free: space.free });
      else this.#low.delete(name);
      changed ||= level !== before?.level;
    }
    if (changed) this.options.onChange();
  }
}
