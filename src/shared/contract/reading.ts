import { z } from '../zod';
import { transcriptItem } from './items';
import { modelPrice } from '../run/price';
import { done, nothing, text } from './pieces';
import { counters, runId } from './views';

/** A line of the table of turns: what the person said, or what a model call brought. */
export const turnRow = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('prompt'),
    seq: z.number(),
    /** Item that it begins with. */
    index: z.number(),
    words: z.string(),
    at: z.string().optional(),
  }),
  z.object({
    kind: z.literal('turn'),
    seq: z.number(),
    index: z.number(),
    words: z.string(),
    at: z.string().optional(),
    /** From 0; step 1 of the window is iteration 0. */
    iteration: z.number(),
    /** Names of some of the tools that it asked for, each once. */
    tools: z.array(z.string()),
    calls: z.number(),
    /** Results of its calls that tell an error. */
    errors: z.number(),
    /** Tokens, as the service counted them: `in` without what came from or went to its cache. */
    in: z.number(),
    out: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
  }),
]);
export type TurnRow = z.infer<typeof turnRow>;

/** What a run amounted to after one of its records. */
export const stand = z.object({
  seq: z.number(),
  /** Messages of the conversation, the turn that is still open not among them. */
  messages: z.number(),
  /** The last of them; texts cut. */
  last: z.array(
    z.object({
      role: z.string(),
      parts: z.array(
        z.object({
          kind: z.enum(['text', 'thinking', 'call', 'result', 'provider']),
          /** Tool, where it is a call; id of the call, where it is a result. */
          name: z.string().optional(),
          text: z.string(),
          more: z.number().optional(),
          isError: z.boolean().optional(),
        }),
      ),
    }),
  ),
  pending: z
    .object({
      iteration: z.number(),
      answered: z.number(),
      tools: z.array(z.object({ id: z.string(), tool: z.string(), answered: z.boolean() })),
    })
    .optional(),
  counters,
  nextIteration: z.number(),
  lastStopReason: z.string(),
  terminal: z.object({ reason: z.string(), message: z.string().optional() }).optional(),
  /** The end is its last record: nothing came after it. */
  ended: z.boolean(),
  /** A new run can begin after this record. */
  fork: z.boolean(),
});
export type Stand = z.infer<typeof stand>;

/** What may be looked for from a place in the transcript. */
export const landmark = z.enum(['error', 'prompt']);
export type Landmark = z.infer<typeof landmark>;

const seqOf = z.int().min(1);

/** Reading one run: its items, its texts, its records. */
export const readingCommands = {
  /** A page of transcript items. */
  'run.items': {
    input: z.strictObject({ id: runId, from: z.int().min(0), limit: z.int().min(1).max(200) }),
    output: z.object({
      items: z.array(transcriptItem),
      from: z.number(),
      total: z.number(),
      lastSeq: z.number(),
      /** Only the end of the run has been read so far: `from` and `total` count from where that begins. */
      tail: z.boolean().optional(),
    }),
  },
  /** More of a long text. `part`: which text of the item. Offsets in characters. */
  'run.text': {
    input: z.strictObject({
      id: runId,
      key: text(60),
      part: z.enum(['text', 'input', 'result']),
      from: z.int().min(0),
      limit: z.int().min(1).max(500_000),
    }),
    output: z.object({ text: z.string(), total: z.number() }),
  },
  /** Full text of a clipped result, kept beside the journal. */
  'run.kept': {
    input: z.strictObject({
      id: runId,
      name: text(200),
      from: z.int().min(0),
      limit: z.int().min(1).max(500_000),
    }),
    output: z.object({ text: z.string(), total: z.number() }),
  },
  /** Where `words` occur, case-insensitive, in all texts of the transcript. */
  'run.find': {
    input: z.strictObject({ id: runId, words: text(500) }),
    output: z.object({
      hits: z.array(z.object({ index: z.number(), key: z.string(), count: z.number() })),
      total: z.number(),
    }),
  },
  /**
   * The item to show: the one in which record `seq` stands, the one that step `step` (from 1) begins with, or the next
   * landmark behind (or before) item `from`. Absent: there is none.
   */
  'run.locate': {
    input: z.strictObject({
      id: runId,
      seq: seqOf.optional(),
      step: z.int().min(1).optional(),
      next: landmark.optional(),
      previous: landmark.optional(),
      from: z.int().min(-1).optional(),
    }),
    output: z.object({ index: z.number().optional(), key: z.string().optional() }),
  },
  /**
   * The items around a record, while the rest of the run is still being read (`tail`); `at`: which of them is the one in
   * which it stands. No items: they are among those that `run.items` gives, or soon will be.
   */
  'run.around': {
    input: z.strictObject({ id: runId, seq: seqOf }),
    output: z.object({ items: z.array(transcriptItem), at: z.number() }),
  },
  /** A page of the table of turns. */
  'run.turns': {
    input: z.strictObject({ id: runId, from: z.int().min(0), limit: z.int().min(1).max(2_000) }),
    output: z.object({
      rows: z.array(turnRow),
      total: z.number(),
      lastSeq: z.number(),
      /** Model calls, whose numbers a chart shows; `total` counts prompts too. */
      turns: z.number(),
      /** The model that was asked from a record on: the recorded one, and those that a resume was forced to. */
      models: z.array(z.object({ after: z.number(), provider: z.string(), model: z.string() })),
    }),
  },
  /** The fold of the records up to and with this one. */
  'run.stand': { input: z.strictObject({ id: runId, seq: seqOf }), output: stand },
  /** What models cost, as the person wrote it down. */
  'prices.get': {
    input: nothing,
    output: z.object({
      currency: z.string(),
      prices: z.array(modelPrice),
      file: z.string(),
      /** The file is broken: what and where. Nothing is priced then. */
      problem: z.string(),
    }),
  },
  /** Replaces the table. A broken file is never written over (`settings_broken`). */
  'prices.save': {
    input: z.strictObject({ currency: text(12).min(1), prices: z.array(modelPrice).max(200) }),
    output: done,
  },
  /** One record as it stands in the journal. */
  'run.record': {
    input: z.strictObject({
      id: runId,
      seq: z.int().min(1),
      from: z.int().min(0),
      limit: z.int().min(1).max(500_000),
    }),
    output: z.object({
      seq: z.number(),
      kind: z.string(),
      offset: z.number(),
      bytes: z.number(),
      at: z.string().optional(),
      durability: z.string(),
      /** Tokens of the model call that it records. */
      usage: z
        .object({ in: z.number(), out: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
        .optional(),
      /** A new run can begin after it. */
      fork: z.boolean(),
      /** Which record it is, counted from 1, of how many; absent: not known yet. Numbers of records may jump. */
      nth: z.number().optional(),
      of: z.number().optional(),
      /** Numbers of the records beside it, as far as they are known. */
      before: z.number().optional(),
      after: z.number().optional(),
      json: z.string(),
      total: z.number(),
    }),
  },
} as const;
