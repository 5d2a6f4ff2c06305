/** What a service says about a failed call, in whichever vendor's shape it says it. */
export interface Problem {
  /** Broad kind: `rate_limit_error`, `invalid_request_error` … */
  type: string;
  /** Narrow cause: `context_length_exceeded`, `insufficient_quota` … */
  code: string;
  /** The parameter at fault, where the service names one. */
  param: string;
  message: string;
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
 * and what compatible services make of them: a bare string, an array around it, `detail`, `message` at the top, or
 * no JSON at all.
 */
export function readProblem(body: unknown, depth = 0): Problem {
  if (depth > DEEPEST) return { type: '', code: '', param: '', message: '' };
  if (typeof body === 'string') {
    const parsed = tryJson(body);
    if (typeof parsed === 'object' && parsed !== null) return readProblem(parsed, depth + 1);
    const isPage = /^\s*<(!doctype|html)/i.test(body);
    return { type: isPage ? 'web_page' : '', code: '', param: '', message: isPage ? '' : body.trim() };
  }
  if (Array.isArray(body)) return readProblem(body[0], depth + 1);
  const top = fields(body);
  if (!top) return { type: '', code: '', param: '', message: '' };
  const inner = fields(top['error']);
  const from = inner ?? top;
  const details = fields(from['details']);
  return {
    type: text(from['type']) || text(from['status']) || text(top['type']),
    code: text(details?.['error_code']) || text(from['code']) || text(fields(from['error'])?.['code']),
    param: text(from['param']),
    message:
      text(from['message']) ||
      text(top['error']) ||
      text(top['message']) ||
      detailText(top['detail']) ||
      nested(fields(from['metadata'])?.['raw']),
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

/** FastAPI: a sentence, or a list of `{loc, msg}`. */
function detailText(detail: unknown): string {
  if (!Array.isArray(detail)) return text(detail) || text(fields(detail)?.['message']);
  return detail
    .map((item) => {
      const entry = fields(item);
      const place = entry?.['loc'];
      return [Array.isArray(place) ? place.join('.') : '', text(entry?.['msg'])].filter(Boolean).join(': ');
    })
    .filter(Boolean)
    .join('; ');
}

/** A gateway's copy of the text that the service behind it sent. */
function nested(raw: unknown): string {
  return typeof raw === 'string' && raw !== '' ? readProblem(raw).message : '';
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
