import * as fs from 'node:fs';
import lockfile from 'proper-lockfile';
import { Failure } from '../../../shared/run/failure';
import { locked } from '../check';
import type { Writer } from '../journal';
import { lookAtFlock, takeFlock } from './flock';
import { kernelLocks } from './kernel';
import type { RunPaths } from './layout';
import { errno, ioFailure, OPEN } from './vfs';
import type { Vfs } from './vfs';

/** How a store locks. `kernel: false` leaves proper-lockfile alone to guard, as on a network file system. */
export interface Locking {
  kernel: boolean;
  /** false: `flock`, by which other programs lock, is not taken beside the kernel lock: for files that only we have. */
  flock?: boolean;
  /** `kernel` and `proper` both off only in the tests that show what locks are for. */
  proper: boolean;
  /** ms after which proper-lockfile takes an untouched lock for dead; at least 2,000. */
  staleMs: number;
}

/** The writer's place, taken. */
export interface Held {
  /** Why it is not ours any more. */
  readonly lost: Failure | undefined;
  /** Called once, if it is lost while held. */
  onLost(listener: (failure: Failure) => void): void;
  /** Never throws. */
  release(): Promise<void>;
}

// The signal that comes with a file growing over its limit: Node ignores it, so that the write merely fails, but
// proper-lockfile's exit hook would make it deadly again for a process that nobody else listens in.
if (process.platform !== 'win32') process.on('SIGXFSZ', () => undefined);

/** Somebody who only looks whether a run is being written holds its lock for microseconds: that is no writer. */
const TRIES = 6;
const PAUSE_MS = 3;

type LockFiles = Pick<RunPaths, 'lock' | 'lockDirectory'>;

/**
 * Takes the writer's place, or fails with `locked` at once.
 *
 * The kernel lock is what excludes: it follows the descriptor, so a crash frees it the same instant, and neither sleep
 * nor a wrong clock touches it. proper-lockfile's directory beside it is the sign that anyone can see; where there is a
 * kernel lock, whoever holds that one knows that a sign left behind belongs to nobody, and takes it down.
 *
 * On Linux the kernel lock does not exclude `flock`, which other programs of this format take on the same file: that
 * one is taken too, where it can be had.
 */
export async function takeLock(vfs: Vfs, paths: LockFiles, locking: Locking): Promise<Held> {
  const kernel = locking.kernel ? await takeKernelLock(vfs, paths.lock, locking) : undefined;
  try {
    const sign = locking.proper
      ? await takeSign(vfs, paths, locking, kernel?.leftBehind === true)
      : undefined;
    return held(vfs, paths.lock, kernel?.fd, sign);
  } catch (error) {
    await freeKernelLock(vfs, paths.lock, kernel?.fd);
    throw error;
  }
}

/** Who holds a run, without waiting and without standing in anyone's way. */
export function probeLock(paths: LockFiles, locking: Locking): Writer {
  const sign = fs.statSync(paths.lockDirectory, { throwIfNoEntry: false });
  if (sign === undefined && locking.proper) return lockedByAnother(paths, locking) ? 'elsewhere' : 'none';
  const fresh = sign !== undefined && sign.mtimeMs >= Date.now() - locking.staleMs;
  if (!locking.kernel || kernelLocks === undefined) return fresh ? 'elsewhere' : 'none';
  let fd: number;
  try {
    fd = fs.openSync(paths.lock, OPEN.read);
  } catch (error) {
    return errno(error) === 'ENOENT' ? (fresh ? 'elsewhere' : 'none') : 'unknown';
  }
  try {
    return kernelLocks.tryLock(fd, { shared: true }) ? 'none' : 'elsewhere';
  } catch {
    return 'unknown';
  } finally {
    fs.closeSync(fd);
  }
}

/** Another program leaves no sign; the kernel says what it has locked. */
function lockedByAnother(paths: LockFiles, locking: Locking): boolean {
  if (!locking.kernel || locking.flock === false) return false;
  const file = fs.lstatSync(paths.lock, { bigint: true, throwIfNoEntry: false });
  return file !== undefined && lookAtFlock(file).held;
}

interface Kernel {
  fd: number;
  /** The lock file was there before: a holder that had the kernel lock is gone, and its sign with it. */
  leftBehind: boolean;
}

async function takeKernelLock(vfs: Vfs, path: string, { flock }: Locking): Promise<Kernel> {
  for (let attempt = 1; ; attempt++) {
    let fd: number;
    let leftBehind: boolean;
    try {
      leftBehind = vfs.lstat(path) !== undefined;
      fd = await vfs.open(path, OPEN.lock);
    } catch (error) {
      throw ioFailure(error, 'open the lock file of this run');
    }
    let mine = false;
    try {
      // A holder removes the file before it lets go, so what was locked may be a file that is not there any more.
      mine =
        kernelLocks!.tryLock(fd) &&
        (flock === false || (await takeFlock(fd)) !== 'theirs') &&
        sameFile(vfs, fd, path);
    } catch (error) {
      await vfs.close(fd).catch(() => undefined);
      throw ioFailure(error, 'lock this run');
    }
    if (mine) return { fd, leftBehind };
    await vfs.close(fd).catch(() => undefined);
    if (attempt >= TRIES) throw locked();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function sameFile(vfs: Vfs, fd: number, path: string): boolean {
  const [ours, named] = [vfs.fstat(fd), vfs.lstat(path)];
  return named !== undefined && named.ino === ours.ino && named.dev === ours.dev;
}

/**
 * The file goes first, while it is still locked: who opened it meanwhile sees that its name is gone and tries anew.
 * Another program does not look: for one that waits for the lock the file stays, so that what it gets is the lock.
 */
async function freeKernelLock(vfs: Vfs, path: string, fd: number | undefined): Promise<void> {
  if (fd === undefined) return;
  try {
    if (sameFile(vfs, fd, path) && !lookAtFlock(vfs.fstat(fd)).awaited) await vfs.unlink(path);
  } catch {
    // A lock file left behind is only litter.
  }
  await vfs.close(fd).catch(() => undefined);
}

interface Sign {
  lost: Failure | undefined;
  listener: ((failure: Failure) => void) | undefined;
  release(): Promise<void>;
}

async function takeSign(vfs: Vfs, paths: LockFiles, locking: Locking, mayBreak: boolean): Promise<Sign> {
  const sign: Sign = { lost: undefined, listener: undefined, release: async () => undefined };
  const own: Own = { path: paths.lockDirectory, identity: undefined };
  const take = (): Promise<() => Promise<void>> =>
    lockfile.lock(paths.lock, {
      lockfilePath: paths.lockDirectory,
      realpath: false,
      stale: locking.staleMs,
      update: locking.staleMs / 2,
      fs: ownedFs(own),
      onCompromised: () => {
        sign.lost = lostLock();
        sign.listener?.(sign.lost);
      },
    });
  try {
    try {
      sign.release = await take();
    } catch (error) {
      if (errno(error) !== 'ELOCKED' || !mayBreak) throw error;
      await vfs.removeTree(paths.lockDirectory);
      sign.release = await take();
    }
  } catch (error) {
    throw errno(error) === 'ELOCKED' ? locked() : ioFailure(error, 'lock this run');
  }
  own.identity = identityOf(paths.lockDirectory);
  return sign;
}

const lostLock = (): Failure =>
  new Failure({
    code: 'locked',
    message: 'The lock of this run was lost: it was removed or taken over while it was held.',
    kept: 'Every record that was acknowledged is kept. Nothing was written after that.',
    todo: 'Open the run again, after making sure that nothing else writes it.',
  });

interface Own {
  path: string;
  identity: string | undefined;
}

/** Inode numbers are used again at once, so the time of birth belongs to an identity. */
function identityOf(path: string): string | undefined {
  const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;
}

/**
 * The file system as proper-lockfile sees it. A holder that was superseded without noticing must not take down the new
 * owner's sign when it lets go, and a stray file in the directory must not keep it there for ever.
 */
function ownedFs(own: Own): typeof fs {
  const foreign = (path: string): boolean =>
    path === own.path && own.identity !== undefined && identityOf(path) !== own.identity;
  const remove = (path: string, done: (error: Error | null) => void): void =>
    foreign(path) ? done(null) : fs.rm(path, { recursive: true, force: true }, done);
  const removeNow = (path: string): void => {
    if (!foreign(path)) fs.rmSync(path, { recursive: true, force: true });
  };
  return { ...fs, rmdir: remove, rmdirSync: removeNow } as typeof fs;
}

function held(vfs: Vfs, path: string, fd: number | undefined, sign: Sign | undefined): Held {
  let over: Promise<void> | undefined;
  return {
    get lost() {
      return sign?.lost;
    },
    onLost(listener) {
      if (sign) sign.listener = listener;
    },
    release() {
      over ??= (async () => {
        if (sign) sign.listener = undefined;
        if (sign && sign.lost === undefined) await sign.release().catch(() => undefined);
        await freeKernelLock(vfs, path, fd);
      })();
      return over;
    },
  };
}
