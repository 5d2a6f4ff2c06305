import { z } from '../zod';
import { done, storeName, text } from './pieces';
import { storeState } from './stores';
import { failureInfo, runId, runRow, runStatus } from './views';

/** Runs that one command changes; a longer list is sent in pieces, so that it can be watched and stopped. */
export const CHANGE_LIMIT = 200;
/** Keys that one question gives; where more match, `total` says so. */
export const KEYS_LIMIT = 20_000;
/** Different values of a facet that are listed: the most frequent ones, and those that are asked for. */
export const FACET_LIMIT = 200;
export const TAG_LENGTH = 60;
export const TAGS_LIMIT = 50;

export const sortField = z.enum([
  'title',
  'status',
  'model',
  'store',
  'steps',
  'tokens',
  'updated',
  'created',
]);
export type SortField = z.infer<typeof sortField>;

/** A local calendar day, YYYY-MM-DD. */
const day = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/);
const tag = text(TAG_LENGTH).trim().min(1);

/** Which runs, in which order. Filters of different kinds must all hold; of one kind, any of its values may. */
const query = {
  states: z.array(runStatus).max(20).optional(),
  /** Only what waits for a person: what is marked as done does not. */
  needsYou: z.boolean().optional(),
  /** All of them in title, first prompt, model, tags or id, whatever their case. */
  words: text(200).optional(),
  /** Only runs of these stores. */
  stores: z.array(storeName).max(100).optional(),
  models: z.array(text(200)).max(FACET_LIMIT).optional(),
  tags: z.array(text(TAG_LENGTH)).max(FACET_LIMIT).optional(),
  /** Days of the last change, both included. */
  from: day.optional(),
  to: day.optional(),
  pinned: z.boolean().optional(),
  /** The time zone of the window, for all days; absent: that of the main process. */
  zone: text(100).optional(),
  /** Absent: by the last change, newest first. Pinned runs always come first; runs without a value last. */
  sort: z.strictObject({ by: sortField, up: z.boolean() }).optional(),
};

const facet = z.array(z.object({ value: z.string(), count: z.number() }));
/** Ids of the runs that were changed, and why the others were not. */
const report = z.object({
  done: z.array(runId),
  failed: z.array(z.object({ id: runId, failure: failureInfo })),
});
const some = z.strictObject({ ids: z.array(runId).min(1).max(CHANGE_LIMIT) });
const many = z.array(runId).min(1).max(KEYS_LIMIT);

/** The list of runs and what a person does with its rows. */
export const libraryCommands = {
  /**
   * A part of the filtered list. The first `pinned` of its rows are pinned; `days` group those after them where they are
   * sorted by a date: local date (YYYY-MM-DD) and count, same order as the rows.
   */
  'library.page': {
    input: z.strictObject({
      offset: z.int().min(0),
      limit: z.int().min(1).max(200),
      ...query,
      /** Also count what there is to filter by. */
      facets: z.boolean().optional(),
    }),
    output: z.object({
      total: z.number(),
      /** Runs in all stores, whatever the filter. */
      all: z.number(),
      /** Runs by state, and under `needs_you` those that wait for a person; filtered by store alone. */
      counts: z.record(z.string(), z.number()),
      pinned: z.number(),
      days: z.array(z.object({ day: z.string(), count: z.number() })),
      rows: z.array(runRow),
      trashed: z.number(),
      /** Every store, the usual one first. One that is not `ok` shows what was known of it last. */
      stores: z.array(
        z.object({
          name: z.string(),
          label: z.string(),
          count: z.number(),
          state: storeState,
          reason: failureInfo.optional(),
        }),
      ),
      /** Of each kind, what the other filters leave; most frequent first. */
      facets: z.object({ states: facet, models: facet, tags: facet, stores: facet }).optional(),
    }),
  },
  /** Keys of the filtered list from `offset` on, in its order, without their rows. */
  'library.keys': {
    input: z.strictObject({
      offset: z.int().min(0),
      limit: z.int().min(1).max(KEYS_LIMIT),
      ...query,
    }),
    output: z.object({ keys: z.array(runId), total: z.number() }),
  },
  /** The tags that these runs have, and how many of them each. */
  'library.tags': {
    input: z.strictObject({ ids: many }),
    output: z.object({ tags: facet, pinned: z.number() }),
  },
  /** What is in the trash of all stores, the latest first. */
  'library.trash': {
    input: z.strictObject({ offset: z.int().min(0), limit: z.int().min(1).max(200) }),
    output: z.object({
      total: z.number(),
      bytes: z.number(),
      /** `at`: when it was moved there, where that is known. */
      rows: z.array(z.object({ row: runRow, at: z.string().optional(), size: z.number() })),
      /** Stores that nothing can be deleted from, with why. */
      keeps: z.array(z.object({ label: z.string(), why: z.string() })),
      /** Stores whose trash could not be read. */
      failed: z.array(z.object({ label: z.string(), failure: failureInfo })),
    }),
  },
  /** As `library.keys`, of the trash. */
  'library.trashKeys': {
    input: z.strictObject({ offset: z.int().min(0), limit: z.int().min(1).max(KEYS_LIMIT) }),
    output: z.object({ keys: z.array(runId), total: z.number() }),
  },
  'run.rename': { input: z.strictObject({ id: runId, title: text(300) }), output: done },
  /** To the trash; `run.restore` undoes it. */
  'run.trash': { input: z.strictObject({ id: runId }), output: done },
  'run.restore': { input: z.strictObject({ id: runId }), output: done },
  /** Pins, unpins, adds and removes tags; needs no lock, so also where a run is being written or damaged. */
  'runs.label': {
    input: z.strictObject({
      ids: some.shape.ids,
      pinned: z.boolean().optional(),
      /** What it has come to needs nobody any more, until it goes on. */
      done: z.boolean().optional(),
      add: z.array(tag).max(TAGS_LIMIT).optional(),
      remove: z.array(text(TAG_LENGTH)).max(TAGS_LIMIT).optional(),
    }),
    output: report,
  },
  /** To the trash, each for itself: one that is in use stays and says so. */
  'runs.trash': { input: some, output: report },
  'runs.restore': { input: some, output: report },
  /** Deletes for good what is in the trash. Asks the person outside the page first: `forbidden` when they do not agree. */
  'runs.purge': {
    input: z.strictObject({ ids: many }),
    output: z.object({ done: z.number(), failed: report.shape.failed }),
  },
  /** The same for all of it. `total`: how many the person was shown; another number is `conflict`. */
  'library.emptyTrash': {
    input: z.strictObject({ total: z.int().min(1) }),
    output: z.object({ done: z.number(), failed: report.shape.failed }),
  },
} as const;
