import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { asFailure, Failure } from '../../../shared/run/failure';

/** Exact identity and size of a file: inode numbers do not always fit a double. */
export type FileStat = fs.BigIntStats;

/**
 * The few file operations that a store is made of. Everything under `file/` goes through one of these objects, so that
 * a test can make any single operation fail, cut it short, or look at what would survive a power cut.
 *
 * Errors are Node's own, with their `code`. Operations that wait for a disk are asynchronous; looking is not, because
 * a thread-pool round trip costs many times what the call itself does.
 */
export interface Vfs {
  open(path: string, flags: number, mode?: number): Promise<number>;
  close(fd: number): Promise<void>;
  /** One write at the end (descriptors for writing are opened for appending). Gives the bytes written: fewer is a failure. */
  write(fd: number, data: Uint8Array): Promise<number>;
  /** One write over what stands at `position`, on a descriptor that does not append. Gives the bytes written. */
  overwrite(fd: number, data: Uint8Array, position: number): Promise<number>;
  /** Sets the time of the last change. */
  setTime(fd: number, time: Date): Promise<void>;
  /** Bytes read into `into` from `position`; 0 at the end. */
  read(fd: number, into: Uint8Array, position: number): Promise<number>;
  truncate(fd: number, length: number): Promise<void>;
  /** Data and size are durable when it resolves. */
  sync(fd: number): Promise<void>;
  /** As `sync`, with all that the file system keeps about the file: after making or cutting one. */
  syncAll(fd: number): Promise<void>;
  /** Names in a directory are durable when it resolves. Does nothing on Windows, which has no such thing. */
  syncDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string, mode: number): Promise<void>;
  /** Removes a directory and what is in it; one that is not there is fine. */
  removeTree(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  chmod(path: string, mode: number): Promise<void>;

  fstat(fd: number): FileStat;
  /** Of the name itself, never of what a link points to; undefined where there is none. */
  lstat(path: string): FileStat | undefined;
  /** lstat with plain numbers: for lists, where ten thousand are wanted. */
  look(path: string): fs.Stats | undefined;
  readdirNow(path: string): string[];
  /** A file from byte `from` (absent: 0) on, and what it was when read; no bytes if those are more than `limit`: that is not to be waited for. */
  slurp(path: string, limit: number, from?: number): { bytes: Buffer | undefined; stat: fs.Stats };
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = fs.constants;
// Neither exists on Windows, where making a link takes a privilege and a FIFO is no file.
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0;
const NO_WAIT = fs.constants.O_NONBLOCK ?? 0;

/** How files of a store are opened. None follows a link, and none waits at a FIFO. */
export const OPEN = {
  read: O_RDONLY | NO_FOLLOW | NO_WAIT,
  append: O_RDWR | O_APPEND | NO_FOLLOW | NO_WAIT,
  appendOrMake: O_RDWR | O_APPEND | O_CREAT | NO_FOLLOW | NO_WAIT,
  make: O_RDWR | O_APPEND | O_CREAT | O_EXCL | NO_FOLLOW,
  /** For cutting: a descriptor that only appends cannot shorten a file on Windows. */
  repair: O_RDWR | NO_FOLLOW | NO_WAIT,
  lock: O_RDWR | O_CREAT | NO_FOLLOW | NO_WAIT,
  directory: O_RDONLY | (fs.constants.O_DIRECTORY ?? 0),
  overwrite: O_WRONLY | O_CREAT | O_EXCL | NO_FOLLOW,
} as const;

/** For a person's eyes only, like everything in a store. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;

type Done<T extends unknown[]> = (error: NodeJS.ErrnoException | null, ...values: T) => void;

/** A promise without the cost of FileHandle: journals are written one record at a time. */
const call = <T>(start: (done: Done<[T]>) => void): Promise<T> =>
  new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));
const act = (start: (done: Done<[]>) => void): Promise<void> =>
  new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));

/** The real thing. */
export const nodeVfs: Vfs = {
  open: (path, flags, mode = PRIVATE_FILE) => call((done) => fs.open(path, flags, mode, done)),
  close: (fd) => act((done) => fs.close(fd, done)),
  write: (fd, data) => call((done) => fs.write(fd, data, 0, data.length, null, done)),
  overwrite: (fd, data, position) => call((done) => fs.write(fd, data, 0, data.length, position, done)),
  setTime: (fd, time) => act((done) => fs.futimes(fd, time, time, done)),
  read: (fd, into, position) => call((done) => fs.read(fd, into, 0, into.length, position, done)),
  truncate: (fd, length) => act((done) => fs.ftruncate(fd, length, done)),
  sync: (fd) => act((done) => fs.fdatasync(fd, done)),
  syncAll: (fd) => act((done) => fs.fsync(fd, done)),
  async syncDirectory(path) {
    if (process.platform === 'win32') return;
    const fd = await nodeVfs.open(path, OPEN.directory);
    try {
      await act((done) => fs.fsync(fd, done));
    } finally {
      await nodeVfs.close(fd);
    }
  },
  rename: (from, to) => act((done) => fs.rename(from, to, done)),
  unlink: (path) => act((done) => fs.unlink(path, done)),
  mkdir: makeDirectories,
  removeTree: (path) => fs.promises.rm(path, { recursive: true, force: true }),
  readdir: (path) => call((done) => fs.readdir(path, done)),
  chmod: (path, mode) => act((done) => fs.chmod(path, mode, done)),
  fstat: (fd) => fs.fstatSync(fd, { bigint: true }),
  lstat: (path) => fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  look: (path) => fs.lstatSync(path, { throwIfNoEntry: false }),
  readdirNow: (path) => fs.readdirSync(path),
  slurp(path, limit, from = 0) {
    const fd = fs.openSync(path, OPEN.read);
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) throw notAFile();
      const rest = Math.max(0, stat.size - from);
      return { bytes: rest > limit ? undefined : readRest(fd, from, rest), stat };
    } finally {
      fs.closeSync(fd);
    }
  },
};

/** Reads to the end even if the file grows meanwhile. */
function readRest(fd: number, from: number, size: number): Buffer {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const got = fs.readSync(fd, buffer, length, buffer.length - length, from + length);
    length += got;
    if (got === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}

/** The whole of an open file from byte `from` on, also while it grows. */
export async function readAll(vfs: Vfs, fd: number, from = 0): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.max(0, Number(vfs.fstat(fd).size) - from) + 1);
  let length = 0;
  for (;;) {
    const got = await vfs.read(fd, buffer.subarray(length), from + length);
    length += got;
    if (got === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}

/** Writes all in one call, or throws: a short write is a failure, whatever the reason. */
export async function writeWhole(vfs: Vfs, fd: number, data: Uint8Array): Promise<void> {
  checkLength(await vfs.write(fd, data), data.length);
}

/** Throws `no_space` where fewer bytes were written than wanted. */
export function checkLength(written: number, wanted: number): void {
  if (written === wanted) return;
  throw new Failure({
    code: 'no_space',
    message: `Only ${written} of ${wanted} bytes could be written; the disk is most likely full.`,
    kept: 'Everything that was acknowledged before is kept.',
    todo: 'Free some space, then open the run again.',
    data: { written, wanted },
  });
}

/** The error code of a failed file operation, if it is one. */
export const errno = (error: unknown): string | undefined =>
  error instanceof Error && !(error instanceof Failure) && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

const notAFile = (): Failure =>
  new Failure({
    code: 'store_unsafe',
    message: 'There is something under that name which is not a plain file, so it is not read.',
    todo: 'Look at it outside Holdfast.',
  });

/** Throws `store_unsafe` for directories, devices and FIFOs that stand where a file should. */
export function checkPlain(stat: FileStat): void {
  if (!stat.isFile()) throw notAFile();
}

/** A failed file operation as a Failure; `doing` completes "could not …". Failures pass through; what is no file operation's error is a bug. */
export function ioFailure(error: unknown, doing: string): Failure {
  const code = errno(error);
  if (error instanceof Failure || code === undefined) return asFailure(error);
  const cause = { cause: error };
  const data = { errno: code };
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return new Failure(
      {
        code: 'no_space',
        message: `There is no space left: could not ${doing}.`,
        kept: 'Everything that was acknowledged before is kept.',
        todo: 'Free some space, then open the run again.',
        data,
      },
      cause,
    );
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new Failure(
      {
        code: 'store_read_only',
        message: `The system does not allow it: could not ${doing}.`,
        kept: 'Nothing was changed.',
        todo: 'Check the permissions of the folder, or use another store.',
        data,
      },
      cause,
    );
  if (code === 'ELOOP' || code === 'EMLINK' || code === 'ENXIO') return notAFile();
  return new Failure(
    {
      code: 'io',
      message: `The file system reported ${code}: could not ${doing}.`,
      kept: 'Everything that was acknowledged before is kept.',
      todo: 'Check the disk, then open the run again.',
      data,
    },
    cause,
  );
}

/**
 * A folder and those above it. Node's own way asks for ever where a file system says ENOENT although the folder above is
 * there, as mounts that are made on demand and /proc do.
 */
async function makeDirectories(path: string, mode: number): Promise<void> {
  const make = () => act((done) => fs.mkdir(path, mode, done));
  try {
    await make().catch(async (error: unknown) => {
      const above = dirname(path);
      if (errno(error) !== 'ENOENT' || fs.existsSync(above)) throw error;
      await makeDirectories(above, mode);
      await make();
    });
  } catch (error) {
    if (errno(error) !== 'EEXIST' || !fs.statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw error;
  }
}
