import type { Message } from '../../../shared/run/record';

/** A tool call that the model made for the present request, with its answer. */
export interface Step {
  name: string;
  input: unknown;
  answer: { content: string; failed: boolean } | undefined;
}

/** What the Practice model needs of a conversation: the last thing a person said, and what was done since. */
export interface Task {
  text: string;
  /** One list for each assistant turn since, its calls in order; turns without calls are there too. */
  turns: Step[][];
  /** The conversation ends on the model's own side: it paused its turn. */
  paused: boolean;
}

/**
 * Reads any conversation, also one that another model had. Only the last text of the last message with text counts:
 * a request that failed and the one that followed it share a message.
 */
export function readTask(messages: Message[]): Task {
  const answers = new Map<string, { content: string; failed: boolean }>();
  for (const message of messages)
    for (const { tool_result: result } of message.content ?? [])
      if (result)
        answers.set(result.tool_use_id, { content: result.content, failed: result.is_error === true });
  let start = -1;
  let text = '';
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user') continue;
    const said = (message.content ?? []).flatMap((block) => block.text?.text.trim() || []).at(-1);
    if (said !== undefined) [start, text] = [index, said];
  }
  const turns = messages
    .slice(start + 1)
    .filter((message) => message.role === 'assistant')
    .map((message) =>
      (message.content ?? []).flatMap(({ tool_use: use }): Step[] =>
        use ? [{ name: use.name, input: parsed(use.input), answer: answers.get(use.id) }] : [],
      ),
    );
  return { text, turns, paused: messages.at(-1)?.role === 'assistant' };
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}
