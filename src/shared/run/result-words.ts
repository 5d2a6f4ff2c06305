import type { ToolResultBlock } from './record';

/** What a result says of its call. `not_run`: it never began. `unknown`: it began, and nobody knows how it ended. */
export type ResultOutcome = 'ok' | 'error' | 'not_run' | 'unknown';

/** What the person reported of a call whose outcome was not known, when they only said that it took effect. */
export const TOOK_EFFECT = 'it took effect.';
/** How the answer to a call begins whose outcome the person reported. */
export const REPORTED = 'The run was interrupted while this call ran. The person looked and reports: ';
/** How the answer to a call begins that was never started. */
export const NOT_RUN = 'Not run';
/** What the answer to a call says whose outcome is not known. */
export const NOT_KNOWN = 'whether it took effect is not known';

/** A person's no, as every program of this format writes it: an answer, not an error. */
export const refusal = (reason: string): string => JSON.stringify({ allowed: false, reason });

/** A refusal is short; nothing longer is looked through. */
const LONGEST_REFUSAL = 200_000;

/**
 * How a call ended, by the words of its result alone: what every reader of a bare journal can know. Words that only the
 * agent loop writes count wherever they stand; a result without them is what its own flag says.
 */
export function resultOutcome({
  content,
  is_error: isError,
}: Pick<ToolResultBlock, 'content' | 'is_error'>): ResultOutcome {
  if (isRefusal(content)) return 'not_run';
  if (isError) {
    const words = content.trimStart();
    if (words.toLowerCase().startsWith(NOT_RUN.toLowerCase())) return 'not_run';
    return words.slice(0, 1_000).toLowerCase().includes(NOT_KNOWN) ? 'unknown' : 'error';
  }
  if (!content.startsWith(REPORTED)) return 'ok';
  return content.slice(REPORTED.length).trim() === TOOK_EFFECT ? 'ok' : 'unknown';
}

function isRefusal(content: string): boolean {
  if (content.length > LONGEST_REFUSAL || !/^\s*\{/.test(content) || !content.includes('"allowed"'))
    return false;
  try {
    const said = JSON.parse(content) as { allowed?: unknown };
    return said.allowed === false;
  } catch {
    return false;
  }
}
