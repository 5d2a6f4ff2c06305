import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MARKER } from '../journal/file/layout';
import { folders } from './paths';

/** Files to try things on. They may lie among Holdfast's own, and still are for tools. */
export const SAMPLE_NAME = 'Holdfast sample';

/** Folders of this person's Holdfast: settings, runs and drafts, caches. */
export function ownFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const { state, config, cache } = folders(env);
  return [...new Set([state, config, cache])];
}

/** The folder that a store's address names, in each way to write it; undefined for a store that is elsewhere. */
export function folderOf(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:')) return undefined;
  const rest = url.slice('file:'.length);
  try {
    return rest.startsWith('//') ? fileURLToPath(url) : resolve(rest);
  } catch {
    // Not a file URL of this machine.
    return undefined;
  }
}

export const storeFolders = (...urls: (string | undefined)[]): string[] =>
  urls.flatMap((url) => folderOf(url) ?? []);

/** Every folder that Holdfast keeps runs in has this file, whether or not a list of stores names it. */
const hasMarker = (folder: string): boolean => existsSync(join(folder, MARKER));

/**
 * Whether a real path is one of the folders or files, lies in one, or in any folder that Holdfast keeps runs in, as they
 * are now. The sample folder does not count. `also`: what else is closed.
 */
export function closedTo(
  own: readonly string[],
  also?: (real: string) => boolean,
): (real: string) => boolean {
  const roots = own.map((folder) => {
    try {
      return realpathSync(folder);
    } catch {
      // It is not there yet; nothing can be in it before it is, and then it has this name.
      return folder;
    }
  });
  const marked = new Map<string, boolean>();
  const isStore = (folder: string): boolean => {
    let found = marked.get(folder);
    if (found === undefined) {
      const above = dirname(folder);
      found = hasMarker(folder) || (above !== folder && isStore(above));
      marked.set(folder, found);
    }
    return found;
  };
  return (real) =>
    isStore(real) ||
    also?.(real) === true ||
    roots.some((root) => {
      const way = relative(root, real);
      if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return false;
      return way.split(sep)[0] !== SAMPLE_NAME;
    });
}
