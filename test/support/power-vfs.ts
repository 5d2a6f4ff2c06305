import {
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { nodeVfs } from '../../src/main/journal/file/vfs';
import type { BigIntStats } from 'node:fs';
import type { Vfs } from '../../src/main/journal/file/vfs';

/** What of the changes that no sync has made durable survives a cut: nothing, or whatever the disk happened to have. */
export type Survivor = 'nothing' | 'part' | 'all';

export interface PowerVfs {
  vfs: Vfs;
  /** Called before every operation: the moments at which power can go. */
  onOperation(listener: () => void): void;
  /** Writes into an empty folder what a disk would hold if power went now. `random` in [0, 1). */
  image(into: string, survivor: Survivor, random: () => number): void;
}

/** A file as a disk knows it, whatever its names are. */
type Inode = string;

/** A write, or a cut where there is no data. */
interface Change {
  position: number;
  data: Uint8Array | undefined;
}

function withAt(bytes: Buffer, position: number, data: Uint8Array): Buffer {
  const grown = Buffer.alloc(Math.max(bytes.length, position + data.length));
  bytes.copy(grown);
  grown.set(data, position);
  return grown;
}

const unwritten = (bytes: Buffer, position: number, length: number): Buffer =>
  Buffer.concat([bytes.subarray(position, position + length), Buffer.alloc(length)]).subarray(0, length);

/** Numbers are used again at once, so the time of birth belongs to it. */
const identity = (stat: BigIntStats): Inode => `${stat.ino}:${stat.birthtimeNs}`;

/**
 * A file layer with two planes: what programs see, and what a disk is sure to hold. Contents become durable when a file
 * is synced, names when their directory is. A sync that fails drops what it should have kept, as kernels do.
 *
 * It watches the tree below `root`, whose own directory counts as durable.
 */
export function powerVfs(root: string, under: Vfs = nodeVfs): PowerVfs {
  const contents = new Map<Inode, Buffer>();
  /** Per directory: which names lead to what. */
  const names = new Map<Inode, Map<string, Inode>>();
  const listeners: (() => void)[] = [];
  const directories = new Set<Inode>();
  const inode = (path: string): Inode => identity(lstatSync(path, { bigint: true }));
  names.set(inode(root), new Map());

  /** What was written since the last sync, in order. */
  const waiting = new Map<Inode, Change[]>();
  const of = (fd: number): Inode => identity(fstatSync(fd, { bigint: true }));
  const changed = (fd: number, change: Change): void => {
    const one = of(fd);
    waiting.set(one, [...(waiting.get(one) ?? []), change]);
  };
  const settle = (fd: number, reached: boolean): void => {
    const one = of(fd);
    let durable = contents.get(one) ?? Buffer.alloc(0);
    for (const { position, data } of waiting.get(one) ?? [])
      durable =
        data === undefined
          ? durable.subarray(0, position)
          : // Of what a failed sync dropped, only the length arrives; what stood there before still does.
            withAt(durable, position, reached ? data : unwritten(durable, position, data.length));
    contents.set(one, durable);
    waiting.delete(one);
  };
  const synced = (fd: number, work: () => Promise<void>): Promise<void> =>
    before(() =>
      work().then(
        () => settle(fd, true),
        (error: unknown) => {
          settle(fd, false);
          throw error;
        },
      ),
    );
  const keepNames = (path: string): void => {
    const entries = readdirSync(path).map((name): [string, Inode] => [name, inode(join(path, name))]);
    names.set(inode(path), new Map(entries));
    for (const [name, one] of entries) if (lstatSync(join(path, name)).isDirectory()) directories.add(one);
  };
  const before = async <T>(work: () => Promise<T>): Promise<T> => {
    for (const listener of listeners) listener();
    return work();
  };

  const vfs: Vfs = {
    ...under,
    open: (path, flags, mode) => before(() => under.open(path, flags, mode)),
    write: (fd, data) =>
      before(async () => {
        const position = Number(fstatSync(fd).size);
        const written = await under.write(fd, data);
        changed(fd, { position, data: data.slice(0, written) });
        return written;
      }),
    overwrite: (fd, data, position) =>
      before(async () => {
        const written = await under.overwrite(fd, data, position);
        changed(fd, { position, data: data.slice(0, written) });
        return written;
      }),
    truncate: (fd, length) =>
      before(() => under.truncate(fd, length).then(() => changed(fd, { position: length, data: undefined }))),
    sync: (fd) => synced(fd, () => under.sync(fd)),
    syncAll: (fd) => synced(fd, () => under.syncAll(fd)),
    syncDirectory: (path) => before(() => under.syncDirectory(path).then(() => keepNames(path))),
    rename: (from, to) => before(() => under.rename(from, to)),
    unlink: (path) => before(() => under.unlink(path)),
    mkdir: (path, mode) => before(() => under.mkdir(path, mode)),
    removeTree: (path) => before(() => under.removeTree(path)),
    close: (fd) => before(() => under.close(fd)),
  };

  function image(into: string, survivor: Survivor, random: () => number): void {
    const put = (directory: Inode, path: string, real: string | undefined): void => {
      const durable = names.get(directory) ?? new Map<string, Inode>();
      const seen = real !== undefined && existsSync(real) ? readdirSync(real) : [];
      const chosen = new Map(durable);
      if (survivor !== 'nothing') {
        const now = new Map(seen.map((name) => [name, inode(join(real!, name))]));
        for (const name of new Set([...durable.keys(), ...now.keys()])) {
          if (durable.get(name) === now.get(name) || (survivor === 'part' && random() < 0.5)) continue;
          const one = now.get(name);
          if (one === undefined) chosen.delete(name);
          else chosen.set(name, one);
        }
      }
      for (const [name, one] of chosen) {
        const target = join(path, name);
        const source = real === undefined ? undefined : join(real, name);
        const there = source !== undefined && existsSync(source) && inode(source) === one;
        if (directories.has(one) || (there && lstatSync(source).isDirectory())) {
          mkdirSync(target, { mode: 0o700 });
          put(one, target, there ? source : undefined);
          // A machine is down for longer than any lock is thought alive.
          utimesSync(target, 1, 1);
        } else writeFileSync(target, content(one, there ? source : undefined), { mode: 0o600 });
      }
    };
    const content = (one: Inode, source: string | undefined): Buffer => {
      const durable = contents.get(one) ?? Buffer.alloc(0);
      if (survivor === 'nothing' || source === undefined) return durable;
      const now = readFileSync(source);
      if (survivor === 'all') return now;
      // Appended bytes reach the disk from the front, or not at all; a block of zeros can stand where they should be.
      if (now.length < durable.length || !now.subarray(0, durable.length).equals(durable))
        return random() < 0.5 ? durable : now;
      const length = durable.length + Math.floor(random() * (now.length - durable.length + 1));
      const part = now.subarray(0, length);
      return random() < 0.3 ? Buffer.concat([part, Buffer.alloc(now.length - length)]) : part;
    };
    put(inode(root), into, root);
  }

  return { vfs, onOperation: (listener) => void listeners.push(listener), image };
}
