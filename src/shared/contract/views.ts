import { z } from '../zod';
import { FAILURE_CODES } from '../run/failure';
import { providerId } from '../run/profile';
import { transcriptItem } from './items';

/** Pieces of payload that several commands and events share. All data is plain JSON. */

/** A run: its id, with the name of its store and a dot before it where that is not the usual store. See run-key.ts. */
export const runId = z
  .string()
  .regex(/^(?:[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}\.)?[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}$/);

export const failureInfo = z.object({
  code: z.enum(FAILURE_CODES),
  message: z.string(),
  kept: z.string().optional(),
  todo: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});

export const runStatus = z.enum([
  'running',
  'waiting',
  'your_turn',
  'interrupted',
  'paused',
  'finished',
  'failed',
  'budget',
  'steps',
  'damaged',
  'new',
]);
export type RunStatus = z.infer<typeof runStatus>;

export const counters = z.object({
  llm_calls: z.number(),
  tool_calls: z.number(),
  remote_tool_calls: z.number(),
  in_tokens: z.number(),
  out_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_create_tokens: z.number(),
});

/** A run as the library shows it. */
export const runRow = z.object({
  id: runId,
  /** The person's own title, else the first words of the prompt. */
  title: z.string(),
  renamed: z.boolean(),
  status: runStatus,
  /** Half a sentence beside the status: "in write_file · step 6 of 50". */
  detail: z.string(),
  model: z.string().optional(),
  provider: z.string().optional(),
  /** Its store, for people. Which one it is tells the id. */
  store: z.string(),
  created: z.string().optional(),
  updated: z.string(),
  counters: counters.optional(),
  /** Turns of the model so far. */
  steps: z.number().optional(),
  pinned: z.boolean(),
  tags: z.array(z.string()),
  private: z.boolean(),
  /** Someone writes it in another process: read-only and live here. */
  elsewhere: z.boolean(),
  /** The person marked what it has come to as done. */
  done: z.boolean().optional(),
  /** How many things about its journal are worth a look; absent: none. */
  warnings: z.number().optional(),
  failure: failureInfo.optional(),
});
export type RunRow = z.infer<typeof runRow>;

export const approval = z.object({
  hash: z.string(),
  toolUseId: z.string(),
  tool: z.string(),
  input: z.string(),
  line: z.string(),
});

export const phase = z.enum(['calling', 'tool', 'waiting', 'idle', 'ended']);

export const queuedMessage = z.object({ id: z.string(), text: z.string(), held: z.boolean() });
export type QueuedMessage = z.infer<typeof queuedMessage>;

/** A run as the middle of the window shows it. Items come separately, in pages. */
export const runHead = z.object({
  row: runRow,
  /** `live`: this process writes it. `watch`: another one does. `still`: nobody does. */
  mode: z.enum(['live', 'watch', 'still']),
  chat: z.boolean(),
  phase: phase.optional(),
  pausing: z.boolean(),
  approval: approval.optional(),
  /** What was said and is not in the journal yet; `held`: it waits for the person's word, and never goes by itself. */
  queued: z.array(queuedMessage),
  runningTool: z.object({ toolUseId: z.string(), tool: z.string(), at: z.string() }).optional(),
  profile: z.string().optional(),
  folder: z.string().optional(),
  endpoint: z.string().optional(),
  /**
   * Steps (model calls) that are used, and that may be: of the newest message in a chat, else of the whole run. The cap grows
   * when a chat is resumed in the middle of an answer. Cap 0: not known.
   */
  steps: z.object({ used: z.number(), cap: z.number() }),
  /** Number of the newest step of the whole run, as the transcript counts them; 0: none. */
  lastStep: z.number(),
  /** Tokens of all kinds, in the whole run; cap 0: no limit. */
  budget: z.object({ used: z.number(), cap: z.number() }),
  counters,
  lastSeq: z.number(),
  /** How many records there are; their numbers may jump. Absent: not known yet. */
  records: z.number().optional(),
  /** Number of transcript items now; while `reading`, of those that the end of the run has. */
  items: z.number(),
  /** The whole is still being read: how much of it is, from 0 to 1. Items count from the first one known, warnings are not known. */
  reading: z.number().min(0).max(1).optional(),
  durability: z.enum(['disk', 'acknowledged', 'memory']),
  bytes: z.number(),
  /** `seq`: the record that it is about, where there is one. */
  warnings: z.array(z.object({ code: z.string(), detail: z.string(), seq: z.number().optional() })),
  /** Why the run ended or cannot go on, where there is something to say. */
  failure: failureInfo.optional(),
  caution: z.string().optional(),
  fingerprint: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  /** The run that this one was made from: its id, and the address of its store where that is another. */
  origin: z
    .object({
      from: z.string(),
      /** What that run is called, where it is in the list. */
      title: z.string().optional(),
      store: z.string().optional(),
      through: z.number().optional(),
      why: z.enum(['reset', 'fork', 'continue', 'import']),
      at: z.string(),
    })
    .optional(),
  /** Damage that was cut off: how many bytes, when, and the file with all of them. */
  repairs: z.array(z.object({ at: z.string(), bytes: z.number(), backup: z.string() })).optional(),
});
export type RunHead = z.infer<typeof runHead>;

export const pendingTool = z.object({
  toolUseId: z.string(),
  tool: z.string(),
  input: z.string(),
  line: z.string(),
  fate: z.enum(['answered', 'run', 'ask', 'unknown', 'foreign', 'not_run', 'missing']),
  /** Binds an answer to exactly this call. */
  hash: z.string(),
  /** The whole path that it would work on. */
  path: z.string().optional(),
  changes: z.boolean(),
  startedAt: z.string().optional(),
});

/** Where a run comes from, and what its notes tell, of which nothing is used unless they are this machine's own. */
export const runOrigin = z.object({
  kind: z.enum(['here', 'import', 'elsewhere']),
  from: z.string().optional(),
  at: z.string().optional(),
  /** What accepting it is bound to. */
  seen: z.string(),
  told: z.object({
    profile: z.string().optional(),
    folder: z.string().optional(),
    endpoint: z.string().optional(),
  }),
});

/** What will happen: with the calls of the pending turn, and after them. */
export const forecast = z.object({
  calls: z.array(
    z.object({
      toolUseId: z.string(),
      fate: z.enum([...pendingTool.shape.fate.options, 'later']),
    }),
  ),
  then: z.enum(['call', 'input', 'finish', 'nothing', 'cut_short', 'budget', 'steps']),
});
export type Forecast = z.infer<typeof forecast>;

/** A tool as the model sees it. */
export const toolText = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
});
export type ToolText = z.infer<typeof toolText>;

export const preflightView = z.object({
  id: runId,
  origin: runOrigin,
  ok: z.boolean(),
  gates: z.array(
    z.object({
      gate: z.enum(['completed', 'interactivity', 'provider', 'drift']),
      outcome: z.enum(['pass', 'refuse', 'forced']),
      text: z.string(),
    }),
  ),
  diff: z.array(
    z.object({
      field: z.string(),
      recorded: z.string(),
      current: z.string(),
      changed: z.boolean(),
      force: z.enum(['forceable', 'hard']),
    }),
  ),
  /**
   * What the hashes that changed stand for, where that is known on this machine: the prompt, and the tools as the model
   * sees them. `recorded` absent: not known here.
   */
  texts: z
    .object({
      prompt: z.object({ recorded: z.string().optional(), current: z.string() }).optional(),
      tools: z.object({ recorded: z.array(toolText).optional(), current: z.array(toolText) }).optional(),
    })
    .default({}),
  /** The profile that this pre-flight was made with, and whether its folder and tools exist. */
  profile: z.string(),
  folder: z.string().optional(),
  /** Profiles that would pass every gate unforced, best first. */
  matching: z.array(z.string()),
  /** The profile that the run last used, where no profile has this name any more: it was renamed or removed. */
  gone: z.string().optional(),
  /** What is not there now and a resume needs. */
  missing: z.array(failureInfo).default([]),
  endpoint: z
    .object({ recorded: z.string().optional(), current: z.string().optional(), changed: z.boolean() })
    .optional(),
  pending: z.array(pendingTool),
  unknown: z.array(pendingTool),
  next: z.enum(['tools', 'call', 'input', 'finish', 'nothing']),
  /** Of a resume; of a message that is sent in its place. */
  resume: forecast,
  say: forecast.optional(),
  records: z.number(),
  paidCalls: z.number(),
  pausedTurn: z.boolean(),
  nextCallChars: z.number(),
  counters,
  /** Of a long text its beginning; `characters` counts all of it. */
  lost: z.object({ text: z.string(), characters: z.number(), at: z.string() }).optional(),
  writer: z.enum(['none', 'here', 'elsewhere', 'unknown']),
});
export type PreflightView = z.infer<typeof preflightView>;

/** A change of a watched run after its snapshot. */
export const runChange = z.discriminatedUnion('type', [
  /** Items that are new or changed because record `seq` became durable; replaces by key, appends otherwise. */
  z.object({ type: z.literal('items'), seq: z.number(), items: z.array(transcriptItem), total: z.number() }),
  /** Streamed text of the answer under way: `from` is the offset at which `text` goes (characters); shown outside items. */
  z.object({
    type: z.literal('stream'),
    part: z.enum(['text', 'thinking']),
    iteration: z.number(),
    from: z.number(),
    text: z.string(),
  }),
  /** What was streamed for this iteration is void or became items. */
  z.object({ type: z.literal('stream_end'), iteration: z.number(), reason: z.string().optional() }),
  z.object({ type: z.literal('head'), head: runHead }),
  z.object({ type: z.literal('notice'), code: z.string(), text: z.string() }),
  /** All of the run has been read: `before` items stand in front of those that were known. */
  z.object({ type: z.literal('whole'), before: z.number(), total: z.number() }),
  /** The session went on in another run. */
  z.object({ type: z.literal('rotated'), to: runId }),
]);
export type RunChange = z.infer<typeof runChange>;

export const profileView = z.object({
  name: z.string(),
  provider: providerId,
  model: z.string(),
  endpoint: z.string().optional(),
  key_env: z.string().optional(),
  system_prompt: z.string(),
  thinking: z.boolean(),
  tools: z.array(z.string()),
  limits: z.object({
    max_iterations: z.number(),
    max_tokens: z.number(),
    max_output_tokens: z.number().optional(),
    call_timeout: z.number(),
  }),
});
export type ProfileView = z.infer<typeof profileView>;
