import { z } from '../zod';
import { keptSecret, secretId } from './kept-secret';
import { failureInfo } from './views';

/** How little space a disk has left, the best first. */
export const SPACE_LEVELS = ['low', 'critical', 'full'] as const;
export type SpaceLevel = (typeof SPACE_LEVELS)[number];

/** What crosses the contract about stores. A store's secrets never do: they are referred to, by variable or file. */

export const STORE_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}$/;
/** Name of the store that always exists; no other may have it. */
export const USUAL_STORE = 'default';

const path = z.string().min(1).max(4096);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of a variable');

/** How to prove oneself to a NATS server: each secret by the name of what holds it. */
export const storeAuth = z.strictObject({
  user: z.string().min(1).max(200).optional(),
  /** Environment variable with the password. */
  password_env: variable.optional(),
  /** Environment variable with the token. */
  token_env: variable.optional(),
  /** Path of a `.creds` file. */
  creds: path.optional(),
  /** Path of a file with an nkey seed. */
  nkey: path.optional(),
  /** Paths of PEM files. An empty object asks for TLS with the system's authorities. */
  tls: z
    .strictObject({
      ca: path.optional(),
      cert: path.optional(),
      key: path.optional(),
      handshake_first: z.boolean().optional(),
    })
    .optional(),
});

/** A store as a person sets it up, and as it stands in the file. */
export const storeEntry = z.strictObject({
  name: z.string().regex(STORE_NAME, 'must be letters, digits, "-" and "_", at most 40'),
  /** `file:/abs/dir` or `nats://host:port/STREAM`; carries no user, password or option. */
  url: z.string().min(1).max(2000),
  auth: storeAuth.optional(),
  inbox_prefix: z
    .string()
    .regex(/^[^\s.*>$]+(\.[^\s.*>]+)*$/)
    .max(200)
    .optional(),
  domain: z
    .string()
    .regex(/^[^\s.*>]+$/)
    .max(100)
    .optional(),
});
export type StoreEntry = z.output<typeof storeEntry>;

export const storeState = z.enum(['ok', 'connecting', 'unreachable']);
export type StoreState = z.infer<typeof storeState>;

/** A store as the window shows it. */
export const storeView = z.object({
  name: z.string(),
  /** For people; the name, but for the usual store. */
  label: z.string(),
  url: z.string(),
  kind: z.enum(['file', 'nats', 'memory']),
  usual: z.boolean(),
  /** `connecting`: for the first time. `unreachable`: with the reason; it is tried again without end. */
  state: storeState,
  reason: failureInfo.optional(),
  durability: z.enum(['disk', 'acknowledged', 'memory']),
  /** A sentence on what an acknowledged record has outlived. */
  promise: z.string(),
  caution: z.string().optional(),
  writable: z.boolean(),
  /** Why only one program may write there; absent: Holdfast sees what others lock, or only reads. */
  oneProgram: z.string().optional(),
  /** Why runs cannot be deleted there; absent: they can. */
  keeps: z.string().optional(),
  /** Its disk is filling up: `low`; `critical`, where the next run may not fit; or `full`. Free bytes. */
  space: z.object({ level: z.enum(SPACE_LEVELS), free: z.number() }).optional(),
  /** As it stands in the file; absent for the usual store. */
  entry: storeEntry.optional(),
});
export type StoreView = z.infer<typeof storeView>;

/** One step of a test, in the order in which they were made. */
export const storeCheck = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'caution', 'failed']),
  text: z.string(),
  /** A command line that mends it. */
  command: z.string().optional(),
});
export type StoreCheck = z.infer<typeof storeCheck>;

const name = z.string().regex(STORE_NAME);
const done = z.object({ done: z.boolean() });

/** The part of the table of commands that is about stores. */
export const storeCommands = {
  /** The stores side by side, the usual one first. */
  'stores.list': {
    input: z.strictObject({}),
    output: z.object({
      stores: z.array(storeView),
      file: z.string(),
      /** The file is broken: what and where. The usual store works all the same. */
      problem: failureInfo.optional(),
    }),
  },
  /** Tries a store, one check after the other. Asks the person first where it was never allowed. */
  'stores.test': {
    input: z.strictObject({ store: storeEntry, secret: secretId.optional() }),
    output: z.object({ checks: z.array(storeCheck) }),
  },
  /** `was`: the name before an edit; absent for a new one. Asks the person where it was never allowed. */
  'stores.save': {
    input: z.strictObject({ store: storeEntry, was: name.optional(), secret: keptSecret.optional() }),
    output: done,
  },
  /** Only the entry goes; what is in the store stays. */
  'stores.remove': { input: z.strictObject({ name }), output: done },
} as const;
