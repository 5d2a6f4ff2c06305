import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Free bytes of the file system that a folder is on, for people without privileges, and its whole size. */
export interface Space {
  free: number;
  size: number;
}

/** `low`: enough for a while. `critical`: the next runs may not be written whole. */
export type SpaceLevel = 'low' | 'critical';

/** Bytes; on a small disk the share counts, so that a small disk is not always low. */
const LOW = { bytes: 1_000_000_000, share: 0.1 };
const CRITICAL = { bytes: 100_000_000, share: 0.02 };
/** What was low is not low no more before there is so much more, so that a warning does not come and go. */
const RELIEF = 1.1;
const EVERY_MS = 60_000;

const limit = ({ bytes, share }: typeof LOW, size: number) => Math.min(bytes, size * share);

/** undefined: there is enough. `before`: what was said last. */
export function levelOf({ free, size }: Space, before?: SpaceLevel): SpaceLevel | undefined {
  const below = (line: typeof LOW, said: boolean) => free < limit(line, size) * (said ? RELIEF : 1);
  if (below(CRITICAL, before === 'critical')) return 'critical';
  return below(LOW, before !== undefined) ? 'low' : undefined;
}

/** The space where a folder is, or will be once it is made. undefined where nobody can tell. */
export async function spaceOf(folder: string): Promise<Space | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      const { bavail, bsize, blocks } = await statfs(path);
      return { free: bavail * bsize, size: blocks * bsize };
    } catch {
      if (dirname(path) === path) return undefined;
    }
  }
}

export interface DiskSpaceOptions {
  /** Stores that are folders, by the name of the store. */
  folders(): ReadonlyMap<string, string>;
  look?: (folder: string) => Promise<Space | undefined>;
  /** Something that shows changed: a store is low, or no more. */
  onChange(): void;
  everyMs?: number;
}

/** Looks at the disks under the stores, so that it can be said that one is filling up before a record does not fit. */
export class DiskSpace {
  readonly #low = new Map<string, { level: SpaceLevel; free: number }>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(private readonly options: DiskSpaceOptions) {
    void this.look();
    this.#timer = setInterval(() => void this.look(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
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
