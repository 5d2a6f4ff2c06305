import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workbench } from '../../support/cli';
import type { Workbench } from '../../support/cli';

const text = (bench: Workbench, name: string) => readFileSync(join(bench.folder, name), 'utf8');

describe('run', () => {
  it('names the run first, tells it on stderr and prints only the answer on stdout', async () => {
    const bench = workbench();
    const ran = await bench.run(['run', 'read in.txt', '--id', 'first', '--folder', bench.folder]);
    expect(ran.exit).toBe(0);
    expect(ran.stderr.split('\n')[0]).toBe('run first');
    expect(ran.stderr).toContain('-> read_file in.txt\n<- one');
    expect(ran.stderr).toMatch(/-- finished \(2 model calls, 1 tool call, /);
    expect(ran.stdout).toMatch(/^`in\.txt` has 2 lines/);
    expect(ran.stdout).not.toContain('->');
    expect(existsSync(join(bench.runs, 'first.json'))).toBe(true);
  });

  it('begins nothing for a text that is empty', async () => {
    const bench = workbench();
    for (const words of [
      ['run', ''],
      ['run', ' \n'],
      ['say', 'a', ''],
    ]) {
      const ran = await bench.run([...words, '--folder', bench.folder]);
      expect(ran).toMatchObject({ exit: 2, stdout: '' });
      expect(ran.stderr).toContain('the text is empty');
    }
    expect(existsSync(bench.runs) ? readdirSync(bench.runs) : []).toEqual([]);
  });

  it('gives scripts one object a line, a record only once it is durable, and the answer last', async () => {
    const bench = workbench();
    const ran = await bench.run(['run', 'read in.txt', '--id', 'a', '--folder', bench.folder, '--json']);
    const events = ran.json<{
      event: string;
      seq?: number;
      kind?: string;
      answer?: string;
      durability?: string;
    }>();
    expect(events[0]).toMatchObject({ event: 'run', id: 'a', private: false, records: 1 });
    const records = events.filter(({ event }) => event === 'record');
    const lines = readFileSync(join(bench.runs, 'a.json'), 'utf8').split('\n').filter(Boolean);
    expect(records.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(records.map(({ kind }) => kind)).toEqual([
      'meta',
      'assistant',
      'tool_result',
      'assistant',
      'terminal',
    ]);
    expect(new Set(records.map(({ durability }) => durability))).toEqual(new Set(['disk']));
    expect(events.at(-1)).toMatchObject({ event: 'ended', id: 'a', reason: 'completed' });
    expect(events.at(-1)?.answer).toMatch(/^`in\.txt` has 2 lines/);
  });

  it('allows nothing that changes something when nobody is there, unless a flag names it', async () => {
    const bench = workbench();
    const words = ['run', 'append log.txt: hello', '--folder', bench.folder];
    const refused = await bench.run(words);
    expect(refused.exit).toBe(0);
    expect(existsSync(join(bench.folder, 'log.txt'))).toBe(false);
    expect(refused.stdout).toMatch(/did not allow/);
    const allowed = await bench.run([...words, '--allow', 'append_file,write_file']);
    expect(allowed.exit).toBe(0);
    expect(text(bench, 'log.txt')).toBe('hello\n');
  });

  it('asks a person, shows exactly what would run, and takes Enter for no answer', async () => {
    const bench = workbench();
    const words = ['run', 'append log.txt: hello', '--folder', bench.folder];
    const yes = await bench.run(words, { answers: ['', '  ', 'y'] });
    expect(yes.asked).toHaveLength(3);
    expect(yes.stderr).toContain('append_file log.txt');
    expect(yes.stderr).toContain('"text":"hello\\n"');
    expect(text(bench, 'log.txt')).toBe('hello\n');
    const no = await bench.run(words, { answers: ['n'] });
    expect(no.exit).toBe(0);
    const why = await bench.run(words, { answers: ['use another file'] });
    expect(why.stdout).toContain('use another file');
    const gone = await bench.run(words, { answers: [] });
    expect(gone.exit).toBe(0);
    expect(text(bench, 'log.txt')).toBe('hello\n');
  });

  it('asks once where the person allows a tool for the run', async () => {
    const bench = workbench();
    const prompt = 'repeat 3: append log.txt: line #';
    const ran = await bench.run(['run', prompt, '--folder', bench.folder], { answers: ['a'] });
    expect(ran.asked).toHaveLength(1);
    expect(text(bench, 'log.txt')).toBe('line 1\nline 2\nline 3\n');
  });

  it('writes nothing of a private run', async () => {
    const bench = workbench();
    const ran = await bench.run(['run', 'read in.txt', '--private', '--folder', bench.folder, '--json']);
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toMatch(/^private run/);
    expect(ran.json()[0]).toMatchObject({ event: 'run', private: true });
    expect(existsSync(bench.runs)).toBe(false);
  });

  it.each([
    ['fail', 1, 'failed'],
    ['run out of tokens', 1, 'failed'],
    ['refuse', 1, 'failed'],
  ])('says by its exit code that "%s" went wrong', async (prompt, exit, words) => {
    const ran = await workbench().run(['run', prompt]);
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).toContain(`-- ${words}`);
    expect(ran.stdout).toBe('');
  });

  it('stops at the step limit and at the budget with their own words', async () => {
    const bench = workbench();
    const words = ['run', 'repeat 5: wait 0'];
    const limits = { max_iterations: 2, max_tokens: 0, call_timeout: 120 };
    const steps = await bench.run(words, { profile: { limits } });
    expect([steps.exit, steps.stderr]).toEqual([1, expect.stringContaining('-- hit the step limit')]);
    const budget = await bench.run(words, {
      profile: { limits: { ...limits, max_iterations: 50, max_tokens: 10 } },
    });
    expect([budget.exit, budget.stderr]).toEqual([1, expect.stringContaining('-- out of budget')]);
  });

  it('does not take the name of a run that is there', async () => {
    const bench = workbench();
    await bench.run(['run', 'hello', '--id', 'a']);
    const before = readFileSync(join(bench.runs, 'a.json'));
    const again = await bench.run(['run', 'hello', '--id', 'a']);
    expect(again.exit).toBe(1);
    expect(readFileSync(join(bench.runs, 'a.json')).equals(before)).toBe(true);
  });
});

describe('a chat', () => {
  it('goes on with say, in one conversation, and waits on resume', async () => {
    const bench = workbench();
    const first = await bench.run(['run', 'hello', '--chat', '--id', 'c', '--folder', bench.folder]);
    expect(first.exit).toBe(0);
    expect(first.stderr).toContain('-- go on with: holdfast say c "…"');
    const second = await bench.run(['say', 'c', 'read in.txt']);
    expect(second.exit).toBe(0);
    expect(second.stderr).toContain('> hello');
    expect(second.stderr).toContain('-- continuing');
    expect(second.stdout).toMatch(/^`in\.txt` has 2 lines/);
    const waiting = await bench.run(['resume', 'c', '--json']);
    expect(waiting.exit).toBe(0);
    expect(waiting.json()).toMatchObject([{ event: 'ended', id: 'c', reason: 'your_turn' }]);
    const shown = await bench.run(['show', 'c']);
    expect(shown.stdout).toMatch(/> hello[^]*> read in\.txt[^]*-> read_file in\.txt\n<- one/);
  });

  it('is told how it goes on in a store that was named, whatever that is called', async () => {
    const bench = workbench();
    for (const [store, quoted] of [
      [`file:${bench.runs}/plain`, `file:${bench.runs}/plain`],
      [`file:${bench.runs}/it's mine`, `'file:${bench.runs}/it'\\''s mine'`],
    ] as const) {
      const first = await bench.run(['run', 'hello', '--chat', '--id', 'c', '--store', store]);
      expect(first.stderr).toContain(`-- go on with: holdfast say c --store ${quoted} "…"`);
      const waiting = await bench.run(['resume', 'c', '--store', store]);
      expect(waiting.stderr).toContain(`-- it is your turn: holdfast say c --store ${quoted} "…"`);
      const failed = await bench.run(['run', 'fail', '--id', 'f', '--store', store]);
      expect(failed.stderr).toContain(`-- go on with: holdfast resume f --store ${quoted}\n`);
    }
  });

  it('keeps the folder and the profile that it was begun with', async () => {
    const bench = workbench();
    await bench.run(['run', 'hello', '--chat', '--id', 'c', '--folder', bench.folder]);
    const flight = await bench.run(['preflight', 'c', '--json']);
    expect(flight.json()[0]).toMatchObject({
      profile: 'Practice',
      folder: bench.folder,
      next: 'input',
      ok: true,
    });
  });
});
