import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from './paths';
import { replaceFile } from './replace-file';

/**
 * The texts behind the hashes of fingerprints: each prompt and each list of tools that this person's profiles had when a
 * run used them, or when they were changed. A run records hashes only; with these a pre-flight can say what changed.
 *
 * Promises: one file for each text, named by its SHA-256, mode 0600, in a folder of its own beside the settings. Nothing
 * of them gets into a run, its notes or an export. What is there is never trusted: a file whose text has another hash
 * counts as absent. Losing them costs a comparison, so `keep` never rejects.
 */
export class Versions {
  readonly #under = new Set<Promise<void>>();

  constructor(readonly folder: string) {}

  /** Keeps texts that are not there yet. */
  keep(texts: readonly string[]): Promise<void> {
    const kept = this.#keep(texts);
    this.#under.add(kept);
    return kept.finally(() => this.#under.delete(kept));
  }

  /** Resolves once nothing is being written. */
  async idle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  async #keep(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const hash = sha256(text);
      if (this.text(hash) !== undefined) continue;
      await replaceFile(join(this.folder, hash), text).catch(() => undefined);
    }
  }

  /** The text of this hash; undefined where it is not known here. */
  text(hash: string): string | undefined {
    if (!HASH.test(hash)) return undefined;
    try {
      const text = readFileSync(join(this.folder, hash), 'utf8');
      return sha256(text) === hash ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** How many there are, and their bytes. */
  count(): { versions: number; bytes: number } {
    const files = this.#files();
    const bytes = files.reduce(
      (sum, name) => sum + (statSync(join(this.folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
    return { versions: files.length, bytes };
  }

  /** Deletes all of them. Throws what the file system throws. */
  clear(): void {
    for (const name of this.#files()) rmSync(join(this.folder, name), { force: true });
  }

  #files(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => HASH.test(name));
    } catch {
      return [];
    }
  }
}

/** Those of this person. */
export const ownVersions = (env: NodeJS.ProcessEnv = process.env): Versions =>
  new Versions(join(folders(env).config, 'versions'));

const HASH = /^[0-9a-f]{64}$/;
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
