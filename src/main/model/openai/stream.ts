import { wellFormed } from '../../../shared/run/json';
import type { Block, Message, Usage } from '../../../shared/run/record';
import { STOP } from '../../../shared/run/record';
import type { TurnReader } from '../call';
import { brokenOff, notUnderstood, serviceError, type Where } from '../errors';
import type { ModelEvent, ModelTurn } from '../model';
import { asObject, asText, ToolIds, toolInput, validRaw } from '../parts';
import { isProblem } from '../problem';
import { jsonArray, jsonObject, jsonString, sliceAt, type JsonPath } from '../slice';
import type { StreamMessage } from '../sse';
import { CALL_EXTRA, REASONING_DETAILS } from './body';
import { ToolCalls, type OpenCall } from './calls';
import { readUsage } from './usage';

type Fields = Record<string, unknown>;
interface Words {
  kind: 'text' | 'thinking';
  text: string;
}
type Part = Words | { kind: 'call'; call: OpenCall };

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

/** Reads a chat completions stream (or one whole completion) into a turn. */
export class ChatReader implements TurnReader {
  private readonly parts: Part[] = [];
  private readonly calls: ToolCalls;
  private readonly details: string[] = [];
  private usage: Usage = { in_tokens: 0, out_tokens: 0 };
  private finish = '';
  /** The service has told how many tokens it answered with. */
  private counted = false;
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
    // An end mark without a reason to stop: gateways send it too when the service behind them broke off. Who counts
    // what he has said, and called no tool, has ended.
    if (this.finish === '' && !(this.done && this.counted && this.saidOnly)) throw brokenOff(this.where);
    const invalidInputs = new Map<string, string>();
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
      if (delta) events.push(...this.delta(delta, text, ['choices', i, key]));
      const finish = asText(choice['finish_reason']);
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
    events.push(
      ...this.addText('thinking', asText(delta['reasoning_content']) || asText(delta['reasoning'])),
    );
    const details = delta['reasoning_details'];
    if (Array.isArray(details))
      details.forEach((_, i) =>
        this.details.push(sliceAt(text, [...path, 'reasoning_details', i]) ?? 'null'),
      );
    events.push(...this.content(delta['content']));
    const refusal = asText(delta['refusal']);
    if (refusal !== '') {
      this.refused = true;
      events.push(...this.addText('text', refusal));
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
  private content(content: unknown): ModelEvent[] {
    if (!Array.isArray(content)) return this.addText('text', asText(content));
    return content.flatMap((item) => {
      if (typeof item === 'string') return this.addText('text', item);
      const part = asObject(item) ?? {};
      const type = asText(part['type']);
      if (type === 'thinking' || type === 'reasoning')
        return this.addText('thinking', textWithin(part['thinking'] ?? part['text'] ?? part['content']));
      if (type === 'refusal') {
        this.refused = true;
        return this.addText('text', asText(part['refusal']));
      }
      if (type === 'text' || type === 'output_text') return this.addText('text', asText(part['text']));
      throw notUnderstood(this.where, `it holds a part of the unknown kind ${type || '(none)'}`);
    });
  }

  private addText(kind: 'text' | 'thinking', text: string): ModelEvent[] {
    if (text === '') return [];
    const last = this.parts.at(-1);
    if (last && last.kind === kind) last.text += text;
    else this.parts.push({ kind, text });
    return [{ type: kind, text }];
  }

  private blocksOf(part: Part, invalidInputs: Map<string, string>): Block[] {
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
