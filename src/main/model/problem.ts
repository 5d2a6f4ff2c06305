import { isPage, reasonsIn } from './reasons';

/** What a service says about a failed call, in whichever vendor's shape it says it. */
export interface Problem {
  /** Broad kind: `rate_limit_error`, `invalid_request_error` … */
  type: string;
  /** Narrow cause: `context_length_exceeded`, `insufficient_quota` … */
  code: string;
  /** The parameter at fault, where the service names one. */
  param: string;
  message: string;
  /** What the message is made of. */
  reasons: readonly string[];
}

/** Arrays around arrays, and texts in texts, that are looked into. */
const DEEPEST = 8;

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/**
 * Reads Anthropic's `{type:"error", error:{type, message, details}}`, OpenAI's `{error:{message, type, code, param}}`,
 * and what compatible services and gateways make of them (see reasons.ts), or no JSON at all.
 */
export function readProblem(body: unknown): Problem {
  const reasons = reasonsIn(body);
  return { ...kindOf(body, 0), message: reasons.join(': '), reasons };
}

function kindOf(body: unknown, depth: number): Pick<Problem, 'type' | 'code' | 'param'> {
  if (depth <= DEEPEST && typeof body === 'string') {
    const parsed = tryJson(body);
    if (typeof parsed === 'object' && parsed !== null) return kindOf(parsed, depth + 1);
    return { type: isPage(body) ? 'web_page' : '', code: '', param: '' };
  }
  if (depth <= DEEPEST && Array.isArray(body)) return kindOf(body[0], depth + 1);
  const top = fields(body);
  if (!top) return { type: '', code: '', param: '' };
  const from = fields(top['error']) ?? top;
  const details = fields(from['details']);
  return {
    type: text(from['type']) || text(from['status']) || text(top['type']),
    code: text(details?.['error_code']) || text(from['code']) || text(fields(from['error'])?.['code']),
    param: text(from['param']),
  };
}

/** True when a stream's event is an error and not part of an answer. */
export function isProblem(data: unknown): boolean {
  const top = fields(data);
  if (!top) return false;
  if (top['type'] === 'error' || top['object'] === 'error') return true;
  // Gateways send it in a chunk of an answer, too: with the parts that an answer has, before or after its end.
  return Object.keys(fields(top['error']) ?? {}).length > 0 || text(top['error']) !== '';
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
