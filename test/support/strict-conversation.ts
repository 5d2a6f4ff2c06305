import type { Block, Message } from '../../src/shared/run/record';

/**
 * A model service at its strictest: what any of them is known to refuse. Gives the complaints, none for a conversation
 * that every service takes. `paused`: the last turn stopped with `pause_turn`, so the conversation may end on it.
 */
export function complaints(messages: readonly Message[], paused = false): string[] {
  const found: string[] = [];
  const say = (at: number, what: string): void => void found.push(`message ${at}: ${what}`);
  const ids = new Set<string>();
  if (messages.length === 0) return ['there is no message'];
  messages.forEach((message, at) => {
    const { role, content } = message;
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) say(at, `role ${role} is out of turn`);
    if (!content || content.length === 0) return say(at, 'it is empty');
    for (const block of content) for (const what of blockComplaints(block, role)) say(at, what);
    const calls = content.flatMap((block) => (block.tool_use ? [block.tool_use.id] : []));
    for (const id of calls) {
      if (ids.has(id)) say(at, `the id ${id} of a call is used twice`);
      ids.add(id);
    }
    const last = content.at(-1);
    const open = paused && at === messages.length - 1;
    if (role === 'assistant' && !open && (last?.thinking || last?.provider?.kind === 'redacted_thinking'))
      say(at, 'it ends with thinking');
    if (role === 'assistant' && calls.length > 0 && !messages[at + 1]) say(at, 'calls are not answered');
    if (role === 'user') for (const what of resultComplaints(content, messages[at - 1])) say(at, what);
  });
  if (messages.at(-1)?.role === 'assistant' && !paused)
    found.push('it ends with the assistant, which was not paused');
  return found;
}

function blockComplaints(block: Block, role: string): string[] {
  const kinds = Object.entries(block)
    .filter(([, value]) => value !== undefined)
    .map(([kind]) => kind);
  const found: string[] = [];
  if (kinds.length !== 1) found.push(`a block has ${kinds.length} kinds`);
  if (block.text && block.text.text.trim() === '') found.push('a text is blank');
  if (block.tool_result && block.tool_result.content.trim() === '') found.push('a result is blank');
  if (block.tool_use) {
    const { id, name, input } = block.tool_use;
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) found.push(`a call has the odd id "${id}"`);
    if (name === '') found.push('a call has no name');
    const parsed = JSON.parse(input) as unknown;
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      found.push('the input of a call is no object');
  }
  if (role === 'user' && (block.tool_use || block.thinking)) found.push(`the user has a ${kinds[0]} block`);
  if (role === 'assistant' && block.tool_result) found.push('the assistant has a result');
  return found;
}

/** The results of a user message must be exactly the calls of the message before it, in order, before anything else. */
function resultComplaints(content: readonly Block[], before: Message | undefined): string[] {
  const calls = (before?.content ?? []).flatMap((block) => (block.tool_use ? [block.tool_use.id] : []));
  const results = content.flatMap((block) => (block.tool_result ? [block.tool_result.tool_use_id] : []));
  const found: string[] = [];
  if (results.join('\n') !== calls.join('\n') || results.length !== calls.length)
    found.push(`calls [${calls.join()}] are answered by [${results.join()}]`);
  if (content.slice(0, results.length).some((block) => !block.tool_result))
    found.push('something stands before the results');
  return found;
}
