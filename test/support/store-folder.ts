import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { encodeLine } from '../../src/shared/run/codec';
import type { RunRecord } from '../../src/shared/run/record';

/** A folder of runs that a test may do anything to, inside a temporary one. */
export interface StoreFolder {
  /** Absolute, does not exist until something makes it. */
  path: string;
  of(...names: string[]): string;
  /** Puts a journal there, as an earlier process left it. */
  put(id: string, content: RunRecord[] | Uint8Array | string): void;
  text(name: string): string;
  names(): string[];
  /** Every file with its mode and hash: what "nothing was altered" means. */
  snapshot(): Record<string, string>;
  remove(): void;
}

export function storeFolder(): StoreFolder {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-store-')));
  const path = join(parent, 'runs');
  const of = (...names: string[]): string => join(path, ...names);
  return {
    path,
    of,
    put(id, content) {
      ready(path);
      writeFileSync(of(`${id}.json`), Array.isArray(content) ? journalBytes(content) : content, {
        mode: 0o600,
      });
    },
    text: (name) => readFileSync(of(name), 'utf8'),
    names: () =>
      readdirSync(path)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    snapshot: () => snapshotOf(path),
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}

export const journalBytes = (records: RunRecord[]): Buffer => Buffer.concat(records.map(encodeLine));

/** Makes a folder that counts as ours. */
export function ready(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(path, '.holdfast-store'), '');
}

export function snapshotOf(path: string): Record<string, string> {
  const files: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const stat = lstatSync(file);
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isDirectory()) walk(file);
      const hash = stat.isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'no file';
      files[relative(path, file)] = `${mode} ${hash}`;
    }
  };
  walk(path);
  return files;
}
