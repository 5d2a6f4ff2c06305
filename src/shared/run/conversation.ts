import type { Block, Message, ToolResultBlock } from './record';

/**
 * The rules by which turns, results and follow-ups become a conversation. The fold and the live loop both build theirs
 * here, so that what is sent and what is read back later cannot differ.
 *
 * Promises: nothing that is put in is ever changed; adding costs the same however long the conversation is; a list that
 * was handed out stays as it was. Messages and blocks in it are shared: treat them as read-only.
 */
export class Conversation {
  readonly #messages: Message[] = [];
  /** The blocks of the last message, while it is ours to add to. */
  #growing: Block[] | undefined;
  #forgotten = 0;

  constructor(messages: readonly Message[] = []) {
    this.#messages.push(...messages);
  }

  get last(): Message | undefined {
    return this.#messages.at(-1);
  }

  get length(): number {
    return this.#messages.length;
  }

  /**
   * What the person says. It joins a user message that stands last (results of tools, an earlier follow-up), block
   * after block, so it makes no difference whether follow-ups came one by one or together.
   */
  user(message: Message): void {
    const last = this.last;
    if (last?.role !== 'user') return this.#add(message);
    if (!message.content || message.content.length === 0) return;
    if (!this.#growing) {
      this.#growing = [...(last.content ?? [])];
      this.#messages[this.#messages.length - 1] = { role: 'user', content: this.#growing };
    }
    for (const block of message.content) this.#growing.push(block);
  }

  /** A turn with the results of its tools, in the order in which they are given. */
  turn(assistant: Message, results: readonly ToolResultBlock[]): void {
    this.#add(assistant);
    if (results.length > 0)
      this.#add({ role: 'user', content: results.map((result) => ({ tool_result: result })) });
  }

  /** Messages that were dropped from the beginning, see `forget`. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Drops all messages but the last `keep` (1 or more), for whoever only counts: nothing that is added later needs more. */
  forget(keep: number): void {
    const many = this.#messages.length - keep;
    if (many <= 0) return;
    this.#messages.splice(0, many);
    this.#forgotten += many;
  }

  /** All messages now, but those that were forgotten. Costs a copy of the list, not of the messages. */
  list(): Message[] {
    this.#growing = undefined;
    return [...this.#messages];
  }

  #add(message: Message): void {
    this.#growing = undefined;
    this.#messages.push(message);
  }
}

/** Text blocks as the prompt and follow-ups have them. */
export const userText = (text: string): Message => ({ role: 'user', content: [{ text: { text } }] });

/** Ids of the tools that a turn asks for, in order, repeated ones repeated. */
export function toolUseIds(message: Message): string[] {
  const ids: string[] = [];
  for (const block of message.content ?? []) if (block.tool_use) ids.push(block.tool_use.id);
  return ids;
}
