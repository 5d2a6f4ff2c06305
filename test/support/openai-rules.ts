import { checkTool, list, object, only, refuse, text, type Fields } from './standin';

/** An assistant message as it was issued. */
export interface IssuedMessage {
  content: string;
  reasoning: string;
  calls: { name: string; args: string }[];
}

/**
 * What a strict chat completions service refuses: unknown fields, roles out of order, empty contents, calls that are
 * not answered right behind them, answers to nothing, ids used twice, assistant messages that it never issued, and
 * reasoning that is missing from a turn with tools or present in one without.
 */
export class ChatConversation {
  private readonly issued: IssuedMessage[] = [];

  constructor(
    private readonly limit: 'max_tokens' | 'max_completion_tokens' = 'max_tokens',
    /** Fields of its own that it takes beside the usual ones. */
    private readonly own: readonly string[] = [],
  ) {}

  remember(message: IssuedMessage): void {
    this.issued.push(message);
  }

  /** Throws Rejection. */
  check(body: string): void {
    const request = object(JSON.parse(body), 'body');
    only(
      request,
      ['model', 'messages', 'tools', this.limit, 'stream', 'stream_options', ...this.own],
      'body',
    );
    text(request['model'], 'model');
    if (request['stream'] !== true) refuse('stream: must be true');
    if (!Number.isInteger(request[this.limit])) refuse(`${this.limit}: must be an integer`);
    if (request['stream_options'] !== undefined)
      only(object(request['stream_options'], 'stream_options'), ['include_usage'], 'stream_options');
    if (request['tools'] !== undefined) this.tools(list(request['tools'], 'tools'));
    this.messages(list(request['messages'], 'messages').map((value, i) => object(value, `messages.${i}`)));
  }

  private tools(tools: unknown[]): void {
    const seen = new Set<string>();
    tools.forEach((value, i) => {
      const tool = object(value, `tools.${i}`);
      only(tool, ['type', 'function'], `tools.${i}`);
      const fn = object(tool['function'], `tools.${i}.function`);
      only(fn, ['name', 'description', 'parameters'], `tools.${i}.function`);
      checkTool(fn['name'], fn['description'], fn['parameters'], `tools.${i}`, seen);
    });
  }

  private messages(messages: Fields[]): void {
    const ids = new Set<string>();
    const unanswered = new Set<string>();
    const toolTurn = turnsWithTools(messages);
    let before = '';
    messages.forEach((message, at) => {
      const where = `messages.${at}`;
      const role = message['role'] as string;
      const before_ = before;
      before = role;
      if (role !== 'tool' && unanswered.size > 0)
        refuse(`${where}: calls are not answered: ${[...unanswered].join(', ')}`);
      switch (role) {
        case 'system':
          only(message, ['role', 'content'], where);
          if (at !== 0) refuse(`${where}: the system message comes first`);
          text(message['content'], where);
          return;
        case 'user':
          only(message, ['role', 'content'], where);
          if (before_ === 'user') refuse(`${where}: two user messages in a row`);
          text(message['content'], where);
          return;
        case 'tool': {
          only(message, ['role', 'tool_call_id', 'content'], where);
          text(message['content'], where);
          const id = message['tool_call_id'] as string;
          if (!unanswered.delete(id)) refuse(`${where}: answers nothing, or a second time: ${id}`);
          return;
        }
        case 'assistant':
          if (before_ !== 'user' && before_ !== 'tool') refuse(`${where}: the assistant out of turn`);
          for (const id of this.assistant(message, toolTurn[at] ?? false, where)) {
            if (ids.has(id)) refuse(`${where}: the id ${id} is used twice`);
            ids.add(id);
            unanswered.add(id);
          }
          return;
        default:
          refuse(`${where}: unknown role ${role}`);
      }
    });
    if (unanswered.size > 0) refuse(`calls are not answered: ${[...unanswered].join(', ')}`);
    if (before !== 'user' && before !== 'tool') refuse('the conversation must end with user or tool');
  }

  /** Ids of its calls. */
  private assistant(message: Fields, inToolTurn: boolean, where: string): string[] {
    only(message, ['role', 'content', 'tool_calls', 'reasoning_content'], where);
    const calls =
      message['tool_calls'] === undefined ? [] : list(message['tool_calls'], `${where}.tool_calls`);
    const content =
      message['content'] === null && calls.length > 0 ? '' : text(message['content'], `${where}.content`);
    const reasoning = message['reasoning_content'];
    if (!inToolTurn && reasoning !== undefined) refuse(`${where}: reasoning_content does not belong here`);
    const ids: string[] = [];
    const made = calls.map((value, i) => {
      const call = object(value, `${where}.tool_calls.${i}`);
      only(call, ['id', 'type', 'function'], `${where}.tool_calls.${i}`);
      const fn = object(call['function'], `${where}.tool_calls.${i}.function`);
      only(fn, ['name', 'arguments'], `${where}.tool_calls.${i}.function`);
      ids.push(text(call['id'], `${where}.tool_calls.${i}.id`));
      return { name: fn['name'] as string, args: fn['arguments'] as string };
    });
    const known = this.issued.some(
      (issued) =>
        issued.content === content &&
        (!inToolTurn || issued.reasoning === (reasoning ?? '')) &&
        JSON.stringify(issued.calls) === JSON.stringify(made),
    );
    if (!known) refuse(`${where}: was never issued: ${JSON.stringify({ content, reasoning, made })}`);
    return ids;
  }
}

/** For each message: whether tools are called between the user messages around it. */
function turnsWithTools(messages: readonly Fields[]): boolean[] {
  const turn: number[] = [];
  const withTools = new Set<number>();
  let n = 0;
  for (const message of messages) {
    if (message['role'] === 'user') n++;
    turn.push(n);
    if (message['tool_calls'] !== undefined) withTools.add(n);
  }
  return turn.map((number) => withTools.has(number));
}
