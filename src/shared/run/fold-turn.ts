import type { Message, RawJson, ToolResultBlock } from './record';
import type { FoldPoint } from './state';

/** The newest turn: it joins the conversation once every tool that it asks for is answered, or when the run goes on without. */
export interface OpenTurn {
  assistant: Message;
  iteration: number;
  stopReason: string;
  asked: ReadonlySet<string>;
  results: ToolResultBlock[];
  answered: Set<string> | undefined;
}

/** The newest turn of a point, with what is left of it. */
export const turnAt = (
  { iteration, tools, answered }: NonNullable<FoldPoint['open']>,
  stopReason: string,
): OpenTurn => ({
  assistant: {
    role: 'assistant',
    content: tools.map(([id, name]) => ({ tool_use: { id, name, input: '{}' as RawJson } })),
  },
  iteration,
  stopReason,
  asked: new Set(tools.map(([id]) => id)),
  results: answered.map((id) => ({ tool_use_id: id, content: '' })),
  answered: answered.length > 0 ? new Set(answered) : undefined,
});

export const unanswered = (open: OpenTurn): string[] =>
  [...open.asked].filter((id) => !open.answered?.has(id));

/** What a point keeps of the newest turn. */
export const pointOf = ({ assistant, iteration, answered }: OpenTurn): NonNullable<FoldPoint['open']> => ({
  iteration,
  tools: (assistant.content ?? []).flatMap(({ tool_use: use }): [string, string][] =>
    use ? [[use.id, use.name]] : [],
  ),
  answered: [...(answered ?? [])],
});
