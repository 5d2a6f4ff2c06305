import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../../src/shared/run/record';
import type { RawJson } from '../../../src/shared/run/record';
import { fileStore } from '../../../src/main/journal/file';
import { workbench } from '../../support/cli';

describe('the command line', () => {
  it.each([
    [['nonsense']],
    [['run']],
    [['run', 'hello', '--nonsense']],
    [['run', 'hello', '--profile', 'nobody']],
    [['run', 'hello', '--allow', 'rm_rf']],
    [['run', 'hello', '--id', '../x']],
    [['run', 'hello', '--store', 'ftp://x']],
    [['resume', 'x', '--unknown', 'maybe']],
    [['show', '--store', 'file:x', '--nonsense', 'a']],
  ])('refuses %j with exit 2 and writes nothing', async (words) => {
    const bench = workbench();
    const ran = await bench.run(words);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).not.toBe('');
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect(
      existsSync(bench.runs) ? readdirSync(bench.runs).filter((name) => name.endsWith('.json')) : [],
    ).toEqual([]);
  });

  it.each([
    [['resume', 'none']],
    [['say', 'none', 'x']],
    [['show', 'none']],
    [['preflight', 'none']],
    [['rm', 'none']],
    [['restore', 'none']],
  ])('says that the run of %j is not there with exit 5', async (words) => {
    const ran = await workbench().run(words);
    expect([ran.exit, ran.stdout]).toEqual([5, '']);
  });

  it('has help for everything, with the exit codes, and a version', async () => {
    const bench = workbench();
    const help = await bench.run(['--help']);
    expect(help.exit).toBe(0);
    for (const name of [
      'run',
      'say',
      'resume',
      'preflight',
      'ls',
      'show',
      'rm',
      'restore',
      'export',
      'import',
      'search',
      'fork',
      'repair',
      'fold',
      'recode',
      'verify',
      'Exit codes',
    ])
      expect(help.stdout).toContain(name);
    expect((await bench.run(['resume', '--help'])).stdout).toContain('--unknown');
    expect((await bench.run(['--version'])).stdout).toBe('0.0.0-test\n');
  });

  it('tells a failure to scripts with its code', async () => {
    const ran = await workbench().run(['show', 'none', '--json']);
    expect(ran.json()).toMatchObject([{ event: 'failed', failure: { code: 'not_found' } }]);
  });
});

describe('show', () => {
  it('lets nothing that a model, a tool or a file wrote drive the terminal', async () => {
    const evil = '\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202e';
    const bench = workbench({ 'in.txt': `a${evil}b\n` });
    const ran = await bench.run(['run', `read in.txt, say ${evil}`, '--id', 'e', '--folder', bench.folder]);
    const shown = await bench.run(['show', 'e']);
    const json = await bench.run(['show', 'e', '--json']);
    for (const output of [ran.stdout, ran.stderr, shown.stdout, json.stdout])
      expect(output).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    expect(shown.stdout).toContain('\\u001b]52;c;');
  });

  it('reads a bare file, and of a damaged run what stands before the damage', async () => {
    const bench = workbench();
    await bench.run(['run', 'read in.txt', '--id', 'a', '--folder', bench.folder]);
    const file = join(bench.runs, 'a.json');
    expect((await bench.run(['show', file])).stdout).toContain('-> read_file in.txt\n<- one');
    const lines = readFileSync(file, 'utf8').split('\n');
    const damaged = join(bench.folder, 'damaged.json');
    writeFileSync(damaged, [lines[0], lines[1], 'garbage', ...lines.slice(3)].join('\n'));
    const shown = await bench.run(['show', damaged]);
    expect(shown.exit).toBe(1);
    expect(shown.stdout).toContain('-> read_file in.txt\n<- (no result');
    expect(shown.stderr).toContain('before the damage');
  });

  it('shows a call of a tool that nobody knows by its name and input', async () => {
    const bench = workbench();
    await bench.run(['run', 'hello', '--id', 'seed']);
    const store = fileStore(bench.runs);
    const [meta] = (await store.load('seed')).records;
    const journal = await store.create('foreign', meta!);
    await journal.append({
      seq: 2,
      protocol: PROTOCOL.assistant,
      assistant: {
        iteration: 0,
        message: {
          role: 'assistant',
          content: [{ tool_use: { id: 'x', name: 'stream_ls', input: '{"limit":1.50}' as RawJson } }],
        },
        stop_reason: 'tool_use',
        in_tokens: 1,
        out_tokens: 1,
      },
    });
    await journal.close();
    await store.close();
    expect((await bench.run(['show', 'foreign'])).stdout).toContain(
      '-> stream_ls {"limit":1.50}\n<- (no result',
    );
  });
});

describe('ls, rm and restore', () => {
  it('list every run, the latest first, and never hide a damaged one', async () => {
    const bench = workbench();
    for (const id of ['one', 'two']) await bench.run(['run', 'hello', '--id', id]);
    writeFileSync(join(bench.runs, 'broken.json'), '{"seq":1}\ngarbage\n{"seq":3}\n');
    const rows = (await bench.run(['ls', '--json'])).json<{
      id: string;
      status: string;
      failure?: { code: string };
    }>();
    expect(rows.map(({ id }) => id).sort()).toEqual(['broken', 'one', 'two']);
    expect(rows.find(({ id }) => id === 'broken')).toMatchObject({
      status: 'damaged',
      failure: { code: expect.any(String) },
    });
    const table = (await bench.run(['ls'])).lines();
    expect(table[0]).toMatch(/^RUN +STATUS +UPDATED +MODEL +WHAT$/);
    expect(table.slice(1).filter((line) => / finished .*practice-1 .*hello/.test(line))).toHaveLength(2);
  });

  it('say when there is nothing, on stderr', async () => {
    const ran = await workbench().run(['ls']);
    expect([ran.exit, ran.stdout, ran.stderr]).toEqual([0, '', 'no runs yet\n']);
  });

  it('move aside, bring back and delete, and go on after one that fails', async () => {
    const bench = workbench();
    for (const id of ['a', 'b']) await bench.run(['run', 'hello', '--id', id]);
    const bytes = readFileSync(join(bench.runs, 'a.json'));
    const removed = await bench.run(['rm', 'a', 'none', 'b']);
    expect([removed.exit, removed.stdout]).toEqual([5, 'a moved to the trash\nb moved to the trash\n']);
    expect(
      (await bench.run(['ls', '--trash', '--json']))
        .json()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['a', 'b']);
    expect((await bench.run(['restore', 'a'])).exit).toBe(0);
    expect(readFileSync(join(bench.runs, 'a.json')).equals(bytes)).toBe(true);
    expect((await bench.run(['rm', '--purge', 'a', 'b'])).exit).toBe(0);
    expect(
      (await bench.run(['ls', '--json'])).stdout + (await bench.run(['ls', '--trash', '--json'])).stdout,
    ).toBe('');
  });
});
