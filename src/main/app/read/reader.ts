import type { TranscriptItem } from '../../../shared/contract/items';
import type { FailureInfo } from '../../../shared/run/failure';
import type { Fingerprint, RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import type { Counters, RunWarning } from '../../../shared/run/state';
import type { Hit, LiveMarks } from './transcript';

/** What is known of a run as a whole after reading it; small, whatever its length. */
export interface RunOverview {
  lastSeq: number;
  /** Transcript items. */
  items: number;
  bytes: number;
  warnings: RunWarning[];
  /** Why it cannot be read further. */
  failure?: FailureInfo;
  prompt?: string;
  chat: boolean;
  fingerprint?: Fingerprint;
  counters?: Counters;
  nextIteration: number;
  profile?: string;
  folder?: string;
  endpoint?: string;
}

export interface ItemPage {
  items: TranscriptItem[];
  from: number;
  total: number;
  lastSeq: number;
}

/** Items that are new or changed. `again`: items moved or went, so everything held must be asked for again. */
export interface ItemChange {
  items: TranscriptItem[];
  total: number;
  lastSeq: number;
  again?: boolean;
}

export interface TextPart {
  text: string;
  total: number;
}

export interface RecordPart extends TextPart {
  kind: string;
  offset: number;
  bytes: number;
  at?: string;
}

/**
 * Reads runs for the window: the one place where whole transcripts are held. Kept ones are few; the others are read again
 * when they are asked for. All methods fail with the store's Failures.
 */
export interface Reader {
  /** Reads the run (again), and keeps it. */
  open(id: string): Promise<RunOverview>;
  /** A run that is nowhere: begins empty and is fed. */
  begin(id: string): Promise<void>;
  /** Records that became durable, and sidecar entries that came with them. */
  feed(id: string, records: { record: RunRecord; at?: string }[], notes: SidecarEntry[]): Promise<ItemChange>;
  /** Reads again what another process may have added. */
  refresh(id: string): Promise<{ overview: RunOverview; change: ItemChange }>;
  mark(id: string, marks: LiveMarks): Promise<ItemChange>;
  items(id: string, from: number, limit: number): Promise<ItemPage>;
  text(
    id: string,
    key: string,
    part: 'text' | 'input' | 'result',
    from: number,
    limit: number,
  ): Promise<TextPart>;
  find(id: string, words: string): Promise<{ hits: Hit[]; total: number }>;
  record(id: string, seq: number, from: number, limit: number): Promise<RecordPart>;
  /** Forgets a run that is no longer shown. */
  drop(id: string): Promise<void>;
  close(): Promise<void>;
}
