/**
 * The record of format v3, as TypeScript sees it. Property names and their order are the bytes' own
 * (see codec.ts); nothing is renamed on the way in or out, so there is one vocabulary for disk, model and view.
 */

/** JSON text as it arrived, only compacted and escaped; never parsed and written anew. */
export type RawJson = string & { readonly rawJson: unique symbol };

/** The only version this build reads or writes. */
export const RECORD_VERSION = 3;

const NAMESPACE = 'io.choria.fisk-ai.v1.session';
export const PROTOCOL = {
  meta: `${NAMESPACE}.meta`,
  assistant: `${NAMESPACE}.assistant`,
  user: `${NAMESPACE}.user`,
  tool_result: `${NAMESPACE}.tool_result`,
  terminal: `${NAMESPACE}.terminal`,
} as const;
export type RecordKind = keyof typeof PROTOCOL;

/** What a run was written against. Units: max_tokens in tokens over the whole run (0: no limit), max_iterations in model calls. */
export interface Fingerprint {
  provider: string;
  model: string;
  system_hash: string;
  tools_hash: string;
  thinking_mode: string;
  max_tokens: number;
  max_iterations: number;
}

export interface TextBlock {
  text: string;
}
/** `signature` is the base64 that the record holds: base64 of the bytes of the service's own signature string. */
export interface ThinkingBlock {
  text?: string;
  signature?: string;
}
export interface ToolUseBlock {
  id: string;
  name: string;
  input: RawJson;
}
export interface ToolResultBlock {
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}
/** A block only its provider understands; `raw` is echoed to it byte for byte. */
export interface ProviderBlock {
  kind: string;
  raw: RawJson;
}

/** Exactly one property is set; its name is the kind. (A reader may meet none or several: see codec.ts.) */
export interface Block {
  text?: TextBlock;
  thinking?: ThinkingBlock;
  tool_use?: ToolUseBlock;
  tool_result?: ToolResultBlock;
  provider?: ProviderBlock;
}

export type Role = 'user' | 'assistant';
export interface Message {
  role: Role;
  /** `null` and `[]` are both written by the reference and both kept. */
  content: Block[] | null;
}

export interface MetaPayload {
  version: number;
  run_id: string;
  /** RFC 3339 with the writer's own offset; text, so that it survives unchanged. */
  created: string;
  fingerprint: Fingerprint;
  prompt: string;
  /** true: a chat; absent: a one-shot run. */
  interactive?: boolean;
}

/** Tokens of one model call. */
export interface Usage {
  in_tokens: number;
  out_tokens: number;
  cache_read_tokens?: number;
  cache_create_tokens?: number;
}

export interface AssistantPayload extends Usage {
  iteration: number;
  message: Message;
  stop_reason?: string;
}
export interface UserPayload {
  message: Message;
}
export interface ToolResultPayload {
  tool_use_id: string;
  result: ToolResultBlock;
  remote?: boolean;
}
export const TERMINAL_REASONS = ['completed', 'suspended', 'error', 'budget', 'max_iterations'] as const;
export type TerminalReason = (typeof TERMINAL_REASONS)[number];
export interface TerminalPayload {
  /** One of TERMINAL_REASONS when we write; any text when we read. */
  reason: string;
  message?: string;
}

/** One record: a sequence number (1 is the meta record), a protocol id and one payload. */
export interface RunRecord {
  seq: number;
  protocol: string;
  meta?: MetaPayload;
  assistant?: AssistantPayload;
  user?: UserPayload;
  tool_result?: ToolResultPayload;
  terminal?: TerminalPayload;
}

/** Stop reasons that Holdfast itself acts on; others are kept as they came. */
export const STOP = {
  endTurn: 'end_turn',
  toolUse: 'tool_use',
  maxTokens: 'max_tokens',
  stopSequence: 'stop_sequence',
  pauseTurn: 'pause_turn',
  refusal: 'refusal',
  contextExceeded: 'model_context_window_exceeded',
} as const;
