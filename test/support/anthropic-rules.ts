import type { JsonPath } from '../../src/main/model/slice';
import type { Issued } from './anthropic-standin';
import { checkTool, list, madeOfTurns, object, only, refuse, text, type Fields } from './standin';

type Slice = (json: string, path: JsonPath) => string | undefined;

/**
 * What the Messages API refuses, and what it should refuse: unknown fields anywhere, roles that don't alternate, empty
 * contents and blank texts, calls that are not answered in the next message, results that answer nothing or come late,
 * ids used twice, more than four cache marks, and any block of the assistant that is not exactly as it was issued.
 */
export class AnthropicConversation {
  /** Keys of each issued turn; a turn that ends in thinking also without it. */
  private readonly turns: string[][] = [];
  private readonly paused = new Set<string>();

  remember(blocks: readonly Issued[], stop: string): void {
    const keys = blocks.map((block) => block.key);
    this.turns.push(keys);
    let end = blocks.length;
    while (end > 0 && blocks[end - 1]!.thinking) end--;
    if (end < blocks.length) this.turns.push(keys.slice(0, end));
    if (stop === 'pause_turn' && keys.length > 0) this.paused.add(keys.at(-1)!);
  }

  /** Throws Rejection. */
  check(body: string, slice: Slice): void {
    const request = object(JSON.parse(body), 'body');
    only(request, ['model', 'max_tokens', 'stream', 'thinking', 'system', 'tools', 'messages'], 'body');
    text(request['model'], 'model');
    if (request['stream'] !== true) refuse('stream: must be true');
    const max = request['max_tokens'];
    if (!Number.isInteger(max) || (max as number) < 1) refuse('max_tokens: must be a positive integer');
    if (request['thinking'] !== undefined)
      this.thinking(object(request['thinking'], 'thinking'), max as number);
    if (request['system'] !== undefined)
      list(request['system'], 'system').forEach((block, i) =>
        this.textBlock(object(block, `system.${i}`), `system.${i}`),
      );
    if (request['tools'] !== undefined) this.tools(list(request['tools'], 'tools'));
    const marks = body.match(/"cache_control":/g)?.length ?? 0;
    if (marks > 4) refuse(`cache_control: ${marks} marks, at most 4`);
    this.messages(list(request['messages'], 'messages'), body, slice);
  }

  private thinking(thinking: Fields, max: number): void {
    if (thinking['type'] === 'adaptive') only(thinking, ['type', 'display'], 'thinking');
    else if (thinking['type'] === 'enabled') {
      only(thinking, ['type', 'budget_tokens', 'display'], 'thinking');
      const budget = thinking['budget_tokens'];
      if (typeof budget !== 'number' || budget < 1024 || budget >= max)
        refuse('thinking.budget_tokens: out of range');
    } else refuse('thinking.type: unknown');
  }

  private tools(tools: unknown[]): void {
    const seen = new Set<string>();
    tools.forEach((value, i) => {
      const tool = object(value, `tools.${i}`);
      only(tool, ['name', 'description', 'input_schema', 'cache_control'], `tools.${i}`);
      checkTool(tool['name'], tool['description'], tool['input_schema'], `tools.${i}`, seen);
      this.mark(tool, `tools.${i}`);
    });
  }

  private messages(messages: unknown[], body: string, slice: Slice): void {
    const ids = new Set<string>();
    let open: string[] = [];
    messages.forEach((value, at) => {
      const where = `messages.${at}`;
      const message = object(value, where);
      only(message, ['role', 'content'], where);
      const role = at % 2 === 0 ? 'user' : 'assistant';
      if (message['role'] !== role) refuse(`${where}: roles must alternate, beginning with the user`);
      const blocks = list(message['content'], `${where}.content`).map((block, i) =>
        object(block, `${where}.${i}`),
      );
      if (role === 'user') this.userBlocks(blocks, open, where);
      else {
        const keys = blocks.map((block, i) => {
          const raw = slice(body, ['messages', at, 'content', i]) ?? '';
          return this.assistantKey(block, raw, (name) => slice(raw, [name]) ?? '', `${where}.${i}`);
        });
        if (!madeOfTurns(keys, this.turns))
          refuse(`${where}: blocks are not those that were issued: ${keys.join(' | ')}`);
        if (at === messages.length - 1 && !this.paused.has(keys.at(-1)!))
          refuse(`${where}: the conversation must end with a user message`);
      }
      open = blocks.flatMap((block) => (block['type'] === 'tool_use' ? [block['id'] as string] : []));
      for (const id of open) {
        if (ids.has(id)) refuse(`${where}: tool_use ids must be unique`);
        ids.add(id);
      }
    });
    if (open.length > 0) refuse(`tool_use ids without tool_result blocks: ${open.join(', ')}`);
  }

  private userBlocks(blocks: Fields[], open: readonly string[], where: string): void {
    const answered = new Set<string>();
    let spoken = false;
    blocks.forEach((block, i) => {
      const at = `${where}.${i}`;
      if (block['type'] === 'text') {
        spoken = true;
        this.textBlock(block, at);
        return;
      }
      if (block['type'] !== 'tool_result') refuse(`${at}: the user may not send ${String(block['type'])}`);
      only(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'], at);
      this.mark(block, at);
      if (spoken) refuse(`${at}: results come before text`);
      text(block['content'], `${at}.content`);
      if (block['is_error'] !== undefined && block['is_error'] !== true)
        refuse(`${at}.is_error: must be true or absent`);
      const id = block['tool_use_id'] as string;
      if (!open.includes(id)) refuse(`${at}: unexpected tool_use_id ${id}`);
      if (answered.has(id)) refuse(`${at}: ${id} is answered twice`);
      answered.add(id);
    });
    const missing = open.filter((id) => !answered.has(id));
    if (missing.length > 0)
      refuse(`${where}: tool_use ids without tool_result blocks: ${missing.join(', ')}`);
  }

  /** `part` cuts a member out of the block's own text. */
  private assistantKey(block: Fields, raw: string, part: (name: string) => string, where: string): string {
    switch (block['type']) {
      case 'text':
        this.textBlock(block, where);
        return `text ${JSON.stringify(block['text'])}`;
      case 'thinking':
        only(block, ['type', 'thinking', 'signature'], where);
        return `thinking ${JSON.stringify([block['thinking'], block['signature']])}`;
      case 'tool_use': {
        only(block, ['type', 'id', 'name', 'input', 'cache_control'], where);
        this.mark(block, where);
        const { id, name } = block;
        if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id)) refuse(`${where}.id: bad id`);
        object(block['input'], `${where}.input`);
        return `tool_use ${JSON.stringify([id, name])} ${part('input')}`;
      }
      case 'tool_result':
        return refuse(`${where}: the assistant may not send tool_result`);
      default:
        return raw;
    }
  }

  private textBlock(block: Fields, where: string): void {
    only(block, ['type', 'text', 'cache_control', 'citations'], where);
    if (block['type'] !== 'text') refuse(`${where}: must be text`);
    text(block['text'], `${where}.text`);
    this.mark(block, where);
  }

  private mark(block: Fields, where: string): void {
    if (block['cache_control'] === undefined) return;
    const mark = object(block['cache_control'], `${where}.cache_control`);
    only(mark, ['type', 'ttl'], `${where}.cache_control`);
    if (mark['type'] !== 'ephemeral') refuse(`${where}.cache_control: unknown type`);
    if (mark['ttl'] !== undefined && mark['ttl'] !== '5m' && mark['ttl'] !== '1h')
      refuse(`${where}.cache_control: bad ttl`);
  }
}
