import type { TranscriptItem } from '../../../shared/contract/items';
import type { Stand, TurnRow } from '../../../shared/contract/reading';
import type { RunHead } from '../../../shared/contract/views';
import type { Steps } from '../../../shared/run/allowance';
import type { FailureInfo } from '../../../shared/run/failure';
import type { Fingerprint, RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import type { Counters, RunWarning } from '../../../shared/run/state';
import type { Hit, Target } from './places';
import type { LiveMarks } from './transcript';

/** What is known of a run as a whole after reading it; small, whatever its length. */
export interface RunOverview {
  lastSeq: number;
  /** Absent: not known yet. */
  records?: number;
  /** Transcript items. */
  items: number;
  bytes: number;
  warnings: RunWarning[];
  /** Why it cannot be read further. */
  failure?: FailureInfo;
  /** Why it ended as it did, where its last record is an end and that was noted. */
  ended?: FailureInfo;
  prompt?: string;
  chat: boolean;
  fingerprint?: Fingerprint;
  counters?: Counters;
  nextIteration: number;
  /** As `Allowance` has them; absent while they are not known. */
  steps?: Steps;
  tokens?: number;
  profile?: string;
  folder?: string;
  endpoint?: string;
  /** Where it came from, and what was cut off it. */
  origin?: NonNullable<RunHead['origin']>;
  repairs?: NonNullable<RunHead['repairs']>;
  /** Only its end was read so far; the part that was, from 0 to 1. Counters and warnings are not known yet. */
  reading?: number;
}

export interface ItemPage {
  items: TranscriptItem[];
  from: number;
  total: number;
  lastSeq: number;
  /** Only the end of the run was read so far, and items count from there. */
  tail?: boolean;
}

/** Items around a record; `at`: which of them is the one in which it stands. */
export interface AroundPage {
  items: TranscriptItem[];
  at: number;
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
  usage?: { in: number; out: number; cacheRead: number; cacheWrite: number };
  fork: boolean;
  /** Which record it is, counted from 1, of how many; absent: not known yet. */
  nth?: number;
  of?: number;
  /** Numbers of the records beside it, as far as they are known. */
  before?: number;
  after?: number;
}

export interface TurnPage {
  rows: TurnRow[];
  total: number;
  lastSeq: number;
  turns: number;
  models: { after: number; provider: string; model: string }[];
}

/** A record that became durable, and where it stands, if it is stored. */
export interface Fed {
  record: RunRecord;
  at?: string;
  place?: { offset: number; bytes: number };
}

/**
 * Reads runs for the window: the one place where whole transcripts are known. Kept ones are few; the others are read again
 * when they are asked for. All methods fail with the store's Failures.
 */
export interface Reader {
  /**
   * Reads the run (again, what is new of it), and keeps it. `quick`: a long one by its end only, the rest follows by
   * itself (see `whole`); what needs all of it waits. `here`: it is written by this program from now on.
   */
  open(id: string, quick?: boolean, here?: boolean): Promise<RunOverview>;
  /**
   * All of a run that was opened quickly. `before`: items in front of those that were known; absent: those are not as
   * they stood (the run grew, or is damaged), so all must be asked for again.
   */
  whole(id: string): Promise<{ overview: RunOverview; before?: number }>;
  /** How much of a run has been read, from 0 to 1. */
  progress(id: string): Promise<number>;
  /** A run that is nowhere: begins empty and is fed. */
  begin(id: string): Promise<void>;
  /** Records that became durable, and sidecar entries that came with them. */
  feed(id: string, records: Fed[], notes: SidecarEntry[]): Promise<ItemChange>;
  /** Reads what another process may have added. */
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
  /**
   * What stands around record `seq` of a run whose end alone is known so far, without waiting for the rest. No items: all
   * of it is known, or soon is.
   */
  around(id: string, seq: number): Promise<AroundPage>;
  locate(id: string, target: Target): Promise<{ index?: number; key?: string }>;
  turns(id: string, from: number, limit: number): Promise<TurnPage>;
  stand(id: string, seq: number): Promise<Stand>;
  /** Forgets a run that is no longer shown. */
  drop(id: string): Promise<void>;
  close(): Promise<void>;
}
