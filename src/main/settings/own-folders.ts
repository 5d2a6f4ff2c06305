import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { folders } from './paths';

/** Files to try things on. They may lie among Holdfast's own, and still are for tools. */
export const SAMPLE_NAME = 'Holdfast sample';

/** Folders of this person's Holdfast: settings, runs and drafts, caches. */
export function ownFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const { state, config, cache } = folders(env);
  return [...new Set([state, config, cache])];
}

/** The folder that a store's address names; none for a store that is elsewhere. */
export const storeFolders = (...urls: (string | undefined)[]): string[] =>
  urls.flatMap((url) => (url?.startsWith('file:') ? [url.slice('file:'.length)] : []));

/** Whether a real path is one of the folders, or lies in one, as they are now. The sample folder does not count. */
export function closedTo(own: readonly string[]): (real: string) => boolean {
  const roots = own.map((folder) => {
    try {
      return realpathSync(folder);
    } catch {
      // It is not there yet; nothing can be in it before it is, and then it has this name.
      return folder;
    }
  });
  return (real) =>
    roots.some((root) => {
      const way = relative(root, real);
      if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return false;
      return way.split(sep)[0] !== SAMPLE_NAME;
    });
}
