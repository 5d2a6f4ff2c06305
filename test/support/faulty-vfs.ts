import { nodeVfs } from '../../src/main/journal/file/vfs';
import type { Vfs } from '../../src/main/journal/file/vfs';

/** What goes wrong at one operation. `short`: a write puts down half and says so. `torn`: half, then an error. */
export type Fault = 'EIO' | 'ENOSPC' | 'EACCES' | 'short' | 'torn';

export interface FaultPlan {
  /** Counts from 1; the operation with this number fails, and with `lasting` every one after it. */
  at: number;
  fault: Fault;
  lasting?: boolean;
  /** Only these operations count. Absent: all. */
  only?: readonly (keyof Vfs)[];
}

export interface FaultyVfs extends Vfs {
  /** Operations counted so far. */
  readonly count: number;
  /** The names of the operations that failed. */
  readonly failed: string[];
  /** From now on. */
  plan(plan: FaultPlan | undefined): void;
}

const failure = (code: string, operation: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: injected, ${operation}`), { code });

/**
 * A file layer in which the nth operation fails: as SQLite tests itself, n goes up until nothing fails any more. Closing
 * never fails here, since nothing could be done about it.
 */
export function faultyVfs(under: Vfs = nodeVfs): FaultyVfs {
  let plan: FaultPlan | undefined;
  let count = 0;
  const failed: string[] = [];

  /** The fault of the operation that begins now. */
  function next(operation: keyof Vfs): Fault | undefined {
    if (plan?.only && !plan.only.includes(operation)) return undefined;
    count += 1;
    if (plan === undefined || count < plan.at || (count > plan.at && !plan.lasting)) return undefined;
    failed.push(operation);
    return plan.fault;
  }
  const code = (fault: Fault): string => (fault === 'short' || fault === 'torn' ? 'EIO' : fault);

  async function guard<T>(operation: keyof Vfs, work: () => Promise<T>): Promise<T> {
    const fault = next(operation);
    if (fault !== undefined) throw failure(code(fault), operation);
    return work();
  }
  async function guardWrite(
    operation: keyof Vfs,
    data: Uint8Array,
    work: (part: Uint8Array) => Promise<number>,
  ): Promise<number> {
    const fault = next(operation);
    if (fault === 'short' || fault === 'torn') {
      const written = await work(data.subarray(0, data.length >> 1));
      if (fault === 'short') return written;
    }
    if (fault !== undefined) throw failure(code(fault), operation);
    return work(data);
  }
  function guardNow<T>(operation: keyof Vfs, work: () => T): T {
    const fault = next(operation);
    if (fault !== undefined) throw failure(code(fault), operation);
    return work();
  }

  return {
    get count() {
      return count;
    },
    failed,
    plan(wanted) {
      plan = wanted;
      count = 0;
      failed.length = 0;
    },
    open: (path, flags, mode) => guard('open', () => under.open(path, flags, mode)),
    close: (fd) => under.close(fd),
    write: (fd, data) => guardWrite('write', data, (part) => under.write(fd, part)),
    overwrite: (fd, data, position) =>
      guardWrite('overwrite', data, (part) => under.overwrite(fd, part, position)),
    read: (fd, into, position) => guard('read', () => under.read(fd, into, position)),
    truncate: (fd, length) => guard('truncate', () => under.truncate(fd, length)),
    setTime: (fd, time) => guard('setTime', () => under.setTime(fd, time)),
    sync: (fd) => guard('sync', () => under.sync(fd)),
    syncAll: (fd) => guard('syncAll', () => under.syncAll(fd)),
    syncDirectory: (path) => guard('syncDirectory', () => under.syncDirectory(path)),
    rename: (from, to) => guard('rename', () => under.rename(from, to)),
    unlink: (path) => guard('unlink', () => under.unlink(path)),
    mkdir: (path, mode) => guard('mkdir', () => under.mkdir(path, mode)),
    removeTree: (path) => guard('removeTree', () => under.removeTree(path)),
    readdir: (path) => guard('readdir', () => under.readdir(path)),
    chmod: (path, mode) => guard('chmod', () => under.chmod(path, mode)),
    fstat: (fd) => guardNow('fstat', () => under.fstat(fd)),
    lstat: (path) => guardNow('lstat', () => under.lstat(path)),
    look: (path) => guardNow('look', () => under.look(path)),
    readdirNow: (path) => guardNow('readdirNow', () => under.readdirNow(path)),
    slurp: (path, limit, from) => guardNow('slurp', () => under.slurp(path, limit, from)),
  };
}
