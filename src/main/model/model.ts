import type { ProviderId } from '../../shared/run/profile';
import type { Block, Message, RawJson, Usage } from '../../shared/run/record';

export type { ProviderId } from '../../shared/run/profile';

/** A tool as the model sees it, and as the fingerprint hashes it. `input_schema` is JSON Schema, draft 2020-12. */
export interface ToolDef {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface ModelRequest {
  model: string;
  /** System blocks in order. The last may be the resume reminder, which is never recorded nor fingerprinted. */
  system: string[];
  tools: ToolDef[];
  /** Made by `wire`: roles alternate, every tool_use is answered, nothing is empty. */
  messages: Message[];
  thinking: 'off' | 'summarized';
  /** Tokens. */
  maxOutputTokens: number;
  /** Milliseconds without anything new: from the call to its first content, retries included, and between pieces. */
  timeoutMs: number;
  /** A chat keeps its prompt cache longer. */
  chat: boolean;
  /** Model call number within the run; deterministic models may key on it. */
  iteration: number;
}

/** What a model says while it answers. Only `turn` counts; the rest is for the eye and may be cut off at any point. */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'tool'; id: string; name: string }
  | { type: 'tool_input'; id: string; text: string }
  /** The call is tried again; nothing of it was shown yet, or `restarted` tells that what was shown is void. */
  | { type: 'retry'; attempt: number; waitMs: number; reason: string; restarted: boolean }
  | { type: 'turn'; turn: ModelTurn };

export interface ModelTurn {
  /** Text, thinking, tool_use and provider blocks in their order. May be empty. */
  content: Block[];
  stop_reason: string;
  usage: Usage;
  /** Tool inputs that were no valid JSON: the block holds `{}`, this the raw text by tool-use id. */
  invalidInputs?: Map<string, string>;
}

/**
 * A service that answers conversations.
 *
 * Promises: yields exactly one `turn`, as the last event, or throws a Failure (`model_*`, `key_missing`, `cancelled`);
 * a turn is whole or not at all; `signal` closes the connection at once; tool-use ids are present and unique within
 * the turn; raw JSON is the text that arrived. Nothing of a vendor's types leaves the adapter.
 */
export interface Model {
  readonly provider: ProviderId;
  /** Where requests go, as an origin (`https://api.anthropic.com`); undefined for a model that needs no network. */
  readonly endpoint: string | undefined;
  answer(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Rejects with `key_missing` where a call would; sends nothing. Absent: the model needs no key. */
  ready?(): Promise<unknown>;
  /** Model names that the service offers. Failures as `answer`. */
  models(signal: AbortSignal): Promise<string[]>;
}

export const emptyInput = '{}' as RawJson;
