import { z } from '../../shared/zod';
import { sortField, type SortField } from '../../shared/contract/library';
import { replaceFile } from '../settings/replace-file';
import { readState } from './state-file';

const shape = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  zoom: z.number().min(0.5).max(3).catch(1),
  profile: z.string().max(80).optional().catch(undefined),
  store: z.string().max(80).optional().catch(undefined),
  columns: z.array(sortField).optional().catch(undefined),
  breaks: z.boolean().optional().catch(undefined),
});
export interface PrefsState {
  theme: 'system' | 'light' | 'dark';
  zoom: number;
  profile?: string;
  /** Store that new chats are kept in. */
  store?: string;
  /** Columns of the table of all runs. */
  columns?: SortField[];
  /** A single line end in an answer is a line break. */
  breaks?: boolean;
}

/** How the person likes the window. A broken file is as good as none. */
export class Prefs {
  #state: PrefsState;
  #saving: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {
    const { theme, zoom, profile, store, columns, breaks } = shape
      .catch({ theme: 'system', zoom: 1 })
      .parse(readState(path));
    this.#state = {
      theme,
      zoom,
      ...(profile !== undefined && { profile }),
      ...(store !== undefined && { store }),
      ...(columns !== undefined && { columns }),
      ...(breaks !== undefined && { breaks }),
    };
  }

  get(): PrefsState {
    return { ...this.#state };
  }

  async set(change: Partial<PrefsState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    this.#saving = this.#saving
      .catch(() => undefined)
      .then(() => replaceFile(this.path, JSON.stringify(this.#state)));
    await this.#saving;
  }

  /** Waits until all that was set is saved, or could not be. */
  async flush(): Promise<void> {
    await this.#saving.catch(() => undefined);
  }
}
