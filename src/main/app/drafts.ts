import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '../../shared/zod';
import { replaceFile } from '../settings/replace-file';

const shape = z.object({ key: z.string(), text: z.string() });
/** Drafts that are kept; the oldest go first. */
const MOST = 500;

/**
 * What was typed and not sent. `set` resolves once the text would survive a crash; of several that wait only the newest is
 * written. Texts that belong to private runs stay in memory, and go with the window that they were typed in.
 */
export class Drafts {
  /** By window. */
  readonly #memory = new Map<string, Map<string, string>>();
  readonly #waiting = new Map<string, { text: string; done: Promise<void> }>();
  readonly #writing = new Map<string, Promise<void>>();

  /** `isPrivate`: keys that must never reach the disk. */
  constructor(
    private readonly folder: string,
    private readonly isPrivate: (key: string) => boolean,
  ) {}

  async get(key: string, window = ''): Promise<string> {
    if (this.isPrivate(key)) return this.#memory.get(window)?.get(key) ?? '';
    const held = this.#waiting.get(key)?.text;
    if (held !== undefined) return held;
    await this.#writing.get(key);
    try {
      const draft = shape.parse(JSON.parse(await readFile(this.#path(key), 'utf8')));
      return draft.key === key ? draft.text : '';
    } catch {
      return '';
    }
  }

  set(key: string, text: string, window = ''): Promise<void> {
    if (this.isPrivate(key)) {
      const held = this.#memory.get(window) ?? new Map<string, string>();
      if (text === '') held.delete(key);
      else held.set(key, text);
      if (held.size > 0) this.#memory.set(window, held);
      else this.#memory.delete(window);
      return Promise.resolve();
    }
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.text = text;
      return waiting.done;
    }
    const entry = { text, done: Promise.resolve() };
    this.#waiting.set(key, entry);
    entry.done = (this.#writing.get(key) ?? Promise.resolve()).then(() => {
      this.#waiting.delete(key);
      const writing = this.#write(key, entry.text);
      const settled = writing
        .catch(() => undefined)
        .then(() => {
          if (this.#writing.get(key) === settled) this.#writing.delete(key);
        });
      this.#writing.set(key, settled);
      return writing;
    });
    return entry.done;
  }

  /** The window is closed: what was typed in it for private runs is gone. */
  forget(window: string): void {
    this.#memory.delete(window);
  }

  /** Resolves when nothing is under way any more. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#waiting.values()].map((entry) => entry.done));
    await Promise.allSettled(this.#writing.values());
  }

  async #write(key: string, text: string): Promise<void> {
    if (text === '') await rm(this.#path(key), { force: true });
    else {
      await replaceFile(this.#path(key), JSON.stringify({ key, text }));
      await this.#thin();
    }
  }

  async #thin(): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.json'));
    if (names.length <= MOST) return;
    const files = await Promise.all(
      names.map(async (name) => ({ name, time: (await stat(join(this.folder, name))).mtimeMs })),
    );
    files.sort((a, b) => a.time - b.time);
    for (const { name } of files.slice(0, names.length - MOST))
      await rm(join(this.folder, name), { force: true });
  }

  /** Keys are anything, file names are not. */
  #path(key: string): string {
    return join(this.folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }
}
