import { vi } from 'vitest';
import type { ServerOptions } from '../../src/main/shell/browser/run';
import { Failure } from '../../src/shared/run/failure';

/**
 * What `serve` prints when it asks about `words` and then fails with them, all of it on the terminal. `run`: the server,
 * or a mutant of it.
 */
export async function serveQuestion(
  words: string,
  run: (options: ServerOptions) => Promise<number>,
): Promise<string> {
  let said = '';
  const note = (text: unknown) => {
    said += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(note),
    vi.spyOn(process.stderr, 'write').mockImplementation(note),
    vi.spyOn(process.stdin, 'destroy').mockReturnThis(),
  ];
  try {
    await run({
      argv: [],
      root: '',
      version: '0',
      makeApp(door) {
        void door.confirm({ message: `Let ${words} in?`, detail: words, yes: 'Allow' });
        throw new Failure({ code: 'io', message: `${words} cannot be opened.`, todo: words });
      },
    });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  if (!said.includes('Let ') || !said.includes('cannot be opened')) throw new Error(`not asked: ${said}`);
  return said;
}
