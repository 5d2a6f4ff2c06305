import { Failure } from '../../../shared/run/failure';
import type { Protection, SecretEntry, SecretKind } from '../../../shared/contract/keys';

export type { Protection, SecretEntry, SecretKind };

/** A secret as a person enters it. */
export interface NewSecret {
  kind: SecretKind;
  /** The only place that it may be sent to: an origin, or the servers of a store. */
  service: string;
  value: string;
  /** Names of the profiles or stores that use it. */
  uses: string[];
  /** `session`: only in the memory of this process. */
  keep: 'disk' | 'session';
}

/**
 * A place with secrets: keys of models, passwords and tokens of stores.
 *
 * Promises, on which the conformance suite insists:
 * - A read that fails is a Failure (`secrets_unavailable`), never an empty store and never "no such secret".
 * - Writes happen one after the other, each on what is stored then; a store that cannot be read is never written over.
 * - `put` and `change` are durable when they resolve; a secret that was not stored whole is not stored at all.
 * - Every call ends: what the system does not answer within the limit fails with `secrets_unavailable`.
 * - No Failure, no entry and no file name holds a value; entries show the last four characters of a long one.
 */
export interface SecretStore {
  /** False: secrets are only read here, and every change fails with `unsupported`. */
  readonly writable: boolean;
  /** How secrets on the disk are protected. Asks the system, once. */
  protection(): Promise<Protection>;
  /** Without values. */
  list(): Promise<SecretEntry[]>;
  /** The value; undefined when there is no such secret. */
  get(id: string): Promise<string | undefined>;
  put(secret: NewSecret): Promise<SecretEntry>;
  /** Gives a secret another value or other users, or keeps it elsewhere; the rest stays. `not_found`. */
  change(id: string, to: Partial<Pick<NewSecret, 'value' | 'uses' | 'keep'>>): Promise<SecretEntry>;
  /** False when there was no such secret. */
  remove(id: string): Promise<boolean>;
}

/** Shorter secrets are shown without any of their characters: four would be too much of them. */
const SHOWN_FROM = 12;

export const hintOf = (value: string): string => (value.length >= SHOWN_FROM ? value.slice(-4) : '');

export const unavailable = (message: string, cause?: unknown, data?: Record<string, unknown>): Failure =>
  new Failure(
    {
      code: 'secrets_unavailable',
      message,
      kept: 'Saved keys were not changed.',
      todo: 'Try again. Until then, a key can come from an environment variable.',
      ...(data && { data }),
    },
    // The cause is only for a debugger; what a system says about a secret might quote it.
    cause === undefined ? undefined : { cause },
  );

export const unknownSecret = (): Failure =>
  new Failure({
    code: 'not_found',
    message: 'This key is no longer saved.',
    todo: 'Enter the key again.',
  });

/** What the system does within `ms` milliseconds, or `secrets_unavailable`. */
export async function timeBoxed<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(`${what} did not answer.`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
