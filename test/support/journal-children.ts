import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ChildEvent, ChildTask } from './journal-child';
import { project } from './prerequisites';

export interface Child {
  process: ChildProcess;
  pid: number;
  events: ChildEvent[];
  /** Records that it was told are safe, as JSON. */
  acknowledged(): string[];
  /** Resolves at the first event of this kind, also when it came already. Rejects when the child ends without. */
  event(what: ChildEvent['what']): Promise<void>;
  /** Resolves when the child is gone and all that it said is read. */
  ended: Promise<void>;
}

/** Starts a journal child; `shell` is a line run before it, like `ulimit -f 20`. */
export function journalChild(task: ChildTask, shell?: string): Child {
  const line = [
    process.execPath,
    '--import',
    'tsx',
    join(project, 'test', 'support', 'journal-child.ts'),
    JSON.stringify(task),
  ];
  const child = shell
    ? spawn('sh', ['-c', `${shell}; exec "$@"`, 'sh', ...line], {
        cwd: project,
        stdio: ['pipe', 'pipe', 'inherit'],
      })
    : spawn(line[0]!, line.slice(1), { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] });
  const events: ChildEvent[] = [];
  const waiting = new Map<ChildEvent['what'], (() => void)[]>();
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (text) => {
    const event = JSON.parse(text) as ChildEvent;
    events.push(event);
    for (const resolve of waiting.get(event.what) ?? []) resolve();
    waiting.delete(event.what);
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => undefined);
  return {
    process: child,
    pid: child.pid!,
    events,
    acknowledged: () => events.flatMap((event) => (event.what === 'acknowledged' ? [event.record] : [])),
    event: (what) =>
      events.some((event) => event.what === what)
        ? Promise.resolve()
        : Promise.race([
            new Promise<void>((resolve) => waiting.set(what, [...(waiting.get(what) ?? []), resolve])),
            ended.then(() => {
              if (!events.some((event) => event.what === what))
                throw new Error(`the child ended without "${what}"`);
            }),
          ]),
    ended,
  };
}
