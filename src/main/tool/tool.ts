import type { ToolDef } from '../model/model';

export interface ToolContext {
  /** The run's folder, a real absolute path; undefined when the run has none. */
  folder: string | undefined;
  /** Which folder that was when it was granted (see identity.ts); another one in its place is left alone. */
  folderId?: string | undefined;
  /**
   * Whether a real absolute path is Holdfast's own (runs, settings, drafts): no tool reads or changes anything there, also
   * where it lies inside the run's folder. Absent: nothing is.
   */
  closed?: ((real: string) => boolean) | undefined;
  /**
   * Puts something into the trash, where a person finds it again; resolves with where that is, in words. `real`: its whole
   * real path. `at`: a path for the same that is bound to its opened folder where the system can do that. Absent: there is
   * no trash, so nothing is deleted.
   */
  trash?: ((item: { real: string; at: string; signal: AbortSignal }) => Promise<string>) | undefined;
  /** What `caution` said of this call, if a person was shown it and allowed the call all the same. */
  caution?: string | undefined;
  /** Aborted on cancel and on time-out; a tool stops at once. */
  signal: AbortSignal;
}

/** What the model gets. Oversize `content` is clipped by the loop, not here. */
export interface ToolOutcome {
  content: string;
  is_error?: boolean;
}

/**
 * Something that an agent can do.
 *
 * Promises: `run` never leaves the folder; it checks its input and answers mistakes with `is_error`, it does not throw
 * for them; after `signal` it neither starts nor continues an effect.
 */
export interface Tool {
  readonly def: ToolDef;
  /** true: may change something outside the conversation, so it needs approval and is never silently run twice. */
  readonly changes: boolean;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** One line that shows exactly what would run, for cards, approvals and `show`. */
  describe(input: unknown): string;
  /**
   * What a person must know before this call, whatever was allowed before; undefined: nothing. Has no effect.
   */
  caution?(input: unknown, context: ToolContext): Promise<string | undefined>;
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

/** The tools of a profile, in the order that the fingerprint hashes. */
export type ToolSet = readonly Tool[];
