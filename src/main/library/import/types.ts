import type { FailureInfo } from '../../../shared/run/failure';
import type { RunWarning } from '../../../shared/run/state';
import type { Tree } from './tree';

export interface ImportOptions {
  newId(): string;
  now?(): Date;
  signal?: AbortSignal;
  onProgress?(progress: ImportProgress): void;
}

/** Something to import from. `label`: how reports call it; empty: its files speak for themselves. */
export interface ImportSource {
  label: string;
  open(): Promise<Tree>;
}

export interface ImportProgress {
  /** What is being read. */
  source: string;
  done: number;
  total: number;
}

/** What became of one file that could have been a run. */
export type Imported =
  | {
      outcome: 'imported';
      source: string;
      /** Its name here; another than `wanted` where that was taken or is none of a run. */
      id: string;
      wanted: string;
      /** What the library calls it: what a person called it, or its first words. */
      title: string;
      records: number;
      bytes: number;
      /** Bytes that are no record (an unfinished last line) and were not taken. */
      dropped: number;
      notes: number;
      texts: number;
      warnings: RunWarning[];
      /** Where records differ from the published schemas; they were taken as they are. */
      schema: { line: number; message: string }[];
    }
  | { outcome: 'failed'; source: string; failure: FailureInfo };

export interface ImportReport {
  imported: number;
  failed: number;
  files: Imported[];
  /** It was stopped; what had been taken in before is there. */
  cancelled: boolean;
}
