import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { asFailure } from '../../../shared/run/failure';
import { printable } from '../../../shared/run/transcript';
import type { App } from '../../app/app';
import type { Door, Question } from '../../app/door';
import { forgetRunning, noteRunning, runningLink } from '../../app/running';
import { startProgram } from '../../program';
import { folders } from '../../settings/paths';
import { visibleLine } from '../../app/question';
import { runOf } from '../named-run';
import { openInBrowser, type Opening } from './open';

import { openQuestions, type Questions } from './questions';
import { openBrowserDoor, type BrowserDoor } from './server';

export interface ServerOptions {
  argv: string[];
  /** Folder of the built window. */
  root: string;
  version: string;
  makeApp(door: Door, choice: { store: string | undefined; roots: string[] }): Promise<App>;
}

interface Flags {
  port: number;
  open: boolean;
  store?: string;
  folder: string[];
}

// Titles, addresses and errors have words of others in them; none of those drives the terminal.
const out = (text: string) => void process.stdout.write(`${printable(text)}\n`);
const err = (text: string) => void process.stderr.write(`${printable(text)}\n`);

/** Shows Holdfast in a browser until it is told to stop. Resolves to the exit code. */
export async function runServer(options: ServerOptions): Promise<number> {
  const flags = parse(options);
  if (typeof flags === 'number') return flags;
  // `npm start` beside a Holdfast that runs already: its window is what is wanted, not a second one.
  const running = flags.open && isPlain(flags) ? await runningLink() : undefined;
  if (running !== undefined) {
    out(`Holdfast is running already. Another link, good for one use: ${running}`);
    openInBrowser(running, folders().state, startProgram, { home: homedir() });
    return 0;
  }
  const terminal = new Terminal();
  let app: App | undefined;
  let door: BrowserDoor | undefined;
  let questions: Questions;
  let opening: Opening | undefined;
  /** A new link, in a file that only this user reads; unless it is quiet, the browser opens it. */
  const handOver = (quiet: boolean): Opening => {
    opening?.end();
    const start = quiet ? () => Promise.resolve() : startProgram;
    opening = openInBrowser(door?.link() ?? '', folders().state, start, { home: homedir() });
    return opening;
  };
  try {
    questions = await openQuestions({
      admits: (request) => door?.admits(request) ?? false,
      window: () => door?.port ?? 0,
      onChange: () => app?.asked(),
    });
    const made = await options.makeApp(
      {
        kind: 'browser',
        confirm: (question) => askEverywhere(questions, terminal, question),
        questions: () => questions.open(),
        decline: (id) => questions.decline(id),
      },
      { store: flags.store, roots: flags.folder },
    );
    app = made;
    door = await openBrowserDoor({
      root: options.root,
      port: flags.port,
      frames: questions.origins,
      again: (quiet) => handOver(quiet).file,
      onConnect: (port) => made.connect(port),
    });
  } catch (error) {
    err(`holdfast: ${told(error, flags.port)}`);
    terminal.close();
    return 1;
  }
  const shown = runOf(options.argv);
  if (shown !== '') app.focus(shown);
  const link = door.link();
  out(`Holdfast is open at ${link}`);
  noteRunning(door.port, isPlain(flags));
  if (flags.open) {
    try {
      opening = openInBrowser(link, folders().state, startProgram, { home: homedir() });
    } catch {
      // The printed link does it, too.
    }
  }
  terminal.onLine(() => out(`Another link, good for one use: ${door.link()}`));

  await new Promise<void>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());
  });
  forgetRunning(door.port);
  opening?.end();
  const pausing = app.live();
  // A terminal keeps what it shows, so the words of a private chat are not shown there.
  const names = pausing.map((run) => (run.private ? 'a private chat' : `“${visibleLine(run.title, 100)}”`));
  if (names.length > 0) err(`Pausing ${names.join(', ')} …`);
  await app.close();
  await questions.close();
  await door.close();
  terminal.close();
  return 0;
}

/** Nothing was chosen that another Holdfast would do differently. */
const isPlain = ({ port, store, folder }: Flags) => port === 0 && store === undefined && folder.length === 0;

function parse({ argv, version }: ServerOptions): Flags | number {
  const command = new Command('holdfast-serve')
    .description('Holdfast in your browser, on this machine only.')
    .version(version)
    .option('--port <number>', 'listen here instead of on any free port', portOf, 0)
    .option('--open', 'open it in your browser', false)
    .option('--store <url>', 'where runs are kept, such as file:DIR')
    .option('--run <id>', 'show this run first, with its store before a dot where that is not the usual one')
    .option(
      '--folder <dir>',
      'a folder outside your home folder that may be chosen in the window; may be given several times',
      (folder: string, all: string[]) => [...all, resolve(folder)],
      [] as string[],
    )
    .exitOverride();
  try {
    return command.parse(argv, { from: 'user' }).opts<Flags & { folder: string[] }>();
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number up to 65535.');
}

function told(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another one with --port.`;
  if (code === 'EACCES') return `port ${port} is not for you; choose another one with --port.`;
  const { message, todo } = asFailure(error);
  return [message, todo].filter(Boolean).join(' ');
}

/** In the window, and where Holdfast was started: whichever is answered first counts. */
async function askEverywhere(questions: Questions, terminal: Terminal, question: Question): Promise<boolean> {
  const over = new AbortController();
  const { message, detail } = question;
  const there = terminal.ask(`${message}\n${detail}`, over.signal);
  const here = questions.ask(question, over.signal);
  try {
    // A terminal that can't be asked says nothing.
    return await Promise.race([here, there.then((answer) => answer ?? here)]);
  } finally {
    over.abort();
  }
}

/** Milliseconds after which a question that nobody answers counts as no. */
const PATIENCE = 120_000;

/** Where the person started Holdfast: the one place that no page in the browser can press. */
class Terminal {
  readonly #lines: Interface | undefined;
  #question: ((answer: string | undefined) => void) | undefined;
  #other: (() => void) | undefined;
  #ended = false;

  constructor() {
    this.#lines = createInterface({ input: process.stdin });
    this.#lines.on('line', (line) => {
      const question = this.#question;
      this.#question = undefined;
      if (question) question(line);
      else this.#other?.();
    });
    this.#lines.on('close', () => {
      this.#ended = true;
      this.#question?.(undefined);
    });
  }

  /** A line that answers no question. */
  onLine(listener: () => void): void {
    this.#other = listener;
  }

  /** undefined: it can't be asked here, or was answered elsewhere. */
  async ask(text: string, over: AbortSignal): Promise<boolean | undefined> {
    if (this.#ended || this.#question) return undefined;
    out(`\n${text}\nAnswer in the window, or type "yes" and Enter here to allow it:`);
    const answer = await new Promise<string | undefined>((resolve) => {
      const end = (line: string | undefined) => {
        clearTimeout(timer);
        this.#question = undefined;
        resolve(line);
      };
      const timer = setTimeout(() => end(undefined), PATIENCE);
      this.#question = end;
      over.addEventListener('abort', () => this.#question === end && end(undefined), { once: true });
    });
    if (answer === undefined) return undefined;
    const yes = answer.trim().toLowerCase() === 'yes';
    out(yes ? 'Allowed.' : 'Not allowed.');
    return yes;
  }

  close(): void {
    this.#lines?.close();
    process.stdin.destroy();
  }
}
