import { lstat, realpath } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../shared/run/failure';
import { inFolder, isCode, locate, partsOf, shown, type Dir } from './folder';
import { stopIfAborted } from './stop';
import type { ToolContext } from './tool';

/** Entries below a folder that are looked at before it is moved or put away. */
const MOST = 200_000;

export const nothingChanged = (why: string) =>
  new Failure({ code: 'tool_failed', message: `Nothing was changed. ${why}` });

/** What is at a name itself, links not followed; undefined: nothing. */
export const lookAt = (dir: Dir, name: string): Promise<BigIntStats | undefined> =>
  lstat(dir.at(name), { bigint: true }).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  });

/**
 * Runs `use` with a plain file or a folder that may be moved or put away. A link is refused: whether it was meant or what it
 * leads to can't be told. So is a folder with Holdfast's own things anywhere in it.
 */
export async function withEntry<T>(
  context: ToolContext,
  path: string,
  use: (dir: Dir, name: string, stat: BigIntStats) => Promise<T>,
): Promise<T> {
  await refuseLink(context.folder, path);
  return inFolder(context, path, {}, async (dir, name) => {
    const stat = await lookAt(dir, name);
    if (!stat) throw nothingChanged(`There is no ${shown(path)}.`);
    if (!stat.isFile() && !stat.isDirectory())
      throw nothingChanged(`${shown(path)} is not a plain file or a folder.`);
    if (stat.isDirectory() && context.closed) await refuseOwn(dir, name, context.signal, { left: MOST });
    return use(dir, name, stat);
  });
}

/** The name itself must be no link; a link on the way to it may be followed, as long as it stays inside. */
async function refuseLink(folder: string | undefined, path: string): Promise<void> {
  const parts = partsOf(path);
  const last = parts.at(-1);
  if (folder === undefined || last === undefined) return;
  const above = await locate(folder, parts.slice(0, -1).join('/'));
  const stat = await lstat(join(await realpath(folder), ...above, last)).catch(() => undefined);
  if (stat?.isSymbolicLink()) throw nothingChanged(`${shown(path)} is a link: name what it leads to.`);
}

async function refuseOwn(
  dir: Dir,
  name: string,
  signal: AbortSignal,
  budget: { left: number },
): Promise<void> {
  const child = await dir.child(name);
  try {
    for (const entry of await child.entries(budget.left + 1)) {
      stopIfAborted(signal);
      if (budget.left-- <= 0) throw nothingChanged('There is too much in this folder to look through.');
      if (entry.kind === 'folder') await refuseOwn(child, entry.name, signal, budget);
      else child.check(entry.name);
    }
  } finally {
    await child.close();
  }
}

/** The last look: that it still is what was looked at. */
export async function sureOf(dir: Dir, name: string, was: BigIntStats, signal: AbortSignal): Promise<void> {
  stopIfAborted(signal);
  await dir.sure();
  const now = await lookAt(dir, name);
  if (now?.dev !== was.dev || now.ino !== was.ino)
    throw nothingChanged('Another program changed it meanwhile.');
}
