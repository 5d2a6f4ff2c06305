/** Stable codes: tests, scripts and the window depend on them; the wording is free to improve. */
export const FAILURE_CODES = [
  // journal content
  'empty',
  'no_meta',
  'version',
  'corrupt',
  // store
  'invalid_id',
  'not_found',
  'exists',
  'locked',
  'seq_gap',
  'journal_dead',
  'fenced',
  'store_unavailable',
  'store_unknown',
  'store_unsafe',
  'store_read_only',
  'store_config',
  'store_protocol',
  'conflict',
  'too_large',
  'unsupported',
  'no_space',
  'io',
  // gates
  'already_completed',
  'interactivity',
  'provider_changed',
  'drift',
  'endpoint_changed',
  'unknown_outcome',
  'from_elsewhere',
  // model
  'model_auth',
  'model_credit',
  'model_gone',
  'model_rate_limit',
  'model_overloaded',
  'model_context',
  'model_refused',
  'model_truncated',
  'model_unreachable',
  'model_tls',
  'model_timeout',
  'model_protocol',
  'model_request',
  // run
  'cancelled',
  'busy',
  'budget',
  'max_iterations',
  'journaling',
  // tools
  'outside_folder',
  'tool_input',
  'tool_failed',
  'tool_timeout',
  // settings and doors
  'profile_unknown',
  'settings_broken',
  'key_missing',
  'secrets_unavailable',
  'bad_request',
  'forbidden',
  'unknown_command',
  'disconnected',
  'internal',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

export interface FailureInfo {
  code: FailureCode;
  /** What happened, for a person. */
  message: string;
  /** What was kept: a sentence, where anything was at stake. */
  kept?: string;
  /** What to do next: a sentence. */
  todo?: string;
  /** Facts for programs: line, byte, seq, path, retryAfterMs … */
  data?: Record<string, unknown>;
}

/** The one error type that crosses rooms. Anything else that is thrown is a bug and becomes `internal` at the door. */
export class Failure extends Error implements FailureInfo {
  readonly code: FailureCode;
  readonly kept?: string;
  readonly todo?: string;
  readonly data?: Record<string, unknown>;

  constructor(info: FailureInfo, options?: { cause?: unknown }) {
    super(info.message, options);
    this.name = 'Failure';
    this.code = info.code;
    if (info.kept !== undefined) this.kept = info.kept;
    if (info.todo !== undefined) this.todo = info.todo;
    if (info.data !== undefined) this.data = info.data;
  }

  toJSON(): FailureInfo {
    return {
      code: this.code,
      message: this.message,
      ...(this.kept !== undefined && { kept: this.kept }),
      ...(this.todo !== undefined && { todo: this.todo }),
      ...(this.data !== undefined && { data: this.data }),
    };
  }
}

export const isFailure = (error: unknown, code?: FailureCode): error is Failure =>
  error instanceof Failure && (code === undefined || error.code === code);

/** Any thrown thing as a Failure; what is not one already becomes `internal`. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure({ code: 'internal', message }, { cause: error });
}
