import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { asFailure, Failure } from '../../shared/run/failure';
import { EXIT, exitOfFailure } from './exit';
import type { CopyFlags } from './copy';
import type { ExitCode } from './exit';
import type { VerifyFlags } from './files';
import type { Cli, CommonFlags, ResumeFlags, RunFlags } from './flags';
import { historyCommands } from './history-commands';
import { settingsCommands } from './settings-commands';
import { jsonLine, oneLine } from './text';

const EXIT_CODES = `
Exit codes:
  0  done                            3  refused: a gate, or an outcome that nobody knows
  1  failed, or damage was found     4  another process writes the run
  2  the command makes no sense      5  no such run or file
  130, 143  stopped by Ctrl-C or SIGTERM; the run is paused and can be resumed
`;

/**
 * `holdfast …`: runs one command and gives its exit code. Never throws: failures are told on stderr (and with --json as
 * an object on stdout), with what was kept and what to do next.
 */
export async function holdfast(words: string[], cli: Cli): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  const done = (command: Promise<ExitCode>) => command.then((code) => void (exit = code));
  try {
    await program(cli, done).parseAsync(words, { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return tellFailure(asFailure(error), words.includes('--json'), cli);
  }
}

async function tellFailure(failure: Failure, json: boolean, { screen }: Cli): Promise<ExitCode> {
  screen.err(`holdfast: ${oneLine(failure.message)}\n`);
  for (const text of [failure.kept, failure.todo]) if (text) screen.err(`  ${oneLine(text)}\n`);
  if (json) await screen.out(`${jsonLine({ event: 'failed', failure })}\n`);
  return exitOfFailure(failure);
}

type Done = (command: Promise<ExitCode>) => Promise<void>;

// Each command loads what it needs: a list must not wait for the code that talks to model services.
const copies = () => import('./copy');
const files = () => import('./files');
const lists = () => import('./list');
const links = () => import('./link');
const runs = () => import('./runs');
const shows = () => import('./show');

function program(cli: Cli, done: Done): Command {
  const root = new Command('holdfast')
    .description('Chat with AI agents in runs that survive a crash at any instant.')
    .version(cli.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void cli.screen.out(text).catch(() => {}),
      writeErr: (text) => cli.screen.err(text),
    })
    .showHelpAfterError('(holdfast help tells more)')
    .addHelpText('after', EXIT_CODES);
  sessionCommands(root, cli, done);
  storeCommands(root, cli, done);
  historyCommands(root, cli, done, withStoreFlags);
  settingsCommands(root, cli, done);
  fileCommands(root, cli, done);
  windowCommands(root, cli, done);
  return root;
}

/** Commands that make something happen in a run. */
function sessionCommands(root: Command, cli: Cli, done: Done): void {
  withSession(root.command('run'))
    .argument('<prompt>', 'what to do; "-" reads it from the input')
    .summary('start a run')
    .description(
      'Starts a run, tells it on stderr and prints its answer on stdout. What changes something asks first; without a\nterminal it is not allowed unless --allow names it.',
    )
    .option('--chat', 'a chat that goes on with "say", instead of one answer')
    .option('--private', 'write nothing, nowhere')
    .option('--id <id>', 'name the run')
    .action(async (prompt: string, flags: RunFlags) =>
      done((await runs()).runCommand(cli, await textOf(prompt), flags)),
    );

  withResume(root.command('say'))
    .argument('<id>')
    .argument('<text>', 'the next message of a chat; "-" reads it from the input')
    .summary('go on with a chat')
    .description('Finishes what is pending in a chat, adds a message and prints the answer.')
    .action(async (id: string, text: string, flags: ResumeFlags) =>
      done((await runs()).resumeCommand(cli, id, flags, await textOf(text))),
    );

  withResume(root.command('resume'))
    .argument('<id>')
    .summary('go on where a run stopped')
    .description(
      'Goes on where a run stopped: nothing that is recorded is paid or run again. Every gate is checked first; what\nchanged since is shown and stops it unless --force is given.',
    )
    .action(async (id: string, flags: ResumeFlags) => done((await runs()).resumeCommand(cli, id, flags)));

  withSession(root.command('continue'))
    .argument('<id>')
    .summary('continue a run in a new one')
    .description(
      'Starts a new run with an excerpt of this one, which stays as it is: for a model of another service, which cannot\nread what this run recorded, or for a conversation that became too long.',
    )
    .option('--accept-endpoint', 'send the excerpt to another address than before')
    .action(async (id: string, flags: ResumeFlags) =>
      done((await import('./continue')).continueCommand(cli, id, flags)),
    );

  withProfile(root.command('preflight'))
    .argument('<id>')
    .summary('show what a resume would do')
    .description(
      'Shows the gates, what changed and what would run. Changes nothing. Exit 3 if a gate refuses.',
    )
    .option('--force', 'judge as if --force were given')
    .action(async (id: string, flags: ResumeFlags) => done((await runs()).preflightCommand(cli, id, flags)));
}

/** Commands on a store. */
function storeCommands(root: Command, cli: Cli, done: Done): void {
  withStoreFlags(root.command('ls'))
    .summary('list the runs')
    .description('Lists every run, the latest first. Damaged ones are listed with their reason.')
    .option('--trash', 'list what "rm" moved aside')
    .action(async (flags: CommonFlags & { trash?: boolean }) =>
      done((await lists()).listCommand(cli, flags)),
    );

  withStoreFlags(root.command('show'))
    .argument('<run>', 'the name of a run, or a journal file')
    .summary('print a run')
    .description('Prints a run as plain text. Needs no profile, no key and no folder.')
    .action(async (what: string, flags: CommonFlags) => done((await shows()).showCommand(cli, what, flags)));

  withStoreFlags(root.command('rm'))
    .argument('<id...>')
    .summary('move runs to the trash')
    .description('Moves runs to the trash, from where "restore" brings them back.')
    .option('--purge', 'delete for good, from the trash or the store')
    .action(async (ids: string[], flags: CommonFlags & { purge?: boolean }) =>
      done((await lists()).removeCommand(cli, ids, flags)),
    );

  root
    .command('copy')
    .argument('<id>')
    .summary('copy a run into another store')
    .description(
      'Copies a run byte for byte and compares the copy. Refused when the other store has the run already. A store is\nits address (file:DIR, nats://host:port/STREAM), a name out of your file of stores, or "default".',
    )
    .option('--from <store>', 'where the run is (default: your own runs folder)')
    .option('--to <store>', 'where it is copied to (default: your own runs folder)')
    .option('--as <id>', 'name the copy')
    .option('--json', 'a JSON object on stdout')
    .action(async (id: string, flags: CopyFlags) => done((await copies()).copyCommand(cli, id, flags)));

  withStoreFlags(root.command('restore'))
    .argument('<id...>')
    .summary('bring runs back from the trash')
    .action(async (ids: string[], flags: CommonFlags) =>
      done((await lists()).restoreCommand(cli, ids, flags)),
    );
}

/** Commands on the Holdfast that is open. */
function windowCommands(root: Command, cli: Cli, done: Done): void {
  root
    .command('link')
    .summary('open Holdfast in your browser again')
    .description(
      'Prints a new link to the Holdfast that is open in your browser, for when its page was closed or is no longer signed\nin. Each link works once.',
    )
    .action(async () => done((await links()).linkCommand(cli)));
}

/** Commands on journal files. They need no store. */
function fileCommands(root: Command, cli: Cli, done: Done): void {
  root
    .command('fold')
    .argument('<path...>', 'journal files, or folders of them')
    .summary('print what journals amount to')
    .description(
      'One JSON line for each file: {"file","state"} with "warnings" if there are any, or {"file","error","detail"}.\nThe files of a folder come in name order under their own names, without what lies beside journals.',
    )
    .option('--json', 'the output always is JSON')
    .action(async (paths: string[]) => done((await files()).foldCommand(paths, cli.screen)));

  root
    .command('recode')
    .argument('<file>', 'a journal file')
    .summary('decode and encode every line')
    .action(async (path: string) => done((await files()).recodeCommand(path, cli.screen)));

  root
    .command('verify')
    .argument('<path...>', 'journal files, or folders of them')
    .summary('check journals for damage')
    .description(
      'For each file: ok, torn (an unfinished end, as a crash leaves it), corrupt, or unreadable, with line and byte.\nExit 1 if any is corrupt or unreadable.',
    )
    .option(
      '--schema',
      'also hold every record against the published schema of its kind; exit 1 if one differs',
    )
    .option('--json', 'one JSON object a line')
    .action(async (paths: string[], flags: VerifyFlags) =>
      done((await files()).verifyCommand(paths, flags, cli.screen)),
    );
}

const withStoreFlags = (command: Command): Command =>
  command
    .option(
      '--store <url>',
      'where runs are: file:DIR, nats://host:port/STREAM or a name out of your stores (default: your own runs folder)',
    )
    .option('--json', 'JSON on stdout, one object a line');

const withProfile = (command: Command): Command =>
  withStoreFlags(command)
    .option('--profile <name>', 'the profile to run with')
    .option('--folder <dir>', 'the folder that tools work in');

const withSession = (command: Command): Command =>
  withProfile(command).option(
    '--allow <tools>',
    'tools that may change things without asking: tool,tool',
    names,
  );

const withResume = (command: Command): Command =>
  withSession(command)
    .option('--force', 'go on although prompt, tools, model or limits changed')
    .addOption(
      new Option('--unknown <what>', 'for a tool that started and never answered').choices(['run', 'skip']),
    )
    .option('--accept-endpoint', 'send the conversation to another address than before');

function names(text: string): string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.some((name) => name === ''))
    throw new InvalidArgumentError('Expected names with commas between them.');
  return list;
}

/** A text argument; `-` stands for the whole input. */
async function textOf(argument: string): Promise<string> {
  const text = argument === '-' ? (await input()).replace(/\r?\n$/, '') : argument;
  if (text.trim() !== '') return text;
  throw new Failure({
    code: 'bad_request',
    message: 'There is nothing to say: the text is empty.',
    kept: 'Nothing was begun.',
    todo: 'Say what is to be done.',
  });
}

async function input(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
