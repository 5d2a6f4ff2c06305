import type { Fingerprint, Message, ToolResultBlock } from './record';

/** Derived from records by the fold, never stored. All seven counters. */
export interface Counters {
  llm_calls: number;
  tool_calls: number;
  remote_tool_calls: number;
  in_tokens: number;
  out_tokens: number;
  cache_read_tokens: number;
  cache_create_tokens: number;
}

/** A partly answered assistant turn. It is not in `messages`. */
export interface PendingTurn {
  assistant: Message;
  iteration: number;
  stop_reason: string;
  /** In journal order. */
  results: ToolResultBlock[];
  /** Ids of answered tool uses, in the order of their first answer. */
  answered: string[];
}

/** What a journal folds to. The keys and meanings are those of `fold-cases.jsonl`. */
export interface RunState {
  version: number;
  run_id: string;
  prompt: string;
  interactive: boolean;
  fingerprint: Fingerprint;
  /** Always ends on a boundary that a model API accepts; an in-flight tool batch is in `pending`. */
  messages: Message[];
  counters: Counters;
  next_iteration: number;
  pending: PendingTurn | null;
  last_stop_reason: string;
  /** The last terminal record ever seen, as the reference has it. See RunFacts.terminalIsLast for whether it still counts. */
  terminal: { reason: string; message?: string } | null;
  completed: boolean;
}

/** Things worth saying about a journal that do not change its fold. Never an error. */
export interface RunWarning {
  code:
    | 'torn_tail'
    | 'bad_last_line'
    | 'missing_newline'
    | 'records_after_terminal'
    | 'seq_gap'
    | 'orphan_result'
    | 'double_result'
    | 'id_mismatch'
    | 'unanswered_turn'
    | 'odd_role';
  /** 1-based line, 0-based byte offset of the line's start; absent where a warning is about the whole. */
  line?: number;
  byte?: number;
  seq?: number;
  detail: string;
  /** A fact of a healthy run (it was paused or had stopped, and went on): worth knowing, nothing to worry about. */
  ordinary?: true;
}

/** What the fold knows beside the parity state. */
export interface RunFacts {
  /** No record other than terminals follows the last terminal record: only then does its reason describe the run now. */
  terminalIsLast: boolean;
  /** Seq of the last record; 0 for none. */
  lastSeq: number;
  /** Kind of the last record. */
  lastKind: string;
}

/**
 * Where a fold stands, without the conversation: enough to go on counting. A Folder that goes on from here gives a right
 * state but for its `messages`, of which only the role of the last one is right, and for the content of its turns.
 */
export interface FoldPoint {
  counters: Counters;
  next_iteration: number;
  last_stop_reason: string;
  terminal: RunState['terminal'];
  facts: RunFacts;
  /** How often each code was warned about. */
  warned: [RunWarning['code'], number][];
  /** How many of the listed warnings are not ordinary. Absent: not known. */
  alerts?: number;
  /** The newest turn: ids and names of its tools, and which of them are answered. */
  open?: { iteration: number; tools: [string, string][]; answered: string[] };
}
