import { createHash } from 'node:crypto';
import { z } from '../../shared/zod';
import type { Witness } from '../settings/witness';
import { replaceFile } from '../settings/replace-file';
import { readState } from './state-file';

/** Where conversations go, and the key that goes along. */
export interface Address {
  origin: string;
  /** Name of an environment variable; absent: no key. */
  key?: string | undefined;
  /** Of a key that was entered: which one, as only this machine can tell (`accountOf`). Never the key itself. */
  account?: string | undefined;
}

/** In place of the name of a variable: the key was entered in the window. No variable has such a name. */
export const ENTERED = '(entered)';

/** What tells one entered key from another in a file: nothing to guess from for whoever lacks this machine's secret. */
export const accountOf = (witness: Pick<Witness, 'mac'>, origin: string, key: string): string =>
  witness.mac(`key entered for ${origin}\n${key}`);

const destination = z.object({
  origin: z.string().max(2_000),
  key: z.string().max(200).optional(),
  account: z.string().max(100).optional(),
});
const shape = z.object({ allowed: z.array(destination), revoked: z.array(destination).optional() });
/** More are forgotten, the oldest first, and asked for again. */
const MOST = 200;

/** A name for a destination that a window can hand back; the same for every key that was entered for it. */
export const addressId = ({ origin, key }: Address): string =>
  createHash('sha256')
    .update(`${origin}\n${key ?? ''}`)
    .digest('base64url');

/** An entered key is allowed by itself: another one is another account, and whoever has it sees the chats. */
const covers = (to: Address) => (allowed: Address) =>
  same(to)(allowed) && (to.key !== ENTERED || (to.account !== undefined && allowed.account === to.account));

const same = (a: Address) => (b: Address) => addressId(a) === addressId(b);

/**
 * The addresses that the person allowed, kept beside the settings until they are revoked. One that was revoked is asked
 * for again also where a profile in the file names it.
 */
export class Addresses {
  #allowed: Address[] = [];
  #revoked: Address[] = [];

  constructor(
    private readonly file: string,
    private readonly onChange: () => void,
  ) {
    const read = shape.safeParse(readState(file));
    if (!read.success) return;
    this.#allowed = read.data.allowed;
    this.#revoked = read.data.revoked ?? [];
  }

  get all(): readonly Address[] {
    return this.#allowed;
  }

  allows(to: Address): boolean {
    return this.#allowed.some(covers(to));
  }

  /** Whether some key is allowed there that came in the way of this one: entered, or in this variable. */
  allowsOneLike(to: Address): boolean {
    return this.#allowed.some(same(to));
  }

  isRevoked(to: Address): boolean {
    return this.#revoked.some(same(to));
  }

  async allow(to: Address): Promise<void> {
    this.#allowed = [to, ...this.#allowed.filter((each) => !covers(to)(each))].slice(0, MOST);
    // One entered key that is allowed again gives the others no leave.
    if (to.key !== ENTERED) this.#revoked = this.#revoked.filter((each) => !same(to)(each));
    await this.#keep();
  }

  /** Of entered keys: all of them. */
  async revoke({ origin, key }: Address): Promise<void> {
    const to: Address = { origin, ...(key !== undefined && { key }) };
    this.#allowed = this.#allowed.filter((each) => !same(to)(each));
    this.#revoked = [to, ...this.#revoked.filter((each) => !same(to)(each))].slice(0, MOST);
    await this.#keep();
  }

  /** What can't be written is asked for again after the next start. */
  async #keep(): Promise<void> {
    await replaceFile(this.file, JSON.stringify({ allowed: this.#allowed, revoked: this.#revoked })).catch(
      () => undefined,
    );
    this.onChange();
  }
}
