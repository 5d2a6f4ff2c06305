import type { RunSide } from '../../../shared/contract/moving';
import type { ExportFormat, ExportReport } from '../../library/export/types';
import type { Forked } from '../../library/fork';
import type { ImportReport } from '../../library/import/types';
import type { RepairPlan, Repaired } from '../../library/repair';

/** Work on whole runs, as it crosses to the process that does it. All of it is plain data. */

/** A run by its store's name (empty: the usual one) and its id there. */
export interface RunAt {
  key: string;
  store: string;
  id: string;
}

export interface ExportTask {
  kind: 'export';
  /** `unread`: no process that reads it survives, so only its exact bytes can be had. */
  runs: (RunAt & { unread?: boolean })[];
  format: ExportFormat;
  /** A file, or a folder for several. */
  out: string;
  overwrite: boolean;
  tools: boolean;
  thinking: boolean;
  /** A single line end in an answer is a line break, as in the window. */
  breaks: boolean;
  attachments: 'inline' | 'separate';
  /** Journals of damaged runs end before the damage. */
  intact?: boolean;
  /** Values to take out; absent: nothing is taken out. */
  secrets?: string[];
  /** File that notes unfinished files, for whoever cleans up after a crash. */
  ledger: string;
}

export interface ImportTask {
  kind: 'import';
  store: string;
  /** Where the bytes of each file lie; names only tell what it was called. */
  files: { name: string; path: string; size: number }[];
}

interface Tasks {
  export: { task: ExportTask; result: ExportReport };
  import: { task: ImportTask; result: ImportReport };
  compare: { task: { kind: 'compare'; a: RunAt; b: RunAt }; result: { a: Side; b: Side } };
  points: { task: { kind: 'points'; run: RunAt }; result: Points };
  fork: { task: { kind: 'fork'; run: RunAt; at?: number; to: string }; result: Forked };
  plan: { task: { kind: 'plan'; run: RunAt }; result: RepairPlan };
  repair: { task: { kind: 'repair'; run: RunAt; sha256: string; inside: boolean }; result: Repaired };
}
type Side = Omit<RunSide, 'id' | 'store'>;
export interface Points {
  points: { seq: number; kind: 'prompt' | 'answer' | 'results'; text: string }[];
  total: number;
  lastSeq: number;
}

export type TaskKind = keyof Tasks;
export type Task<K extends TaskKind = TaskKind> = Tasks[K]['task'];
export type Result<K extends TaskKind = TaskKind> = Tasks[K]['result'];

/** How far a task is. */
export interface Progress {
  done: number;
  total: number;
  /** Bytes written so far. */
  bytes: number;
  /** What is at hand: a run's key, a file's name. */
  now: string;
}

export interface Hooks {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** Does such work, somewhere. Fails with the Failures of what it calls; `cancelled` when it was stopped. */
export interface Mover {
  run<K extends TaskKind>(task: Task<K>, hooks?: Partial<Hooks>): Promise<Result<K>>;
  close(): Promise<void>;
}

/** Names of the stores that a task touches. */
export function storesOf(task: Task): Set<string> {
  switch (task.kind) {
    case 'export':
      return new Set(task.runs.map(({ store }) => store));
    case 'import':
      return new Set([task.store]);
    case 'compare':
      return new Set([task.a.store, task.b.store]);
    case 'fork':
      return new Set([task.run.store, task.to]);
    default:
      return new Set([task.run.store]);
  }
}

/** The runs that a task reads. */
export function runsOf(task: Task): RunAt[] {
  switch (task.kind) {
    case 'export':
      return task.runs;
    case 'import':
      return [];
    case 'compare':
      return [task.a, task.b];
    default:
      return [task.run];
  }
}
