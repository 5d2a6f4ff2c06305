import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../settings/make-folder';

/** Replaces a small file whole, in the moment before a process ends. Folder 0700, file 0600. */
export function replaceFileNow(path: string, text: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  const temporary = join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** The JSON of a small file; undefined when it is not there or cannot be read. */
export function readState(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}
