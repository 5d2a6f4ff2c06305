import { z } from '../zod';
import { MESSAGE_LIMIT, nothing, storeName, text } from './pieces';
import { failureInfo, runId, runStatus } from './views';

/** Where in a record a text stands; `end`: why the run ended. */
export const searchPart = z.enum(['prompt', 'answer', 'thinking', 'input', 'result', 'end']);
export type SearchPart = z.infer<typeof searchPart>;

/** One text that holds the words. */
export const searchHit = z.object({
  run: runId,
  title: z.string(),
  status: runStatus,
  model: z.string().optional(),
  /** Store of the run, for people. */
  store: z.string(),
  updated: z.string(),
  /** Record to jump to. */
  seq: z.number(),
  part: searchPart,
  /** For `input`: the tool that was called. */
  tool: z.string().optional(),
  /** It stands in the whole text of a clipped result, which is kept beside the run: find in the run does not see it. */
  kept: z.boolean().optional(),
  /** The place where the words stand, on one line. */
  snippet: z.array(z.object({ text: z.string(), marked: z.boolean() })),
  /** Something was left out before, or after. */
  before: z.boolean(),
  after: z.boolean(),
});
export type SearchHit = z.infer<typeof searchHit>;

/** How far reading a store for the index is: runs of those that have to be read, and bytes. */
export const searchProgress = z.object({
  store: z.string(),
  label: z.string(),
  done: z.number(),
  total: z.number(),
  bytes: z.number(),
});
export type SearchProgressView = z.infer<typeof searchProgress>;

/** A store that could not be searched; `partly`: it was, but what is new in it could not be read. */
const failed = z.object({
  store: z.string(),
  label: z.string(),
  failure: failureInfo,
  partly: z.boolean().optional(),
});

/** Full-text search over the runs of all stores. */
export const searchCommands = {
  /**
   * Texts that hold all the words; the last one may be unfinished, "words in quotes" stand together, and nothing is an
   * operator. Each run once with all of its texts, the newest run first. A store that cannot be searched fails alone.
   */
  'search.find': {
    input: z.strictObject({
      words: text(MESSAGE_LIMIT),
      stores: z.array(storeName).max(100).optional(),
      /** Only in this run. */
      run: runId.optional(),
      parts: z.array(searchPart).max(6).optional(),
      limit: z.int().min(1).max(200),
      /** Goes on after the page that gave it. */
      after: text(20_000).optional(),
    }),
    output: z.object({
      hits: z.array(searchHit),
      /** For the next page, which may be empty and still have a next one; absent: there is none. */
      next: z.string().optional(),
      /** Stores that are not read whole yet: what is found is right, but may not be all. */
      building: z.array(searchProgress),
      failed: z.array(failed),
      /** There is nothing in the words that could be looked for: no letter and no digit. */
      empty: z.boolean(),
    }),
  },
  'search.status': {
    input: nothing,
    output: z.object({
      stores: z.array(
        z.object({
          store: z.string(),
          label: z.string(),
          runs: z.number(),
          texts: z.number(),
          /** Characters of all texts that are in the index. */
          chars: z.number(),
        }),
      ),
      building: z.array(searchProgress),
      failed: z.array(failed),
    }),
  },
} as const;

export const searchEvents = {
  /** `done` = `total`: this store is read whole. */
  'search.progress': searchProgress,
} as const;
