import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure, asFailure } from '../../../shared/run/failure';
import { MARKER } from './layout';
import { errno, ioFailure, OPEN, PRIVATE_DIRECTORY, writeWhole } from './vfs';
import type { FileStat, Vfs } from './vfs';

/**
 * `ours`: has our marker. `empty`: there, with nothing in it, so it may become ours. `absent`: will be made when the
 * first run is. `foreign`: somebody else's files are in it. `unusable`: it cannot be read at all.
 */
type Kind = 'ours' | 'empty' | 'absent' | 'foreign' | 'unusable';

const MARKER_TEXT = 'Holdfast keeps runs in this folder. Without this file it would only read them.\n';

/**
 * The folder of a store. Only folders that Holdfast made, or found empty, are written to: others may belong to a
 * program whose locks do not exclude ours. Ours are for their owner only, and are made so if they are not.
 */
export class StoreDirectory {
  #kind: Kind = 'absent';
  #trouble: Failure | undefined;
  #path: string;

  /** @throws Failure `store_config` for a relative path and for the working directory */
  constructor(
    readonly vfs: Vfs,
    readonly given: string,
  ) {
    if (!isAbsolute(given)) throw badPath('A store needs the whole path of its folder.');
    this.#path = resolve(given);
    if (this.#path === process.cwd()) throw badPath('Runs are never kept in the working directory.');
    this.#look();
  }

  /** Absolute, links resolved once it exists: two names of one folder are one store. */
  get path(): string {
    return this.#path;
  }

  get writable(): boolean {
    this.#look();
    return this.#kind !== 'foreign' && this.#kind !== 'unusable';
  }

  /** Somebody else's files are in it. */
  get foreign(): boolean {
    this.#look();
    return this.#kind === 'foreign';
  }

  /** false: there is no folder yet, so there are no runs. Throws `store_unavailable` if it cannot be read. */
  get readable(): boolean {
    this.#look();
    if (this.#kind === 'unusable') throw this.#trouble!;
    return this.#kind !== 'absent';
  }

  /** Ready to be written to, or a Failure: `store_read_only`, `store_unsafe`, `store_unavailable`, `io`, `no_space`. */
  async prepare(): Promise<void> {
    this.#look();
    if (this.#kind === 'unusable') throw this.#trouble!;
    if (this.#kind === 'foreign') throw readOnly();
    try {
      if (this.#kind === 'absent') await this.#make();
      const stat = this.vfs.lstat(this.#path);
      if (stat !== undefined) await this.#tighten(stat);
      if (this.#kind === 'empty') await this.#mark();
    } catch (error) {
      throw ioFailure(error, 'prepare the folder of this store');
    }
  }

  async #make(): Promise<void> {
    await this.vfs.mkdir(this.#path, PRIVATE_DIRECTORY);
    await this.vfs.syncDirectory(dirname(this.#path));
    this.#look();
  }

  async #mark(): Promise<void> {
    try {
      const fd = await this.vfs.open(join(this.#path, MARKER), OPEN.make);
      try {
        await writeWhole(this.vfs, fd, Buffer.from(MARKER_TEXT));
        await this.vfs.syncAll(fd);
      } finally {
        await this.vfs.close(fd);
      }
      await this.vfs.syncDirectory(this.#path);
    } catch (error) {
      // Another process was first: the folder is ours all the same.
      if (errno(error) !== 'EEXIST') throw error;
    }
    this.#kind = 'ours';
  }

  /** What is in a run is for its owner's eyes: a folder that lets others in is closed to them, or not used. */
  async #tighten(stat: FileStat): Promise<void> {
    if (process.platform === 'win32' || (stat.mode & 0o077n) === 0n) return;
    const mine = Number(stat.uid) === process.geteuid?.();
    if (mine) {
      await this.vfs.chmod(this.#path, PRIVATE_DIRECTORY);
      const after = this.vfs.lstat(this.#path);
      if (after !== undefined && (after.mode & 0o077n) === 0n) return;
    }
    throw new Failure({
      code: 'store_unsafe',
      message: mine
        ? 'Other people can look into the folder of this store, and its file system does not let that be changed.'
        : 'The folder of this store belongs to somebody else and is open to others.',
      kept: 'Nothing was written there.',
      todo: 'Choose a folder of your own, or close this one to others (mode 0700).',
      data: { mode: (stat.mode & 0o777n).toString(8) },
    });
  }

  #look(): void {
    if (this.#kind === 'ours') return;
    try {
      this.#path = realpathSync(this.#path);
      if (this.vfs.look(join(this.#path, MARKER)) !== undefined) this.#kind = 'ours';
      else this.#kind = this.#isEmpty() ? 'empty' : 'foreign';
      this.#trouble = undefined;
    } catch (error) {
      this.#judge(error);
    }
  }

  /** The folder could not be looked into: it is not there yet, or it cannot be used. */
  #judge(error: unknown): void {
    this.#kind = 'unusable';
    this.#trouble = unavailable(error);
    if (errno(error) !== 'ENOENT') return;
    try {
      if (!this.#leadsNowhere()) this.#kind = 'absent';
    } catch (why) {
      this.#trouble = unavailable(why);
    }
  }

  /** A link on the way points to what is not there, as where a disk is missing: no reason to say that there are no runs. */
  #leadsNowhere(): boolean {
    let path = this.#path;
    let found = this.vfs.look(path);
    while (found === undefined && dirname(path) !== path) {
      path = dirname(path);
      found = this.vfs.look(path);
    }
    return found?.isSymbolicLink() === true && !existsSync(path);
  }

  #isEmpty(): boolean {
    return this.vfs.readdirNow(this.#path).every((name) => name === '.DS_Store');
  }
}

/** A store whose folder cannot be listed; an empty list would be a lie. */
export const unavailable = (error: unknown): Failure =>
  new Failure(
    {
      code: 'store_unavailable',
      message: `The folder of this store cannot be read (${errno(error) ?? asFailure(error).message}).`,
      kept: 'What is in it is untouched.',
      todo: 'Check that the disk is there and that you may read the folder.',
    },
    { cause: error },
  );

const readOnly = (): Failure =>
  new Failure({
    code: 'store_read_only',
    message: 'This folder was not made by Holdfast, so its runs are only read here.',
    kept: 'Nothing was changed.',
    todo: 'Continue the run in your own store: that copies it there first.',
  });

const badPath = (message: string): Failure =>
  new Failure({
    code: 'store_config',
    message,
    todo: 'Name a folder that is only for runs, by its whole path.',
  });
