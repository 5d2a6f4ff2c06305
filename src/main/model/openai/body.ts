import type { Block, Message } from '../../../shared/run/record';
import { isTagged } from '../../../shared/run/think-tags';
import type { ModelRequest } from '../model';
import { jsonArray, jsonObject, jsonString, sliceAt } from '../slice';
import type { Habits } from './service';

/** Kind of the provider block that holds reasoning that only the service can read: an array as it arrived. */
export const REASONING_DETAILS = 'reasoning_details';
/** Kind of the provider block that holds what a service attached to a tool call: `{"id":…, "extra_content":…}`. */
export const CALL_EXTRA = 'tool_call_extra';

/** The request's body as JSON text, written by hand so that recorded JSON goes back as the text that it is. */
export function chatBody(request: ModelRequest, habits: Habits): string {
  const system = request.system.filter((text) => text !== '');
  const messages =
    system.length === 0 ? [] : [messageJson('system', { content: jsonString(system.join('\n\n')) })];
  const toolTurns = turnsWithTools(request.messages);
  request.messages.forEach((message, i) => {
    if (message.role === 'user') messages.push(...userJson(message));
    else messages.push(assistantJson(message, echoes(habits, toolTurns[i] ?? false) ? habits : undefined));
  });
  return jsonObject({
    model: jsonString(request.model),
    messages: jsonArray(messages),
    tools:
      request.tools.length === 0
        ? undefined
        : jsonArray(
            request.tools.map((tool) =>
              jsonObject({
                type: '"function"',
                function: jsonObject({
                  name: jsonString(tool.name),
                  description: tool.description === '' ? undefined : jsonString(tool.description),
                  parameters: JSON.stringify(tool.input_schema),
                }),
              }),
            ),
          ),
    [habits.tokensField]: String(request.maxOutputTokens),
    stream: 'true',
    stream_options: habits.includeUsage ? '{"include_usage":true}' : undefined,
    ...habits.thinking(request.thinking),
  });
}

const messageJson = (role: string, members: Record<string, string | undefined>): string =>
  jsonObject({ role: jsonString(role), ...members });

const echoes = (habits: Habits, inToolTurn: boolean): boolean =>
  habits.echo === 'always' || (habits.echo === 'tool_turns' && inToolTurn);

/** For each message: whether a tool was called between the person's words before it and those after it. */
function turnsWithTools(messages: readonly Message[]): boolean[] {
  const marks = new Array<boolean>(messages.length).fill(false);
  let start = 0;
  let used = false;
  const close = (end: number): void => {
    if (used) marks.fill(true, start, end);
    used = false;
    start = end;
  };
  messages.forEach((message, i) => {
    const content = message.content ?? [];
    if (message.role === 'user' && content.some((block) => block.text)) close(i);
    used ||= content.some((block) => block.tool_use);
  });
  close(messages.length);
  return marks;
}

/** Tool results are messages of their own here, and stand before whatever the person added. */
function userJson(message: Message): string[] {
  const content = message.content ?? [];
  const results = content.flatMap((block) =>
    block.tool_result
      ? messageJson('tool', {
          tool_call_id: jsonString(block.tool_result.tool_use_id),
          content: jsonString(block.tool_result.content),
        })
      : [],
  );
  const texts = content.flatMap((block) => block.text?.text ?? []);
  return texts.length === 0
    ? results
    : [...results, messageJson('user', { content: jsonString(texts.join('\n\n')) })];
}

function assistantJson(message: Message, habits: Habits | undefined): string {
  const content = message.content ?? [];
  const text = content.flatMap((block) => block.text?.text ?? []).join('');
  const extras = new Map(
    content.flatMap((block) => {
      const extra = callExtra(block);
      return extra ? [extra] : [];
    }),
  );
  const calls = content.flatMap((block) =>
    block.tool_use
      ? jsonObject({
          id: jsonString(block.tool_use.id),
          type: '"function"',
          function: jsonObject({
            name: jsonString(block.tool_use.name),
            arguments: jsonString(block.tool_use.input),
          }),
          extra_content: extras.get(block.tool_use.id),
        })
      : [],
  );
  return messageJson('assistant', {
    content: text === '' && calls.length > 0 ? 'null' : jsonString(text),
    tool_calls: calls.length === 0 ? undefined : jsonArray(calls),
    ...(habits && reasoningOf(content, habits)),
  });
}

function reasoningOf(content: readonly Block[], habits: Habits): Record<string, string> {
  const details = content.find((block) => block.provider?.kind === REASONING_DETAILS)?.provider;
  if (details && habits.echoField === 'reasoning') return { reasoning_details: details.raw };
  const text = content
    .flatMap((block) => block.thinking?.text ?? [])
    // What was written into the answer is no reasoning that the service asked back.
    .filter((thinking) => !isTagged(thinking))
    .join('');
  return text === '' ? {} : { [habits.echoField]: jsonString(text) };
}

function callExtra(block: Block): [string, string] | undefined {
  if (block.provider?.kind !== CALL_EXTRA) return undefined;
  const id = JSON.parse(sliceAt(block.provider.raw, ['id']) ?? '""') as string;
  const extra = sliceAt(block.provider.raw, ['extra_content']);
  return extra === undefined ? undefined : [id, extra];
}
