/** A value of the API's `thinking` parameter; undefined: the parameter is left out. */
export type ThinkingType = 'adaptive' | 'enabled' | 'disabled' | 'between_tools' | undefined;

/**
 * What to send first. Up to 4.5 a model thinks only with a budget; from 4.6 on it decides itself, and from 4.7 on it
 * refuses a budget. Without the parameter, models from 5 on think unless they are told not to, each in its own way.
 * A name that says nothing is taken for a newer model; a refusal by the service corrects the guess (see `instead`).
 */
export function thinkingType(model: string, wanted: 'off' | 'summarized'): ThinkingType {
  const name = model.toLowerCase();
  if (wanted === 'summarized') return budgetOnly(name) ? 'enabled' : 'adaptive';
  if (/claude-sonnet-5-5/.test(name)) return 'between_tools';
  if (/claude-(opus-5|sonnet-5|haiku-5-5)(-\d{8})?$/.test(name)) return 'disabled';
  return undefined;
}

/** What to send after `refused` was; null: there is nothing else to try. */
export function instead(refused: ThinkingType): ThinkingType | null {
  if (refused === 'adaptive') return 'enabled';
  if (refused === 'enabled') return 'adaptive';
  return refused === undefined ? null : undefined;
}

const budgetOnly = (name: string): boolean =>
  /claude-(3|instant|2)/.test(name) ||
  /claude-(opus|sonnet|haiku)-4(-[015])?(-\d{8}|-latest|@\d{8})?$/.test(name);

/** Smallest budget that the API takes; it must stay below the length limit. */
const SMALLEST_BUDGET = 1024;

/** JSON text of the parameter. */
export function thinkingJson(
  type: ThinkingType,
  maxOutputTokens: number,
  dropUnboundBlocks: boolean,
): string | undefined {
  if (type === undefined) return undefined;
  if (type === 'disabled' || type === 'between_tools') return `{"type":"${type}"}`;
  if (type === 'adaptive') {
    const binding = dropUnboundBlocks ? ',"block_binding":{"prefix_mismatch_behavior":"drop_block"}' : '';
    return `{"type":"adaptive","display":"summarized"${binding}}`;
  }
  const budget = Math.max(SMALLEST_BUDGET, Math.floor(maxOutputTokens / 2));
  // With no room for an answer behind the smallest budget, answering comes first.
  return budget < maxOutputTokens ? `{"type":"enabled","budget_tokens":${budget}}` : undefined;
}
