import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spawnCommand, workbench } from '../../support/cli';

const CRLF = readFileSync(join(import.meta.dirname, '../../fixtures/faults/prompt-crlf.txt'), 'utf8');

it('a prompt that is piped in with the line ends of Windows shows no carriage return, also at its end', async () => {
  const bench = workbench();
  const common = ['--store', `file:${bench.runs}`, '--folder', bench.folder];
  const command = spawnCommand(['run', '-', '--id', 'a', ...common]);
  command.child.stdin.end(CRLF);
  expect(await command.ended).toMatchObject({ code: 0 });
  for (const words of [['ls'], ['show', 'a']]) {
    const { stdout } = await bench.run(words);
    expect.soft(stdout, words[0]).toContain('hello');
    expect.soft(stdout, words[0]).not.toMatch(/\r|\\u000d/);
  }
  expect((await bench.run(['show', 'a'])).stdout).toContain('world');
});
