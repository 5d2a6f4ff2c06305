import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Seal } from '../../../src/main/agent/origin';
import { fileStore } from '../../../src/main/journal/file';
import { agentParts } from '../../../src/main/parts';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { noteOwn } from '../../support/agent';
import { workbench } from '../../support/cli';
import { project } from '../../support/prerequisites';
import type { Workbench } from '../../support/cli';

const text = (bench: Workbench, name: string) => readFileSync(join(bench.folder, name), 'utf8');

describe('resume', () => {
  it('refuses what the gates refuse, with exit 3 and nothing changed', async () => {
    const bench = workbench();
    await bench.run(['run', 'hello', '--id', 'done']);
    await bench.run(['run', 'fail', '--id', 'failed']);
    const before = readFileSync(join(bench.runs, 'failed.json'));
    expect((await bench.run(['resume', 'done'])).exit).toBe(3);
    const said = await bench.run(['say', 'failed', 'go on']);
    expect([said.exit, said.stderr]).toEqual([3, expect.stringContaining('nothing was changed')]);
    const other = {
      profile: { provider: 'openai' as const, model: 'm', endpoint: 'http://127.0.0.1:9', tools: [] },
    };
    const provider = await bench.run(['resume', 'failed', '--force'], other);
    expect(provider.exit).toBe(3);
    const offered = /^ +(holdfast continue .*)$/m.exec(provider.stderr)?.[1] ?? '';
    expect(offered).toMatch(/^holdfast continue failed --profile Practice$/);
    expect((await bench.run(['say', 'failed', 'x', '--force'], other)).stderr).toContain(offered);
    expect(readFileSync(join(bench.runs, 'failed.json')).equals(before)).toBe(true);
  });

  it('continues in a new run, with an excerpt and the folder, and leaves the old one as it is', async () => {
    const bench = workbench();
    await bench.run(['run', 'hello', '--id', 'r', '--chat', '--folder', bench.folder]);
    const before = readFileSync(join(bench.runs, 'r.json'));
    const made = await bench.run(['continue', 'r', '--json']);
    expect(made.exit).toBe(0);
    const fresh = /run (\S+), which continues r/.exec(made.stderr)?.[1] ?? '';
    const lines = readFileSync(join(bench.runs, `${fresh}.json`), 'utf8');
    expect(lines).toContain('This goes on from an earlier conversation');
    expect(readFileSync(join(bench.runs, `${fresh}.aux.jsonl`), 'utf8')).toContain('"from":"r"');
    expect(readFileSync(join(bench.runs, 'r.json')).equals(before)).toBe(true);
  });

  it('shows what changed, goes on when forced, and does not ask again', async () => {
    const bench = workbench();
    await bench.run(['run', 'fail', '--id', 'r']);
    const changed = { profile: { system_prompt: 'Other words.', thinking: false } };
    const refused = await bench.run(['resume', 'r'], changed);
    expect(refused.exit).toBe(3);
    expect(refused.stderr).toMatch(/system_hash +[0-9a-f]{12} +-> +[0-9a-f]{12} +needs --force/);
    expect(refused.stderr).toMatch(/thinking_mode +summarized +-> +off/);
    const flight = await bench.run(['preflight', 'r'], changed);
    expect([flight.exit, flight.stdout]).toEqual([3, expect.stringContaining('REFUSED drift')]);
    expect((await bench.run(['preflight', 'r', '--force'], changed)).exit).toBe(0);
    const forced = await bench.run(['resume', 'r', '--force'], changed);
    expect([forced.exit, forced.stderr]).toEqual([1, expect.stringContaining('-- continuing')]);
    const again = await bench.run(['preflight', 'r'], changed);
    expect([again.exit, again.stdout]).toEqual([0, expect.stringContaining('ok      drift')]);
  });

  it('finds a renamed profile by its settings, and tells of a missing key and folder before anything is recorded', async () => {
    const bench = workbench();
    const at = (name: string) => join(bench.runs, '..', name);
    const profiles = (name: string, key = 'HOLDFAST_TEST_NO_KEY') =>
      writeFileSync(
        at('profiles.yaml'),
        `profiles:\n  - name: ${name}\n    provider: openai\n    model: m\n    endpoint: http://127.0.0.1:9\n    key_env: ${key}\n`,
      );
    profiles('Work');
    await bench.run(['run', 'hello', '--id', 'r', '--profile', 'Work', '--folder', bench.folder]);
    const files = () => ['r.json', 'r.aux.jsonl'].map((name) => readFileSync(join(bench.runs, name), 'utf8'));
    const before = files();

    profiles('Job');
    const flight = await bench.run(['preflight', 'r', '--json']);
    expect(flight.stderr).toContain('there is no profile "Work" any more; "Job" has the same settings');
    expect(flight.json()).toMatchObject([{ missing: [{ code: 'key_missing' }] }]);
    const shown = await bench.run(['preflight', 'r']);
    expect(shown.stdout).toContain('HOLDFAST_TEST_NO_KEY is not set');
    const refused = await bench.run(['resume', 'r']);
    expect(refused.exit).not.toBe(0);
    expect(refused.stderr).toContain('HOLDFAST_TEST_NO_KEY is not set');
    expect(files()).toEqual(before);

    renameSync(bench.folder, at('moved'));
    const both = await bench.run(['preflight', 'r', '--json']);
    expect(both.json()).toMatchObject([{ missing: [{ code: 'key_missing' }, { code: 'not_found' }] }]);
    await bench.run(['resume', 'r']);
    expect(files()).toEqual(before);
  });

  it('asks before the conversation goes to another address, and force does not answer that', async () => {
    const bench = workbench();
    await bench.run(['run', 'fail', '--id', 'r']);
    const store = fileStore(bench.runs);
    const journal = await store.open('r');
    const entry = {
      kind: 'config' as const,
      at: new Date().toISOString(),
      endpoint: 'https://other.example',
    };
    await noteOwn(journal, entry, agentParts().witness);
    await journal.close();
    await store.close();
    const refused = await bench.run(['resume', 'r', '--force', '--json']);
    expect(refused.exit).toBe(3);
    expect(refused.json()).toMatchObject([{ event: 'endpoint_changed', from: 'https://other.example' }]);
    expect(refused.stderr).toContain('--accept-endpoint');
    const onward = await bench.run(['continue', 'r']);
    expect([onward.exit, onward.stderr]).toEqual([3, expect.stringContaining('an excerpt of it would be')]);
    expect((await bench.run(['resume', 'r'], { answers: ['', 'n'] })).exit).toBe(3);
    const accepted = await bench.run(['resume', 'r'], { answers: ['y'] });
    expect(accepted.stderr).toContain('-- continuing');
    const flagged = await bench.run(['resume', 'r', '--accept-endpoint']);
    expect(flagged.stderr).toContain('-- continuing');
  });
});

describe('a run that was killed when its tool had taken effect', () => {
  it.each(['flipped-intent', 'older-notes', 'other-writer-pending'])(
    'is asked about where its notes mislead: %s',
    async (name) => {
      const bench = workbench({ 'log.txt': 'once\n' });
      await bench.run(['run', 'hello', '--id', 'first']);
      for (const ending of ['.json', '.aux.jsonl'])
        copyFileSync(
          join(project, 'test/fixtures/notes', name, `x${ending}`),
          join(bench.runs, `x${ending}`),
        );
      const words = ['resume', 'x', '--allow', 'append_file', '--folder', bench.folder];
      const refused = await bench.run(words);
      expect([refused.exit, text(bench, 'log.txt')]).toEqual([3, 'once\n']);
    },
  );
});

/** A run that was killed in the middle of a tool that changes something. */
async function killed(bench: Workbench): Promise<void> {
  await bench.run(['run', 'append log.txt: hello', '--id', 'seed', '--folder', bench.folder]);
  const store = fileStore(bench.runs);
  const { records, sidecar } = await store.load('seed');
  const [meta, turn] = records;
  if (!meta || !turn) throw new Error('no records');
  const first = { ...meta, meta: { ...meta.meta!, run_id: 'k' } };
  const { witness } = agentParts();
  const seal = new Seal(witness, first);
  const journal = await store.create('k', first, seal.ofRecord(first));
  for (const entry of sidecar) if (entry.kind === 'config') await noteOwn(journal, entry, witness);
  await journal.append(turn, seal.ofRecord(turn));
  const call = turn.assistant?.message.content?.find(({ tool_use }) => tool_use)?.tool_use;
  const began: SidecarEntry = {
    kind: 'intent',
    at: '2026-07-20T09:08:07.000Z',
    tool_use_id: call?.id ?? '',
    tool: call?.name ?? '',
    input_sha256: '0'.repeat(64),
    changes: true,
  };
  await noteOwn(journal, began, witness);
  await journal.close();
  await store.close();
}

describe('a tool that was started and never answered', () => {
  it('stops a resume with exit 3 until somebody says what became of it', async () => {
    const bench = workbench();
    await killed(bench);
    const size = readFileSync(join(bench.runs, 'k.json')).length;
    const flight = await bench.run(['preflight', 'k']);
    expect(flight.stdout).toContain('was started and never answered');
    const asked = await bench.run(['resume', 'k', '--json']);
    expect(asked.exit).toBe(3);
    expect(asked.json()[0]).toMatchObject({
      event: 'unknown',
      tools: [{ tool: 'append_file', fate: 'unknown' }],
    });
    expect(asked.stderr).toContain('--unknown run or --unknown skip');
    expect(readFileSync(join(bench.runs, 'k.json'))).toHaveLength(size);
    expect(existsSync(join(bench.folder, 'log.txt'))).toBe(false);
  });

  it('is run again, or skipped, as a flag says', async () => {
    const run = workbench();
    await killed(run);
    expect((await run.run(['resume', 'k', '--unknown', 'run', '--allow', 'append_file'])).exit).toBe(0);
    expect(text(run, 'log.txt')).toBe('hello\n');
    const skip = workbench();
    await killed(skip);
    expect((await skip.run(['resume', 'k', '--unknown', 'skip'])).exit).toBe(0);
    expect(existsSync(join(skip.folder, 'log.txt'))).toBe(false);
  });

  it('is asked about at a terminal, and what happened is told to the model', async () => {
    const bench = workbench();
    await killed(bench);
    const ran = await bench.run(['resume', 'k'], { answers: ['', 'I wrote it by hand'] });
    expect(ran.exit).toBe(0);
    expect(ran.asked).toHaveLength(2);
    const shown = await bench.run(['show', 'k']);
    expect(shown.stdout).toContain('I wrote it by hand');
    expect(existsSync(join(bench.folder, 'log.txt'))).toBe(false);
  });

  it('stays open when the person says nothing', async () => {
    const bench = workbench();
    await killed(bench);
    expect((await bench.run(['resume', 'k'], { answers: [] })).exit).toBe(3);
  });
});

describe('a run that another process writes', () => {
  it('is not resumed, said to, or removed, but can be read', async () => {
    const bench = workbench();
    await bench.run(['run', 'hello', '--chat', '--id', 'c']);
    const store = fileStore(bench.runs);
    const journal = await store.open('c');
    for (const words of [
      ['say', 'c', 'hello'],
      ['rm', 'c'],
      ['rm', '--purge', 'c'],
    ]) {
      const ran = await bench.run(words);
      expect([words, ran.exit]).toEqual([words, 4]);
    }
    expect((await bench.run(['show', 'c'])).exit).toBe(0);
    await journal.close();
    await store.close();
    expect((await bench.run(['say', 'c', 'hello'])).exit).toBe(0);
  });

  it('is not asked about: its tool is running, and nothing is told as if it went on here', async () => {
    const bench = workbench();
    await killed(bench);
    const store = fileStore(bench.runs);
    const journal = await store.open('k');
    for (const words of [
      ['resume', 'k'],
      ['resume', 'k', '--unknown', 'run', '--allow', 'append_file'],
    ]) {
      const ran = await bench.run(words, { answers: ['r'] });
      expect([words, ran.exit, ran.asked]).toEqual([words, 4, []]);
      expect(ran.stderr).toContain('open for writing somewhere else');
      expect(ran.stderr).not.toContain('-- continuing');
    }
    expect((await bench.run(['preflight', 'k'])).stderr).toContain('another process writes this run');
    await journal.close();
    await store.close();
    expect((await bench.run(['preflight', 'k'])).stderr).toBe('');
    expect(existsSync(join(bench.folder, 'log.txt'))).toBe(false);
  });
});
