import { constants, existsSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { lstat, mkdir, open, opendir, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep, win32 } from 'node:path';
import { Failure } from '../../shared/run/failure';
import { folderId, isSameFolder } from './identity';
import type { ToolContext } from './tool';

/**
 * The fence around a run's folder. A name is resolved once to its real place, which must be inside; then the way there
 * is walked folder by folder with links refused, so that a link swapped in after the look cannot lead elsewhere.
 */

// Linux resolves names under /proc/self/fd/N relative to the opened folder itself: openat for those who have none.
const pinned = process.platform === 'linux' && existsSync('/proc/self/fd');
const noFollow = constants.O_NOFOLLOW ?? 0;
const onlyFolder = (constants.O_DIRECTORY ?? 0) | noFollow;
const noBlock = constants.O_NONBLOCK ?? 0;

export interface Entry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

/** Names that are asked of the system at once. */
const BATCH = 1024;

const kindOf = (item: Dirent): Entry['kind'] =>
  item.isDirectory() ? 'folder' : item.isFile() ? 'file' : item.isSymbolicLink() ? 'link' : 'other';

/** An opened folder inside the run's folder. Close it. */
export class Dir {
  private constructor(
    private readonly real: string,
    private readonly handle: FileHandle | undefined,
    private readonly closed: Place['closed'],
    /** Which folder this is. */
    readonly id: string,
  ) {}

  static async root({ folder, folderId: granted, closed }: Place): Promise<Dir> {
    if (folder === undefined)
      throw new Failure({
        code: 'tool_failed',
        message: 'No folder was chosen for this run, so there are no files to work on.',
      });
    const real = await realpath(folder);
    const dir = await Dir.open(real, real, closed);
    if (granted === undefined || isSameFolder(granted, dir.id)) return dir;
    await dir.close();
    throw replaced();
  }

  private static async open(path: string, real: string, closed: Place['closed']): Promise<Dir> {
    if (closed?.(real)) throw own();
    try {
      if (pinned) {
        const handle = await open(path, constants.O_RDONLY | onlyFolder);
        const stat = await handle.stat({ bigint: true });
        return new Dir(real, handle, closed, folderId(stat));
      }
      const stat = await lstat(path, { bigint: true });
      if (!stat.isDirectory() || (await realpath(path)) !== real) throw moved();
      return new Dir(real, undefined, closed, folderId(stat));
    } catch (error) {
      throw isCode(error, 'ELOOP') ? moved() : error;
    }
  }

  /** A path for `name` in this very folder, wherever the folder's own name points by now. */
  at(name: string): string {
    return this.handle ? `/proc/self/fd/${this.handle.fd}/${name}` : join(this.real, name);
  }

  /** The whole real path of `name`, for what works by names only. Call `sure(true)` right before. */
  path(name: string): string {
    return join(this.real, name);
  }

  /**
   * Where the system cannot work in an opened folder: that its name still leads to it, just before something changes.
   * `byName`: what comes works by names also where the system can do better.
   */
  async sure(byName = false): Promise<void> {
    if (this.handle && !byName) return;
    const stat = await lstat(this.real, { bigint: true });
    if (!isSameFolder(this.id, folderId(stat)) || (await realpath(this.real)) !== this.real) throw moved();
  }

  /** Throws where a file of this name is among Holdfast's own. */
  check(name: string): void {
    if (this.closed?.(join(this.real, name))) throw own();
  }

  async child(name: string): Promise<Dir> {
    return Dir.open(this.at(name), join(this.real, name), this.closed);
  }

  /** Opens a plain file in this folder, never through a link. The caller closes the handle. */
  async file(name: string, flags: number, mode = 0o644): Promise<FileHandle> {
    this.check(name);
    let handle: FileHandle;
    try {
      handle = await open(this.at(name), flags | noFollow | noBlock, mode);
    } catch (error) {
      throw isCode(error, 'ELOOP') ? moved() : error;
    }
    try {
      if (!(await handle.stat()).isFile())
        throw new Failure({ code: 'tool_failed', message: 'This is not a plain file.' });
      if (!pinned && (await realpath(join(this.real, name))) !== join(this.real, name)) throw moved();
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The first ones by name, in code-unit order. Other work goes on meanwhile, however many there are. */
  async entries(most: number): Promise<Entry[]> {
    let found: Entry[] = [];
    // Read in batches: most of them are sorted already when the next ones are sorted in.
    const firsts = () =>
      found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).slice(0, most);
    for await (const item of await opendir(this.at('.'), { bufferSize: BATCH })) {
      found.push({ name: item.name, kind: kindOf(item) });
      if (found.length >= most + BATCH) found = firsts();
    }
    return firsts();
  }

  async sync(): Promise<void> {
    await this.handle?.sync().catch(() => {});
  }

  async close(): Promise<void> {
    await this.handle?.close().catch(() => {});
  }
}

const moved = () =>
  new Failure({
    code: 'outside_folder',
    message: 'The way to this file changed while it was opened, or leads through a link out of the folder.',
  });
const replaced = () =>
  new Failure({
    code: 'outside_folder',
    message:
      'Another folder has taken the place of the one that this run was given, so nothing in it is read or changed.',
  });
const own = () =>
  new Failure({
    code: 'outside_folder',
    message: 'Holdfast keeps its own things in this folder, so no tool reads or changes anything in it.',
  });
const outside = (name: string) =>
  new Failure({ code: 'outside_folder', message: `${shown(name)} is not inside the run's folder.` });

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** A name as text that cannot disguise itself: control and direction characters are written as escapes. */
export function shown(name: string): string {
  return ODD.test(name) || name !== name.trim() ? JSON.stringify(name).replace(ODD_ALL, escaped) : name;
}
const ODD = /["\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u;
const ODD_ALL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;
const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Checks a name that a model gave and cuts it to its parts; `[]` is the folder itself. Looks at no file. */
export function partsOf(name: string): string[] {
  if (name.includes('\0'))
    throw new Failure({ code: 'outside_folder', message: 'A file name cannot hold a NUL character.' });
  const windows = process.platform === 'win32';
  const plain = windows ? name.replaceAll('\\', '/') : name;
  if (isAbsolute(name) || win32.parse(name).root.length > 1 || (windows && plain.includes(':')))
    throw new Failure({
      code: 'outside_folder',
      message: `${shown(name)} is not a name inside the run's folder: give it relative to the folder.`,
    });
  const normal = posix.normalize(plain === '' ? '.' : plain);
  if (normal === '..' || normal.startsWith('../')) throw outside(name);
  return normal.split('/').filter((part) => part !== '' && part !== '.');
}

/**
 * The real parts of a name: links inside the folder are followed, links out of it refused, and what does not exist yet
 * stays as it was named.
 */
export async function locate(folder: string, name: string): Promise<string[]> {
  const root = await realpath(folder);
  const parts = partsOf(name);
  for (let known = parts.length; known >= 0; known--) {
    let real: string;
    try {
      real = await realpath(join(root, ...parts.slice(0, known)));
    } catch (error) {
      if (!isCode(error, 'ENOENT') || known === 0) throw error;
      // A link that points to nothing exists as a link: writing through it would make the file it points to.
      if (await isLink(join(root, ...parts.slice(0, known)))) throw outside(name);
      continue;
    }
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) throw outside(name);
    return [...inside.split(sep).filter(Boolean), ...parts.slice(known)];
  }
  return parts;
}

const isLink = (path: string) =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

/** Where a tool works, and what it must leave alone there. */
export type Place = Pick<ToolContext, 'folder' | 'folderId' | 'closed'>;

/** Runs `use` in the folder that holds the last of `parts`, and closes every folder on the way. */
export async function inFolder<T>(
  place: Place,
  name: string,
  options: { create?: boolean; whole?: boolean },
  use: (dir: Dir, last: string, parts: string[]) => Promise<T>,
): Promise<T> {
  const root = await Dir.root(place);
  let dir = root;
  try {
    const parts = await locate(place.folder ?? '', name);
    const way = options.whole ? parts : parts.slice(0, -1);
    if (!options.whole && parts.length === 0)
      throw new Failure({ code: 'tool_input', message: 'This names the folder itself, not a file in it.' });
    for (const part of way) {
      if (options.create)
        await mkdir(dir.at(part)).catch((error: unknown) => {
          if (!isCode(error, 'EEXIST')) throw error;
        });
      const next = await dir.child(part);
      if (dir !== root) await dir.close();
      dir = next;
    }
    const last = parts.at(-1) ?? '';
    if (!options.whole) dir.check(last);
    return await use(dir, last, parts);
  } finally {
    if (dir !== root) await dir.close();
    await root.close();
  }
}
