import { constants } from 'node:fs';
import { open, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { CHUNK_BYTES } from '../../../shared/contract/moving';
import { Failure } from '../../../shared/run/failure';
import { outFailure } from '../../library/export/file-out';

/** Most bytes of one import, and what must stay free on the disk. */
const LARGEST = 8 * 1024 ** 3;
const SPARE = 64 * 1024 ** 2;

export interface Announced {
  name: string;
  size: number;
}

interface Incoming extends Announced {
  path: string;
  got: number;
}

/**
 * Files that a window brings, in pieces. They lie under numbers: what they are called is only a word. No more is taken
 * than was announced, and no more is announced than there is room for.
 */
export class Upload {
  readonly files: readonly Incoming[];
  readonly size: number;
  got = 0;
  #open: { file: number; handle: FileHandle } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, files: readonly Announced[]) {
    this.files = files.map(({ name, size }, n) => ({
      name: cleanName(name),
      size,
      path: join(folder, String(n)),
      got: 0,
    }));
    this.size = files.reduce((sum, file) => sum + file.size, 0);
  }

  /** @throws Failure `too_large`, `no_space` */
  static async begin(folder: string, files: readonly Announced[]): Promise<Upload> {
    const upload = new Upload(folder, files);
    if (upload.size > LARGEST)
      throw new Failure({
        code: 'too_large',
        message: 'These files are more than one import takes (8 GB).',
        kept: 'Nothing was taken in.',
        todo: 'Import them in several parts.',
      });
    const disk = await statfs(folder).catch(() => undefined);
    // Once as they came, once as runs.
    if (disk && disk.bavail * disk.bsize < upload.size * 2 + SPARE)
      throw new Failure({
        code: 'no_space',
        message: 'There is not enough room on the disk to take these files in.',
        kept: 'Nothing was taken in.',
        todo: 'Make room, then try again.',
      });
    return upload;
  }

  /** The next bytes of a file; pieces of one file come in their order, files in any. */
  put(file: number, offset: number, data: string): Promise<void> {
    const done = this.#last.then(() => this.#put(file, offset, data));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** All is here, and synced to nowhere: it is only on its way. `bad_request` when something is missing. */
  async end(): Promise<void> {
    await this.close();
    for (const { name, size, got, path } of this.files) {
      if (got !== size) throw missing(name);
      if (size === 0) await (await open(path, NEW)).close();
    }
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#open?.handle.close();
    this.#open = undefined;
  }

  async #put(n: number, offset: number, data: string): Promise<void> {
    const file = this.files[n];
    const bytes = Buffer.from(data, 'base64');
    if (!file || offset !== file.got || bytes.length === 0) throw unexpected();
    if (bytes.length > CHUNK_BYTES || file.got + bytes.length > file.size) throw unexpected();
    try {
      const handle = await this.#handle(n, file);
      for (let at = 0; at < bytes.length;)
        at += (await handle.write(bytes, at, bytes.length - at, file.got + at)).bytesWritten;
    } catch (error) {
      throw outFailure(error, 'the files that came in');
    }
    file.got += bytes.length;
    this.got += bytes.length;
  }

  async #handle(n: number, { path, got }: Incoming): Promise<FileHandle> {
    if (this.#open?.file === n) return this.#open.handle;
    await this.#open?.handle.close();
    this.#open = undefined;
    const handle = await open(path, got === 0 ? NEW : constants.O_WRONLY, 0o600);
    this.#open = { file: n, handle };
    return handle;
  }
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** A name as reports show it and as files find what lies beside them: relative, with `/`. It never becomes a path. */
function cleanName(name: string): string {
  const parts = name
    .replace(/\\/g, '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.join('/') || 'unnamed';
}

const unexpected = (): Failure =>
  new Failure({
    code: 'bad_request',
    message: 'This piece of a file does not belong here.',
    kept: 'Nothing was taken in.',
    todo: 'Import the files again.',
  });

const missing = (name: string): Failure =>
  new Failure({
    code: 'bad_request',
    message: `${name} did not arrive whole.`,
    kept: 'Nothing was taken in.',
    todo: 'Import the files again.',
  });
