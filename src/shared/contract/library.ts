import { z } from '../zod';
import { done, storeName, text } from './pieces';
import { storeState } from './stores';
import { failureInfo, runId, runRow, runStatus } from './views';

/** The list of runs and what a person does with its rows. */
export const libraryCommands = {
  /** Newest first. `days` group the whole filtered list: local date (YYYY-MM-DD) and count, same order as the rows. */
  'library.page': {
    input: z.strictObject({
      offset: z.int().min(0),
      limit: z.int().min(1).max(200),
      states: z.array(runStatus).max(20).optional(),
      words: text(200).optional(),
      /** Only runs of these stores. */
      stores: z.array(storeName).max(100).optional(),
    }),
    output: z.object({
      total: z.number(),
      /** Runs in all stores, whatever the filter. */
      all: z.number(),
      counts: z.record(z.string(), z.number()),
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
    }),
  },
  'run.rename': { input: z.strictObject({ id: runId, title: text(300) }), output: done },
  /** To the trash; `run.restore` undoes it. */
  'run.trash': { input: z.strictObject({ id: runId }), output: done },
  'run.restore': { input: z.strictObject({ id: runId }), output: done },
} as const;
