import type { Block, Message, Usage } from '../../../shared/run/record';
import { STOP } from '../../../shared/run/record';
import type { TurnReader } from '../call';
import { brokenOff, notUnderstood, serviceError, type Where } from '../errors';
import type { ModelEvent, ModelTurn } from '../model';
import { asObject, asText, tokens, ToolIds } from '../parts';
import { isProblem } from '../problem';
import { sliceAt, type JsonPath } from '../slice';
import type { StreamMessage } from '../sse';
import { OpenBlock } from './block';

type Fields = Record<string, unknown>;

/**
 * Reads a Messages API stream into a turn.
 *
 * Forgiving where the meaning is plain: blocks that overlap, a start that lacks fields or is missing or doubled, a
 * stop that is early, late or missing, unknown events. Strict where it is not: what would be lost or guessed ends the
 * call with an error.
 */
export class AnthropicReader implements TurnReader {
  private readonly blocks: OpenBlock[] = [];
  private readonly at = new Map<number, OpenBlock>();
  private readonly ids: ToolIds;
  private readonly usage: Partial<Record<'input' | 'output' | 'read' | 'create', number>> = {};
  private messageId: string | undefined;
  private stopReason = '';
  private stopped = false;

  constructor(
    private readonly where: Where,
    messages: readonly Message[],
  ) {
    this.ids = new ToolIds(messages);
  }

  get complete(): boolean {
    return this.stopped || this.stopReason !== '';
  }

  get ended(): boolean {
    return this.stopped;
  }

  push(message: StreamMessage): ModelEvent[] {
    // Behind its end a connection may carry the next answer; it is not this one's.
    if (this.stopped) return [];
    const text = message.data.trim();
    if (text === '' || message.event === 'ping') return [];
    if (text === '[DONE]') {
      this.stopped = this.complete;
      return [];
    }
    const data = asObject(this.parse(text));
    if (!data) throw notUnderstood(this.where, 'an event is not a JSON object');
    if (message.event === 'error' || isProblem(data)) throw serviceError(this.where, 0, new Headers(), data);
    switch (asText(data['type']) || message.event) {
      case 'message_start':
        return this.start(data, text, ['message']);
      case 'message':
        return this.whole(data, text);
      case 'content_block_start':
        return this.startBlock(data['index'], asObject(data['content_block']) ?? {}, text, ['content_block']);
      case 'content_block_delta':
        return this.delta(data, text);
      case 'message_delta':
        this.readStop(asObject(data['delta']));
        this.readUsage(data['usage']);
        return [];
      case 'message_stop':
        this.stopped = true;
        return [];
      default:
        // content_block_stop says nothing that the next event or the message's end doesn't; ping and unknown events
        // are no part of an answer.
        return [];
    }
  }

  turn(): ModelTurn {
    if (!this.complete) throw brokenOff(this.where);
    const content: Block[] = [];
    const invalidInputs = new Map<string, string>();
    for (const block of this.inOrder()) {
      const made = block.finish(this.where, this.stopReason);
      content.push(...made.blocks);
      if (made.invalid !== undefined) invalidInputs.set(block.id, made.invalid);
    }
    const usesTools = content.some((block) => block.tool_use);
    return {
      content,
      stop_reason: this.stopReason || (usesTools ? STOP.toolUse : STOP.endTurn),
      usage: this.finalUsage(),
      ...(invalidInputs.size > 0 && { invalidInputs }),
    };
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw notUnderstood(this.where, 'an event is not JSON');
    }
  }

  private start(data: Fields, text: string, path: JsonPath): ModelEvent[] {
    const message = asObject(data['message']) ?? {};
    const id = asText(message['id']);
    if (this.blocks.length > 0 && id !== this.messageId)
      throw notUnderstood(this.where, 'a second answer begins before the first one has ended');
    this.messageId = id;
    this.readUsage(message['usage']);
    if (this.blocks.length > 0) return [];
    return this.adopt(message, text, path);
  }

  /** A whole message at once, from a service that doesn't stream. */
  private whole(data: Fields, text: string): ModelEvent[] {
    const events = this.adopt(data, text, []);
    this.readStop(data);
    this.readUsage(data['usage']);
    this.stopped = true;
    return events;
  }

  private adopt(message: Fields, text: string, path: JsonPath): ModelEvent[] {
    const content = message['content'];
    if (!Array.isArray(content)) return [];
    return content.flatMap((block, i) =>
      this.startBlock(i, asObject(block) ?? {}, text, [...path, 'content', i]),
    );
  }

  private startBlock(index: unknown, start: Fields, text: string, path: JsonPath): ModelEvent[] {
    const type = asText(start['type']);
    if (type === '') throw notUnderstood(this.where, 'a part of it does not say what it is');
    const number = typeof index === 'number' ? index : this.nextIndex();
    const open = this.at.get(number);
    if (open?.untouched && open.type === type && open.offeredId === asText(start['id'])) return [];
    return this.open(number, new OpenBlock(number, start, sliceAt(text, path) ?? '{}'));
  }

  private open(number: number, block: OpenBlock): ModelEvent[] {
    this.blocks.push(block);
    this.at.set(number, block);
    if (block.type === 'tool_use') {
      if (block.name === '') throw notUnderstood(this.where, 'a tool call does not name its tool');
      block.id = this.ids.claim(block.offeredId);
    }
    return block.opening();
  }

  private delta(data: Fields, text: string): ModelEvent[] {
    const delta = asObject(data['delta']);
    if (!delta) throw notUnderstood(this.where, 'a piece of it is empty');
    const number = typeof data['index'] === 'number' ? data['index'] : (this.blocks.at(-1)?.index ?? 0);
    const events: ModelEvent[] = [];
    let block = this.at.get(number);
    if (!block) {
      const type = { text_delta: 'text', thinking_delta: 'thinking' }[asText(delta['type'])];
      if (type === undefined) throw notUnderstood(this.where, 'a piece belongs to no part that began');
      block = new OpenBlock(number, { type }, jsonTyped(type));
      events.push(...this.open(number, block));
    }
    const shown = block.add(delta, (key) => sliceAt(text, ['delta', key]));
    if (shown === undefined)
      throw notUnderstood(
        this.where,
        `a ${block.type} has a piece of the unknown kind ${asText(delta['type'])}`,
      );
    return [...events, ...shown];
  }

  private readStop(delta: Fields | undefined): void {
    this.stopReason = asText(delta?.['stop_reason']) || this.stopReason;
  }

  /** Counts are totals so far, so a later one replaces an earlier one; null and absent say nothing. */
  private readUsage(value: unknown): void {
    const usage = asObject(value);
    if (!usage) return;
    this.usage.input = tokens(usage['input_tokens']) ?? this.usage.input ?? 0;
    this.usage.output = tokens(usage['output_tokens']) ?? this.usage.output ?? 0;
    this.usage.read = tokens(usage['cache_read_input_tokens']) ?? this.usage.read ?? 0;
    this.usage.create = tokens(usage['cache_creation_input_tokens']) ?? this.usage.create ?? 0;
  }

  private finalUsage(): Usage {
    const { input = 0, output = 0, read = 0, create = 0 } = this.usage;
    return {
      in_tokens: input,
      out_tokens: output,
      ...(read > 0 && { cache_read_tokens: read }),
      ...(create > 0 && { cache_create_tokens: create }),
    };
  }

  private nextIndex(): number {
    return Math.max(-1, ...this.at.keys()) + 1;
  }

  /** By number; by arrival when a number was used twice. */
  private inOrder(): OpenBlock[] {
    if (this.at.size < this.blocks.length) return this.blocks;
    return [...this.blocks].sort((a, b) => a.index - b.index);
  }
}

const jsonTyped = (type: string): string => `{"type":"${type}"}`;
