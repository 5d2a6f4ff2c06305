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

/** Reasons within reasons that are told. */
const MOST_REASONS = 4;

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
    message: reasonsOf(top, from, depth),
  };
}

/** Where services and the gateways before them put a reason, beside the sentence that says that there was one. */
const REASONS = [
  'raw',
  'reason',
  'reasons',
  'message',
  'detail',
  'details',
  'description',
  'error_description',
  'error',
  'errors',
  'innererror',
  'inner_error',
  'cause',
  'causes',
  'upstream',
  'body',
  'response',
  'msg',
];

/** All that is said of why, each thing once: the sentence of the service first. */
function reasonsOf(top: Fields, from: Fields, depth: number): string {
  const said: string[] = [];
  const add = (words: string): void => {
    const plain = words.trim();
    if (plain !== '' && !said.some((one) => one.includes(plain))) said.push(plain);
  };
  add(text(from['message']) || text(top['error']) || text(top['message']) || detailText(top['detail']));
  for (const holder of [from['metadata'], from, top === from ? undefined : top['metadata']]) {
    const inside = fields(holder);
    if (!inside) continue;
    for (const name of REASONS) {
      if (inside === from && name === 'error' && top === from) continue;
      for (const value of [inside[name]].flat()) {
        if (name === 'message' && inside === from) continue;
        if (typeof value === 'string')
          add(readProblem(value, depth + 1).message || (/^\s*[{[<]/.test(value) ? '' : value));
        else if (fields(value)) add(readProblem(value, depth + 1).message || text(fields(value)?.['msg']));
      }
    }
  }
  if (said.length === 0 || top !== from)
    for (const name of ['detail', 'message'])
      add(name === 'detail' ? detailText(top[name]) : text(top[name]));
  return said.slice(0, MOST_REASONS).join(': ');
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

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
