import type { Block, Message, RawJson, Role, ToolResultBlock, ToolUseBlock } from '../../shared/run/record';
import { isServiceThinking } from '../../shared/run/empty-answer';
import { STOP } from '../../shared/run/record';
import type { RunState } from '../../shared/run/state';

/** What `toWire` needs of a run. A RunState will do. */
export interface Wireable {
  messages: readonly Message[];
  /** A partly answered turn; it goes last. */
  pending?: RunState['pending'];
  /** Of the last turn: only `pause_turn` lets the conversation end on the assistant. */
  last_stop_reason?: string;
}

/** What a model is told about a call that nobody answered. */
export const UNANSWERED =
  'This tool call has no recorded result: it was interrupted, or it was never run. Its outcome is unknown.';
/** Stands for a result without a word in it: a strict service refuses empty ones. */
export const NO_OUTPUT = '(no output)';
/** Stands for the person where a conversation would otherwise begin with the assistant, or be empty. */
export const NO_WORDS = '(The first message was empty.)';
/** Stands for the person where a conversation would otherwise end with a finished answer. */
export const GO_ON = 'Please go on.';

/**
 * Turns any fold into a conversation that a strict model service accepts. Pure; what was recorded is never changed.
 * `results` are those of the pending turn that are not in the fold yet.
 *
 * Promises: it starts with the user, roles alternate, no message and no text is empty; every tool call is answered in
 * the user message right behind it, results first, in the order of the calls, each once (of two results the later one
 * counts); results that answer nothing are left out; ids of calls are unique, and plain unless they go `as_recorded`
 * (others are renamed together with their result) and inputs are objects; it ends with the user, or with the assistant if that turn was paused
 * (`pause_turn`). Thinking and provider blocks stay as they are and where they are; only thinking that nothing follows
 * in a finished message, which no service takes back, is left out.
 */
export function toWire(
  run: Wireable,
  results: readonly ToolResultBlock[] = [],
  ids: 'plain' | 'as_recorded' = 'plain',
): Message[] {
  const turns = [...run.messages];
  if (run.pending) turns.push(run.pending.assistant, resultMessage([...run.pending.results, ...results]));
  const last = turns.at(-1);
  const paused =
    !run.pending &&
    run.last_stop_reason === STOP.pauseTurn &&
    last !== undefined &&
    roleOf(last) === 'assistant' &&
    spoken(kinds(last)).length > 0;
  const out = new Assembly(ids);
  for (let i = 0; i < turns.length;) {
    const message = turns[i++] as Message;
    const blocks = kinds(message);
    if (roleOf(message) === 'user') {
      out.user(blocks);
      continue;
    }
    const replies: Block[] = [];
    for (let next = turns[i]; next && roleOf(next) === 'user'; next = turns[++i])
      for (const block of kinds(next)) replies.push(block);
    out.turn(blocks, replies);
  }
  return out.finish(paused);
}

const resultMessage = (results: readonly ToolResultBlock[]): Message => ({
  role: 'user',
  content: results.map((result) => ({ tool_result: result })),
});

/** What a message holds says whose it is; its recorded role only where its blocks say nothing. */
function roleOf({ role, content }: Message): Role {
  const blocks = content ?? [];
  if (blocks.some((block) => block.tool_use || block.thinking)) return 'assistant';
  if (blocks.some((block) => block.tool_result)) return 'user';
  return role === 'assistant' ? 'assistant' : 'user';
}

/** A message's blocks, each of exactly one kind. */
function kinds(message: Message): Block[] {
  const blocks: Block[] = [];
  for (const block of message.content ?? []) {
    const { text, thinking, tool_use: call, tool_result: result, provider } = block;
    const count = [text, thinking, call, result, provider].filter(Boolean).length;
    if (count === 1) {
      blocks.push(block);
      continue;
    }
    if (text) blocks.push({ text });
    if (thinking) blocks.push({ thinking });
    if (call) blocks.push({ tool_use: call });
    if (result) blocks.push({ tool_result: result });
    if (provider) blocks.push({ provider });
  }
  return blocks;
}

const isBlank = (text: string): boolean => text.trim() === '';
/** Blocks that go out at all: results are placed separately, blank text never goes. */
const spoken = (blocks: readonly Block[]): Block[] =>
  blocks.filter((block) => !block.tool_result && !(block.text && isBlank(block.text.text)));
const isThinking = (block: Block | undefined): boolean =>
  block?.thinking !== undefined || isServiceThinking(block?.provider);

/** What services other than chat completions do not take in the id of a call. */
const ODD_ID = /[^a-zA-Z0-9_-]/g;

interface WireMessage {
  role: Role;
  content: Block[];
}

class Assembly {
  #messages: WireMessage[] = [];
  readonly #ids = new Set<string>();

  constructor(private readonly ids: 'plain' | 'as_recorded') {}

  /** Words of the person before the first turn; results that stand here answer nothing. */
  user(blocks: readonly Block[]): void {
    this.#add('user', spoken(blocks));
  }

  /** A turn of the assistant, and all that the user side says before the next one. */
  turn(blocks: readonly Block[], replies: readonly Block[]): void {
    const answers = new Answers(blocks, replies);
    const results: Block[] = [];
    const said = spoken(blocks).map((block): Block => {
      if (!block.tool_use) return block;
      const call = this.#call(block.tool_use);
      results.push({ tool_result: answers.next(block.tool_use.id, call.id) });
      return call === block.tool_use ? block : { tool_use: call };
    });
    this.#add('assistant', said);
    this.#add('user', [...results, ...spoken(replies)]);
  }

  finish(paused: boolean): Message[] {
    const messages = this.#messages;
    this.#messages = [];
    messages.forEach(({ role, content }, i) => {
      const open = paused && i === messages.length - 1;
      while (role === 'assistant' && !open && isThinking(content.at(-1))) content.pop();
      this.#add(role, content);
    });
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant' && !paused) this.#add('user', [{ text: { text: GO_ON } }]);
    if (this.#messages[0]?.role !== 'user')
      this.#messages.unshift({ role: 'user', content: [{ text: { text: NO_WORDS } }] });
    return this.#messages;
  }

  #add(role: Role, blocks: Block[]): void {
    if (blocks.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else this.#messages.push({ role, content: blocks });
  }

  #call(call: ToolUseBlock): ToolUseBlock {
    const plain = (this.ids === 'plain' ? call.id.replace(ODD_ID, '_') : call.id) || 'call';
    let id = plain;
    for (let n = 2; this.#ids.has(id); n++) id = `${plain}_${n}`;
    this.#ids.add(id);
    const name = call.name || 'unknown_tool';
    const input = call.input.startsWith('{') ? call.input : ('{}' as RawJson);
    return id === call.id && name === call.name && input === call.input ? call : { id, name, input };
  }
}

/** Hands the results of one turn to its calls: in order where an id is asked for twice, the last one where it is answered twice. */
class Answers {
  readonly #results = new Map<string, ToolResultBlock[]>();
  readonly #calls = new Map<string, number>();

  constructor(turn: readonly Block[], replies: readonly Block[]) {
    for (const { tool_use: call } of turn)
      if (call) this.#calls.set(call.id, (this.#calls.get(call.id) ?? 0) + 1);
    for (const blocks of [turn, replies])
      for (const { tool_result: result } of blocks) {
        if (!result) continue;
        const same = this.#results.get(result.tool_use_id);
        if (same) same.push(result);
        else this.#results.set(result.tool_use_id, [result]);
      }
  }

  next(id: string, wireId: string): ToolResultBlock {
    const results = this.#results.get(id) ?? [];
    const left = this.#calls.get(id) ?? 1;
    this.#calls.set(id, left - 1);
    const result = left > 1 ? results.shift() : results.at(-1);
    if (!result) return { tool_use_id: wireId, content: UNANSWERED, is_error: true };
    const content = isBlank(result.content) ? NO_OUTPUT : result.content;
    return { tool_use_id: wireId, content, ...(result.is_error && { is_error: true }) };
  }
}
