import { rawJson } from '../../shared/run/codec';
import { isFailure } from '../../shared/run/failure';
import type { AssistantPayload, Block, Message, ToolUseBlock } from '../../shared/run/record';
import { emptyInput } from '../model/model';
import type { ModelTurn } from '../model/model';

export const toolUses = (message: Message): ToolUseBlock[] =>
  (message.content ?? []).flatMap((block) => (block.tool_use ? [block.tool_use] : []));

/** A turn ready to be recorded, and the raw texts of inputs that were no JSON objects, by tool-use id. */
export interface AnsweredTurn {
  payload: AssistantPayload;
  invalid: Map<string, string>;
}

/**
 * Holds a model's turn to what the record promises, whatever its adapter did: every tool use has an id that this
 * conversation has not seen, every input is a JSON object, every count is a whole number.
 */
export function answeredTurn(turn: ModelTurn, iteration: number, taken: ReadonlySet<string>): AnsweredTurn {
  const invalid = new Map<string, string>();
  const mine = new Set<string>();
  const fresh = (id: string): string => {
    let found = id;
    for (let n = 1; found === '' || taken.has(found) || mine.has(found); n++)
      found = `call_${iteration}_${n}`;
    mine.add(found);
    return found;
  };
  const content = turn.content.map((block): Block => {
    const use = block.tool_use;
    if (!use) return block;
    const id = fresh(use.id);
    const told = turn.invalidInputs?.get(use.id);
    const input = told === undefined ? objectOrNone(use.input) : undefined;
    if (input === undefined) invalid.set(id, told ?? use.input);
    return { tool_use: { id, name: use.name, input: input ?? emptyInput } };
  });
  const { usage } = turn;
  return {
    invalid,
    payload: {
      iteration,
      message: { role: 'assistant', content: content.length ? content : null },
      ...(turn.stop_reason && { stop_reason: turn.stop_reason }),
      in_tokens: whole(usage.in_tokens),
      out_tokens: whole(usage.out_tokens),
      ...(usage.cache_read_tokens !== undefined && { cache_read_tokens: whole(usage.cache_read_tokens) }),
      ...(usage.cache_create_tokens !== undefined && {
        cache_create_tokens: whole(usage.cache_create_tokens),
      }),
    },
  };
}

function objectOrNone(input: string): ToolUseBlock['input'] | undefined {
  try {
    const raw = rawJson(input);
    return raw.startsWith('{') ? raw : undefined;
  } catch (error) {
    if (isFailure(error, 'tool_input')) return undefined;
    throw error;
  }
}

const whole = (n: number): number => (Number.isFinite(n) && n > 0 ? Math.min(Math.round(n), 2 ** 50) : 0);
