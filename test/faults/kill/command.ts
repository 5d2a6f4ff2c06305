import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Mutant = 'early' | 'no-intent' | 'forgetful';

/** What the loader does in the process (see loader.mjs). */
export interface KillPlan {
  store: string;
  log?: string;
  at?: number;
  point?: KillPoint;
  mutant?: Mutant;
}

/** The nth point of this name. */
export interface KillPoint {
  name: string;
  nth: number;
}

/** When the parent kills the process from outside. */
export type KillMoment = { afterMs: number } | { afterLine: number };

/** One line of `--json`. */
export type CommandEvent = { event: string } & Record<string, unknown>;

export interface Ended {
  /** `null` when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** What it had printed on stdout when it ended: everything here was told to the outside world. */
  events: CommandEvent[];
  stderr: string;
  ms: number;
}

const LOADER = pathToFileURL(join(import.meta.dirname, 'loader.mjs')).href;

/** Runs the built command to its end, or until it is killed. */
export function command(
  cli: string,
  args: string[],
  { plan, moment }: { plan?: KillPlan | undefined; moment?: KillMoment | undefined } = {},
): Promise<Ended> {
  const started = performance.now();
  const child = spawn(process.execPath, [...(plan ? ['--import', LOADER] : []), cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(plan && { HOLDFAST_KILL: JSON.stringify(plan) }) },
  });
  const kill = () => void child.kill('SIGKILL');
  let stdout = '';
  let stderr = '';
  let lines = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    lines += text.split('\n').length - 1;
    if (moment && 'afterLine' in moment && lines >= moment.afterLine) kill();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const timer = moment && 'afterMs' in moment ? setTimeout(kill, moment.afterMs) : undefined;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      // A last line without its newline was not told whole.
      const events = stdout
        .split('\n')
        .slice(0, -1)
        .filter(Boolean)
        .map((line) => JSON.parse(line) as CommandEvent);
      resolve({ code, signal, events, stderr, ms: performance.now() - started });
    });
  });
}
