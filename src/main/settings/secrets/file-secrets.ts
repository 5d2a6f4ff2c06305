import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import lockfile from 'proper-lockfile';
import { dirname } from 'node:path';
import { isFailure } from '../../../shared/run/failure';
import { z } from '../../../shared/zod';
import { makeFolder } from '../make-folder';
import { replaceFile } from '../replace-file';
import {
  hintOf,
  timeBoxed,
  unavailable,
  unknownSecret,
  type NewSecret,
  type Protection,
  type SecretEntry,
  type SecretStore,
} from './secret-store';

/** What makes a secret unreadable for others on its way to the disk. */
export interface Seal {
  /** Told when the system does not answer: "The keychain of this computer". */
  readonly called: string;
  protection(): Promise<Protection>;
  seal(value: string): Promise<string>;
  /** `again`: the system wants it sealed anew, with a newer key of its own. */
  open(sealed: string): Promise<{ value: string; again: boolean }>;
}

/** No seal at all: the mode of the file is the protection. */
export const noSeal: Seal = {
  called: 'The file of keys',
  protection: async () => 'file',
  seal: async (value) => Buffer.from(value, 'utf8').toString('base64'),
  open: async (sealed) => ({ value: Buffer.from(sealed, 'base64').toString('utf8'), again: false }),
};

const kept = z.object({
  kind: z.enum(['key', 'password', 'token']),
  service: z.string(),
  uses: z.array(z.string()),
  hint: z.string().max(4),
  at: z.string(),
  sealed: z.string(),
});
type Kept = z.infer<typeof kept>;
const shape = z.object({ version: z.literal(1), secrets: z.record(z.string(), kept) });
type File = z.infer<typeof shape>;

export interface FileSecretsOptions {
  /** Milliseconds that the system may take for one secret: a person may have to type a password meanwhile. */
  limitMs?: number;
}

/** Secrets in one small file (0600), each sealed by itself; those of the session in memory. */
export class FileSecrets implements SecretStore {
  readonly writable = true;
  readonly #session = new Map<string, Omit<Kept, 'sealed'> & { value: string }>();
  readonly #limit: number;
  #last: Promise<unknown> = Promise.resolve();
  #protection: Promise<Protection> | undefined;

  constructor(
    private readonly path: string,
    private readonly seal: Seal,
    options: FileSecretsOptions = {},
  ) {
    this.#limit = options.limitMs ?? 20_000;
  }

  protection(): Promise<Protection> {
    this.#protection ??= this.#boxed(() => this.seal.protection()).catch((error: unknown) => {
      // Asked again the next time: a keychain may be unlocked meanwhile.
      this.#protection = undefined;
      throw error;
    });
    return this.#protection;
  }

  async list(): Promise<SecretEntry[]> {
    const { secrets } = await this.#read();
    return [
      ...Object.entries(secrets).map(([id, one]) => entryOf(id, one, 'disk')),
      ...[...this.#session].map(([id, one]) => entryOf(id, one, 'session')),
    ];
  }

  async get(id: string): Promise<string | undefined> {
    const mine = this.#session.get(id);
    if (mine) return mine.value;
    const found = (await this.#read()).secrets[id];
    if (!found) return undefined;
    const { value, again } = await this.#boxed(() => this.seal.open(found.sealed));
    // Sealing it anew is a comfort for later; the value is good, and the old seal stays while that fails.
    if (again) void this.change(id, { value }).catch(() => undefined);
    return value;
  }

  put(secret: NewSecret): Promise<SecretEntry> {
    const id = randomBytes(12).toString('hex');
    const { kind, service, uses, value } = secret;
    return this.#store(id, { kind, service, uses, value }, secret.keep);
  }

  change(id: string, to: Partial<Pick<NewSecret, 'value' | 'uses' | 'keep'>>): Promise<SecretEntry> {
    return this.#inTurn(async () => {
      const mine = this.#session.get(id);
      const old = mine ?? (await this.#read()).secrets[id];
      if (!old) throw unknownSecret();
      const keep = to.keep ?? (mine ? 'session' : 'disk');
      const uses = to.uses ?? old.uses;
      const value = to.value ?? mine?.value;
      if (keep === 'disk' && !mine && value === undefined) {
        // Only who uses it changed: a seal that cannot be opened now is no reason to refuse that.
        const next = { ...(old as Kept), uses };
        await this.#write((file) => void (file.secrets[id] = next));
        return entryOf(id, next, 'disk');
      }
      const { kind, service } = old;
      const known = value ?? (await this.get(id));
      if (known === undefined) throw unknownSecret();
      return this.#storeNow(id, { kind, service, uses, value: known }, keep);
    });
  }

  remove(id: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const was = this.#session.delete(id);
      if (!(id in (await this.#read()).secrets)) return was;
      await this.#write((file) => void delete file.secrets[id]);
      return true;
    });
  }

  #store(id: string, secret: Omit<NewSecret, 'keep'>, keep: NewSecret['keep']): Promise<SecretEntry> {
    return this.#inTurn(() => this.#storeNow(id, secret, keep));
  }

  async #storeNow(
    id: string,
    { value, ...rest }: Omit<NewSecret, 'keep'>,
    keep: NewSecret['keep'],
  ): Promise<SecretEntry> {
    const entry = { ...rest, hint: hintOf(value), at: new Date().toISOString() };
    if (keep === 'session') {
      if (id in (await this.#read()).secrets) await this.#write((file) => void delete file.secrets[id]);
      this.#session.set(id, { ...entry, value });
      return entryOf(id, entry, 'session');
    }
    const sealed = await this.#boxed(() => this.seal.seal(value));
    await this.#write((file) => void (file.secrets[id] = { ...entry, sealed }));
    this.#session.delete(id);
    return entryOf(id, entry, 'disk');
  }

  /** Writes of this process one after the other; those of others are kept out by a lock. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #write(edit: (file: File) => void): Promise<void> {
    let release: () => Promise<void>;
    try {
      makeFolder(dirname(this.path));
      release = await lockfile.lock(this.path, {
        realpath: false,
        stale: 10_000,
        retries: { retries: 20, minTimeout: 20, maxTimeout: 200 },
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ELOCKED')
        throw unavailable('Another program is changing the saved keys.', error);
      throw unavailable('The file of keys could not be written.', error, { path: this.path });
    }
    try {
      // On what is there now: another process may have written meanwhile, and an unreadable file stays as it is.
      const file = await this.#read();
      edit(file);
      await replaceFile(this.path, `${JSON.stringify(file, null, 2)}\n`);
    } catch (error) {
      if (isFailure(error)) throw error;
      throw unavailable('The file of keys could not be written.', error, { path: this.path });
    } finally {
      await release().catch(() => undefined);
    }
  }

  #read(): Promise<File> {
    return this.#boxed(() => this.#readNow());
  }

  async #readNow(): Promise<File> {
    const failed = (why: string, cause?: unknown) =>
      unavailable(`The saved keys cannot be read: ${why}.`, cause, { path: this.path });
    let text: string;
    try {
      const file = await open(this.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
      try {
        const { mode, uid } = await file.stat();
        if (process.getuid && uid !== process.getuid()) throw failed('the file belongs to another user');
        if (process.platform !== 'win32' && (mode & 0o077) !== 0) await file.chmod(0o600);
        text = await file.readFile('utf8');
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isFailure(error)) throw error;
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') return { version: 1, secrets: {} };
      throw failed(code === 'ELOOP' ? 'the file is a link' : (code ?? 'unknown error'), error);
    }
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch {
      // Without a cause: a parser quotes what it could not parse.
      throw failed('the file is damaged');
    }
    const checked = shape.safeParse(data);
    if (!checked.success) throw failed('the file is damaged, or a newer version of Holdfast wrote it');
    return checked.data;
  }

  async #boxed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await timeBoxed(this.#limit, this.seal.called, work);
    } catch (error) {
      if (isFailure(error)) throw error;
      throw unavailable(`${this.seal.called} refused.`, error);
    }
  }
}

function entryOf(
  id: string,
  { kind, service, uses, hint, at }: Omit<Kept, 'sealed'>,
  where: SecretEntry['where'],
): SecretEntry {
  return { id, kind, service, uses, hint, at, where };
}
