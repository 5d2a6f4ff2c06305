import type { CallState, TranscriptItem } from '../../../shared/contract/items';
import type { ToolWords } from './transcript';

export interface CallFacts {
  id: string;
  tool: string;
  input: string;
  iteration: number;
  state: CallState;
  changes: boolean;
  result?: { seq: number; content: string; isError: boolean };
  startedAt: string | undefined;
  endedAt: string | undefined;
  kept: string | undefined;
}

/** Characters of a call's one line. */
const LINE = 2_000;

/** A text's beginning, never cut inside a character, and how much of it is left. */
export function cut(text: string, limit: number): { text: string; more?: number } {
  if (text.length <= limit) return { text };
  const end = limit > 0 && (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800 ? limit - 1 : limit;
  return { text: text.slice(0, end), more: text.length - end };
}

export function callItem(
  facts: CallFacts,
  base: { key: string; seq: number; at?: string },
  limit: number,
  tools: ToolWords,
): TranscriptItem {
  const input = cut(facts.input, limit);
  const took =
    facts.startedAt !== undefined && facts.endedAt !== undefined
      ? Date.parse(facts.endedAt) - Date.parse(facts.startedAt)
      : NaN;
  const { result } = facts;
  return {
    kind: 'call',
    ...base,
    iteration: facts.iteration,
    toolUseId: facts.id,
    tool: facts.tool,
    input: input.text,
    ...(input.more !== undefined && { inputMore: input.more }),
    line: tools.line(facts.tool, facts.input).slice(0, LINE),
    changes: facts.changes,
    state: facts.state,
    ...(facts.startedAt !== undefined && { startedAt: facts.startedAt }),
    ...(took >= 0 && { tookMs: took }),
    ...(result && {
      result: {
        seq: result.seq,
        ...cut(result.content, limit),
        lines: lineCount(result.content),
        isError: result.isError,
        ...(facts.kept !== undefined && { kept: facts.kept }),
      },
    }),
  };
}

function lineCount(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
