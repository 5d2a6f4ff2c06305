/**
 * Finds, in whatever a service or a gateway before it answered, all that is said of why: in fields named for that, in JSON
 * within texts, in lists, and on web pages. What a request said is not among it.
 */

/** Values within values, texts in texts, and values altogether, that are looked into. */
const DEEPEST = 40;
const MOST_VALUES = 2_000;
/** Characters of one text that are looked at. */
const LONGEST_TEXT = 16 * 1024;
/** Reasons that are told. */
const MOST_REASONS = 6;

/** Fields that say something, whatever holds them. */
const SAYS =
  /^(?:(?:user|developer|display|status|error|err|fault|exception|debug|short|long|upstream|provider|original|raw)?_?(?:message|messages|msg|string|description|detail|details|reason|reasons|text|body|response|error)|raw|errors?|err|inner_?errors?|causes?|upstream|title|explanation|hint|info|summary|failure|problems?|why|fault|exception|base_resp|violations|field_?violations|warnings?|issues?|extensions|metadata|data)$/i;
/** Fields that hold what was asked, or only names and numbers. */
const SAYS_NOT =
  /^(?:input|inputs|request|requests|prompt|messages|tools|params|parameters|arguments|headers|config|stack|stack_?trace|traceback|trace|loc|url|uri|href|link|links|doc_?url|documentation_url|help|support|@type|type|code|status|status_?code|param|id|.*_id|.*Id|timestamp|time|path|method|instance|domain|service|locale|model|provider|provider_name|object|usage|user|version)$/i;

interface Said {
  all: string[];
  values: number;
}

/** All that is said of why, each thing once: the sentence of the service first. */
export function reasonsIn(body: unknown): string[] {
  const said: Said = { all: [], values: 0 };
  walk(body, said, true, 0);
  // Nothing is named for it: then every sentence counts ({"max_tokens": ["is too large"]}).
  if (said.all.length === 0) sentences(body, said, '', 0);
  return said.all.slice(0, MOST_REASONS);
}

function add(text: string, said: Said): void {
  const plain = text.trim();
  // "Bad Request" beside a sentence that begins with these words says nothing more.
  if (plain !== '' && !said.all.some((one) => one.includes(plain))) said.all.push(plain);
}

/** @param says the field that holds the value is one for reasons */
function walk(value: unknown, said: Said, says: boolean, depth: number): void {
  if (depth > DEEPEST || ++said.values > MOST_VALUES || said.all.length >= MOST_REASONS) return;
  if (typeof value === 'number') {
    if (says && depth > 0) add(String(value), said);
  } else if (typeof value === 'string') words(value, said, says, depth);
  else if (Array.isArray(value)) for (const one of value) walk(one, said, says, depth + 1);
  else if (typeof value === 'object' && value !== null)
    fields(value as Record<string, unknown>, said, says, depth);
}

/** What is said directly comes before what is said within. */
function fields(value: Record<string, unknown>, said: Said, says: boolean, depth: number): void {
  const { loc, msg } = value;
  // FastAPI: where, and what.
  if (Array.isArray(loc) && typeof msg === 'string') return add(`${loc.join('.')}: ${msg}`, said);
  const entries = Object.entries(value).filter(([name]) => !SAYS_NOT.test(name) || isMessages(name, value));
  const first = entries.filter(([name, one]) => typeof one === 'string' && /^(?:.*message|msg)$/i.test(name));
  const rest = entries.filter((entry) => !first.includes(entry));
  const direct = rest.filter(([, one]) => typeof one !== 'object');
  const within = rest.filter(([, one]) => typeof one === 'object');
  for (const [name, one] of [...first, ...direct, ...within]) {
    const named = SAYS.test(name);
    if (typeof one === 'string' && says && !named && within.length === 0 && entries.length === 1)
      add(`${name}: ${one}`, said);
    else if (typeof one !== 'boolean') walk(one, said, named || (says && typeof one === 'object'), depth + 1);
  }
}

/** `messages` of an error is what it says; that of a request is a conversation. */
const isMessages = (name: string, { messages }: Record<string, unknown>): boolean =>
  name === 'messages' && Array.isArray(messages) && messages.every((one) => typeof one === 'string');

function words(text: string, said: Said, says: boolean, depth: number): void {
  const within = jsonIn(text);
  if (within) {
    if (says) add(text.slice(0, within.from).replace(/[\s:,;\-–(]+$/, ''), said);
    walk(within.value, said, says, depth + 1);
  } else if (says) add(isPage(text) ? wordsOfPage(text) : text.slice(0, LONGEST_TEXT), said);
}

function sentences(value: unknown, said: Said, name: string, depth: number): void {
  if (depth > DEEPEST || ++said.values > 2 * MOST_VALUES) return;
  if (typeof value === 'string') {
    if (/\s/.test(value.trim())) add(name === '' ? value : `${name}: ${value}`, said);
  } else if (Array.isArray(value)) for (const one of value) sentences(one, said, name, depth + 1);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value))
      if (!SAYS_NOT.test(key)) sentences(one, said, key, depth + 1);
}

/** JSON that a text is, or that it ends with: `BadRequestError: {"error": …}`, `data: {…}`. */
function jsonIn(text: string): { value: unknown; from: number } | undefined {
  const end = text.trimEnd();
  if (!/[}\]")]$/.test(end)) return undefined;
  for (let from = end.search(/[[{"]/), tries = 0; from >= 0 && tries < 4; tries++) {
    const value = parsed(end.slice(from).replace(/\)+$/, '')) ?? parsed(end.slice(from));
    if (typeof value === 'object' && value !== null) return { value, from };
    // A text that is JSON within JSON.
    if (typeof value === 'string' && (from === 0 || /^\s*[[{"]/.test(value))) return { value, from };
    const next = end.slice(from + 1).search(/[[{]/);
    from = next < 0 ? -1 : from + 1 + next;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isPage = (text: string): boolean => /^\s*<(?:!doctype|html|head|body|\?xml|error)/i.test(text);

const SILENT = /^(?:script|style|svg|noscript|template)$/i;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The words of a web page, in one walk: titles and headings stand in front there anyway. */
function wordsOfPage(page: string): string {
  const text = page.slice(0, LONGEST_TEXT);
  let words = '';
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('<', at);
    words += `${text.slice(at, open < 0 ? text.length : open)} `;
    if (open < 0) break;
    if (text.startsWith('<!--', open)) {
      const end = text.indexOf('-->', open);
      at = end < 0 ? text.length : end + 3;
      continue;
    }
    const close = text.indexOf('>', open);
    if (close < 0) break;
    const name = /^<([a-z]+)/i.exec(text.slice(open, open + 20))?.[1] ?? '';
    const end = SILENT.test(name) ? text.toLowerCase().indexOf(`</${name.toLowerCase()}`, close) : close;
    at = end < 0 ? text.length : end + 1;
  }
  return words
    .replace(/&(?:#(\d{1,6})|([a-z]{2,5}));/gi, (all, code?: string, name?: string) =>
      code ? String.fromCodePoint(Number(code) % 0x110000) : (ENTITIES[name?.toLowerCase() ?? ''] ?? all),
    )
    .replace(/\s+/g, ' ')
    .trim();
}
