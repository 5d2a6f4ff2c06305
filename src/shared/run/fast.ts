import { goBase64 } from './gotypes';
import { compactJson, endOfString, isWellFormed, wellFormed } from './json';
import { PROTOCOL } from './record';
import type {
  AssistantPayload,
  Block,
  Message,
  RawJson,
  RunRecord,
  ToolResultBlock,
  ToolResultPayload,
  UserPayload,
} from './record';

/**
 * The fast reader: JSON.parse, then a walk over the text that follows the one layout the encoder writes. The walk
 * proves that JSON.parse lost nothing (no repeated or foreign keys, no odd numbers) and cuts out the raw slices that
 * JSON.parse would change. At the first thing that differs it gives up, and the exact reader (strict.ts) decides.
 *
 * Meta and terminal records are rare and always go to the exact reader.
 */

/**
 * A record, or `undefined` when the exact reader must look at the line. `text` must be well-formed (no lone surrogates).
 * Throws SyntaxError for text that is no JSON.
 */
export function readFast(text: string): RunRecord | undefined {
  const value = JSON.parse(text) as unknown;
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as RunRecord;
  return walk.proves(record, text) ? record : undefined;
}

const ZERO = 0x30;
const NINE = 0x39;
const QUOTE = 0x22;
/** Digits that always make a safe integer. */
const MAX_DIGITS = 15;
/** Deeper than this, the exact reader counts. */
const MAX_DEPTH = 1_000;
const RAW_NEEDS_WORK = /[\s<>&\u2028\u2029]/;

/**
 * One for all lines, since reading is synchronous. Each step answers whether the text goes on as expected and moves
 * behind it; after one `false` nothing is read any more.
 */
class Walk {
  #text = '';
  #at = 0;

  /** Cuts the raw slices of `record` out of the `text` that it was parsed from, if the text has the known layout. */
  proves(record: RunRecord, text: string): boolean {
    this.#text = text;
    this.#at = 0;
    const proved = this.#record(record);
    this.#text = '';
    // one string for all records instead of one each
    if (proved) record.protocol = KNOWN.get(record.protocol) ?? record.protocol;
    return proved;
  }

  #record(record: RunRecord): boolean {
    if (!(this.#is('{"seq":') && this.#count(true))) return false;
    switch (record.protocol) {
      case PROTOCOL.tool_result:
        return this.#is(TOOL_RESULT) && this.#toolResultPayload(record.tool_result) && this.#end();
      case PROTOCOL.assistant:
        return this.#is(ASSISTANT) && this.#assistant(record.assistant) && this.#end();
      case PROTOCOL.user:
        return this.#is(USER) && this.#user(record.user) && this.#end();
      default:
        return false;
    }
  }

  #end(): boolean {
    return this.#is('}}') && this.#at === this.#text.length;
  }

  #assistant(payload: AssistantPayload | undefined): boolean {
    return (
      isObject(payload) &&
      this.#is('{"iteration":') &&
      this.#count(false) &&
      this.#is(',"message":') &&
      this.#message(payload.message) &&
      (payload.stop_reason === undefined ||
        (this.#is(',"stop_reason":') && this.#string(payload, 'stop_reason', true))) &&
      this.#is(',"in_tokens":') &&
      this.#count(false) &&
      this.#is(',"out_tokens":') &&
      this.#count(false) &&
      (payload.cache_read_tokens === undefined || (this.#is(',"cache_read_tokens":') && this.#count(true))) &&
      (payload.cache_create_tokens === undefined ||
        (this.#is(',"cache_create_tokens":') && this.#count(true)))
    );
  }

  #user(payload: UserPayload | undefined): boolean {
    return isObject(payload) && this.#is('{"message":') && this.#message(payload.message);
  }

  #toolResultPayload(payload: ToolResultPayload | undefined): boolean {
    return (
      isObject(payload) &&
      this.#is('{"tool_use_id":') &&
      this.#string(payload, 'tool_use_id') &&
      this.#is(',"result":') &&
      this.#toolResult(payload.result) &&
      (payload.remote === undefined || this.#is(',"remote":true'))
    );
  }

  #message(message: Message | undefined): boolean {
    if (!isObject(message)) return false;
    if (!(this.#is('{"role":') && this.#string(message, 'role') && this.#is(',"content":'))) return false;
    if (message.content === null) return this.#is('null}');
    if (!Array.isArray(message.content) || !this.#is('[')) return false;
    let first = true;
    for (const block of message.content as unknown[]) {
      if (!first && !this.#is(',')) return false;
      first = false;
      if (!isObject(block as Block) || !this.#block(block as Block)) return false;
    }
    return this.#is(']}');
  }

  /** A block of exactly one kind. */
  #block(block: Block): boolean {
    const { text, tool_use: call, tool_result: result, thinking, provider } = block;
    if (text !== undefined)
      return isObject(text) && this.#is('{"text":{"text":') && this.#string(text, 'text') && this.#is('}}');
    if (call !== undefined)
      return (
        isObject(call) &&
        this.#is('{"tool_use":{"id":') &&
        this.#string(call, 'id') &&
        this.#is(',"name":') &&
        this.#string(call, 'name') &&
        this.#is(',"input":') &&
        this.#raw(call, 'input') &&
        this.#is('}}')
      );
    if (result !== undefined) return this.#is('{"tool_result":') && this.#toolResult(result) && this.#is('}');
    if (thinking !== undefined) {
      if (!isObject(thinking) || !this.#is('{"thinking":{')) return false;
      const { text: words, signature } = thinking;
      if (words !== undefined && !(this.#is('"text":') && this.#string(thinking, 'text', true))) return false;
      if (signature === undefined) return this.#is('}}');
      if (words !== undefined && !this.#is(',')) return false;
      if (!(this.#is('"signature":') && this.#string(thinking, 'signature', true))) return false;
      return goBase64(signature) === signature && this.#is('}}');
    }
    if (provider !== undefined)
      return (
        isObject(provider) &&
        this.#is('{"provider":{"kind":') &&
        this.#string(provider, 'kind') &&
        this.#is(',"raw":') &&
        this.#raw(provider, 'raw') &&
        this.#is('}}')
      );
    return this.#is('{}');
  }

  #toolResult(result: ToolResultBlock | undefined): boolean {
    return (
      isObject(result) &&
      this.#is('{"tool_use_id":') &&
      this.#string(result, 'tool_use_id') &&
      this.#is(',"content":') &&
      this.#string(result, 'content') &&
      (result.is_error === undefined || this.#is(',"is_error":true')) &&
      this.#is('}')
    );
  }

  #is(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  /** A whole number of at most 15 digits, not negative, in its shortest form. */
  #count(positive: boolean): boolean {
    const from = this.#at;
    const first = this.#text.charCodeAt(from);
    if (first === ZERO) {
      this.#at++;
      return !positive;
    }
    let code = first;
    while (code >= ZERO && code <= NINE) code = this.#text.charCodeAt(++this.#at);
    return this.#at > from && this.#at - from <= MAX_DIGITS;
  }

  /** The string that `holder[key]` was parsed from. Its value is JSON.parse's, lone surrogates aside. */
  #string<K extends string>(holder: { [key in K]?: string }, key: K, filled = false): boolean {
    const from = this.#at;
    if (this.#text.charCodeAt(from) !== QUOTE) return false;
    this.#at = endOfString(this.#text, from);
    if (this.#at === -1 || (filled && this.#at === from + 2)) return false;
    const value = holder[key];
    if (typeof value !== 'string') return false;
    if (!isWellFormed(value)) holder[key] = wellFormed(value);
    return true;
  }

  /** Replaces the parsed value of `holder[key]` by the text that it was parsed from. */
  #raw<K extends string>(holder: { [key in K]: RawJson }, key: K): boolean {
    if (!(key in holder)) return false;
    const from = this.#at;
    if (!this.#skip()) return false;
    const raw = this.#text.slice(from, this.#at);
    holder[key] = (RAW_NEEDS_WORK.test(raw) ? compactJson(raw) : raw) as RawJson;
    return true;
  }

  /** Passes one JSON value of any kind; that it is one, JSON.parse has proved. */
  #skip(): boolean {
    const text = this.#text;
    let depth = 0;
    for (let at = this.#at; at < text.length; at++) {
      const char = text.charAt(at);
      if (char === '"') {
        at = endOfString(text, at) - 1;
        if (at < 0) return false;
        if (depth > 0) continue;
      } else if (char === '{' || char === '[') {
        if (++depth > MAX_DEPTH) return false;
        continue;
      } else if (char === '}' || char === ']') {
        if (depth === 0) {
          this.#at = at;
          return true;
        }
        if (--depth > 0) continue;
      } else if (depth > 0) continue;
      else if (char !== ',') continue;
      else {
        this.#at = at;
        return true;
      }
      this.#at = at + 1;
      return true;
    }
    return false;
  }
}

const walk = new Walk();

const isObject = <T>(value: T | undefined): value is T & object =>
  typeof value === 'object' && value !== null;

const KNOWN = new Map<string, string>(Object.values(PROTOCOL).map((id) => [id, id]));
const payload = (kind: 'assistant' | 'user' | 'tool_result'): string =>
  `,"protocol":"${PROTOCOL[kind]}","${kind}":`;
const ASSISTANT = payload('assistant');
const USER = payload('user');
const TOOL_RESULT = payload('tool_result');
