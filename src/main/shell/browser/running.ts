import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from '../../../shared/zod';
import { AGAIN_PATH } from '../../../shared/contract/paths';
import { readState, replaceFileNow } from '../../app/state-file';
import { folders } from '../../settings/paths';

const noted = z.object({ port: z.int().min(1).max(65_535) });
const told = z.object({ file: z.string().max(4_096) });
/** Milliseconds that a Holdfast that runs has to answer. */
const PATIENCE = 2_000;

const noteFile = () => join(folders().state, 'browser-door.json');

const notedPort = (): number | undefined => {
  const read = noted.safeParse(readState(noteFile()));
  return read.success ? read.data.port : undefined;
};

/** Remembers where this user's Holdfast is shown. What can't be written is only a comfort. */
export function noteRunning(port: number): void {
  try {
    replaceFileNow(noteFile(), JSON.stringify({ port }));
  } catch {
    // The printed link does it.
  }
}

/** Forgets it, unless another one has taken its place. */
export function forgetRunning(port: number): void {
  if (notedPort() === port) rmSync(noteFile(), { force: true });
}

/**
 * A new one-time link of the Holdfast that this user runs already; undefined when there is none. What answers at the noted
 * port must put the link into a file of this user's: another program, or another user's Holdfast, can't.
 */
export async function runningLink(): Promise<string | undefined> {
  const port = notedPort();
  if (port === undefined) return undefined;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${AGAIN_PATH}?quiet`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { file } = told.parse(await answer.json());
    const link = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}/.exec(readFileSync(file, 'utf8'))?.[0];
    return link !== undefined && new URL(link).port === String(port) ? link : undefined;
  } catch {
    return undefined;
  }
}
