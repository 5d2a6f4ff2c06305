import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from '../../shared/zod';
import { AGAIN_PATH } from '../../shared/contract/paths';
import { readState, replaceFileNow } from './state-file';
import { folders } from '../settings/paths';

const port = z.int().min(1).max(65_535);
const noted = z.object({
  /** Of the one that was started without choices of its own. */
  port: port.optional(),
  /** Of those that show another store, or listen where they were told to. */
  others: z.array(port).max(100).optional(),
});
type Noted = z.infer<typeof noted>;
const told = z.object({ file: z.string().max(4_096) });
/** Milliseconds that a Holdfast that runs has to answer. */
const PATIENCE = 2_000;

const noteFile = () => join(folders().state, 'browser-door.json');

const read = (): Noted => {
  const found = noted.safeParse(readState(noteFile()));
  return found.success ? found.data : {};
};

function write({ port: main, others = [] }: Noted): void {
  if (main === undefined && others.length === 0) rmSync(noteFile(), { force: true });
  else replaceFileNow(noteFile(), JSON.stringify({ port: main, others }));
}

const without = ({ port: main, others = [] }: Noted, gone: number): Noted => ({
  port: main === gone ? undefined : main,
  others: others.filter((other) => other !== gone),
});

/**
 * Remembers where this user's Holdfast is shown. `plain`: it was started without choices of its own, so a second start
 * shows it again. What can't be written is only a comfort.
 */
export function noteRunning(at: number, plain = true): void {
  try {
    const { port: main, others = [] } = without(read(), at);
    write(plain ? { port: at, others } : { port: main, others: [...others, at].slice(-100) });
  } catch {
    // The printed link does it.
  }
}

/** Forgets it, unless another one has taken its place. */
export function forgetRunning(at: number): void {
  try {
    write(without(read(), at));
  } catch {
    // Whoever asks for a link of it finds that nothing answers there.
  }
}

/** A new one-time link of the Holdfast that this user runs already; undefined when there is none. */
export async function runningLink(): Promise<string | undefined> {
  const { port: main } = read();
  return main === undefined ? undefined : linkAt(main);
}

/** The same of each that this user runs, whatever it was started with. */
export async function runningLinks(): Promise<string[]> {
  const { port: main, others = [] } = read();
  const ports = new Set([...(main === undefined ? [] : [main]), ...others]);
  const links = [];
  for (const at of ports) links.push(await linkAt(at));
  return links.filter((link) => link !== undefined);
}

/**
 * A new one-time link of the Holdfast at a noted port; undefined when none answers. What answers there must put the link
 * into a file of this user's: another program, or another user's Holdfast, can't.
 */
async function linkAt(at: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${at}${AGAIN_PATH}?quiet`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { file } = told.parse(JSON.parse(await shortText(answer)));
    const link = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}/.exec(readFileSync(file, 'utf8'))?.[0];
    return link !== undefined && new URL(link).port === String(at) ? link : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes that the other one's answer has at most; whatever answers in its place may send without end. */
const LONGEST_ANSWER = 64 * 1024;

/** @throws when there is more */
async function shortText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_ANSWER) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
