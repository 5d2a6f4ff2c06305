import type { RunRecord, TerminalReason } from '../../shared/run/record';
import type { Steps } from '../../shared/run/allowance';
import type { Counters, RunState } from '../../shared/run/state';
import type { FailureInfo } from '../../shared/run/failure';
import type { SidecarEntry, UnknownDecision } from '../../shared/run/sidecar';
import type { GateReport, FingerprintDiff } from '../../shared/run/gates';
import type { Durability, RecordPlace, RunStore } from '../journal/journal';
import type { Model } from '../model/model';
import type { Witness } from '../settings/witness';
import type { Used } from '../settings/used';
import type { Versions } from '../settings/versions';
import type { ToolContext, ToolSet } from '../tool/tool';
import type { Profile } from '../settings/profile';
import type { Clock } from './clock';
import type { RunOrigin } from './origin';
import type { QueuedMessage } from './queue';

/** What the loop is built from; made in a composition root. */
export interface AgentParts {
  model(profile: Profile): Model;
  tools(profile: Profile): ToolSet;
  /** Values that are replaced in tool results before they are recorded. */
  secrets(store?: RunStore): string[];
  /** Called before a run begins or goes on: what the person's settings name may have changed. Absent: it does not. */
  lookAround?(): Promise<void>;
  /** What this machine can prove to have written. */
  witness: Witness;
  now(): Date;
  newId(): string;
  /** Which real paths no tool may look into or change, as things are now: Holdfast's own folders, and that of the run's store. Absent: none. */
  closed?(store: RunStore | undefined): (real: string) => boolean;
  /** See `ToolContext.trash`. */
  trash?: ToolContext['trash'];
  /** For time-outs; absent: the machine's own. */
  clock?: Clock;
  /** Where the texts behind the hashes of a fingerprint are kept; absent: nowhere. */
  versions?: Pick<Versions, 'keep' | 'text'>;
  /** Notes that a profile was used, which lists put first; absent: nowhere. */
  used?: Pick<Used, 'note'>;
}

export type ApprovalDecision =
  | { decision: 'once' | 'run' }
  /** `words` go to the model as the tool's answer. */
  | { decision: 'deny'; words?: string };

/** A state-changing call that waits for a person. `hash` binds an answer to exactly this call; it is single use. */
export interface ApprovalRequest {
  hash: string;
  toolUseId: string;
  tool: string;
  /** Exact JSON text of the input. */
  input: string;
  /** One line: exactly what would run. */
  line: string;
}

export interface UnknownAnswer {
  toolUseId: string;
  /** `PendingTool.hash` of the call that was looked at. `run` counts only with it: an id alone names no call. */
  hash?: string;
  decision: UnknownDecision;
  /** For `happened`: what the model is told as the tool's result. */
  words?: string;
}

export type Phase =
  /** The model answers. */
  | 'calling'
  /** A tool runs. */
  | 'tool'
  /** A state-changing tool waits for a person. */
  | 'waiting'
  /** A chat that waits for the person's next message; the writer's place is free. */
  | 'idle'
  /** The session is over; see `outcome`. */
  | 'ended';

/** How a session ended. `your_turn`: a chat at its input boundary. `private` runs end like any other but are nowhere. */
export interface Outcome {
  reason: TerminalReason | 'your_turn';
  message?: string;
  failure?: FailureInfo;
}

export type SessionEvent =
  /** A record became durable (`place`), or was made in a private run (no place). */
  | { type: 'record'; record: RunRecord; place?: RecordPlace; durability: Durability; at: string }
  | { type: 'text' | 'thinking'; text: string; iteration: number }
  | { type: 'tool_input'; id: string; name: string; text: string }
  /** What was streamed for this iteration is void: the call is tried again. */
  | { type: 'stream_reset'; iteration: number; reason: string; waitMs: number }
  /** What was streamed will not become a record: the call failed, was stopped, or could not be saved. */
  | { type: 'cut'; entry: Extract<SidecarEntry, { kind: 'partial' }> }
  | { type: 'phase'; phase: Phase; tool?: string; toolUseId?: string }
  | { type: 'tool_started'; toolUseId: string; tool: string; at: string }
  | { type: 'approval'; request: ApprovalRequest }
  | { type: 'approval_settled'; toolUseId: string; decision: 'once' | 'run' | 'deny' | 'withdrawn' }
  | { type: 'queued'; messages: QueuedMessage[] }
  | { type: 'warning'; code: string; text: string }
  /** A reset moved the session to a new run. */
  | { type: 'rotated'; from: string; to: string }
  | { type: 'ended'; outcome: Outcome };

export interface SessionSnapshot {
  id: string;
  private: boolean;
  phase: Phase;
  /** Never changes once handed out; read-only. */
  state: RunState;
  counters: Counters;
  lastSeq: number;
  records: number;
  approval?: ApprovalRequest;
  /** What was streamed of the answer under way. */
  streaming: { iteration: number; text: string; thinking: string };
  /** Said but not in the journal yet; what is left of it when a session ends is held. */
  queued: QueuedMessage[];
  runningTool?: { toolUseId: string; tool: string; at: string };
  /** Set while a pause was asked for and its boundary is not reached. */
  pausing: boolean;
  /** See `Allowance`: steps as they are counted now, and how many tokens the run may use; 0 for any number. */
  steps: Steps;
  tokens: number;
  outcome?: Outcome;
}

/**
 * A run with a living writer (or a private one).
 *
 * A chat at rest has given its writer's place back. It takes it again when something is said: if the run was taken
 * further elsewhere it goes on from there (warning `run_grown`); if it cannot (`locked`, a gate, `conflict`), it stays at
 * rest with that failure as its outcome and the message in the queue.
 *
 * Promises: events come in order and after their effect is durable; no method throws for being called at the wrong
 * time (they answer false); listeners that throw are ignored; after `ended` nothing more happens.
 */
export interface Session {
  readonly id: string;
  snapshot(): SessionSnapshot;
  on(listener: (event: SessionEvent) => void): () => void;
  /** Resolves, or rejects, as `say` does, for the words that the session was opened with; true where there were none. */
  readonly said: Promise<boolean>;
  /**
   * Chat only. At rest it starts a turn, and the calls that are still open are answered as stopped; `queue` waits there
   * too, unless the last turn was answered. While the agent works it waits in the queue and goes after the answer, one
   * message at a time; after a stop, a pause or a failure what is left there is held until `send`.
   *
   * Resolves once the words are durable: in the journal, or in the queue beside the run. false, and nothing is kept: not
   * a chat, blank, or ended. Rejects, and nothing is kept, where they can be kept nowhere.
   */
  say(text: string, how?: 'now' | 'queue'): Promise<boolean>;
  /** A held message may go: at rest now, else after the answer. */
  send(id: string): Promise<boolean>;
  /** Takes a queued message back; false: it is gone, or on its way into the journal. */
  unqueue(id: string): Promise<boolean>;
  /** At rest after a turn without an answer: goes on from the conversation as it is. */
  again(): boolean;
  answer(hash: string, decision: ApprovalDecision): boolean;
  /** Suspends at the next boundary. */
  pause(): void;
  /** Stops now: the running tool is answered as interrupted, the rest as not run, then suspended. */
  cancel(): void;
  /**
   * Chat at rest only: a new run that begins with `prompt` and none of this context. The old one is suspended and freed.
   * When the new run cannot be made, a warning `reset_failed` says so and the prompt is said in the old one.
   */
  reset(prompt: string): boolean;
  /** Resolves at the next `idle` or `ended`. */
  settled(): Promise<Outcome>;
  /**
   * Frees everything. At rest nothing is written. In the middle the turn is suspended: a running call that changes
   * something is answered as interrupted, all others stay open for a resume.
   */
  close(): Promise<void>;
}

export interface StartOptions {
  /** undefined: private, nothing is written. */
  store: RunStore | undefined;
  id?: string;
  prompt: string;
  chat: boolean;
  profile: Profile;
  /** Absolute path. */
  folder?: string;
  /** Which folder that was when the person chose it; another one in its place is refused. */
  folderId?: string;
  /** Tools allowed for this run without asking. */
  allow?: string[];
  /** Asked for state-changing tools. `auto-deny`: nobody is there to ask (answers the call as not allowed). */
  approvals: 'ask' | 'auto-deny';
  /** The run of the same store that this one goes on from: noted in the sidecar before anything is called. */
  continues?: { from: string; throughSeq: number };
}

export interface ResumeOptions {
  store: RunStore;
  id: string;
  profile: Profile;
  /** Absent: the one that this machine noted for the run. */
  folder?: string;
  /** As for a start. */
  folderId?: string;
  allow?: string[];
  approvals: 'ask' | 'auto-deny';
  force?: boolean;
  /**
   * `Preflight.origin.seen` of a run from elsewhere: the person saw where it comes from, and chose this profile (with its
   * endpoint) and this folder, or none, for it here.
   */
  acceptOrigin?: string;
  /** The endpoint change was seen and accepted; Force does not cover it. */
  acceptEndpoint?: boolean;
  unknown?: UnknownAnswer[];
  /** Answer for every unknown outcome not named in `unknown`. */
  unknownDefault?: 'run' | 'skip';
  /** Open as; absent: the run's own mode. */
  interactive?: boolean;
  /** A follow-up to say after the pending turn (chat only). */
  say?: string;
  /** The same with a message of the queue, by its id; `not_found` when it is not there any more. */
  send?: string;
  /** With words: open calls that have not begun are answered as stopped, not run. */
  instead?: boolean;
}

/** A tool use of a pending turn, seen before anything runs. */
export interface PendingTool {
  toolUseId: string;
  tool: string;
  input: string;
  line: string;
  /** `answered`: kept result. `run`: would run. `ask`: would run after approval. `unknown`: started, outcome not known.
   *  `foreign`: it came with the run from elsewhere, and runs only if a person says so for this very call.
   *  `not_run`: its turn was cut short, a person had refused it, or its input was no JSON object, so it is answered as not run. `missing`: the profile has no such tool. */
  fate: 'answered' | 'run' | 'ask' | 'unknown' | 'foreign' | 'not_run' | 'missing';
  /** Binds an answer to exactly this call: its run, record, id, tool, input and folder. */
  hash: string;
  /** The whole path that it would work on, where its input names one. */
  path?: string;
  changes: boolean;
  startedAt?: string;
}

/** What will happen next. `later`: the call is not touched. */
export interface Forecast {
  /** Calls of the pending turn, in their order. */
  calls: { toolUseId: string; fate: PendingTool['fate'] | 'later' }[];
  /** After them. `cut_short`: the run ends as failed, as its last answer did; `budget`, `steps`: it ends for want of these. */
  then: 'call' | 'input' | 'finish' | 'nothing' | 'cut_short' | 'budget' | 'steps';
}

/** Everything a person sees before a resume acts. Computing it changes nothing. */
export interface Preflight {
  id: string;
  /** Where the run comes from. */
  origin: RunOrigin;
  gates: GateReport[];
  /** No gate refuses. */
  ok: boolean;
  diff: FingerprintDiff[];
  recordedEndpoint?: string;
  currentEndpoint?: string;
  /** Profile, folder that the run last used, by the notes of this machine. */
  profile?: string;
  folder?: string;
  /** Which folder that was when this machine noted it. */
  folderId?: string;
  /** What is not there now and a resume needs: a key, a model, an address, the folder. In the words that a resume would fail with. */
  missing: FailureInfo[];
  pending: PendingTool[];
  /** Calls of fate `unknown` or `foreign`: each needs an answer. */
  unknown: PendingTool[];
  /** What a resume would do next. `finish`: only the terminal record is missing. `input`: wait for the person. */
  next: 'tools' | 'call' | 'input' | 'finish' | 'nothing';
  /** The same to its end: of a resume, and of a message that is said in its place (chats only). */
  resume: Forecast;
  say?: Forecast;
  counters: Counters;
  records: number;
  /** Model replies that are recorded and will not be paid again. */
  paidCalls: number;
  /** Conversation ends at a paused turn: server-side state may have expired. */
  pausedTurn: boolean;
  /** Roughly what the next call sends, in characters of JSON. */
  nextCallChars: number;
  /** Text of a reply that a crash cut off, outside the conversation. */
  lost?: { text: string; thinking?: string; at: string };
}
