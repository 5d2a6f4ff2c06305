import { Failure, type FailureCode, type FailureInfo } from '../../shared/run/failure';
import { MASK, secretFinder, SHORTEST_SECRET } from '../../shared/run/secret-finder';
import { readProblem, type Problem } from './problem';

/** Who is being called, for sentences; and what must never stand in one. */
export interface Where {
  /** Host and port. */
  host: string;
  model: string;
  /** This machine or its private network: advice differs. */
  local: boolean;
  /** The variable that holds the key; undefined when none is sent. */
  keyVariable: string | undefined;
  key: Readonly<KeyUsed>;
  secrets: readonly string[];
}

/** Where the key of a call came from. */
export interface KeyUsed {
  /** A person entered it; else from the variable, or there was none. */
  saved: boolean;
}

/** A failed try: what the person is told if it was the last, and whether another one may help. */
export class CallError extends Error {
  constructor(
    readonly failure: Failure,
    readonly retry: boolean,
    /** Milliseconds that the service asked us to wait. */
    readonly waitMs?: number,
    readonly problem?: Problem,
  ) {
    super(failure.message, { cause: failure });
  }
}

const KEPT = 'Everything up to this call is recorded; nothing of its reply is.';
const LONGEST_DETAIL = 600;

/** A failure of a model call, with secrets taken out of whatever the service said. */
export function callFailure(
  where: Where,
  info: FailureInfo & { detail?: readonly string[] },
  cause?: unknown,
): Failure {
  const { detail, data, ...rest } = info;
  const clean = detail ? scrub(detail, where.secrets) : '';
  return new Failure(
    {
      kept: KEPT,
      ...rest,
      message: clean ? `${rest.message} It says: ${clean}` : rest.message,
      data: { host: where.host, model: where.model, ...data },
    },
    cause === undefined ? undefined : { cause },
  );
}

/** Characters of a detail that any expression sees, and how many at a cut may be the beginning of a secret. */
const READ_DETAIL = 16 * 1024;
const AT_THE_CUT = 4 * 1024;

/** Secrets out, one line, bounded: each reason has its share, so that a long one leaves room for the next. */
function scrub(reasons: readonly string[], secrets: readonly string[]): string {
  const clean = reasons.map((reason) => withoutKeys(reason, secrets)).filter((reason) => reason !== '');
  const share = Math.floor(LONGEST_DETAIL / Math.max(1, clean.length));
  let left = LONGEST_DETAIL - clean.reduce((sum, { length }) => sum + Math.min(length, share), 0);
  return clean
    .map((reason) => {
      if (reason.length <= share) return reason;
      const room = Math.min(reason.length, share + left);
      left -= room - share;
      return room < reason.length ? `${reason.slice(0, room)} …` : reason;
    })
    .join(': ');
}

function withoutKeys(text: string, secrets: readonly string[]): string {
  let clean = secretFinder(secrets.filter(({ length }) => length >= SHORTEST_SECRET))
    .clean(text.slice(0, READ_DETAIL))
    .replaceAll(MASK, '[key]');
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  if (text.length > READ_DETAIL) clean = clean.slice(0, -AT_THE_CUT);
  return (
    clean
      // Services quote the key that they refuse, half of it starred out.
      .replace(/\b(sk|pk|gsk|xai|key|rk)-[\w*.-]{6,}/gi, '[key]')
      .replace(/(\b(?:Bearer|x-api-key:?|api[_-]?key[=:]"?)\s*)[\w.~+/*-]{12,}=*/gi, '$1[key]')
      .replace(/\b(?:AIza|gsk_|hf_|r8_|nvapi-|pplx-|tgp_v1_|csk-|fw_|ghp_|eyJ)[\w*.-]{12,}/g, '[key]')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

const CONTEXT =
  /context.{0,20}(length|window|size|limit|overflow)|maximum (context|model length|prompt length)|prompt is too long|too many (input )?tokens|input (is )?too long|exceed(s|ed)? .{0,40}(context|token limit)|request_too_large|exceed_context_size/i;
const CREDIT =
  /insufficient[_ ](quota|balance|credit|funds)|credit balance|out of credits?|billing|spend limit|payment required|exceeded your current quota|more credits/i;
const GONE =
  /model[_ ]not[_ ]found|model_decommissioned|unknown model|invalid model|no such model|model .{0,100}does not exist|has been (decommissioned|deprecated|retired)|model .{0,80}not found|try pulling it/i;
const OVERLOADED =
  /overloaded|insufficient_system_resource|capacity|server (is )?busy|temporarily unavailable/i;
const BAD_KEY =
  /invalid (api[ _-]?key|x-api-key|bearer)|incorrect api key|authentication_error|unauthorized/i;
const RATE = /rate[_ ]limit|too many requests/i;

/**
 * An answer that is an error. `answered` is its status; 0: it came inside a stream that had begun with success.
 */
export function serviceError(where: Where, answered: number, headers: Headers, body: unknown): CallError {
  const problem = readProblem(body);
  const status = answered === 0 && /^[45]\d\d$/.test(problem.code) ? Number(problem.code) : answered;
  const words = `${problem.type} ${problem.code} ${problem.message}`.slice(0, READ_DETAIL);
  const waitMs = retryAfter(headers);
  const advice = headers.get('x-should-retry');
  const make = (code: FailureCode, message: string, todo: string, retry: boolean): CallError => {
    const failure = callFailure(where, {
      code,
      message,
      todo,
      detail: problem.reasons,
      data: { status, ...(waitMs !== undefined && { retryAfterMs: waitMs }) },
    });
    return new CallError(failure, advice === null ? retry : advice === 'true', waitMs, problem);
  };
  const { host, model } = where;

  if (status >= 300 && status < 400)
    return make(
      'model_unreachable',
      `${host} wants to send the call to another address${movedTo(headers)}; Holdfast does not follow.`,
      'If you trust that address, put it into the profile.',
      false,
    );
  if (status === 407)
    return make(
      'model_unreachable',
      'The proxy wants a password.',
      'Put user and password into HTTPS_PROXY.',
      false,
    );
  if (status === 402 || CREDIT.test(words))
    return make(
      'model_credit',
      `The account at ${host} has no credit left for this call, or has reached its limit.`,
      'Add credit or raise the limit with the service, then resume: nothing is repeated.',
      false,
    );
  if (status === 401 || (status !== 403 && BAD_KEY.test(words))) return keyRefused(where, problem, status);
  if (status === 403)
    return make(
      'model_auth',
      `${host} does not allow this key to do that.`,
      `Check with the service what the key may do, and that it may use ${model}.`,
      false,
    );
  if (status === 413 || (status !== 429 && CONTEXT.test(words)))
    return contextTooLong(where, problem, status);
  if (status === 404 || status === 410 || ((status === 400 || status === 422) && GONE.test(words)))
    return modelGone(where, problem, status);
  if (status === 429 || RATE.test(words))
    return make(
      'model_rate_limit',
      `${host} asks to slow down${waitMs === undefined ? '' : `: it wants a wait of ${seconds(waitMs)}`}.`,
      waitMs === undefined ? 'Wait a little, then resume.' : `Wait ${seconds(waitMs)}, then resume.`,
      true,
    );
  if (status === 408 || status === 504)
    return make('model_timeout', `${host} took too long to answer.`, 'Resume to try again.', true);
  if (status === 529 || status === 503 || OVERLOADED.test(words))
    return make('model_overloaded', `${host} is overloaded.`, 'Wait a minute, then resume.', true);
  if (status === 409 || status >= 500)
    return make(
      'model_overloaded',
      `${host} had an error of its own${status ? ` (${status})` : ''}.`,
      'Wait a minute, then resume. If it stays, look at the service’s status page.',
      true,
    );
  if (status === 0 && /api_error|server_error|internal/i.test(words))
    return make('model_overloaded', `${host} had an error of its own.`, 'Resume to try again.', true);
  return make(
    'model_request',
    `${host} refused the request${status ? ` (${status})` : ''}.`,
    'Read what it says: the model may lack something that the profile asks for (tools, thinking, output length).',
    false,
  );
}

function movedTo(headers: Headers): string {
  const location = headers.get('location') ?? '';
  return URL.canParse(location) ? ` (${new URL(location).origin})` : '';
}

function keyRefused(where: Where, problem: Problem, status: number): CallError {
  const failure = where.key.saved
    ? callFailure(where, {
        code: 'model_auth',
        message: `${where.host} does not accept the key that you entered.`,
        todo: 'Replace the key in Models and keys, or create a new one with the service.',
        detail: problem.reasons,
        data: { status, saved: true },
      })
    : where.keyVariable === undefined
      ? callFailure(where, {
          code: 'key_missing',
          message: `${where.host} asks for a key, and this profile has none.`,
          todo: 'Enter the key in Models and keys, or name an environment variable that holds it in the profile.',
          detail: problem.reasons,
          data: { status },
        })
      : callFailure(where, {
          code: 'model_auth',
          message: `${where.host} does not accept the key in ${where.keyVariable}.`,
          todo: `Make sure that ${where.keyVariable} holds a valid key for this service, then start Holdfast again.`,
          detail: problem.reasons,
          data: { status, variable: where.keyVariable },
        });
  return new CallError(failure, false, undefined, problem);
}

function contextTooLong(where: Where, problem: Problem, status: number): CallError {
  const failure = callFailure(where, {
    code: 'model_context',
    message: `The conversation has become longer than ${where.model} can read.`,
    kept: 'The whole conversation is recorded and stays readable; nothing of this reply is.',
    todo: 'Continue in a new run that begins with a summary of this one, or choose a model that reads more.',
    detail: problem.reasons,
    data: { status, offer: 'continue_in_new_run' },
  });
  return new CallError(failure, false, undefined, problem);
}

function modelGone(where: Where, problem: Problem, status: number): CallError {
  const noService = problem.type === 'web_page' || (problem.message === '' && problem.code === '');
  const failure = callFailure(where, {
    code: 'model_gone',
    message: noService
      ? `There is no model service at this address of ${where.host}.`
      : `${where.host} has no model named ${where.model}, or this key may not use it.`,
    todo: noService
      ? 'Check the address in the profile: it usually ends in /v1.'
      : where.local
        ? 'Choose a model from the list in the profile, or load this one into the server first.'
        : 'Choose a model from the list in the profile. Resuming with another one shows the change first.',
    detail: problem.reasons,
    data: { status },
  });
  return new CallError(failure, false, undefined, problem);
}

/** An answer that Holdfast cannot make sense of. Not tried again: the same would come once more. */
export function notUnderstood(where: Where, what: string): CallError {
  return new CallError(
    callFailure(where, {
      code: 'model_protocol',
      message: `The answer of ${where.host} could not be understood: ${what}.`,
      todo: 'Resume to try again. If it stays, the service is not compatible with this kind of profile.',
    }),
    false,
  );
}

/** A stream that stopped before the answer was whole. */
export function brokenOff(where: Where, cause?: unknown): CallError {
  return new CallError(
    callFailure(
      where,
      {
        code: 'model_unreachable',
        message: `The connection to ${where.host} ended before the reply was complete.`,
        todo: 'Resume to ask again.',
      },
      cause,
    ),
    true,
  );
}

export function timedOut(where: Where, timeoutMs: number): CallError {
  return new CallError(
    callFailure(where, {
      code: 'model_timeout',
      message: `${where.host} sent nothing new for ${seconds(timeoutMs)}, so the call was given up.`,
      todo: 'Resume to try again, or raise the call time-out in the profile.',
      data: { timeoutMs },
    }),
    false,
  );
}

export const cancelled = (where: Where): Failure =>
  callFailure(where, { code: 'cancelled', message: 'The call was cancelled.' });

export function seconds(ms: number): string {
  if (ms >= 120_000) return `${Math.ceil(ms / 60_000)} minutes`;
  const whole = ms < 1000 ? Math.round(ms / 100) / 10 : Math.ceil(ms / 1000);
  return whole === 1 ? '1 second' : `${whole} seconds`;
}

/** Milliseconds that the answer asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date. */
export function retryAfter(headers: Headers, now = Date.now()): number | undefined {
  const millis = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(millis) && millis >= 0) return Math.ceil(millis);
  const text = headers.get('retry-after')?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
