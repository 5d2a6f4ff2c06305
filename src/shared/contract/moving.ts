import { z } from '../zod';
import { done, nothing, storeName, text } from './pieces';
import { counters, failureInfo, runId, runStatus } from './views';

/** Runs that leave, come in, begin anew from others, are mended or laid side by side. */

export const exportFormat = z.enum(['md', 'html', 'json', 'journal', 'zip']);
export type ExportFormat = z.infer<typeof exportFormat>;

/** What an export has to show: every record, every call of a tool, every result. */
export const counts = z.object({ records: z.number(), calls: z.number(), results: z.number() });
export type Counts = z.infer<typeof counts>;

/** Rows of a report that cross, and paths of files. Those with something to tell come first. */
export const REPORT_ROWS = 200;

export const exportReport = z.object({
  format: exportFormat,
  /** Runs that were written, those of them that are complete, and runs that were not written. */
  runs: z.number(),
  complete: z.number(),
  failed: z.number(),
  found: counts,
  written: counts,
  redacted: z.number(),
  bytes: z.number(),
  files: z.array(z.string()),
  fileCount: z.number(),
  /** The file or folder to look at. */
  at: z.string(),
  rows: z.array(
    z.object({
      id: runId,
      title: z.string(),
      complete: z.boolean(),
      found: counts,
      written: counts,
      redacted: z.number(),
      missingTexts: z.number(),
      damage: failureInfo.optional(),
      remarks: z.array(z.string()),
    }),
  ),
  failures: z.array(z.object({ id: runId, failure: failureInfo })),
});
export type ExportReportView = z.infer<typeof exportReport>;

export const importReport = z.object({
  imported: z.number(),
  failed: z.number(),
  /** It was stopped; what had been taken in before is there. */
  cancelled: z.boolean(),
  store: storeName,
  rows: z.array(
    z.discriminatedUnion('outcome', [
      z.object({
        outcome: z.literal('imported'),
        source: z.string(),
        id: runId,
        /** The name that it came with; another one than its id where that was taken. */
        wanted: z.string(),
        title: z.string(),
        records: z.number(),
        /** Bytes at its end that are no record and were left out. */
        dropped: z.number(),
        warnings: z.array(z.object({ code: z.string(), detail: z.string() })),
        /** Where records differ from the published schemas; they were taken as they are. */
        schema: z.array(z.object({ line: z.number(), message: z.string() })),
      }),
      z.object({ outcome: z.literal('failed'), source: z.string(), failure: failureInfo }),
    ]),
  ),
});
export type ImportReportView = z.infer<typeof importReport>;

/** An export or import, as every window sees it. It goes on whoever looks at it. */
export const moveJob = z.object({
  id: z.string(),
  kind: z.enum(['export', 'import']),
  /** `receiving`: bytes come from the window. */
  state: z.enum(['receiving', 'running', 'done', 'failed', 'cancelled']),
  /** Runs, or files, that are done, of how many. */
  done: z.number(),
  total: z.number(),
  /** Bytes that were written, or received of `size`. */
  bytes: z.number(),
  size: z.number(),
  /** What is at hand: a run's id, a file's name. */
  now: z.string(),
  exported: exportReport.optional(),
  imported: importReport.optional(),
  failure: failureInfo.optional(),
});
export type MoveJob = z.infer<typeof moveJob>;

/** One run beside another. What cannot be known is absent. */
export const runSide = z.object({
  id: runId,
  title: z.string(),
  store: z.string(),
  /** Why it can be read only up to somewhere, or not at all. */
  failure: failureInfo.optional(),
  status: runStatus,
  chat: z.boolean().optional(),
  created: z.string().optional(),
  updated: z.string().optional(),
  profile: z.string().optional(),
  folder: z.string().optional(),
  endpoint: z.string().optional(),
  /** What it goes on with: as it was last accepted. */
  fingerprint: z.record(z.string(), z.string()).optional(),
  counters: counters.optional(),
  steps: z.number(),
  records: z.number(),
  bytes: z.number(),
  /** What the person said, in order; at most 50, each cut. */
  prompts: z.array(z.object({ seq: z.number(), text: z.string(), more: z.number() })),
  promptCount: z.number(),
  tools: z.array(z.object({ name: z.string(), calls: z.number(), errors: z.number() })),
  answer: z.object({ seq: z.number(), text: z.string(), more: z.number() }).optional(),
  outcome: z.object({ reason: z.string(), message: z.string().optional() }).optional(),
  /** The run that it was made from: its id and the address of its store. */
  origin: z.object({ from: z.string(), store: z.string().optional(), why: z.string() }).optional(),
});
export type RunSide = z.infer<typeof runSide>;

export const forkPoint = z.object({
  /** Number of the last record that the new run would have. */
  seq: z.number(),
  /** What stands there. */
  kind: z.enum(['prompt', 'answer', 'results']),
  text: z.string(),
});

export const repairPlan = z.object({
  id: runId,
  kind: z.enum(['none', 'end', 'inside', 'hopeless']),
  failure: failureInfo.optional(),
  keeps: z.object({ records: z.number(), bytes: z.number() }),
  cuts: z
    .object({
      line: z.number(),
      offset: z.number(),
      bytes: z.number(),
      lines: z.number(),
      readable: z.number(),
      hex: z.string(),
      text: z.string(),
      shown: z.number(),
    })
    .optional(),
  sha256: z.string(),
  /** Why nothing can be repaired there, whatever is wrong. */
  refused: z.string().optional(),
});
export type RepairPlanView = z.infer<typeof repairPlan>;

const runs = z.array(runId).min(1).max(20_000);
const job = text(60);
/** Characters of base64 of one piece of a file, and the bytes that they stand for at most. */
export const CHUNK_TEXT = 983_040;
export const CHUNK_BYTES = (CHUNK_TEXT / 4) * 3;
export const MOST_UPLOADS = 20_000;
const size = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const movingCommands = {
  /** What to suggest for an export of these runs. */
  'export.prepare': {
    input: z.strictObject({ ids: runs, format: exportFormat }),
    output: z.object({
      /** A file's name without ending, from the title. */
      name: z.string(),
      ending: z.string(),
      /** Where the door has no dialog of the system: the folder to begin with. */
      folder: z.string().optional(),
    }),
  },
  /** The dialog of the system. `place` is good for one export; empty when the dialog was dismissed. */
  'export.choose': {
    input: z.strictObject({ name: text(200), format: exportFormat, many: z.boolean() }),
    output: z.object({ place: z.string(), path: z.string() }),
  },
  /** Begins an export and gives its job. To a place that the person chose, or below a folder that they may choose here. */
  'export.start': {
    input: z.strictObject({
      ids: runs,
      format: exportFormat,
      options: z.strictObject({
        tools: z.boolean(),
        thinking: z.boolean(),
        redact: z.boolean(),
        attachments: z.enum(['inline', 'separate']),
        /** Journals of damaged runs end before the damage. Absent: they leave byte for byte. */
        intact: z.boolean().optional(),
      }),
      to: z.union([
        z.strictObject({ place: text(100) }),
        z.strictObject({ folder: text(4096), name: text(200) }),
      ]),
    }),
    output: z.object({ job: z.string() }),
  },
  /** Begins an import: says what comes. The bytes follow in pieces, then `import.end`. */
  'import.begin': {
    input: z.strictObject({
      store: storeName.optional(),
      files: z
        .array(z.strictObject({ name: text(1000).min(1), size }))
        .min(1)
        .max(MOST_UPLOADS),
    }),
    output: z.object({ job: z.string() }),
  },
  /** The next bytes of a file, in base64. `offset`: what came before. */
  'import.chunk': {
    input: z.strictObject({
      job,
      file: z
        .int()
        .min(0)
        .max(MOST_UPLOADS - 1),
      offset: size,
      data: text(CHUNK_TEXT).regex(/^[A-Za-z0-9+/]*={0,2}$/),
    }),
    output: done,
  },
  'import.end': { input: z.strictObject({ job }), output: done },
  /** All jobs that somebody may still want to see. */
  'moving.jobs': { input: nothing, output: z.object({ jobs: z.array(moveJob) }) },
  'moving.cancel': { input: z.strictObject({ job }), output: done },
  /** A finished job need not be shown any more. */
  'moving.forget': { input: z.strictObject({ job }), output: done },
  /** Shows what an export wrote in the system's file manager. */
  'moving.show': { input: z.strictObject({ job }), output: done },
  'run.compare': {
    input: z.strictObject({ a: runId, b: runId }),
    output: z.object({ a: runSide, b: runSide }),
  },
  /** Where a new run can begin, in order; the newest 500. */
  'run.forkPoints': {
    input: z.strictObject({ id: runId }),
    output: z.object({ points: z.array(forkPoint), total: z.number(), lastSeq: z.number() }),
  },
  /** A new run from the beginning of another. `at` absent: all of it, as it is. `to`: another store. */
  'run.fork': {
    input: z.strictObject({ id: runId, at: z.int().min(1).optional(), to: storeName.optional() }),
    output: z.object({ id: runId, through: z.number(), records: z.number() }),
  },
  /** Looks only. */
  'run.repairPlan': { input: z.strictObject({ id: runId }), output: repairPlan },
  /** `sha256`: of the journal as it was shown. `inside`: the person agreed to lose what stands after the damage. */
  'run.repair': {
    input: z.strictObject({ id: runId, sha256: text(64).regex(/^[0-9a-f]{64}$/), inside: z.boolean() }),
    output: z.object({ backup: z.string(), keeps: z.object({ records: z.number(), bytes: z.number() }) }),
  },
} as const;

export const movingEvents = {
  /** A job began, went on or ended. Gone: nobody needs it any more. */
  'moving.job': z.object({ job: moveJob, gone: z.boolean() }),
} as const;
