import { wellFormed } from '../../../shared/run/json';
import type { Block, Message, Usage } from '../../../shared/run/record';
import { STOP } from '../../../shared/run/record';
import { isTagged } from '../../../shared/run/think-tags';
import type { TurnReader } from '../call';
import { brokenOff, notUnderstood, serviceError, type Where } from '../errors';
import type { ModelEvent, ModelTurn } from '../model';
import { asObject, asText, ToolIds, toolInput, validRaw } from '../parts';
import { isProblem } from '../problem';
import { jsonArray, jsonObject, jsonString, sliceAt, type JsonPath } from '../slice';
import type { StreamMessage } from '../sse';
import { CALL_EXTRA, REASONING_DETAILS } from './body';
import { ToolCalls, type OpenCall } from './calls';
import { ThinkTags, type Words } from './think';
import { readUsage } from './usage';

type Fields = Record<string, unknown>;
/** `kept`: what only the service understands, as it came. */
type Part = Words | { kind: 'call'; call: OpenCall } | { kind: 'kept'; name: string; raw: string };

/** Why a service stopped, in our words; what is not here is kept as it came. */
const STOPS: Record<string, string> = {
  stop: STOP.endTurn,
  end_turn: STOP.endTurn,
  eos: STOP.endTurn,
  eos_token: STOP.endTurn,
  stop_sequence: STOP.stopSequence,
  tool_calls: STOP.toolUse,
  tool_use: STOP.toolUse,
  function_call: STOP.toolUse,
  length: STOP.maxTokens,
  max_tokens: STOP.maxTokens,
  model_length: STOP.contextExceeded,
  content_filter: STOP.refusal,
  refusal: STOP.refusal,
};
/** The service gave up in the middle; what came so far is no answer. */
const BROKEN = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);

/** Kinds of provider blocks that mean something to us. */
const RESERVED = new Set([REASONING_DETAILS, CALL_EXTRA, 'redacted_thinking']);

/** Reads a chat completions stream (or one whole completion) into a turn. */
export class ChatReader implements TurnReader {
  private readonly parts: Part[] = [];
  private readonly calls: ToolCalls;
  private readonly details: string[] = [];
  private usage: Usage = { in_tokens: 0, out_tokens: 0 };
  private finish = '';
  /** The service has told how many tokens it answered with. */
  private counted = false;
  private readonly tags = new ThinkTags();
  /** What was said so far, as it came, and in how many pieces. */
  private readonly said = { text: '', thinking: '', pieces: 0 };
  /** The chunk that is read closes the answer, or is a whole message behind the pieces of one. */
  private closing = false;
  private refused = false;
  private done = false;

  constructor(
    private readonly where: Where,
    messages: readonly Message[],
  ) {
    this.calls = new ToolCalls(new ToolIds(messages));
  }

  get complete(): boolean {
    return this.done || this.finish !== '';
  }

  get ended(): boolean {
    return this.done;
  }

  push(message: StreamMessage): ModelEvent[] {
    if (this.done) return [];
    const text = message.data.trim();
    if (text === '' || message.event === 'ping') return [];
    if (text === '[DONE]') {
      this.done = true;
      return [];
    }
    let data: Fields | undefined;
    try {
      data = asObject(JSON.parse(text));
    } catch {
      throw notUnderstood(this.where, 'an event is not JSON');
    }
    if (!data) throw notUnderstood(this.where, 'an event is not a JSON object');
    if (message.event === 'error' || isProblem(data)) throw serviceError(this.where, 0, new Headers(), data);
    const usage = readUsage(data);
    if (usage) {
      this.usage = usage;
      this.counted ||= usage.out_tokens > 0;
    }
    return this.choices(data, text);
  }

  turn(): ModelTurn {
    for (const words of this.tags.end()) this.append(words);
    // An end mark without a reason to stop: gateways send it too when the service behind them broke off. Who counts
    // what he has said, and called no tool, has ended.
    if (this.finish === '' && !(this.done && this.counted && this.saidOnly)) throw brokenOff(this.where);
    const invalidInputs = new Map<string, string>();
    this.untag();
    const content = this.parts.flatMap((part) => this.blocksOf(part, invalidInputs));
    const details = this.details.length === 0 ? undefined : validRaw(jsonArray(this.details));
    if (details !== undefined) content.unshift({ provider: { kind: REASONING_DETAILS, raw: details } });
    return {
      content,
      stop_reason: this.stopReason(),
      usage: this.usage,
      ...(invalidInputs.size > 0 && { invalidInputs }),
    };
  }

  private get saidOnly(): boolean {
    return this.calls.all.length === 0 && this.parts.some(({ kind }) => kind === 'text');
  }

  private choices(data: Fields, text: string): ModelEvent[] {
    const choices = data['choices'];
    if (!Array.isArray(choices)) return [];
    const events: ModelEvent[] = [];
    choices.forEach((item, i) => {
      const choice = asObject(item);
      // Only one answer was asked for; a second one would not belong to the conversation.
      if (!choice || (typeof choice['index'] === 'number' && choice['index'] > 0)) return;
      const key = asObject(choice['delta']) ? 'delta' : 'message';
      const delta = asObject(choice[key]);
      const finish = asText(choice['finish_reason']);
      this.closing = this.said.pieces > 0 && (finish !== '' || key === 'message');
      if (delta) events.push(...this.delta(delta, text, ['choices', i, key]));
      if (BROKEN.has(finish))
        throw serviceError(
          this.where,
          0,
          new Headers(),
          brokenAs(asObject(choice['error']) ?? asObject(data['error']), finish),
        );
      if (finish !== '') this.finish = finish;
    });
    return events;
  }

  private delta(delta: Fields, text: string, path: JsonPath): ModelEvent[] {
    const events: ModelEvent[] = [];
    events.push(...this.say('thinking', asText(delta['reasoning_content']) || asText(delta['reasoning'])));
    const details = delta['reasoning_details'];
    if (Array.isArray(details))
      details.forEach((_, i) =>
        this.details.push(sliceAt(text, [...path, 'reasoning_details', i]) ?? 'null'),
      );
    events.push(...this.content(delta['content'], text, [...path, 'content']));
    for (const name of ['images', 'audio', 'annotations']) this.keep(name, sliceAt(text, [...path, name]));
    const refusal = asText(delta['refusal']);
    if (refusal !== '') {
      this.refused = true;
      events.push(...this.say('text', refusal));
    }
    const calls = delta['tool_calls'];
    const list = Array.isArray(calls) ? calls : asObject(calls) ? [calls] : [];
    list.forEach((item: unknown, i) => {
      const at = Array.isArray(calls) ? [...path, 'tool_calls', i] : [...path, 'tool_calls'];
      events.push(...this.call(asObject(item) ?? {}, text, at));
    });
    const legacy = asObject(delta['function_call']);
    if (legacy) events.push(...this.call(legacy, text, [...path, 'function_call']));
    return events;
  }

  private call(delta: Fields, text: string, path: JsonPath): ModelEvent[] {
    const known = this.calls.all.length;
    const events = this.calls.add(delta, (inner) => sliceAt(text, [...path, ...inner]));
    if (!events) throw notUnderstood(this.where, 'a tool call does not name its tool');
    const added = this.calls.all.slice(known);
    this.parts.push(...added.map((call): Part => ({ kind: 'call', call })));
    return events;
  }

  /** A string, or a list of typed parts. */
  private content(content: unknown, text: string, path: JsonPath): ModelEvent[] {
    if (!Array.isArray(content) && !asObject(content)) return this.say('text', asText(content));
    const list: unknown[] = Array.isArray(content) ? content : [content];
    return list.flatMap((item, i) => {
      if (typeof item === 'string') return this.say('text', item);
      const part = asObject(item) ?? {};
      const type = asText(part['type']);
      if (type === 'thinking' || type === 'reasoning')
        return this.say('thinking', textWithin(part['thinking'] ?? part['text'] ?? part['content']));
      if (type === 'refusal') {
        this.refused = true;
        return this.say('text', asText(part['refusal']));
      }
      if (type === 'text' || type === 'output_text') return this.say('text', asText(part['text']));
      this.keep(type, sliceAt(text, Array.isArray(content) ? [...path, i] : path));
      return [];
    });
  }

  /** What only the service understands: it is no reason to lose the answer around it. */
  private keep(name: string, raw: string | undefined): void {
    if (raw === undefined || /^(null|\[\]|\{\}|"")$/.test(raw)) return;
    const known = this.parts.some((part) => part.kind === 'kept' && part.raw === raw);
    if (this.closing && known) return;
    this.parts.push({ kind: 'kept', name: RESERVED.has(name) || name === '' ? 'content_part' : name, raw });
  }

  private say(kind: Words['kind'], text: string): ModelEvent[] {
    const fresh = this.closing ? this.unsaid(kind, text) : text;
    if (fresh === '') return [];
    this.said[kind] += fresh;
    this.said.pieces += 1;
    if (kind === 'thinking') return this.append({ kind, text: fresh });
    return this.tags.push(fresh).flatMap((words) => this.append(words));
  }

  /** Some gateways close an answer with all of it once more. */
  private unsaid(kind: Words['kind'], text: string): string {
    const before = this.said[kind];
    // One word twice is not taken for that.
    if (before === '' || (before.length < 16 && this.said.pieces < 2)) return text;
    if (text === before || (text.trim() !== '' && text.trim() === before.trim())) return '';
    return before.length >= 16 && text.startsWith(before) ? text.slice(before.length) : text;
  }

  /** What is kept between two pieces of a text does not part them. */
  private append(words: Words): ModelEvent[] {
    const last = this.parts.findLast((part) => part.kind !== 'kept');
    if (last && last.kind === words.kind) last.text += words.text;
    else this.parts.push({ ...words });
    return [{ type: words.kind, text: words.text }];
  }

  /** A tag that was never closed in an answer that was not cut off began no thinking. */
  private untag(): void {
    if (!this.tags.open || STOPS[this.finish.toLowerCase()] === STOP.maxTokens) return;
    for (const part of this.parts) if (part.kind === 'thinking' && isTagged(part.text)) part.kind = 'text';
  }

  private blocksOf(part: Part, invalidInputs: Map<string, string>): Block[] {
    if (part.kind === 'kept') {
      const raw = validRaw(part.raw);
      return raw === undefined ? [] : [{ provider: { kind: part.name, raw } }];
    }
    if (part.kind !== 'call') return [{ [part.kind]: { text: wellFormed(part.text) } }];
    const { id, name, args, extra } = part.call;
    const { input, invalid } = toolInput(args);
    if (invalid !== undefined) invalidInputs.set(id, invalid);
    const blocks: Block[] = [{ tool_use: { id, name, input } }];
    const raw =
      extra === undefined ? undefined : validRaw(jsonObject({ id: jsonString(id), extra_content: extra }));
    if (raw !== undefined) blocks.push({ provider: { kind: CALL_EXTRA, raw } });
    return blocks;
  }

  /** Some services say "stop" although they call tools, or "tool_calls" although they don't. */
  private stopReason(): string {
    const usesTools = this.calls.all.length > 0;
    const stop = STOPS[this.finish.toLowerCase()] ?? (this.finish || STOP.endTurn);
    if (stop === STOP.maxTokens || stop === STOP.contextExceeded || stop === STOP.refusal) return stop;
    if (this.refused) return STOP.refusal;
    if (usesTools) return STOP.toolUse;
    return stop === STOP.toolUse ? STOP.endTurn : stop;
  }
}

/** Text inside nested lists of parts. */
function textWithin(value: unknown): string {
  if (Array.isArray(value)) return value.map(textWithin).join('');
  return asText(value) || asText(asObject(value)?.['text']);
}

function brokenAs(error: Fields | undefined, finish: string): unknown {
  return error ? { error } : { error: { type: 'server_error', code: finish, message: '' } };
}
