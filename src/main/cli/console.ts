import { createInterface } from 'node:readline/promises';
import { Writable, type Readable } from 'node:stream';

/**
 * The terminal that a command talks to: results go to `out`, everything told along the way to `err`.
 *
 * Promises: a reader that went away (`holdfast ls | head`) never fails a command and never stops a run: what is
 * written after that is dropped, and `closed` says so; `ask` is only called when `interactive`.
 */
export interface Console {
  /** Somebody sits there: questions can be asked. */
  readonly interactive: boolean;
  /** Results and narration end on the same screen, so nothing should be told twice. */
  readonly oneScreen: boolean;
  /** Results are shown on a screen, which nothing raw may drive; else they are taken as they are. */
  readonly shown: boolean;
  readonly closed: boolean;
  out(text: string): Promise<void>;
  /** As `out`, with bytes. */
  bytes(bytes: Uint8Array): Promise<void>;
  err(text: string): void;
  /** One line that the person typed; `undefined` when the input ended or `signal` fired. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * A secret: typed at a terminal, where nothing of it is shown, or else the whole input. `undefined`: it was not entered.
   */
  secret(question: string): Promise<string | undefined>;
}

interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

const GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'EIO']);

export function processConsole({ stdin, stdout, stderr }: Streams = process): Console {
  let closed = false;
  let failure: Error | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (!GONE.has(error.code ?? '')) failure = error;
  });
  // Narration that nobody can read any more is no reason to stop.
  stderr.on('error', () => {});

  const write = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (closed) return failure ? reject(failure) : resolve();
      stdout.write(data, (error) => {
        if (error && !GONE.has((error as NodeJS.ErrnoException).code ?? '')) reject(error);
        else resolve();
      });
    });

  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    oneScreen: stdout.isTTY === true && stderr.isTTY === true,
    shown: stdout.isTTY === true,
    get closed() {
      return closed;
    },
    out: write,
    bytes: write,
    err: (text) => void stderr.write(text),
    async ask(question, signal) {
      const lines = createInterface({ input: stdin, output: stderr, terminal: true });
      // The person's Ctrl-C belongs to the run, not to the line editor.
      lines.on('SIGINT', () => process.emit('SIGINT'));
      try {
        const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
        const asked = lines.question(question, signal ? { signal } : {}).catch(() => undefined);
        return await Promise.race([asked, ended]);
      } finally {
        lines.close();
      }
    },
    async secret(question) {
      if (stdin.isTTY !== true) return everythingOf(stdin);
      stderr.write(question);
      // The line editor shows what is typed on its output, so it gets one that goes nowhere.
      const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
      const lines = createInterface({ input: stdin, output: unseen, terminal: true, historySize: 0 });
      try {
        return await new Promise<string | undefined>((resolve) => {
          lines.once('line', resolve);
          for (const end of ['close', 'SIGINT'] as const) lines.once(end, () => resolve(undefined));
        });
      } finally {
        lines.close();
        stderr.write('\n');
      }
    },
  };
}

/** Longer than any secret; whoever pipes in a disk gets an answer. Bytes. */
const MOST_INPUT = 100_000;

async function everythingOf(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    size += chunks.at(-1)!.length;
    if (size > MOST_INPUT) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
