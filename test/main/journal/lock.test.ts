import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { isLocal, isLocalType, kernelLocks } from '../../../src/main/journal/file/kernel';
import { runPaths } from '../../../src/main/journal/file/layout';
import { probeLock, takeLock } from '../../../src/main/journal/file/lock';
import type { Held, Locking } from '../../../src/main/journal/file/lock';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import type { FailureInfo } from '../../../src/shared/run/failure';
import { answerRecord, metaRecord } from '../../support/journal-records';
import { ready, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf, until } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => {
  folder = storeFolder();
  ready(folder.path);
});
afterEach(() => folder.remove());

const LOCAL: Locking = { kernel: true, proper: true, staleMs: 10_000 };
const NETWORK: Locking = { kernel: false, proper: true, staleMs: 2_000 };
const paths = () => runPaths(folder.path, 'one');
const take = (locking: Locking) => takeLock(nodeVfs, paths(), locking);
/** Sets back the time of a lock sign, as if its holder had not touched it for so long; or forward, as a wrong clock does. */
const age = (ms: number): void => {
  const then = new Date(Date.now() - ms);
  utimesSync(paths().lockDirectory, then, then);
};

describe('File systems', () => {
  it('count as local only where one kernel sees every writer', () => {
    const local = [
      0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1, 0x794c7630, 0xf2f52010, 0xca451a4e,
    ];
    const shared = {
      nfs: 0x6969,
      smb: 0x517b,
      cifs: 0xff534d42,
      smb2: 0xfe534d42,
      fuse: 0x65735546,
      '9p': 0x01021997,
      afs: 0x5346414f,
      ceph: 0x00c36400,
      gfs2: 0x01161970,
      ocfs2: 0x7461636f,
      vfat: 0x4d44,
      none: 0,
    };
    for (const type of local) expect([type, isLocalType(type, 'linux')]).toEqual([type, true]);
    for (const [name, type] of Object.entries(shared))
      expect([name, isLocalType(type, 'linux')]).toEqual([name, false]);
    // Some systems give the number with its sign.
    expect(isLocalType(0x9123683e | 0, 'linux')).toBe(true);
    expect([26, 17, 0xef53].map((type) => isLocalType(type, 'darwin'))).toEqual([true, true, false]);
    expect(isLocalType(0xef53, 'freebsd')).toBe(false);
  });

  it('are judged by the nearest folder that exists', () => {
    expect(isLocal(folder.of('not', 'made', 'yet'))).toBe(isLocal(folder.path));
    expect([isLocal('C:\\Users\\a', 'win32'), isLocal('\\\\server\\share', 'win32')]).toEqual([true, false]);
  });

  it('make a store say so where protection is reduced', () => {
    expect(fileStore(folder.path, { locking: { kernel: true } }).caution).toBeUndefined();
    expect(fileStore(folder.path, { locking: { kernel: false } }).caution).toMatch(/Reduced protection/);
  });

  it('have kernel locks on this machine', () => {
    expect(kernelLocks).toBeDefined();
  });
});

describe.each([
  ['with the kernel lock', LOCAL],
  ['with proper-lockfile alone', NETWORK],
])('The writer’s place %s', (_name, locking) => {
  it('is held by one at a time, also within one process, and free after release', async () => {
    const held = await take(locking);
    expect(probeLock(paths(), locking)).toBe('elsewhere');
    const failure = await failureOf(take(locking));
    expect(failure.code).toBe('locked');
    expect(`${failure.message} ${failure.kept} ${failure.todo}`).not.toMatch(/\d|one\b/);
    await held.release();
    await held.release();
    expect(probeLock(paths(), locking)).toBe('none');
    expect(folder.names()).toEqual([]);
    await (await take(locking)).release();
  });

  it('goes to exactly one of many who want it, round after round', async () => {
    for (let round = 0; round < 20; round++) {
      const tries = await Promise.allSettled(Array.from({ length: 6 }, () => take(locking)));
      const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(won).toHaveLength(1);
      for (const one of tries)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'locked' });
      await won[0]!.release();
    }
  });

  it('is lost when its sign is taken down, and says so once', async () => {
    const store = fileStore(folder.path, { locking: { ...locking, staleMs: 2_000 } });
    const journal = await store.create('one', metaRecord('one'));
    const deaths: FailureInfo[] = [];
    journal.onDead((failure) => deaths.push(failure));
    rmSync(paths().lockDirectory, { recursive: true });
    await until(() => journal.dead !== undefined);
    expect(deaths.map((failure) => failure.code)).toEqual(['locked']);
    const failure = await failureOf(journal.append(answerRecord(2, 'too late')));
    expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'locked']);
    expect((await failureOf(journal.note({ kind: 'config', at: 'now' }))).code).toBe('journal_dead');
    await journal.close();
    expect((await store.load('one')).records).toHaveLength(1);
    await (await store.open('one')).close();
  });

  it('leaves the next owner’s sign alone when a superseded holder lets go', async () => {
    const held = await take(locking);
    rmSync(paths().lockDirectory, { recursive: true });
    mkdirSync(paths().lockDirectory);
    await held.release();
    expect(existsSync(paths().lockDirectory)).toBe(true);
  });
});

describe('A lock that a crash left behind', () => {
  it('is broken at once by whoever gets the kernel lock, whatever lies in it', async () => {
    writeFileSync(paths().lock, '');
    mkdirSync(paths().lockDirectory);
    writeFileSync(folder.of('one.lock.d', '.DS_Store'), 'stray');
    expect(probeLock(paths(), LOCAL)).toBe('none');
    const held = await take(LOCAL);
    expect(probeLock(paths(), LOCAL)).toBe('elsewhere');
    await held.release();
    expect(folder.names()).toEqual([]);
  });

  it('is not broken by a wrong clock: neither an old nor a future time frees a held one', async () => {
    const held = await take(LOCAL);
    for (const shift of [3_600_000, -3_600_000]) {
      age(shift);
      expect(probeLock(paths(), LOCAL)).toBe('elsewhere');
      expect((await failureOf(take(LOCAL))).code).toBe('locked');
    }
    await held.release();
  });

  it('waits out its time where proper-lockfile alone guards, and is then taken over', async () => {
    mkdirSync(paths().lockDirectory);
    expect(probeLock(paths(), NETWORK)).toBe('elsewhere');
    expect((await failureOf(take(NETWORK))).code).toBe('locked');
    age(5_000);
    expect(probeLock(paths(), NETWORK)).toBe('none');
    writeFileSync(folder.of('one.lock.d', '.DS_Store'), 'stray');
    age(5_000);
    const held = await take(NETWORK);
    await held.release();
    expect(folder.names()).toEqual([]);
  });

  it('without a lock file belongs to a holder that has no kernel lock, so it is respected until its time is up', async () => {
    const other = await take(NETWORK);
    expect((await failureOf(take(LOCAL))).code).toBe('locked');
    expect(probeLock(paths(), LOCAL)).toBe('elsewhere');
    await other.release();
    await (await take(LOCAL)).release();
    expect(folder.names()).toEqual([]);
  });
});

describe('The lock file', () => {
  it('that was removed between opening and locking it counts for nothing', async () => {
    const first = await take(LOCAL);
    let third: Held | undefined;
    const late: Vfs = {
      ...nodeVfs,
      open: async (path, flags, mode) => {
        const fd = await nodeVfs.open(path, flags, mode);
        if (third === undefined) {
          // What was just opened is now nobody's, and another file stands under its name, held by somebody else.
          await first.release();
          third = await take(LOCAL);
        }
        return fd;
      },
    };
    expect((await failureOf(takeLock(late, paths(), LOCAL))).code).toBe('locked');
    await third!.release();
    await (await take(LOCAL)).release();
  });

  it('is one file for all: a lock on a file that its holder removed is no lock', async () => {
    // Somebody opened the file, and locks it after the holder let go and removed it.
    for (let round = 0; round < 30; round++) {
      const first = await take(LOCAL);
      const waiting = Array.from({ length: 4 }, () => take(LOCAL).catch(() => undefined));
      await first.release();
      const won = (await Promise.all(waiting)).filter((one) => one !== undefined);
      expect(won.length).toBeLessThanOrEqual(1);
      if (won.length === 1) {
        expect((await failureOf(take(LOCAL))).code).toBe('locked');
        expect(statSync(paths().lock).nlink).toBe(1);
      }
      for (const one of won) await one.release();
    }
    expect(readdirSync(folder.path).filter((name) => name.startsWith('one'))).toEqual([]);
  });
});
