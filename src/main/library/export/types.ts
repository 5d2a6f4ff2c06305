import type { FailureInfo } from '../../../shared/run/failure';
import type { DescribeCall } from '../../../shared/run/transcript';
import type { RunStore } from '../../journal/journal';

export const EXPORT_FORMATS = ['md', 'html', 'json', 'journal', 'zip'] as const;
/**
 * `md`, `html`: to be read. `json`: the folded state (resources/schemas/run-export.json). `journal`: the exact bytes and
 * what stands beside them. `zip`: pages, journals and an index of many runs in one file.
 */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What goes into an export. */
export interface ExportView {
  /** What tools gave back; without, only its length is told. Default: true. */
  tools?: boolean;
  /** Default: true. */
  thinking?: boolean;
  /** A single line end in an answer is a line break on a web page. Default: false. */
  breaks?: boolean;
  /** Takes out what looks like a key, and these known values. Absent: nothing is taken out. */
  secrets?: readonly string[];
  /** Whole texts of results that were clipped for the model: in the export itself (default), or in files beside it. */
  attachments?: 'inline' | 'separate';
  /** Journals of damaged runs end before the damage, so that they can be taken in again. Default: byte for byte. */
  intact?: boolean;
  /** How a call is shown in one line. Absent: name and input. */
  describe?: DescribeCall;
}

/** A run to be written out, in its store. */
export interface RunToExport {
  store: RunStore;
  id: string;
  /** How reports name it. Default: its id. */
  key?: string;
  /** It is known that no process survives reading it. */
  unread?: boolean;
}

export interface ExportOptions extends ExportView {
  format: ExportFormat;
  /**
   * A file for one run or a zip; a folder (made if need be) for several. A folder that is there gets files named after
   * the runs.
   */
  out: string;
  /** Replaces files that are there. Default: such an export fails with `exists`. */
  overwrite?: boolean;
  /** Files of several runs are called by the runs' titles, and by the next free name. Default: by their ids. */
  byTitle?: boolean;
  signal?: AbortSignal;
  /** Told of each unfinished file before it is made, so that somebody can remove it after a crash. */
  onPart?(path: string): void;
  onProgress?(progress: ExportProgress): void;
  now?(): Date;
}

export interface ExportProgress {
  /** The run being written. */
  id: string;
  /** Runs that are done, of how many. */
  done: number;
  total: number;
  /** Bytes written so far. */
  bytes: number;
}

/** What an export has to show: every record, every call of a tool, every result. */
export interface Counts {
  records: number;
  calls: number;
  results: number;
}

export interface ExportedRun {
  /** As it was asked for: its key, or its id. */
  id: string;
  title: string;
  files: string[];
  /** In the journal, and in what was written. */
  found: Counts;
  written: Counts;
  /** All that was found was written. */
  complete: boolean;
  /** Places where a secret was taken out. */
  redacted: number;
  /** Kept texts that could not be had any more. */
  missingTexts: string[];
  /** The run is damaged, and what stands before the damage was written. */
  damage?: FailureInfo;
  /** Things to know. */
  remarks: string[];
}

export interface ExportReport {
  format: ExportFormat;
  runs: ExportedRun[];
  failed: { id: string; failure: FailureInfo }[];
  files: string[];
  bytes: number;
}
