import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { flockProgram, lookAtFlock, seesFlock, takeFlock } from '../../../src/main/journal/file/flock';
import { isLocal } from '../../../src/main/journal/file/kernel';
import { runPaths } from '../../../src/main/journal/file/layout';
import { tryEntry } from '../../../src/main/journal/try';
import { journalChild } from '../../support/journal-children';
import { answerRecord, metaRecord } from '../../support/journal-records';
import { ready, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf, until } from '../../support/wait';

/** What other programs of this format do: `flock` on the lock file of a run, without knowing of ours. */
const had = flockProgram() !== undefined && isLocal(tmpdir());
const python = spawnSync('python3', ['-c', 'import fcntl']).status === 0;

let folder: StoreFolder;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = storeFolder();
  ready(folder.path);
});
afterEach(async () => {
  for (const child of started.splice(0)) await end(child);
  folder.remove();
});

const lockFile = () => runPaths(folder.path, 'one').lock;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Whether another program gets the lock now. */
const utilLinux = (): boolean => spawnSync('flock', ['-n', lockFile(), 'true']).status === 0;
const pythons = (call: string) => (): boolean =>
  spawnSync('python3', ['-c', `import fcntl,sys; fcntl.${call}(open(sys.argv[1], "a+"), 6)`, lockFile()])
    .status === 0;

/** Another program that has the lock, or waits for it, and says so when it has it. */
function holder(how: 'holds' | 'waits'): { child: ChildProcess; has: Promise<unknown> } {
  const words = [...(how === 'holds' ? ['-n'] : []), lockFile(), 'sh', '-c', 'echo; exec cat'];
  const child = spawn('flock', words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  started.push(child);
  return { child, has: once(child.stdout!, 'data') };
}

async function written(): Promise<void> {
  const store = fileStore(folder.path);
  await (await store.create('one', metaRecord('one'))).close();
}

describe.runIf(had)('Another program that locks with flock', () => {
  it.each([
    ['util-linux', utilLinux, true],
    ['python’s flock', pythons('flock'), python],
    ['python’s lockf', pythons('lockf'), python],
  ] as const)('does not get in while we write: %s', async (_name, gets, there) => {
    if (!there) return;
    await written();
    const journal = await fileStore(folder.path).open('one');
    await journal.append(answerRecord(2, 'ours'));
    expect(gets()).toBe(false);
    await journal.close();
    expect(gets()).toBe(true);
  });

  it('gets in beside a build that takes the kernel lock alone', async () => {
    await written();
    const journal = await fileStore(folder.path, { locking: { flock: false } }).open('one');
    expect(utilLinux()).toBe(true);
    await journal.close();
  });

  it('keeps us out of all that writes, is shown as the writer, and lets us in when it is gone', async () => {
    await written();
    const { child, has } = holder('holds');
    await has;
    const store = fileStore(folder.path);
    const before = folder.text('one.json');
    expect((await failureOf(store.open('one'))).code).toBe('locked');
    expect((await failureOf(store.trash('one'))).code).toBe('locked');
    expect((await failureOf(store.purge('one'))).code).toBe('locked');
    expect(await store.writer('one')).toBe('elsewhere');
    expect((await store.load('one')).records).toHaveLength(1);
    expect(folder.text('one.json')).toEqual(before);
    // Labels are ours alone.
    await store.label('one', { title: 'mine' });
    process.kill(-child.pid!, 'SIGKILL');
    await until(async () => (await store.writer('one')) === 'none');
    const journal = await store.open('one');
    await journal.append(answerRecord(2, 'ours'));
    await journal.close();
    expect((await store.load('one')).records).toHaveLength(2);
  });

  it('does not get a new run, and one whose lock it has cannot be made', async () => {
    const store = fileStore(folder.path);
    const journal = await store.create('one', metaRecord('one'));
    expect(utilLinux()).toBe(false);
    await journal.close();
    folder.remove();
    ready(folder.path);
    await holder('holds').has;
    expect((await failureOf(store.create('one', metaRecord('one')))).code).toBe('locked');
    expect(existsSync(folder.of('one.json'))).toBe(false);
  });

  it('that waits gets the lock when we let go, and it is the lock', async () => {
    await written();
    const store = fileStore(folder.path);
    const journal = await store.open('one');
    const { child, has } = holder('waits');
    await until(() => lookAtFlock(statSync(lockFile(), { bigint: true })).awaited);
    await journal.close();
    await has;
    expect((await failureOf(store.open('one'))).code).toBe('locked');
    process.kill(-child.pid!, 'SIGKILL');
    await until(async () => (await store.writer('one')) === 'none');
    await (await store.open('one')).close();
    expect(existsSync(lockFile())).toBe(false);
  });

  it('gets in at once when we were killed', async () => {
    await written();
    const ours = journalChild({ role: 'hold', directory: folder.path, id: 'one', name: 'ours' });
    await ours.event('open');
    expect(utilLinux()).toBe(false);
    ours.process.kill('SIGKILL');
    await ours.ended;
    expect(utilLinux()).toBe(true);
    await (await fileStore(folder.path).open('one')).close();
  }, 30_000);
});

describe('A lock that cannot be had', () => {
  it('is not missed: a run opens without it', async () => {
    const fd = openSync(folder.of('x'), 'w+');
    const bin = mkdtempSync(join(tmpdir(), 'holdfast-flock-'));
    try {
      const fails = join(bin, 'flock');
      writeFileSync(fails, '#!/bin/sh\nexit 71\n', { mode: 0o755 });
      // No such program, one that is no program, one that says that this file system has no such locks.
      for (const program of [join(bin, 'none'), folder.of('x'), fails])
        expect(await takeFlock(fd, program)).toBe('none');
      expect(await takeFlock(99_999)).toBe('none');
    } finally {
      closeSync(fd);
      rmSync(bin, { recursive: true });
    }
  });

  it('is told of on the store’s page and by its test, with what can be done; a folder that we only read says nothing', async () => {
    const network = fileStore(folder.path, { locking: { kernel: false } });
    expect(network.oneProgram).toMatch(/^Let only one program write runs here: .* on this file system\.$/);
    const without = fileStore(folder.path, { locking: { kernel: true, flock: false } });
    expect(without.oneProgram).toMatch(/^Let only one program write runs here: .* on this computer\./);
    const here = fileStore(folder.path);
    expect(here.oneProgram === undefined).toBe(seesFlock() && isLocal(folder.path));
    const checks = await tryEntry({ name: 'a', url: `file:${folder.path}` });
    const check = checks.find(({ name }) => name === 'programs');
    expect(check?.outcome).toBe(here.oneProgram === undefined ? 'ok' : 'caution');
    if (here.oneProgram !== undefined) expect(check?.text).toBe(here.oneProgram);
    folder.put('theirs', '{}\n');
    rmSync(folder.of('.holdfast-store'));
    expect(fileStore(folder.path, { locking: { kernel: false } }).oneProgram).toBeUndefined();
  });

  it('leaves nothing beside a run', async () => {
    await written();
    expect(readdirSync(folder.path).filter((name) => name.startsWith('one'))).toEqual(['one.json']);
  });
});
