import type { Command } from 'commander';
import type { ExitCode } from './exit';
import type { Cli, CommonFlags } from './flags';
import type { KeySetFlags } from './keys';

type Done = (command: Promise<ExitCode>) => Promise<void>;

const keys = () => import('./keys');
const profiles = () => import('./profiles');

/** Commands on keys and profiles. */
export function settingsCommands(root: Command, cli: Cli, done: Done): void {
  const of = root
    .command('keys')
    .summary('list, save and remove keys')
    .description('Lists the keys by service, each with its last four characters. Never prints a key.')
    .option('--json', 'one JSON object a line')
    .action(async (flags: CommonFlags) => done((await keys()).keysCommand(cli, flags)));
  of.command('set')
    .argument('<name>', 'a profile, or a store that needs a password or token')
    .summary('save a key')
    .description(
      'Saves a key. You type it at the terminal, where it is not shown, or it is read from the input. Never write a key on\na command line: other programs can see it there.',
    )
    .option('--token', 'for a store: a token, instead of a password')
    .option('--unencrypted', 'save it in a file that only your account can read, without asking')
    .option('--json', 'a JSON object on stdout')
    .action(async (name: string, flags: KeySetFlags) =>
      done((await keys()).setKeyCommand(cli, name, { ...of.opts<CommonFlags>(), ...flags })),
    );
  of.command('rm')
    .argument('<key...>', 'ids, or what uses the key')
    .summary('remove saved keys')
    .action(async (wanted: string[]) => done((await keys()).removeKeyCommand(cli, wanted)));

  const list = root
    .command('profiles')
    .summary('list, export and import profiles, and choose the default')
    .description('Lists the profiles, the one that was used last first, and which one new runs use.')
    .option('--json', 'one JSON object a line')
    .action(async (flags: CommonFlags) => done((await profiles()).profilesCommand(cli, flags)));
  list
    .command('default')
    .argument('<name>', 'a profile')
    .summary('choose the profile that new runs use')
    .action(async (name: string) => done((await profiles()).defaultCommand(cli, name)));
  list
    .command('export')
    .argument('[name...]', 'profiles; without, all that you made')
    .summary('write profiles as YAML, without keys')
    .description('Writes profiles as YAML. The file names the keys that they need, and has none of them.')
    .option('--out <path>', 'a new file; without, stdout')
    .action(async (names: string[], flags: { out?: string }) =>
      done((await profiles()).exportCommand(cli, names, flags)),
    );
  list
    .command('import')
    .argument('<file>', 'a file that "profiles export" or the window wrote')
    .summary('add profiles from such a file')
    .description(
      'Adds the profiles of a file, each under a free name. Asks before each that talks to a service, says which keys are\nmissing, and offers to enter them.',
    )
    .option('--yes', 'import without asking')
    .action(async (file: string, flags: { yes?: boolean }) =>
      done((await profiles()).importCommand(cli, file, flags)),
    );
}
