import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ExportFormat } from '../../../shared/contract/moving';
import { Failure } from '../../../shared/run/failure';
import { outFailure } from '../../library/export/file-out';
import { safeFileName } from '../../library/export/names';
import type { Door } from '../door';
import type { Folders } from '../folders';

/** Where an export goes: a file, or for several runs a folder. */
export interface Place {
  path: string;
  /** The person agreed, outside the page, that a file there is replaced. */
  overwrite: boolean;
}

export const ENDINGS: Record<ExportFormat, string> = {
  md: '.md',
  html: '.html',
  json: '.state.json',
  journal: '.json',
  zip: '.zip',
};

/** Whether several files, or one, will be written. */
export const intoFolder = (format: ExportFormat, runs: number): boolean => format !== 'zip' && runs > 1;

const MOST_OPEN = 8;

/**
 * Where exports may be written is decided outside the page: at the place that the person chose in a dialog of the system,
 * once; or, on a door without dialogs, in a folder that the window's own picker may choose, under a name that was made
 * harmless, and never over a file that is there.
 */
export class Places {
  readonly #chosen = new Map<string, Place & { many: boolean }>();
  #asking = false;

  constructor(
    private readonly door: Door,
    private readonly folders: Folders,
    private readonly home: string,
  ) {}

  /** Where the window's own picker begins; absent where dialogs of the system choose. */
  get start(): string | undefined {
    if (this.door.saveTo) return undefined;
    return (
      ['Downloads', 'Documents'].map((name) => join(this.home, name)).find((path) => existsSync(path)) ??
      this.home
    );
  }

  /** Asks with a dialog of the system. `place` is empty when it was dismissed. */
  async choose(name: string, format: ExportFormat, many: boolean): Promise<{ place: string; path: string }> {
    const { door } = this;
    if (!door.saveTo || !door.pickFolder)
      throw new Failure({ code: 'unsupported', message: 'This door has no dialog of the system.' });
    if (this.#asking)
      throw new Failure({
        code: 'busy',
        message: 'A dialog is open already.',
        kept: 'Nothing was written.',
        todo: 'Answer that one first.',
      });
    this.#asking = true;
    let path: string;
    try {
      path = many ? await door.pickFolder() : await door.saveTo(fileName(name, format));
    } finally {
      this.#asking = false;
    }
    if (path === '') return { place: '', path: '' };
    const place = randomBytes(18).toString('base64url');
    this.#chosen.set(place, { path: await this.#real(path, many), overwrite: !many, many });
    const [oldest] = this.#chosen.keys();
    if (this.#chosen.size > MOST_OPEN && oldest !== undefined) this.#chosen.delete(oldest);
    return { place, path };
  }

  /** The place that the person chose; it is used up by this. `forbidden`. */
  take(place: string, many: boolean): Place {
    const chosen = this.#chosen.get(place);
    this.#chosen.delete(place);
    if (!chosen || chosen.many !== many) throw notChosen();
    return chosen;
  }

  /** A place below a folder that the window may choose. `forbidden`, `not_found`. */
  async below(folder: string, name: string, format: ExportFormat, many: boolean): Promise<Place> {
    if (this.door.saveTo) throw notChosen();
    const real = await this.folders.outlet(folder);
    return { path: many ? real : join(real, fileName(name, format)), overwrite: false };
  }

  /** The path with its links followed, outside of what is Holdfast's own. */
  async #real(path: string, folder: boolean): Promise<string> {
    const real = await (
      folder ? realpath(path) : realpath(dirname(path)).then((at) => join(at, basename(path)))
    ).catch((error: unknown) => {
      throw outFailure(error, path);
    });
    if (this.folders.closed(real))
      throw new Failure({
        code: 'forbidden',
        message: 'Holdfast keeps its own things in this folder.',
        kept: 'Nothing was written.',
        todo: 'Choose another folder.',
      });
    return real;
  }
}

/** A harmless name with the format's own ending, once. */
function fileName(name: string, format: ExportFormat): string {
  const ending = ENDINGS[format];
  return `${safeFileName(name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name)}${ending}`;
}

const notChosen = (): Failure =>
  new Failure({
    code: 'forbidden',
    message: 'This place was not chosen by you.',
    kept: 'Nothing was written.',
    todo: 'Choose where to save it again.',
  });
