import { existsSync, realpathSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { z } from '../../shared/zod';
import type { CommandOutput } from '../../shared/contract/contract';
import { Failure, isFailure } from '../../shared/run/failure';
import { closedTo, SAMPLE_NAME } from '../settings/own-folders';
import { folderId, isSameFolder } from '../tool/identity';
import type { Question } from './door';
import { questionOf } from './question';
import { SAMPLE_FILES } from './sample';
import { replaceFile } from '../settings/replace-file';
import { readState } from './state-file';

export interface FolderOptions {
  /** Where granted folders are remembered. */
  file: string;
  home: string;
  /** The folder that the sample is made in. */
  samples: string;
  /**
   * Folders below which the window's own picker may look and choose; undefined where a native dialog does that. Each of
   * `roots` may be chosen itself, `home` only what is below it.
   */
  picker: { roots: string[] } | undefined;
  /** Folders of Holdfast's own (runs, drafts, settings): no run works in them, so no tool changes them. */
  own(): string[];
  /** Asks the person, where no page can answer, whether runs may work in a folder that the window's picker chose. */
  confirm(question: Question): Promise<boolean>;
  /** What may be used is another now. */
  onChange?(): void;
}

const shape = z.object({
  folders: z.array(z.string()),
  /** Which folder each was when it was chosen, in the same order; earlier versions did not keep it. */
  ids: z.array(z.string()).optional(),
  revoked: z.array(z.string()).optional(),
});
const RECENT = 20;
const LISTED = 2_000;
const MOST_REVOKED = 200;

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

const outOfReach = (home: string) =>
  new Failure({
    code: 'forbidden',
    message: 'This folder can’t be chosen in the browser.',
    kept: 'Nothing was read.',
    todo: `Choose a folder inside ${home} that isn’t hidden, or start Holdfast with --folder and the path.`,
  });

const forbidden = (kept = 'Nothing was read.') =>
  new Failure({
    code: 'forbidden',
    message: 'This folder was not chosen by you.',
    kept,
    todo: 'Choose the folder again.',
  });

/** Where this machine noted that a run works, and which folder that was. */
export interface NotedFolder {
  folder?: string;
  folderId?: string;
}

async function isStill(real: string, noted: NotedFolder | undefined): Promise<boolean> {
  if (real !== noted?.folder) return false;
  const now = folderId(await lstat(real, { bigint: true }));
  return noted.folderId === undefined || isSameFolder(noted.folderId, now);
}

/** Undefined for what is not there. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The folders that runs may work in. A run reads what is in its folder and its tools act there, so which folders there
 * are is decided here: those that the person chose in a native dialog, or, on a door without one, below the home folder
 * (nothing hidden) and below the roots that the server was started with.
 */
export class Folders {
  #granted: string[];
  readonly #ids = new Map<string, string>();
  /** Asked for again, also by a run that works there already. */
  #revoked: string[];

  constructor(private readonly options: FolderOptions) {
    const read = shape.safeParse(readState(options.file));
    this.#granted = read.success ? read.data.folders.filter((folder) => isAbsolute(folder)) : [];
    this.#revoked = read.data?.revoked ?? [];
    for (const [n, folder] of (read.data?.folders ?? []).entries()) {
      const id = read.data?.ids?.[n];
      if (id) this.#ids.set(folder, id);
    }
  }

  /** The ones that were chosen and are still there, the last one first, and which of them is the sample. */
  recent(): { folders: string[]; sample?: string } {
    const folders = this.#granted.filter((folder) => existsSync(folder));
    const sample = folders.find((folder) => folder === realOf(this.#samplePath));
    return { folders, ...(sample !== undefined && { sample }) };
  }

  get #samplePath(): string {
    return join(this.options.samples, SAMPLE_NAME);
  }

  /** The person chose it, in a dialog that no page can press. */
  async grant(folder: string): Promise<string> {
    const real = await realpath(folder);
    this.#ids.set(real, folderId(await lstat(real, { bigint: true })));
    const known = this.#granted.includes(real) && !this.#revoked.includes(real);
    this.#granted = [real, ...this.#granted.filter((each) => each !== real)].slice(0, RECENT);
    this.#revoked = this.#revoked.filter((each) => each !== real);
    await this.#save();
    if (!known) this.options.onChange?.();
    return real;
  }

  /**
   * The real path of a folder that a window named for a run. `also`: the folder that the run works in already, while what
   * has its name is that very folder.
   * Throws `forbidden` and `not_found`.
   */
  async check(folder: string, also?: NotedFolder): Promise<string> {
    const real = await this.#real(folder);
    if (this.closed(real)) {
      throw new Failure({
        code: 'forbidden',
        message: 'Holdfast keeps its own things in this folder.',
        kept: 'Nothing was read.',
        todo: 'Choose another folder.',
      });
    }
    const taken = this.#revoked.includes(real);
    if ((!taken && (await isStill(real, also))) || (await this.#isGranted(real))) return real;
    if (!this.#pickable(real, true)) throw forbidden();
    await this.#ask(real);
    return this.grant(real);
  }

  /** Takes a folder back: the next run that is to work in it, also one that did, asks again. */
  async revoke(folder: string): Promise<boolean> {
    if (!this.#granted.includes(folder)) return false;
    this.#granted = this.#granted.filter((each) => each !== folder);
    this.#revoked = [folder, ...this.#revoked].slice(0, MOST_REVOKED);
    await this.#save();
    this.options.onChange?.();
    return true;
  }

  /** The folder that a run works in already: asks again when the person took it back. */
  async again(folder: string | undefined): Promise<void> {
    if (folder !== undefined && this.#revoked.includes(realOf(folder) ?? folder)) await this.check(folder);
  }

  /** Nothing to ask about a folder inside one that may be used. Throws `forbidden` when the person does not agree. */
  async #ask(real: string): Promise<void> {
    const roots = (this.options.picker?.roots ?? []).flatMap((root) => realOf(root) ?? []);
    const inside = this.#granted.filter((folder) => isInside(folder, real));
    const given = await Promise.all(inside.map((folder) => this.#isGranted(folder)));
    const covered = given.includes(true) || roots.some((root) => root === real || isInside(root, real));
    if (covered && !this.#revoked.includes(real)) return;
    const agreed = await this.options.confirm(
      questionOf(
        `Let runs work in “${basename(real)}”?`,
        [`Folder: ${real}`, 'Tools can read everything in it. They ask you before they change anything.'],
        'Allow',
      ),
    );
    if (agreed) return;
    throw new Failure({
      code: 'forbidden',
      message: `You did not allow runs to work in ${real}.`,
      kept: 'Nothing was read.',
      todo: 'Choose the folder again to be asked again, or choose another one.',
    });
  }

  /** As `check`, with which folder it is: what a run is given. */
  async granted(folder: string, also?: NotedFolder): Promise<{ folder: string; folderId: string }> {
    const real = await this.check(folder, also);
    const noted = (await isStill(real, also)) ? also?.folderId : undefined;
    const known = noted ?? this.#ids.get(real);
    return { folder: real, folderId: known ?? folderId(await lstat(real, { bigint: true })) };
  }

  /** The real path of a folder that the window's own picker chose to put files in; no run gets it by that. */
  async outlet(folder: string): Promise<string> {
    const real = await this.#real(folder);
    if (!this.#pickable(real, false) || this.closed(real)) throw forbidden('Nothing was written.');
    return real;
  }

  /** Whether a real path is among Holdfast's own things. */
  closed(real: string): boolean {
    return closedTo(this.options.own())(real);
  }

  /** Names of the folders inside one, for the window's own picker. Hidden ones, and links that lead out, are left out. */
  async list(path: string): Promise<CommandOutput<'folder.list'>> {
    if (!this.options.picker) {
      throw new Failure({
        code: 'unsupported',
        message: 'Folders are chosen in a dialog of the system here.',
      });
    }
    const home = realOf(this.options.home) ?? this.options.home;
    const typed = path.trim();
    const real = await this.#real(
      typed === '' ? home : /^~($|[\\/])/.test(typed) ? join(home, typed.slice(1)) : path,
    );
    const sample = realOf(this.#samplePath);
    const isSample = sample !== undefined && (real === sample || isInside(sample, real));
    if (!isSample && !this.#pickable(real, false)) throw outOfReach(this.options.home);
    const entries = await readdir(real, { withFileTypes: true }).catch(() => {
      throw new Failure({
        code: 'forbidden',
        message: 'This folder cannot be read.',
        todo: 'Choose another one.',
      });
    });
    const folders: string[] = [];
    let files = 0;
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) folders.push(entry.name);
      else if (entry.isFile()) files++;
      else if (entry.isSymbolicLink() && (await this.#leadsIn(join(real, entry.name))))
        folders.push(entry.name);
    }
    folders.sort((a, b) => a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' }));
    const above = dirname(real);
    const inReach = above !== real && (real === sample ? false : isSample || this.#pickable(above, false));
    // What has nothing to look at above it leads home, so that there is a way out of everything.
    const parent = inReach ? above : real === home ? undefined : home;
    return {
      path: real,
      ...(parent !== undefined && { parent }),
      folders: folders.slice(0, LISTED),
      files,
    };
  }

  /** The sample folder; made when it is not there, left alone when it is. */
  async sample(): Promise<string> {
    const folder = this.#samplePath;
    if (!existsSync(folder)) {
      await mkdir(folder, { recursive: true });
      for (const [name, text] of Object.entries(SAMPLE_FILES)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text, { flag: 'wx' });
      }
    }
    return this.grant(folder);
  }

  /** It was chosen, and what has its name now is what was chosen. */
  async #isGranted(real: string): Promise<boolean> {
    if (!this.#granted.includes(real)) return false;
    const now = folderId(await lstat(real, { bigint: true }));
    const then = this.#ids.get(real);
    if (then !== undefined && !isSameFolder(then, now)) return false;
    // Its device may be numbered anew, and what an earlier version kept has no identity yet.
    this.#ids.set(real, now);
    if (then !== now) await this.#save();
    return true;
  }

  async #save(): Promise<void> {
    const kept = {
      folders: this.#granted,
      ids: this.#granted.map((folder) => this.#ids.get(folder) ?? ''),
      ...(this.#revoked.length > 0 && { revoked: this.#revoked }),
    };
    await replaceFile(this.options.file, JSON.stringify(kept)).catch(() => undefined);
  }

  async #leadsIn(link: string): Promise<boolean> {
    try {
      const real = await realpath(link);
      return (await stat(real)).isDirectory() && this.#pickable(real, true);
    } catch {
      return false;
    }
  }

  async #real(folder: string): Promise<string> {
    if (!isAbsolute(folder) || folder.includes('\u0000')) throw forbidden();
    try {
      const real = await realpath(folder);
      if ((await stat(real)).isDirectory()) return real;
    } catch (error) {
      if (isFailure(error)) throw error;
    }
    throw new Failure({
      code: 'not_found',
      message: 'This folder is not there any more.',
      todo: 'Choose another one.',
    });
  }

  /** `choose`: to work in; else only to look at its names. */
  #pickable(real: string, choose: boolean): boolean {
    const { picker, home } = this.options;
    if (!picker) return false;
    const below = (root: string, itself: boolean) => {
      let way: string;
      try {
        way = relative(realpathSync(root), real);
      } catch {
        return false;
      }
      if (way === '') return itself;
      if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return false;
      return !way.split(sep).some((part) => part.startsWith('.'));
    };
    return below(home, !choose) || picker.roots.some((root) => below(root, true));
  }
}
