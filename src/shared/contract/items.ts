import { z } from '../zod';

/**
 * What a transcript shows, one item after another; live and stored runs use the same items.
 * `key` is stable for the life of a run (`<seq>.<block>`), `seq` the journal record it stands in.
 * Long texts come cut to TEXT_LIMIT characters with `more` = characters left out; `run.text` gives the rest.
 */
export const TEXT_LIMIT = 20_000;

const base = {
  key: z.string(),
  seq: z.number(),
  at: z.string().optional(),
  /** Number of the record after which a new run can begin with all of this; absent: not here. */
  fork: z.number().optional(),
};
const clipped = { text: z.string(), more: z.number().optional() };

export const callState = z.enum([
  'running',
  /** Waits for approval. */
  'waiting',
  'ok',
  'error',
  /** Answered without being run: denied, cut-short turn, cancelled. */
  'not_run',
  /** Started, no result: nobody knows. */
  'unknown',
  /** Not started, no result. */
  'unanswered',
  /** Another process writes the run and has not said that it started this: it may have, or it has not yet. */
  'elsewhere',
]);

export const transcriptItem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), ...base, ...clipped }),
  z.object({ kind: z.literal('text'), ...base, ...clipped, iteration: z.number() }),
  z.object({
    kind: z.literal('thinking'),
    ...base,
    ...clipped,
    iteration: z.number(),
    /** The service keeps its content to itself. */
    redacted: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('provider'),
    ...base,
    iteration: z.number(),
    provider: z.string(),
    ...clipped,
  }),
  /** The model's turn says nothing. */
  z.object({ kind: z.literal('empty'), ...base, iteration: z.number() }),
  z.object({
    kind: z.literal('call'),
    ...base,
    iteration: z.number(),
    toolUseId: z.string(),
    tool: z.string(),
    /** Exact JSON text of the input. */
    input: z.string(),
    inputMore: z.number().optional(),
    /** One line that shows what runs, where the tool is known; else the input. */
    line: z.string(),
    changes: z.boolean(),
    state: callState,
    startedAt: z.string().optional(),
    /** Milliseconds, where the sidecar knows. */
    tookMs: z.number().optional(),
    result: z
      .object({
        seq: z.number(),
        ...clipped,
        lines: z.number(),
        isError: z.boolean(),
        /** Full text kept beside the journal: its name for `run.kept`. */
        kept: z.string().optional(),
      })
      .optional(),
  }),
  /** A result whose id matches no call. */
  z.object({ kind: z.literal('orphan'), ...base, toolUseId: z.string(), ...clipped, isError: z.boolean() }),
  /** The configuration changed here and somebody accepted it. */
  z.object({
    kind: z.literal('seam'),
    ...base,
    forced: z.boolean(),
    changed: z.array(z.object({ field: z.string(), recorded: z.string(), current: z.string() })),
    endpoint: z.object({ from: z.string(), to: z.string() }).optional(),
  }),
  z.object({
    kind: z.literal('end'),
    ...base,
    reason: z.string(),
    message: z.string().optional(),
    /** Later records follow: the run went on. */
    past: z.boolean(),
  }),
  /** A reply that a crash cut off: not part of the conversation. */
  z.object({ kind: z.literal('lost'), ...base, ...clipped, thinking: z.string().optional() }),
  z.object({ kind: z.literal('notice'), ...base, tone: z.enum(['info', 'warn', 'bad']), ...clipped }),
]);
export type TranscriptItem = z.infer<typeof transcriptItem>;
export type CallState = z.infer<typeof callState>;
