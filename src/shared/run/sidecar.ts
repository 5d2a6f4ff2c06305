import { z } from '../zod';
import { FAILURE_CODES } from './failure';

/**
 * What format v3 has no place for, beside the journal. Losing it costs comfort, never the run:
 * every reader must cope with it being absent, torn, or older than the journal.
 *
 * Durability class: `synced` entries are durable before the effect that they precede; `lazy` ones when convenient.
 */
const fingerprint = z.object({
  provider: z.string(),
  model: z.string(),
  system_hash: z.string(),
  tools_hash: z.string(),
  thinking_mode: z.string(),
  max_tokens: z.number(),
  max_iterations: z.number(),
});
const at = z.string(); // RFC 3339, UTC
/** That this machine wrote the note: made with a secret that is kept outside of every store. See agent/origin.ts. */
const mac = z.string().max(64).optional();

export const unknownDecision = z.enum(['run', 'skip', 'happened']);
/** What a person said about a tool whose outcome nobody knows. */
export type UnknownDecision = z.infer<typeof unknownDecision>;

export const sidecarEntry = z.discriminatedUnion('kind', [
  /** First entry: the run it belongs to, by SHA-256 of the meta line (without newline). Another hash: the sidecar is ignored. */
  z.object({ kind: z.literal('bind'), meta_sha256: z.string(), app: z.string(), at }),
  /** synced. Where the run runs: written at start and at each resume that changes one of them. */
  z.object({
    kind: z.literal('config'),
    at,
    profile: z.string().optional(),
    folder: z.string().optional(),
    /** Which folder that was when it was granted (see tool/identity.ts); its name alone may lead elsewhere by now. */
    folder_id: z.string().optional(),
    endpoint: z.string().optional(),
    mac,
  }),
  /** Written before the record of that number: that this machine wrote exactly that record. */
  z.object({ kind: z.literal('own'), seq: z.number(), mac: z.string().max(64) }),
  /** lazy. Why the run ended with record `seq`, beyond what that record has room for; for the eye. */
  z.object({
    kind: z.literal('failure'),
    seq: z.number(),
    code: z.enum(FAILURE_CODES),
    message: z.string(),
    kept: z.string().optional(),
    todo: z.string().optional(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
  /** lazy. Wall-clock time at which a record became durable. */
  z.object({ kind: z.literal('time'), seq: z.number(), at }),
  /**
   * synced, before the turn of record `seq`, whose call has `{}` in the place of what the model sent: that was no JSON object.
   * It counts only if that record came before the next resume.
   */
  z.object({
    kind: z.literal('bad_input'),
    at,
    seq: z.number(),
    tool_use_id: z.string(),
    text: z.string(),
    mac,
  }),
  /**
   * synced, before the record `seq` of a turn that asks for a tool which may change something. Where it stands, unbroken
   * to the end, the notes saw that very turn: what has no intent after it never began. Never taken over by a copy.
   */
  z.object({ kind: z.literal('turn'), at, run: z.string(), seq: z.number(), sha256: z.string(), mac }),
  /** synced, before a tool runs. `changes`: the tool may change something outside the conversation. */
  z.object({
    kind: z.literal('intent'),
    at,
    tool_use_id: z.string(),
    tool: z.string(),
    input_sha256: z.string(),
    changes: z.boolean(),
    mac,
  }),
  /** synced, before the tool that it allows (or the answer that refuses it). */
  z.object({
    kind: z.literal('approval'),
    at,
    tool_use_id: z.string(),
    tool: z.string(),
    hash: z.string(),
    decision: z.enum(['once', 'run', 'always', 'deny']),
    by: z.enum(['person', 'flag', 'run', 'profile']),
    words: z.string().optional(),
    mac,
  }),
  /** synced, before a resume acts: the force ledger and the answers to unknown outcomes. */
  z.object({
    kind: z.literal('resume'),
    at,
    after_seq: z.number(),
    /** SHA-256 of that record: a person looked at the run as it stood with it, and went on. */
    record_sha256: z.string().optional(),
    /** The run came from elsewhere, and the person chose here where it works and with whom. */
    adopted: z.literal(true).optional(),
    forced: z.boolean(),
    /** The fingerprint that the run goes on with; the next resume compares with the last accepted one. */
    accepted: fingerprint,
    changed: z.array(z.object({ field: z.string(), recorded: z.string(), current: z.string() })),
    endpoint: z.object({ from: z.string(), to: z.string() }).optional(),
    unknown: z.array(
      z.object({ tool_use_id: z.string(), decision: unknownDecision, words: z.string().optional() }),
    ),
    mac,
  }),
  /** lazy, while a reply streams; the last one for an iteration that never became a record is the lost text. */
  z.object({
    kind: z.literal('partial'),
    at,
    after_seq: z.number(),
    iteration: z.number(),
    text: z.string(),
    thinking: z.string().optional(),
  }),
  /** synced, before the clipped record: where the full text of a tool result is kept. */
  z.object({
    kind: z.literal('clip'),
    at,
    tool_use_id: z.string(),
    file: z.string(),
    bytes: z.number(),
  }),
  /** The run that this one was made from. */
  z.object({
    kind: z.literal('lineage'),
    at,
    from: z.string(),
    store: z.string().optional(),
    through_seq: z.number().optional(),
    prefix_sha256: z.string().optional(),
    why: z.enum(['reset', 'fork', 'continue', 'import']),
    /** The run it came from had no notes: what its tools did is as unknown here as it was there. */
    unnoted: z.literal(true).optional(),
  }),
  /** synced, before the cut. The journal was damaged from `offset` on; `backup` holds all its bytes, those cut too. */
  z.object({
    kind: z.literal('repair'),
    at,
    offset: z.number(),
    bytes: z.number(),
    sha256: z.string(),
    backup: z.string(),
  }),
]);
export type SidecarEntry = z.infer<typeof sidecarEntry>;
export type SidecarKind = SidecarEntry['kind'];
export const SYNCED_KINDS: ReadonlySet<SidecarKind> = new Set([
  'bind',
  'config',
  'bad_input',
  'turn',
  'intent',
  'approval',
  'resume',
  'clip',
  'lineage',
  'repair',
]);

/** One run's row in a store's catalogue: last writer wins, no lock needed. */
export const catalogueEntry = z.object({
  title: z.string().max(300).optional(),
  pinned: z.boolean().optional(),
  tags: z.array(z.string().max(60)).max(50).optional(),
  /** A person was done with what the run had come to at this record; void once there are more. */
  done: z.number().optional(),
  /** The model that was accepted in the place of the recorded one, for lists; the notes of the run decide. */
  model: z.string().max(300).optional(),
});
export type CatalogueEntry = z.infer<typeof catalogueEntry>;
