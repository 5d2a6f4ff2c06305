import { Failure } from '../../shared/run/failure';
import { looksLikeKey } from '../../shared/secret-text';
import type { SecretEntry } from '../../shared/contract/keys';
import { KeyDesk, keyUse } from '../app/keys';
import { loginUse } from '../journal/login';
import type { Keyring, SecretUse } from '../settings/secrets/keyring';
import { EXIT, type ExitCode } from './exit';
import type { Cli, CommonFlags } from './flags';
import { columns, jsonLine, oneLine } from './text';

export interface KeySetFlags extends Pick<CommonFlags, 'json'> {
  unencrypted?: boolean;
  token?: boolean;
}

/** The saved keys of this command, and the file that they are in. */
export interface CommandKeys {
  keyring: Keyring;
  file: string;
  env: NodeJS.ProcessEnv;
}

const deskOf = (cli: Cli, { keyring, file, env }: CommandKeys): KeyDesk =>
  new KeyDesk(keyring, file, env, async () => (await cli.profiles?.())?.profiles ?? []);

/** `keys`: without values. */
export async function keysCommand(cli: Cli, flags: Pick<CommonFlags, 'json'>): Promise<ExitCode> {
  const saved = await cli.keys();
  const { keyring } = saved;
  const { keys, file, problem } = await deskOf(cli, saved).list();
  if (flags.json) for (const key of keys) await cli.screen.out(`${jsonLine(key)}\n`);
  else if (keys.length > 0) await cli.screen.out(`${table(keys)}\n`);
  else if (!problem) cli.screen.err('no keys yet; save one with: holdfast keys set PROFILE\n');
  // Says why they can't be read.
  if (problem) await keyring.list();
  if (keys.some(({ where }) => where === 'disk'))
    cli.screen.err(`Saved keys are not encrypted. Only your account can read ${oneLine(file)}\n`);
  return EXIT.ok;
}

const table = (keys: readonly SecretEntry[]): string =>
  columns([
    ['SERVICE', 'KIND', 'ENDS IN', 'USED BY', 'FROM', 'ID'],
    ...keys.map(({ service, kind, hint, uses, where, id }) => [
      oneLine(service),
      kind,
      hint === '' ? '-' : oneLine(hint),
      uses.length === 0 ? '-' : uses.map(oneLine).join(', '),
      where === 'environment' ? 'environment' : 'file',
      oneLine(id),
    ]),
  ]);

/** `keys set NAME`: for a profile or a store. The value comes from the input or is typed unseen, and is in no argument. */
export async function setKeyCommand(cli: Cli, name: string, flags: KeySetFlags): Promise<ExitCode> {
  const use = await useOf(cli, name);
  const keys = await cli.keys();
  const what = use.kind === 'key' ? 'key' : flags.token ? 'token' : 'password';
  if (!(await mayKeep(cli, keys, what, flags))) {
    cli.screen.err('holdfast: nothing was saved\n');
    return EXIT.refused;
  }
  const value = await cli.screen.secret(
    `The ${what} for ${oneLine(use.service)} (you won't see what you type): `,
  );
  if (value === undefined || value.trim() === '')
    throw new Failure({
      code: 'bad_request',
      message: `No ${what} was entered.`,
      kept: 'Nothing was saved.',
    });
  const held = await deskOf(cli, keys).hold({
    kind: what,
    service: use.service,
    value: value.replace(/\r?\n$/, ''),
  });
  const entry = await keys.keyring.keep(held.id, use, 'disk');
  if (flags.json) await cli.screen.out(`${jsonLine(entry)}\n`);
  else
    cli.screen.err(
      `The ${what} for ${oneLine(use.service)}${entry.hint && `, which ends in ${oneLine(entry.hint)},`} is saved for ${oneLine(name)}.\n`,
    );
  return EXIT.ok;
}

/** `keys rm KEY…`: by id, or by the profile or store that uses it. */
export async function removeKeyCommand(cli: Cli, wanted: readonly string[]): Promise<ExitCode> {
  const { keyring } = await cli.keys();
  for (const word of wanted) {
    const found = (await keyring.list()).filter(({ id, uses }) => id === word || uses.includes(word));
    const [entry, ...more] = found;
    if (!entry)
      throw new Failure({
        code: 'not_found',
        message: looksLikeKey(word)
          ? 'There is no saved key with this id.'
          : `There is no saved key for "${oneLine(word)}".`,
        kept: 'The other keys are as they were. A variable of the environment is removed where it was set.',
        todo: '"holdfast keys" lists them.',
      });
    if (more.length > 0)
      throw new Failure({
        code: 'bad_request',
        message: `"${oneLine(word)}" uses ${found.length} keys.`,
        kept: 'Nothing was removed.',
        todo: `Name one by its id: ${found.map(({ id }) => id).join(', ')}.`,
      });
    await keyring.remove(entry.id);
    cli.screen.err(`The ${entry.kind} for ${oneLine(entry.service)} was removed.\n`);
  }
  return EXIT.ok;
}

async function useOf(cli: Cli, name: string): Promise<SecretUse> {
  // Whoever writes the key in place of the name must not find it in a message.
  if (looksLikeKey(name))
    throw new Failure({
      code: 'bad_request',
      message: 'This looks like a key. Other programs can see what is written on a command line.',
      kept: 'Nothing was saved.',
      todo: 'Name the profile; the key is asked for, or read from the input. If this was a real key, make a new one.',
    });
  const store = await cli.storeEntry?.(name);
  const profile = (await cli.profiles?.())?.profiles.find((one) => one.name === name);
  if (!profile && store) {
    const use = loginUse(store);
    if (use) return use;
  }
  if (!profile && store)
    throw new Failure({
      code: 'bad_request',
      message: 'A folder needs no password.',
      kept: 'Nothing was saved.',
    });
  const found = profile ?? (await cli.profile(name));
  const use = keyUse(found);
  if (!use)
    throw new Failure({
      code: 'bad_request',
      message: `"${oneLine(name)}" needs no key.`,
      kept: 'Nothing was saved.',
    });
  if (found.key_env !== undefined)
    throw new Failure({
      code: 'bad_request',
      message: `"${oneLine(name)}" takes its key from the environment variable ${found.key_env}.`,
      kept: 'Nothing was saved.',
      todo: 'Take key_env out of the profile to use a saved key.',
    });
  return use;
}

/** Asked once, like in the window: before the first secret is in a file that nothing encrypts. */
async function mayKeep(
  cli: Cli,
  { keyring, file }: CommandKeys,
  what: string,
  flags: KeySetFlags,
): Promise<boolean> {
  if (flags.unencrypted || (await keyring.list()).some(({ where }) => where === 'disk')) return true;
  if (!cli.screen.interactive) {
    cli.screen.err(
      `holdfast: the ${what} would be saved without encryption in ${oneLine(file)}, which only your account can read\n` +
        '  --unencrypted agrees to that; an environment variable works without saving anything\n',
    );
    return false;
  }
  cli.screen.err(
    `\nThe command can't use the keychain of your system. The ${what} would be saved without encryption in\n` +
      `    ${oneLine(file)}\nwhich only your account can read, and so can programs that you start.\n`,
  );
  for (;;) {
    const answer = await cli.screen.ask('Save it there? y or n: ');
    if (answer === undefined || /^no?$/i.test(answer.trim())) return false;
    if (/^y(es)?$/i.test(answer.trim())) return true;
  }
}
