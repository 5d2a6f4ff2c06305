import { Failure } from '../../../shared/run/failure';
import { LONGEST_SECRET } from '../../../shared/contract/keys';
import { bareSecret, keyProblem } from '../../../shared/secret-text';
import type { NewSecret, SecretEntry, SecretKind, SecretStore } from './secret-store';

/** Who asks for a secret, and where it would go. */
export interface SecretUse {
  kind: SecretKind | 'login';
  service: string;
  /** Of the profile or store. */
  name: string;
}

const MOST_HELD = 50;

/**
 * The saved secrets, as the rest of the program uses them. A secret goes only to the service that it was entered for, and
 * only for a profile or store that uses it. Values that were read stay in the memory of the main process, so that
 * whatever is written or shown can be searched for them.
 */
export class Keyring {
  readonly #values = new Map<string, string>();
  /** Values that were in use in this process, also after they were replaced: an old key may still be in a text. */
  readonly #seen = new Set<string>();
  #entries: SecretEntry[] = [];
  #warm: Promise<void> | undefined;

  constructor(readonly store: SecretStore) {}

  /** Reads what is saved, so that it is known to whoever must hide it. Never rejects; bounded by the store's limit. */
  warm(): Promise<void> {
    this.#warm ??= (async () => {
      for (const { id, where } of await this.list()) {
        if (where === 'environment') continue;
        await this.valueOf(id).catch(() => undefined);
      }
    })().catch(() => undefined);
    return this.#warm;
  }

  /** Every secret value that this process has seen. */
  known(): string[] {
    return [...this.#seen];
  }

  async list(): Promise<SecretEntry[]> {
    this.#entries = await this.store.list();
    return this.#entries;
  }

  /** `secrets_unavailable` when it cannot be read now; `not_found` when it is gone. */
  async valueOf(id: string): Promise<string> {
    const known = this.#values.get(id);
    if (known !== undefined) return known;
    const value = await this.store.get(id);
    if (value === undefined)
      throw new Failure({
        code: 'not_found',
        message: 'This key is no longer saved.',
        todo: 'Enter the key again.',
      });
    this.#remember(id, value);
    return value;
  }

  /** The entry for this use; undefined when there is none. `secrets_unavailable` when that cannot be told. */
  async entryFor(use: SecretUse): Promise<SecretEntry | undefined> {
    return (await this.list()).find((entry) => fits(entry, use));
  }

  /** The value for this use. What was read before still serves while the store cannot be read. */
  async valueFor(use: SecretUse): Promise<string | undefined> {
    try {
      const entry = await this.entryFor(use);
      return entry && (await this.valueOf(entry.id));
    } catch (error) {
      const known = this.knownFor(use);
      if (known) return known.value;
      throw error;
    }
  }

  /** As the last `list` found it. */
  find(use: SecretUse): SecretEntry | undefined {
    return this.#entries.find((entry) => fits(entry, use));
  }

  /** What is known already, for code that cannot wait; see `warm`. */
  knownFor(use: SecretUse): { kind: SecretKind; value: string } | undefined {
    const entry = this.#entries.find((one) => fits(one, use) && this.#values.has(one.id));
    return entry && { kind: entry.kind, value: this.#values.get(entry.id) ?? '' };
  }

  /** Takes a secret as it was pasted, into memory only. `bad_request` when it cannot be one; never quotes it. */
  async hold(secret: Pick<NewSecret, 'kind' | 'service' | 'value'>): Promise<SecretEntry> {
    const value = checked(secret.kind, secret.value);
    const held = (await this.list()).filter((entry) => entry.where === 'session' && entry.uses.length === 0);
    // A page that asks again and again fills no memory; the oldest is what nobody waits for any more.
    for (const { id } of held.slice(0, Math.max(0, held.length - MOST_HELD + 1))) await this.remove(id);
    const entry = await this.store.put({ ...secret, value, uses: [], keep: 'session' });
    this.#remember(entry.id, value);
    await this.list();
    return entry;
  }

  /** A held or saved secret is used by one more profile or store from now on, which uses no other one there any more. */
  async keep(id: string, use: SecretUse, keep: NewSecret['keep']): Promise<SecretEntry> {
    const all = await this.list();
    const entry = all.find((one) => one.id === id);
    if (!entry)
      throw new Failure({
        code: 'not_found',
        message: 'This key is no longer held.',
        kept: 'Nothing was saved.',
        todo: 'Enter the key again.',
      });
    if (entry.service !== use.service)
      throw new Failure({
        code: 'forbidden',
        message: `This key was entered for ${entry.service}, and is not used for ${use.service}.`,
        kept: 'Nothing was saved and nothing was sent.',
        todo: 'Enter a key for this service.',
      });
    // First the new one: if this fails, the old one is still in use.
    const kept = await this.store.change(id, {
      uses: [...new Set([...entry.uses, use.name])],
      keep: entry.where === 'disk' ? 'disk' : keep,
    });
    for (const other of all) if (other.id !== id && fits(other, use)) await this.#release(other, use.name);
    await this.list();
    return kept;
  }

  async replace(id: string, pasted: string): Promise<SecretEntry> {
    const old = (await this.list()).find((entry) => entry.id === id);
    const value = checked(old?.kind ?? 'key', pasted);
    const entry = await this.store.change(id, { value });
    this.#remember(id, value);
    await this.list();
    return entry;
  }

  async remove(id: string): Promise<boolean> {
    const was = await this.store.remove(id);
    this.#values.delete(id);
    await this.list();
    return was;
  }

  /** A profile or store has another name now. Never rejects: the settings are saved already. */
  async renamed(kind: SecretUse['kind'], was: string, name: string): Promise<void> {
    if (was === name) return;
    try {
      for (const entry of await this.list()) {
        if (!isKind(entry, kind) || !entry.uses.includes(was)) continue;
        await this.store.change(entry.id, { uses: entry.uses.map((one) => (one === was ? name : one)) });
      }
      await this.list();
    } catch {
      // The key is still saved under the old name, and can be chosen again.
    }
  }

  /** One that nothing uses any more, and that was never saved, goes at once. */
  async #release(entry: SecretEntry, name: string): Promise<void> {
    const uses = entry.uses.filter((one) => one !== name);
    if (uses.length > 0) await this.store.change(entry.id, { uses });
    else await this.remove(entry.id);
  }

  #remember(id: string, value: string): void {
    this.#values.set(id, value);
    this.#seen.add(value);
  }
}

const isKind = (entry: SecretEntry, kind: SecretUse['kind']): boolean =>
  kind === 'login' ? entry.kind !== 'key' : entry.kind === kind;

const fits = (entry: SecretEntry, { kind, service, name }: SecretUse): boolean =>
  isKind(entry, kind) && entry.service === service && entry.uses.includes(name);

function checked(kind: SecretKind, pasted: string): string {
  // A password may have any character, and only a person knows whether a quote belongs to it.
  const value = kind === 'key' ? bareSecret(pasted) : pasted.replace(/[\r\n]+$/, '');
  const problem =
    value.length > LONGEST_SECRET
      ? `It is longer than any ${kind}: ${LONGEST_SECRET} characters are the most.`
      : kind === 'key'
        ? keyProblem(value)
        : value === ''
          ? 'The password is empty.'
          : undefined;
  if (problem === undefined) return value;
  throw new Failure({
    code: 'bad_request',
    message: problem,
    kept: 'Nothing was saved and nothing was sent.',
  });
}
