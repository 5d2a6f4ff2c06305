import { Failure } from '../../../shared/run/failure';
import type { FailureCode } from '../../../shared/run/failure';

/** One thing that a person asked for. */
export type Wish =
  | { do: 'tool'; tool: string; input: Record<string, unknown> }
  | { do: 'summarise'; path: string }
  | { do: 'help' | 'hello' | 'pause' }
  | { do: 'think'; about: string }
  | { do: 'long'; lines: number }
  | { do: 'say'; text: string }
  | { do: 'fail'; failure: Failure; halfway: boolean }
  /** The turn is cut short, with the calls of `meanwhile` in it. */
  | { do: 'stop'; reason: 'max_tokens' | 'refusal' | 'model_context_window_exceeded'; meanwhile: Wish[] }
  /** The same calls, one model call after the other; `#` in them becomes the number of the round. */
  | { do: 'repeat'; times: number; wishes: Wish[] };

export interface Request {
  wishes: Wish[];
  slowly: boolean;
  /** Empty when everything was understood. */
  puzzled: string;
}

const FILE = '("[^"]+"|\'[^\']+\'|\\S+?)';
const unquote = (name: string) =>
  name.replace(/^(["'])(.*)\1$/, '$2').replace(/[.,!?]{1,9}$/, (end) => (/^\.+$/.test(name) ? end : ''));
const folderOf = (words: string | undefined) =>
  !words ||
  /^((this|the|my)\s+)?(folder|directory|files?|all|everything|project|here|it)?\.?$/i.test(words.trim())
    ? '.'
    : unquote(words.trim().replace(/^(the\s+)?(folder|directory|file)\s+/i, ''));

/** A wish inside a wish is read this deep. */
const DEEPEST = 3;
type Rule = [RegExp, (found: string[], depth: number) => Wish];

const tool = (name: string, input: Record<string, unknown>): Wish => ({ do: 'tool', tool: name, input });
const seconds = (text: string | undefined) => Math.min(600, Number(text ?? 0));

// First match wins. Texts that a person gives (to write, to find) run to the end of their part.
const RULES: Rule[] = [
  [/^(?:help|\?|what can you do.*|commands)$/i, () => ({ do: 'help' })],
  [/^(?:hello|hi|hey|good (?:morning|evening|day)|who are you.*|what are you.*)$/i, () => ({ do: 'hello' })],
  [
    new RegExp(
      `^append\\s+(?:to\\s+)?${FILE}\\s*:\\s*([^]*?)(?:\\s{1,9}after\\s{1,9}(\\d+(?:\\.\\d+)?)(?:\\s*s(?:ec(?:ond)?s?)?)?)?$`,
      'i',
    ),
    ([file = '', text = '', delay]) =>
      tool('append_file', {
        path: unquote(file),
        text: `${text}\n`,
        ...(delay !== undefined && { delay_seconds: seconds(delay) }),
      }),
  ],
  [
    new RegExp(`^write\\s+(?:to\\s+)?${FILE}\\s*:\\s*([^]*)$`, 'i'),
    ([file = '', text = '']) => tool('write_file', { path: unquote(file), content: `${text}\n` }),
  ],
  [
    new RegExp(
      `^edit\\s+${FILE}\\s*:\\s*([^]+?)\\s{0,9}(?:->|=>|→)\\s{0,9}([^]*?)(\\s{1,9}everywhere)?$`,
      'i',
    ),
    ([file = '', old = '', fresh = '', all]) =>
      tool('edit_file', {
        path: unquote(file),
        edits: [
          { old_text: quoted(old), new_text: quoted(fresh), ...(all !== undefined && { replace_all: true }) },
        ],
      }),
  ],
  // Any tool with any input, for those who know them.
  [/^call\s+([a-z][a-z0-9_]*)(?:\s+(\{[^]*\}))?$/i, ([name = '', input]) => scripted(name, input)],
  [
    /^repeat\s+(\d+)(?:\s+times)?\s*:\s*([^]+)$/i,
    ([times, rest = ''], depth) => ({
      do: 'repeat',
      times: Math.min(1000, Number(times)),
      wishes: split(rest, depth + 1),
    }),
  ],
  [
    /^run out of (?:tokens|output)(?:\s+while\s+([^]+))?$/i,
    ([rest], depth) => stop('max_tokens', depth, rest),
  ],
  [/^refuse(?:\s+while\s+([^]+))?$/i, ([rest], depth) => stop('refusal', depth, rest)],
  [
    /^run out of context(?:\s+while\s+([^]+))?$/i,
    ([rest], depth) => stop('model_context_window_exceeded', depth, rest),
  ],
  [/^(?:the\s+)?context (?:is )?too long$/i, () => failing('context', false)],
  [
    /^fail(?:\s+(halfway))?(?:[\s,]+(?:with\s+)?([a-z ]+))?$/i,
    ([half, how]) => failing(how, half !== undefined),
  ],
  [
    /^(?:list|ls|show)(?:\s+(?:the\s+)?files)?(?:\s+(?:in|of)?\s*([^]+))?$/i,
    ([path]) => tool('list_files', { path: folderOf(path) }),
  ],
  [/^(?:read|open|cat|quote)\s+([^]+)$/i, ([path]) => tool('read_file', { path: folderOf(path) })],
  [
    /^(?:search|find|grep)\s+(?:for\s+)?([^]+?)(?:\s{1,9}in\s{1,9}([^]+))?$/i,
    ([query = '', path]) => tool('search_text', { query: unquote(query), path: folderOf(path) }),
  ],
  [
    /^(?:count|stats|statistics|measure)(?:\s+(?:the\s+)?(?:words|lines|files|bytes)(?:\s+and\s+\w+)?)?(?:\s+(?:in|of|for))?(?:\s+([^]+))?$/i,
    ([path]) => tool('file_stats', { path: folderOf(path) }),
  ],
  [
    /^wait(?:\s+(\d+(?:\.\d+)?)(?:\s*s(?:ec(?:ond)?s?)?)?)?$/i,
    ([n]) => tool('wait', { seconds: seconds(n ?? '1') }),
  ],
  [
    /^(?:summari[sz]e|describe|overview)(?:\s+(?:of\s+)?([^]+))?$/i,
    ([path]) => ({ do: 'summarise', path: folderOf(path) }),
  ],
  [
    /^think(?:\s+(?:about\s+)?([^]+))?$/i,
    ([about]) => ({ do: 'think', about: about ?? 'nothing in particular' }),
  ],
  [/^long(?:\s+(\d+)(?:\s+lines)?)?$/i, ([n]) => ({ do: 'long', lines: Math.min(20_000, Number(n ?? 0)) })],
  [/^pause(?: your turn)?$/i, () => ({ do: 'pause' })],
  [/^(?:say|echo)\s+([^]+)$/i, ([text = '']) => ({ do: 'say', text })],
];

/** A text with quotes around it is what is between them, with spaces at its ends. */
const quoted = (text: string) => (/^(["'])[^]*\1$/.test(text) && text.length > 1 ? text.slice(1, -1) : text);

function scripted(name: string, input: string | undefined): Wish {
  try {
    const read: unknown = JSON.parse(input ?? '{}');
    if (typeof read === 'object' && read !== null) return tool(name, read as Record<string, unknown>);
  } catch {
    // Said below.
  }
  return { do: 'say', text: `The input for ${name} is not a JSON object.` };
}

const stop = (
  reason: Extract<Wish, { do: 'stop' }>['reason'],
  depth: number,
  rest: string | undefined,
): Wish => ({ do: 'stop', reason, meanwhile: rest ? split(infinitive(rest), depth + 1) : [] });

/** "appending a: x" is "append a: x". */
const infinitive = (text: string): string =>
  text.replace(/^(append|edit|read|list|search|wait)ing\b/i, '$1').replace(/^writing\b/i, 'write');

const FAILURES: [RegExp, FailureCode, string][] = [
  [/auth|key/, 'model_auth', 'as a service does that does not know the key'],
  [/credit|money/, 'model_credit', 'as a service does when there is no credit left'],
  [/gone|model/, 'model_gone', 'as a service does that no longer has this model'],
  [/rate|limit/, 'model_rate_limit', 'as a service does that was asked too often'],
  [/context|long/, 'model_context', 'as a service does when a conversation has grown too long'],
  [/reach|network|down/, 'model_unreachable', 'as a service does that cannot be reached'],
  [/tls|certificate/, 'model_tls', 'as a service does whose certificate is not trusted'],
  [/time/, 'model_timeout', 'as a service does that takes too long'],
  [/protocol|garbage/, 'model_protocol', 'as a service does that sends something unreadable'],
];

function failing(how: string | undefined, halfway: boolean): Wish {
  const known = FAILURES.find(([words]) => words.test((how ?? '').toLowerCase()));
  const [, code, words] = known ?? [
    /./,
    'model_overloaded' as const,
    'as a service does that has too much to do',
  ];
  return {
    do: 'fail',
    halfway,
    failure: new Failure({
      code,
      message: `The Practice model failed because you asked it to, ${words}.`,
      todo: 'Ask it something else.',
    }),
  };
}

const VERB =
  /^(?:list|ls|read|open|cat|quote|search|find|grep|count|stats|wait|summari[sz]e|describe|think|long|help|append\s+\S+\s*:|write\s+\S+\s*:|edit\s+\S+\s*:|call\s+[a-z]\w*(?:\s+\{|$))(?=[\s:]|$)/i;
const FILE_VERB = /^(?:(?:append|write)\s+(?:to\s+)?|edit\s+)\S+\s*:/i;

/** The JSON of a scripted call has not ended yet. */
function isOpenCall(text: string): boolean {
  const input = /^call\s+\w+\s+(\{[^]*)$/i.exec(text.trim())?.[1];
  try {
    return input !== undefined && typeof JSON.parse(input) !== 'object';
  } catch {
    return true;
  }
}

/** Cuts "list and read a.txt, then wait 2" into its parts; inside a text to write only the next file is a new part. */
function split(text: string, depth = 0): Wish[] {
  if (depth > DEEPEST) return [];
  const parts: string[] = [];
  let from = 0;
  for (const joint of text.matchAll(
    /\s{0,9}(?:[,;]\s{0,9}(?:and\s{1,9})?(?:then\s{1,9})?|\s{1,9}and\s{1,9}(?:then\s{1,9})?|\s{1,9}then\s{1,9})/gi,
  )) {
    const next = text.slice(joint.index + joint[0].length);
    const here = text.slice(from, joint.index);
    const begins = FILE_VERB.test(here)
      ? FILE_VERB.test(next) || (/then/i.test(joint[0]) && VERB.test(next))
      : VERB.test(next);
    if (!begins || here.trim() === '' || isOpenCall(here)) continue;
    parts.push(here);
    from = joint.index + joint[0].length;
  }
  parts.push(text.slice(from));
  const wishes: Wish[] = [];
  for (const part of parts) {
    const wish = one(part.trim(), depth);
    if (!wish) return [];
    wishes.push(wish);
  }
  return wishes;
}

function one(part: string, depth: number): Wish | undefined {
  for (const [pattern, make] of RULES) {
    const found = pattern.exec(part) ?? pattern.exec(part.replace(/[.!]{1,9}$/, ''));
    if (found) return make(found.slice(1), depth);
  }
  return undefined;
}

/** What a text asks for. A polite frame around it does not matter. */
export function readRequest(text: string): Request {
  let rest = text.trim();
  let slowly = false;
  for (let again = true; again;) {
    again = false;
    const frame = /^(?:please|now|(?:can|could|would) you(?: please)?|slowly|then)[,:]?\s+/i.exec(rest);
    if (!frame) continue;
    if (/slowly/i.test(frame[0])) slowly = true;
    rest = rest.slice(frame[0].length);
    again = true;
  }
  rest = rest.replace(/[,\s]{1,9}please([.!]?)$/i, '$1');
  if (/[,\s]slowly[.!]?$/i.test(rest)) [slowly, rest] = [true, rest.replace(/[,\s]{1,9}slowly[.!]?$/i, '')];
  const wishes = split(rest);
  return { wishes, slowly, puzzled: wishes.length ? '' : text };
}
