import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { need } from '../../support/prerequisites';
import { spawnAtTerminal, workbench } from '../../support/cli';
import { until } from '../../support/wait';

/** At a real terminal, with keys pressed. */
const CTRL_C = '\u0003';

const onLinux = (context: TestContext) =>
  need(
    context,
    process.platform === 'linux' || undefined,
    'terminal',
    'made with the script command of Linux',
  );

describe('at a terminal', () => {
  it('asks before a tool changes something; Enter does not allow it, y does', async (context) => {
    onLinux(context);
    const { runs, folder } = workbench();
    const words = [
      'run',
      'append log.txt: hello',
      '--store',
      `file:${runs}`,
      '--folder',
      folder,
      '--id',
      'p',
    ];
    const command = spawnAtTerminal(words);
    await command.seen('y = once');
    command.child.stdin.write('\r');
    await until(() => command.stdout().split('y = once').length === 3);
    expect(existsSync(join(folder, 'log.txt'))).toBe(false);
    command.child.stdin.write('y\r');
    expect(await command.ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('hello\n');
    // The answer is on the screen once, though both streams end there.
    expect(command.stdout().split('Added 6 bytes to log.txt; it now has 6 bytes.').length).toBe(3);
  });

  it('pauses on Ctrl-C at the question, and asks again when the run goes on', async (context) => {
    onLinux(context);
    const { runs, folder, run } = workbench();
    const words = [
      'run',
      'append log.txt: hello',
      '--store',
      `file:${runs}`,
      '--folder',
      folder,
      '--id',
      'p',
    ];
    const command = spawnAtTerminal(words);
    await command.seen('y = once');
    command.child.stdin.write(CTRL_C);
    expect(await command.ended).toMatchObject({ code: 130 });
    expect(existsSync(join(folder, 'log.txt'))).toBe(false);
    const resumed = await run(['resume', 'p'], { answers: ['y'] });
    expect([resumed.exit, resumed.asked.length]).toEqual([0, 1]);
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('hello\n');
  });
});
