import { z } from '../zod';
import { transcriptItem } from './items';
import { text } from './pieces';
import { runId } from './views';

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
      json: z.string(),
      total: z.number(),
    }),
  },
} as const;
