import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { EXPORT_FORMATS } from '../library/export/types';
import type { ExitCode } from './exit';
import type { Cli, CommonFlags } from './flags';
import type { ExportFlags, ForkFlags, RepairFlags } from './histories';
import type { SearchFlags } from './search';

type Done = (command: Promise<ExitCode>) => Promise<void>;

// Loaded when one of these is run: the others must not wait for it.
const histories = () => import('./histories');
const searches = () => import('./search');

/** Commands that take runs out, bring them in, and make new ones of them. */
export function historyCommands(
  root: Command,
  cli: Cli,
  done: Done,
  withStoreFlags: (command: Command) => Command,
): void {
  withStoreFlags(root.command('export'))
    .argument('[id...]', 'the runs')
    .summary('write runs out as Markdown, HTML, JSON, journal or zip')
    .description(
      'Writes runs out, from their journals, and counts what was written against what is recorded. Of a damaged run:\nwhat is intact. Exit 1 if anything is missing.',
    )
    .addOption(
      new Option('--format <format>', 'default: what the name of the output says').choices([
        ...EXPORT_FORMATS,
      ]),
    )
    .requiredOption('--out <path>', 'a file; for several runs a folder, or a zip')
    .option('--all', 'every run of the store')
    .option('--no-tools', 'leave out what tools gave back')
    .option('--no-thinking', 'leave out thinking')
    .option('--redact', 'take out what looks like a key, and the keys that your settings know')
    .addOption(
      new Option('--attachments <where>', 'whole texts of clipped results')
        .choices(['inline', 'separate'])
        .default('inline'),
    )
    .option('--intact', 'journals of damaged runs end before the damage, so that they can be imported')
    .option('--overwrite', 'replace files that are there')
    .action(async (ids: string[], flags: ExportFlags) =>
      done((await histories()).exportCommand(cli, ids, flags)),
    );

  withStoreFlags(root.command('import'))
    .argument('<path...>', 'journals, folders of them, zips')
    .summary('take runs in')
    .description(
      'Takes in journals, folders of them and zips that "export" made. A run whose name is taken gets a new one; nothing is\noverwritten. What cannot be taken is told with its reason and stops nothing else; then the exit is 1.',
    )
    .action(async (paths: string[], flags: CommonFlags) =>
      done((await histories()).importCommand(cli, paths, flags)),
    );

  withStoreFlags(root.command('search'))
    .argument('<words...>', 'all of them must be in one text; "quoted" ones stand together')
    .summary('find words in every text of every run')
    .description(
      'Finds words in prompts, answers, thinking, inputs and outputs of tools, the newest run first, and prints where they\nstand. What changed since the last time is read first.',
    )
    .option('--run <id>', 'only in this run')
    .option('--limit <count>', 'most places to print (default: 20)', wholeNumber)
    .option('--cache <dir>', 'where the index is kept (default: your cache folder)')
    .action(async (words: string[], flags: SearchFlags) =>
      done((await searches()).searchCommand(cli, words, flags)),
    );

  withStoreFlags(root.command('fork'))
    .argument('<id>')
    .summary('make a new run from the beginning of another')
    .description(
      'Makes a new run from the beginning of another and prints its name. Its records are copied byte for byte; it is\nresumed like any other run. Without --at: the whole run.',
    )
    .option('--at <seq>', 'number of the last record to take', wholeNumber)
    .option('--to <url>', 'the store that gets the new run (default: the same)')
    .action(async (id: string, flags: ForkFlags) => done((await histories()).forkCommand(cli, id, flags)));

  withStoreFlags(root.command('repair'))
    .argument('<id>')
    .summary('cut a damaged run off before its damage')
    .description(
      'Shows what is wrong with a run and the bytes that a repair would cut. With --yes it cuts them, after keeping a copy\nof the whole file; damage inside, with more records after it, needs --inside as well.',
    )
    .option('--yes', 'do it')
    .option('--inside', 'also cut what stands after the damage')
    .action(async (id: string, flags: RepairFlags) =>
      done((await histories()).repairCommand(cli, id, flags)),
    );
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}
