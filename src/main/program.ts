import { fork, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from './model/keys';

/**
 * The one place that starts other programs: none of them gets a key of a model or a login of a store that any profile or
 * store names.
 */
export async function programEnvironment(env: Environment = process.env): Promise<Record<string, string>> {
  // Journals start a program too, and know no settings.
  const [{ loadProfiles }, { loadStores }, { childEnvironment }] = await Promise.all([
    import('./settings/profiles'),
    import('./settings/stores'),
    import('./model/keys'),
  ]);
  const [{ profiles }, { stores }] = await Promise.all([loadProfiles(), loadStores()]);
  const logins = stores.flatMap(({ auth = {} }) =>
    [auth.password_env, auth.token_env].map((name) => (name === undefined ? {} : { key_env: name })),
  );
  return childEnvironment(env, [...profiles, ...logins]);
}

/** Starts a program that lives on by itself. A program that is not there is nobody's failure. */
export async function startProgram(program: string, words: readonly string[]): Promise<void> {
  const env = await programEnvironment();
  const child = spawn(program, words, { stdio: 'ignore', detached: true, env });
  child.on('error', () => undefined);
  child.unref();
}

/**
 * Runs a program with an empty environment that gets one open file as its descriptor 3, and gives its exit code;
 * undefined when it cannot be started or takes longer than `timeout` ms. Never rejects.
 */
export function runWithFile(
  program: string,
  words: readonly string[],
  fd: number,
  timeout: number,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    try {
      const stdio = ['ignore', 'ignore', 'ignore', fd] as const;
      const child = spawn(program, words, { cwd: '/', env: {}, stdio: [...stdio], timeout });
      child.once('error', () => resolve(undefined));
      child.once('exit', (code) => resolve(code ?? undefined));
    } catch {
      resolve(undefined);
    }
  });
}

/** A part of Holdfast in a process of its own; its near end is part.ts. */
export interface Part {
  send(message: unknown): void;
  /** Ends it now, whatever it does; nothing more is heard of it. */
  kill(): void;
}

export interface PartHeard {
  message(message: unknown): void;
  /** It ended by itself, or would not start; everything that it sent before was heard. Told once. */
  ended(why: string): void;
}

/**
 * Starts a part of Holdfast that reads what others wrote. It is a process because some errors of V8 (too many matches of
 * an expression, no memory for one more table) end a process, and no handler in any of its threads hears of them.
 *
 * @param data what it begins with; crosses by the channel, so that no login is in words or environment
 */
export function startPart(file: URL, data: unknown, heard: PartHeard): Part {
  const early: unknown[] = [{ data }];
  let child: ChildProcess | undefined;
  let over = false;
  const end = (why: string): void => {
    if (over) return;
    over = true;
    heard.ended(why);
  };
  const send = (message: object): void => {
    // An end in the meantime is told by itself.
    if (child?.connected) child.send(message, () => undefined);
  };
  const begin = (env: Record<string, string>): void => {
    if (over) return;
    child = fork(fileURLToPath(file), [], {
      env: { ...env, ...('electron' in process.versions && { ELECTRON_RUN_AS_NODE: '1' }) },
      execArgv: [],
      serialization: 'advanced',
      // What V8 prints as it dies is for nobody who uses Holdfast.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let why: string | undefined;
    let heardAll = false;
    const ending = (): void => {
      if (why !== undefined && heardAll) end(why);
    };
    child.on('error', (error) => end(error.message));
    child.on('message', (message) => over || heard.message(message));
    child.on('exit', (code, signal) => {
      why = signal ?? `code ${code}`;
      ending();
    });
    child.on('disconnect', () => {
      heardAll = true;
      ending();
    });
    child.unref();
    child.channel?.unref();
    for (const message of early.splice(0)) send(message as object);
  };
  programEnvironment()
    .then(begin)
    .catch((error: unknown) => end(String(error)));
  return {
    send: (message) => (child ? send(message as object) : void early.push(message)),
    kill() {
      over = true;
      child?.kill('SIGKILL');
    },
  };
}
