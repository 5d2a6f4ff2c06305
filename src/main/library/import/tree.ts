import { lstat, open, readdir } from 'node:fs/promises';
import { constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../../shared/run/failure';

export interface ReadLimits {
  /** Bytes; default: LARGEST_FILE. */
  most?: number;
  signal?: AbortSignal | undefined;
}

/** Files to import from: a folder's, a zip's, or a single one and what lies beside it. Names are relative, with `/`. */
export interface Tree {
  files: readonly { name: string; size: number }[];
  /** The one file that was meant; the others only lie beside it. */
  main?: string;
  /** Names that were given themselves: they are meant to be runs, whatever they are called. */
  given?: ReadonlySet<string>;
  /** Names that cannot be read, and why. */
  refused: readonly { name: string; failure: Failure }[];
  /** A file whole. `too_large`, `not_found`, `io`, `corrupt`, `cancelled`. */
  read(name: string, limits?: ReadLimits): Promise<Uint8Array>;
  close(): void;
}

/** Most bytes of one file. More would be no journal that could be opened. */
export const LARGEST_FILE = 1024 ** 3;
/** Most files of one import, and how deep folders are looked into. */
export const MOST_FILES = 200_000;
const DEEPEST = 6;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;

export const tooLarge = (name: string): Failure =>
  new Failure({
    code: 'too_large',
    message: `${name} is larger than a run can be.`,
    kept: 'Nothing of it was taken.',
  });

/** @throws Failure `not_found` */
export async function folderTree(path: string): Promise<Tree> {
  const files: { name: string; size: number }[] = [];
  const refused: Tree['refused'][number][] = [];
  const walk = async (under: string, depth: number): Promise<void> => {
    const entries = await readdir(join(path, under), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = under === '' ? entry.name : `${under}/${entry.name}`;
      // What was deleted stays deleted, and what is hidden is none of a person's runs; labels are.
      const skipped =
        entry.name === 'trash' || (entry.name.startsWith('.') && entry.name !== '.catalogue.jsonl');
      if (skipped || entry.isSymbolicLink()) continue;
      if (files.length >= MOST_FILES) return;
      if (entry.isDirectory() && depth < DEEPEST) await walk(name, depth + 1);
      if (entry.isFile()) files.push({ name, size: (await lstat(join(path, name))).size });
    }
  };
  await walk('', 0);
  return {
    files,
    refused,
    read: (name, limits) => readPlain(join(path, name), name, limits),
    close: () => undefined,
  };
}

/** One journal and the files beside it that carry its name. */
export async function fileTree(path: string): Promise<Tree> {
  const folder = dirname(path);
  const main = basename(path);
  const base = main.replace(/\.json$/, '');
  const files = [{ name: main, size: (await lstat(path)).size }];
  const beside = async (name: string): Promise<void> => {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found?.isFile()) files.push({ name, size: found.size });
  };
  if (base !== main) {
    for (const name of [`${base}.aux.jsonl`, `${base}.catalogue.jsonl`, '.catalogue.jsonl'])
      await beside(name);
    const kept = join(folder, `${base}.files`);
    const isFolder = await lstat(kept).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const texts = isFolder ? await readdir(kept).catch(() => []) : [];
    for (const name of texts) await beside(`${base}.files/${name}`);
  }
  return {
    files,
    main,
    refused: [],
    read: (name, limits) => readPlain(join(folder, name), name, limits),
    close: () => undefined,
  };
}

/**
 * Files that lie under names of ours and are called otherwise: what a window brought. Nothing is ever opened under a name
 * from outside. What a folder would not give (hidden, deleted) is left out.
 */
export function stagedTree(staged: readonly { name: string; path: string; size: number }[]): Tree {
  const paths = new Map<string, string>();
  const files: { name: string; size: number }[] = [];
  for (const { name, path, size } of staged) {
    if (isLeftOut(name) || paths.has(name)) continue;
    paths.set(name, path);
    files.push({ name, size });
  }
  return {
    files,
    given: new Set(files.map(({ name }) => name).filter((name) => !name.includes('/'))),
    refused: [],
    async read(name, limits) {
      const path = paths.get(name);
      if (path === undefined)
        throw new Failure({ code: 'not_found', message: `${name} did not come along.` });
      return readPlain(path, name, limits);
    },
    close: () => undefined,
  };
}

// What was deleted stays deleted, and what is hidden is none of a person's runs; labels are.
const isLeftOut = (name: string): boolean =>
  name
    .split('/')
    .some((part, n) => (n > 0 && part === 'trash') || (part.startsWith('.') && part !== '.catalogue.jsonl'));

async function readPlain(
  path: string,
  name: string,
  { most = LARGEST_FILE }: ReadLimits = {},
): Promise<Uint8Array> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    const found = await file.stat();
    if (!found.isFile()) throw new Failure({ code: 'io', message: `${name} is no file.` });
    if (found.size > most) throw tooLarge(name);
    return await file.readFile();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new Failure(
      { code: code === 'ENOENT' ? 'not_found' : 'io', message: `${name} cannot be read (${code}).` },
      { cause: error },
    );
  } finally {
    await file?.close();
  }
}
