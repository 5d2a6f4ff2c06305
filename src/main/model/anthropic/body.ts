import type { Block, Message } from '../../../shared/run/record';
import type { ModelRequest, ToolDef } from '../model';
import { jsonArray, jsonObject, jsonString, withMember } from '../slice';
import { CITATIONS } from './block';
import { thinkingJson, type ThinkingType } from './thinking';

export interface BodyOptions {
  thinking: ThinkingType;
  /** Asks the service to drop thinking that it cannot verify any more, in place of refusing the request. */
  dropUnboundThinking: boolean;
  /** Leaves all earlier thinking out. */
  withoutThinking: boolean;
  /** The service checks signatures: thinking without one is left out, since it would be refused. */
  signedThinkingOnly: boolean;
}

/**
 * The request's body as JSON text. It is written by hand because tool inputs and provider blocks go back as the text
 * that is recorded; a serialiser would parse and rewrite them (`1.50` becomes `1.5`, large integers lose digits).
 */
export function anthropicBody(request: ModelRequest, options: BodyOptions): string {
  const cache = request.chat ? '{"type":"ephemeral","ttl":"1h"}' : '{"type":"ephemeral"}';
  const system = request.system.filter((text) => text !== '');
  const lastSystem = system.length - 1;
  return jsonObject({
    model: jsonString(request.model),
    max_tokens: String(request.maxOutputTokens),
    stream: 'true',
    thinking: thinkingJson(options.thinking, request.maxOutputTokens, options.dropUnboundThinking),
    system:
      system.length === 0
        ? undefined
        : jsonArray(
            system.map((text, i) =>
              jsonObject({
                type: '"text"',
                text: jsonString(text),
                cache_control: i === lastSystem ? cache : undefined,
              }),
            ),
          ),
    // The first of two cache marks ends what never changes: the system prompt, or without one the tools.
    tools: toolsJson(request.tools, system.length === 0 ? cache : undefined),
    messages: messagesJson(request.messages, options, cache),
  });
}

function toolsJson(tools: readonly ToolDef[], cache: string | undefined): string | undefined {
  if (tools.length === 0) return undefined;
  return jsonArray(
    tools.map((tool, i) =>
      jsonObject({
        name: jsonString(tool.name),
        description: tool.description === '' ? undefined : jsonString(tool.description),
        input_schema: JSON.stringify(tool.input_schema),
        cache_control: i === tools.length - 1 ? cache : undefined,
      }),
    ),
  );
}

function messagesJson(messages: readonly Message[], options: BodyOptions, cache: string): string {
  const written = messages.map((message) => ({
    role: message.role,
    blocks: blocksOf(message.content ?? [], options),
  }));
  // The second mark: the last block of the conversation that may carry one.
  const last = written.at(-1)?.blocks.findLast((block) => block.markable);
  if (last) last.json = withMember(last.json, 'cache_control', cache);
  return jsonArray(
    written.map(({ role, blocks }) =>
      jsonObject({ role: jsonString(role), content: jsonArray(blocks.map((block) => block.json)) }),
    ),
  );
}

interface WrittenBlock {
  json: string;
  /** A cache mark may be added: it is a block of our own writing, not one that must go back as it came. */
  markable: boolean;
}

function blocksOf(content: readonly Block[], options: BodyOptions): WrittenBlock[] {
  const written: WrittenBlock[] = [];
  for (const block of content) {
    if (block.provider?.kind === CITATIONS) {
      const text = written.at(-1);
      if (text?.markable) text.json = withMember(text.json, 'citations', block.provider.raw);
      continue;
    }
    const made = blockJson(block, options);
    if (made) written.push(made);
  }
  return written;
}

function blockJson(block: Block, options: BodyOptions): WrittenBlock | undefined {
  if (block.text) {
    return { json: jsonObject({ type: '"text"', text: jsonString(block.text.text) }), markable: true };
  }
  if (block.tool_use) {
    const { id, name, input } = block.tool_use;
    const json = jsonObject({ type: '"tool_use"', id: jsonString(id), name: jsonString(name), input });
    return { json, markable: true };
  }
  if (block.tool_result) {
    const { tool_use_id, content, is_error } = block.tool_result;
    const json = jsonObject({
      type: '"tool_result"',
      tool_use_id: jsonString(tool_use_id),
      content: content === '' ? undefined : jsonString(content),
      is_error: is_error ? 'true' : undefined,
    });
    return { json, markable: true };
  }
  if (block.thinking) {
    if (options.withoutThinking) return undefined;
    const { text = '', signature = '' } = block.thinking;
    if (signature === '' && options.signedThinkingOnly) return undefined;
    const json = jsonObject({
      type: '"thinking"',
      thinking: jsonString(text),
      signature: jsonString(Buffer.from(signature, 'base64').toString('utf8')),
    });
    return { json, markable: false };
  }
  if (block.provider) {
    if (options.withoutThinking && block.provider.kind === 'redacted_thinking') return undefined;
    return { json: block.provider.raw, markable: false };
  }
  return undefined;
}
