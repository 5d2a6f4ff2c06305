import { spawn } from 'node:child_process';
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
