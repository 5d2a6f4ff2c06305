import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from './paths';
import { replaceFile } from './replace-file';

const MOST = 200;

/**
 * Which profiles this person used, the last one first: names only, 0600, beside the runs. Private chats are not noted.
 * Losing the file costs the order, so `note` never rejects and a broken file is as good as none.
 */
export class Used {
  /** Called when the order changed. */
  onChange: () => void = () => {};
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  names(): string[] {
    try {
      const names: unknown = JSON.parse(readFileSync(this.path, 'utf8'));
      if (!Array.isArray(names)) return [];
      return names.filter((name): name is string => typeof name === 'string').slice(0, MOST);
    } catch {
      return [];
    }
  }

  note(name: string): Promise<void> {
    return this.#change((before) => [name, ...before.filter((one) => one !== name)]);
  }

  /** A profile that has another name now keeps its place. */
  renamed(was: string, name: string): Promise<void> {
    return this.#change((before) =>
      before.filter((one) => one !== name).map((one) => (one === was ? name : one)),
    );
  }

  /** Another process may note too, so the file is read each time. */
  #change(next: (names: string[]) => string[]): Promise<void> {
    this.#last = this.#last.then(async () => {
      const before = this.names();
      const names = next(before).slice(0, MOST);
      if (names.join('\0') === before.join('\0')) return;
      await replaceFile(this.path, JSON.stringify(names)).then(this.onChange, () => undefined);
    });
    return this.#last;
  }

  /** Resolves once nothing is being written. */
  idle(): Promise<void> {
    return this.#last;
  }

  /** Those that were used first, the last one first; the others after them, as they were. */
  order<Named extends { name: string }>(profiles: readonly Named[]): Named[] {
    const rank = new Map(this.names().map((name, index) => [name, index]));
    const of = ({ name }: Named) => rank.get(name) ?? MOST;
    return [...profiles].sort((a, b) => of(a) - of(b));
  }
}

export const ownUsed = (env: NodeJS.ProcessEnv = process.env): Used =>
  new Used(join(folders(env).state, 'profiles-used.json'));
