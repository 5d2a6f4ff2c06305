import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeLine } from '../../../src/shared/run/codec';
import { spawnCommand, workbench } from '../../support/cli';
import { chatRecords } from '../../support/journal-records';

/** What only a process of its own can show: signals, pipes that close, the input, the usual store. */

const SLOW = 'wait 60';
const here = () => {
  const bench = workbench();
  return { ...bench, common: ['--store', `file:${bench.runs}`, '--folder', bench.folder] };
};
const lastLine = (file: string) => readFileSync(file, 'utf8').trim().split('\n').at(-1);

describe('a signal', () => {
  it('pauses at the next boundary when it is Ctrl-C, with exit 130, and the run goes on later', async () => {
    const { runs, folder, common, run } = here();
    const command = spawnCommand([
      'run',
      'wait 1, append log.txt: done',
      '--id',
      'p',
      '--allow',
      'append_file',
      ...common,
    ]);
    await command.seen('-> wait');
    command.child.kill('SIGINT');
    expect(await command.ended).toMatchObject({ code: 130 });
    expect(command.stderr()).toContain('-- pausing at the next boundary');
    expect(command.stderr()).toContain('-- paused');
    expect(lastLine(join(runs, 'p.json'))).toContain('"reason":"suspended"');
    expect((await run(['resume', 'p', '--allow', 'append_file'])).exit).toBe(0);
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('done\n');
  });

  it('stops what is running when Ctrl-C comes twice', async () => {
    const { runs, common } = here();
    const command = spawnCommand(['run', SLOW, '--id', 'p', ...common]);
    await command.seen('-> wait');
    command.child.kill('SIGINT');
    await command.seen('-- pausing');
    command.child.kill('SIGINT');
    expect(await command.ended).toMatchObject({ code: 130 });
    const journal = readFileSync(join(runs, 'p.json'), 'utf8');
    expect(journal).toContain('Interrupted');
    expect(journal.trim().split('\n').at(-1)).toContain('"reason":"suspended"');
  });

  it('pauses when it is SIGTERM, with exit 143', async () => {
    const { runs, common } = here();
    const command = spawnCommand(['run', 'wait 1', '--id', 'p', ...common]);
    await command.seen('-> wait');
    command.child.kill('SIGTERM');
    expect(await command.ended).toMatchObject({ code: 143 });
    expect(lastLine(join(runs, 'p.json'))).toContain('"reason":"suspended"');
  });
});

describe('a reader that goes away', () => {
  it('ends a listing quietly', async () => {
    const { folder } = here();
    for (let n = 0; n < 300; n++)
      writeFileSync(join(folder, `${n}.json`), Buffer.concat(chatRecords('r', 40).map(encodeLine)));
    const command = spawnCommand(['fold', folder]);
    await command.seen('{"file"');
    command.child.stdout.destroy();
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stderr()).toBe('');
  });

  it('does not stop a run', async () => {
    const { runs, folder, common } = here();
    const words = [
      'run',
      'wait 1, append log.txt: done',
      '--id',
      'p',
      '--allow',
      'append_file',
      '--json',
      ...common,
    ];
    const command = spawnCommand(words);
    await command.seen('"event":"tool"');
    command.child.stdout.destroy();
    command.child.stderr.destroy();
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(lastLine(join(runs, 'p.json'))).toContain('"reason":"completed"');
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('done\n');
  });
});

describe.runIf(existsSync('/dev/full'))('output that cannot be written', () => {
  it.each([[[]], [['--json']]])('is told by exit 1 and does not end the run (%j)', async (flags) => {
    const { runs, common } = here();
    const command = spawnCommand(['run', 'hello', '--id', 'p', ...flags, ...common], {}, '/dev/full');
    expect(await command.ended).toMatchObject({ code: 1 });
    expect(lastLine(join(runs, 'p.json'))).toContain('"reason":"completed"');
  });
});

describe('the process', () => {
  it('reads a prompt from its input, and asks nothing when no terminal is there', async () => {
    const { folder, common } = here();
    const command = spawnCommand(['run', '-', '--id', 'p', ...common]);
    command.child.stdin.end('append log.txt: hello\n');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stdout()).toMatch(/did not allow/);
    expect(existsSync(join(folder, 'log.txt'))).toBe(false);
  });

  it('keeps runs in the state folder of the person, never in the working folder', async () => {
    const { folder } = here();
    const state = join(folder, 'state');
    const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(folder, 'config'), LOCALAPPDATA: state };
    const command = spawnCommand(['run', 'hello', '--id', 'p'], env);
    expect(await command.ended).toEqual({ code: 0, signal: null });
    const found = readdirSync(folder, { recursive: true }).map(String);
    if (process.platform === 'linux') expect(found).toContain(join('state', 'holdfast', 'runs', 'p.json'));
  });

  it('leaves no file anywhere of a private run, nor a folder', async () => {
    const { folder } = here();
    const empty = mkdtempSync(join(tmpdir(), 'holdfast-private-'));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    const homes = ['HOME', 'USERPROFILE', 'LOCALAPPDATA', 'APPDATA', 'TMPDIR', 'TMP', 'TEMP'];
    const xdg = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'];
    const env = Object.fromEntries([...homes, ...xdg].map((name) => [name, empty]));
    // tsx, which runs the source, keeps a pipe and a cache of its own among temporary files.
    const words = ['run', 'read in.txt', '--private', '--folder', folder];
    const command = spawnCommand(words, env);
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stdout()).toContain('2 lines');
    expect(
      readdirSync(empty, { recursive: true }).filter((name) => !String(name).startsWith('tsx-')),
    ).toEqual([]);
    expect(readdirSync(folder)).toEqual(['in.txt']);
  });
});
