import { z } from '../zod';
import { secretId } from './kept-secret';
import { done, nothing, text } from './pieces';
import { failureInfo } from './views';

/**
 * What crosses the contract about secrets. A value crosses once, when a person enters it, and only towards the main
 * process; the window gets an id and the last four characters.
 */

/** `encrypted`: by the keychain of the system. `unprotected`: the system offers none. `file`: only the file's mode guards. */
export const protection = z.enum(['encrypted', 'unprotected', 'file', 'environment']);
export type Protection = z.infer<typeof protection>;

export const secretKind = z.enum(['key', 'password', 'token']);
export type SecretKind = z.infer<typeof secretKind>;

export const secretEntry = z.object({
  id: z.string(),
  kind: secretKind,
  /** The only place that it may be sent to: an origin, or the servers of a store. */
  service: z.string(),
  /** Profiles or stores that use it, by name. */
  uses: z.array(z.string()),
  /** Its last four characters; empty for a short secret. */
  hint: z.string().max(4),
  /** When it was entered, RFC 3339; empty: not known. */
  at: z.string(),
  where: z.enum(['disk', 'session', 'environment']),
});
export type SecretEntry = z.infer<typeof secretEntry>;

/** Longest secret that is taken; keys of cloud services may be signed documents. Characters. */
export const LONGEST_SECRET = 8_000;
const id = secretId;

/** The part of the table of commands that is about secrets. */
export const keyCommands = {
  'keys.list': {
    input: nothing,
    output: z.object({
      keys: z.array(secretEntry),
      protection,
      /** File with the saved ones. */
      file: z.string(),
      /** Saved keys cannot be read now; they are kept. */
      problem: failureInfo.optional(),
    }),
  },
  /**
   * Takes a secret out of the window's hands: from here on it is known by its id. It is in memory only, and forgotten with
   * the process, until a profile or store is saved with it. `bad_request` when it cannot be a key.
   */
  'keys.hold': {
    input: z.strictObject({ kind: secretKind, service: text(2000), value: text(LONGEST_SECRET) }),
    output: secretEntry,
  },
  /** Another value for a secret that is saved; who uses it stays. */
  'keys.replace': { input: z.strictObject({ id, value: text(LONGEST_SECRET) }), output: secretEntry },
  'keys.remove': { input: z.strictObject({ id }), output: done },
} as const;
