import type { Command } from 'commander';
import type { ExitCode } from './exit';
import type { Cli, CommonFlags } from './flags';
import type { KeySetFlags } from './keys';

type Done = (command: Promise<ExitCode>) => Promise<void>;

const keys = () => import('./keys');

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
}
