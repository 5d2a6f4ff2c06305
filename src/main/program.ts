import { spawn } from 'node:child_process';
import { childEnvironment, type Environment } from './model/keys';
import { loadProfiles } from './settings/profiles';
import { loadStores } from './settings/stores';

/**
 * The one place that starts other programs: none of them gets a key of a model or a login of a store that any profile or
 * store names.
 */
export async function programEnvironment(env: Environment = process.env): Promise<Record<string, string>> {
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
