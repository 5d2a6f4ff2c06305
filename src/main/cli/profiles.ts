import { open } from 'node:fs/promises';
import { Failure } from '../../shared/run/failure';
import { exportProfiles, importProfiles, type Imported } from '../app/profile-exchange';
import { keyUse } from '../app/keys';
import { endpointOf } from '../model/endpoint';
import { keyVariable } from '../model/keys';
import type { Profile } from '../settings/profile';
import { EXCHANGE_BYTES } from '../settings/profile-exchange';
import { BUILT_IN, saveProfile, saveUsual, type Profiles } from '../settings/profiles';
import { replaceFile } from '../settings/replace-file';
import { EXIT, type ExitCode } from './exit';
import type { Cli, CommonFlags } from './flags';
import { setKeyCommand } from './keys';
import { columns, jsonLine, oneLine, plural } from './text';

const all = async (cli: Cli): Promise<Profiles> => {
  const found = await cli.profiles?.();
  if (!found) throw new Failure({ code: 'unsupported', message: 'There is no file of profiles here.' });
  if (found.problem) throw found.problem;
  return found;
};

const inOrder = async (cli: Cli, profiles: readonly Profile[]): Promise<Profile[]> =>
  (await cli.used?.())?.order(profiles) ?? [...profiles];

const hostOf = (profile: Profile): string =>
  profile.provider === 'practice' ? '-' : endpointOf(profile).host;

/** `profiles`: in order of use. */
export async function profilesCommand(cli: Cli, flags: Pick<CommonFlags, 'json'>): Promise<ExitCode> {
  const { profiles, usual } = await all(cli);
  const rows = await inOrder(cli, profiles);
  if (flags.json)
    for (const profile of rows)
      await cli.screen.out(`${jsonLine({ ...profile, default: profile.name === usual })}\n`);
  else
    await cli.screen.out(
      `${columns([
        ['NAME', 'DEFAULT', 'SERVICE', 'MODEL'],
        ...rows.map((profile) => [
          oneLine(profile.name),
          profile.name === usual ? 'yes' : '-',
          oneLine(hostOf(profile)),
          oneLine(profile.model),
        ]),
      ])}\n`,
    );
  return EXIT.ok;
}

/** `profiles default NAME`. */
export async function defaultCommand(cli: Cli, name: string): Promise<ExitCode> {
  const { profiles, path } = await all(cli);
  if (!profiles.some((one) => one.name === name)) await cli.profile(name);
  await saveUsual(name, path);
  cli.screen.err(`New runs use ${oneLine(name)} from now on.\n`);
  return EXIT.ok;
}

/** `profiles export [NAME…]`: without names all that are not built in. */
export async function exportCommand(
  cli: Cli,
  names: readonly string[],
  flags: { out?: string },
): Promise<ExitCode> {
  const { profiles } = await all(cli);
  const own = profiles.filter((one) => !BUILT_IN.some(({ name }) => name === one.name));
  const wanted = names.length > 0 ? names : own.map(({ name }) => name);
  if (wanted.length === 0)
    throw new Failure({
      code: 'profile_unknown',
      message: 'You have no profiles yet that could be exported.',
    });
  const { keyring, env } = await cli.keys();
  const text = await exportProfiles(profiles, wanted, { keyring, env }, (await cli.parts()).secrets());
  if (flags.out === undefined) await cli.screen.out(text);
  else {
    await refuseExisting(flags.out);
    await replaceFile(flags.out, text);
    cli.screen.err(`${plural(wanted.length, 'profile')} written to ${oneLine(flags.out)}, without keys.\n`);
  }
  return EXIT.ok;
}

async function refuseExisting(path: string): Promise<void> {
  const found = await open(path, 'r').catch(() => undefined);
  if (!found) return;
  await found.close();
  throw new Failure({
    code: 'exists',
    message: `There is a file "${path}" already.`,
    kept: 'It was not replaced.',
    todo: 'Choose another name, or remove the file first.',
  });
}

/** `profiles import FILE`: asks before each that would talk to a service, since the file comes from elsewhere. */
export async function importCommand(cli: Cli, file: string, flags: { yes?: boolean }): Promise<ExitCode> {
  const { profiles, path } = await all(cli);
  const text = await boundedText(file);
  const sources = await cli.keys();
  let asked = true;
  const { imported, notes } = await importProfiles(text, profiles, sources, async (profile) => {
    if (!flags.yes && !(await mayImport(cli, profile))) {
      asked &&= cli.screen.interactive;
      throw new Failure({
        code: 'forbidden',
        message: cli.screen.interactive
          ? 'You did not agree to its address.'
          : 'It talks to a service, and nobody can be asked. --yes agrees to that.',
      });
    }
    await saveProfile(profile, undefined, path);
  });
  for (const note of notes) cli.screen.err(`holdfast: ${oneLine(note)}\n`);
  for (const one of imported) cli.screen.err(`${told(one)}\n`);
  for (const { name, missing, onlyVariable } of imported)
    if (name !== undefined && missing && !onlyVariable) await offerKey(cli, name);
  if (imported.every(({ name }) => name !== undefined)) return EXIT.ok;
  return asked ? EXIT.failed : EXIT.refused;
}

function told({ from, name, problem, missing, onlyVariable }: Imported): string {
  if (name === undefined) return `${oneLine(from)} was not imported: ${oneLine(problem ?? '')}`;
  const as = name === from ? '' : ` as ${oneLine(name)}, since that name was taken`;
  const key = missing
    ? onlyVariable
      ? `. Set the variable ${missing.variable ?? ''} to its key for ${oneLine(missing.service)}`
      : `. It needs a key for ${oneLine(missing.service)}`
    : '';
  return `${oneLine(from)} was imported${as}${key}.`;
}

async function mayImport(cli: Cli, profile: Profile): Promise<boolean> {
  if (!keyUse(profile)) return true;
  if (!cli.screen.interactive) return false;
  const variable = keyVariable(profile);
  const key = variable === undefined ? '' : `, with the key in the variable ${variable}`;
  return agreed(
    cli,
    `${oneLine(profile.name)} sends chats to ${oneLine(endpointOf(profile).origin)}${key}. Import it? y or n: `,
  );
}

async function offerKey(cli: Cli, name: string): Promise<void> {
  if (!cli.screen.interactive)
    cli.screen.err(`  Save its key with: holdfast keys set ${JSON.stringify(oneLine(name))}\n`);
  else if (await agreed(cli, `Enter the key for ${oneLine(name)} now? y or n: `))
    await setKeyCommand(cli, name, {});
}

async function agreed(cli: Cli, question: string): Promise<boolean> {
  for (;;) {
    const answer = await cli.screen.ask(question);
    if (answer === undefined || /^no?$/i.test(answer.trim())) return false;
    if (/^y(es)?$/i.test(answer.trim())) return true;
  }
}

/** Never more of a file than one may have; a pipe or a device may have no end. */
async function boundedText(path: string): Promise<string> {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(
      cause.code === 'ENOENT'
        ? { code: 'not_found', message: `There is no file "${path}".` }
        : { code: 'io', message: `"${path}" cannot be read (${cause.code ?? 'unknown'}).` },
      { cause },
    );
  });
  try {
    const bytes = Buffer.alloc(EXCHANGE_BYTES + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.toString('utf8', 0, length);
  } catch (cause) {
    throw new Failure({ code: 'io', message: `"${path}" cannot be read.` }, { cause });
  } finally {
    await file.close();
  }
}
