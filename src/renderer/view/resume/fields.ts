import type { PreflightView } from '../../../shared/contract/views';
import { count, many } from '../kit/numbers';

/** What the fields of a fingerprint are called. */
export const FIELD_NAME: Record<string, string> = {
  provider: 'Provider',
  model: 'Model',
  system_hash: 'System prompt',
  tools_hash: 'Tools',
  thinking_mode: 'Thinking',
  max_tokens: 'Token budget',
  max_iterations: 'Step limit',
};

export const isHash = (field: string) => field.endsWith('_hash');

/** A field's value for a person: hashes short, limits as numbers. */
export function fieldValue(field: string, value: string): string {
  if (isHash(field)) return shortHash(value);
  if (field === 'max_tokens' || field === 'max_iterations') {
    const number = Number(value);
    if (!Number.isFinite(number) || value === '') return value;
    return number === 0 ? 'no limit' : count(number);
  }
  if (field === 'thinking_mode')
    return value === '' || value === 'off' ? 'off' : value === 'summarized' ? 'on, summarised' : value;
  return value === '' ? '—' : value;
}

/** `c61b18e0…86f5`; an empty hash stands for nothing at all. */
export function shortHash(hash: string): string {
  if (hash === '') return 'none';
  const hex = hash.replace(/^sha256:/, '');
  return hex.length > 14 ? `${hex.slice(0, 8)}…${hex.slice(-4)}` : hex;
}

/** What a field is, for people who set it once and forgot. */
export const FIELD_MEANS: Record<string, string> = {
  provider: 'The kind of service that answers.',
  model: 'The model that answers.',
  system_hash: 'What the model reads before anything else. The run records a hash of it.',
  tools_hash: 'What the model may use, and how it is described. The run records a hash of it.',
  thinking_mode: 'Whether it thinks before it answers.',
  max_tokens: 'Tokens that the whole run may use.',
  max_iterations: 'Model calls that the whole run may make.',
};

/** How much there is of the text behind a hash, where that is known: "120 words", "7 tools". */
export function amountOf(
  field: string,
  { prompt, tools }: PreflightView['texts'],
  side: 'recorded' | 'current',
): string | undefined {
  if (field === 'tools_hash') return tools?.[side] && many(tools[side].length, 'tool');
  const text = field === 'system_hash' ? prompt?.[side] : undefined;
  return text === undefined ? undefined : many(text.split(/\s+/).filter(Boolean).length, 'word');
}

type Change = PreflightView['diff'][number];

/** What may happen when a run goes on with another value, for whoever forces it: only what applies to this change. */
export function riskOf(
  { field, recorded, current }: Change,
  { texts, diff }: Pick<PreflightView, 'texts' | 'diff'>,
): string {
  switch (field) {
    case 'provider':
      return 'Can’t be forced: another service can’t read the thinking and other blocks that this one recorded.';
    case 'model':
      return diff.some((one) => one.field === 'thinking_mode' && !isOff(one.recorded))
        ? 'Another model may read the conversation differently, and refuse thinking that isn’t its own.'
        : 'Another model may read the conversation differently.';
    case 'system_hash':
      return texts.prompt?.current === ''
        ? 'The model no longer gets its instructions.'
        : 'The model may work differently, or contradict what it did so far.';
    case 'tools_hash':
      return toolRisk(texts.tools);
    case 'thinking_mode':
      return isOff(current)
        ? 'The model no longer thinks before it answers. Answers may be cheaper and less thorough.'
        : isOff(recorded)
          ? 'The model thinks before it answers. Answers may take longer and cost more.'
          : 'Answers may change in depth and cost.';
    case 'max_tokens':
      return isLess(recorded, current) ? 'The run may stop earlier.' : 'The run may use more tokens.';
    case 'max_iterations':
      return isLess(recorded, current) ? 'The run may stop earlier.' : 'The run may take more steps.';
    default:
      return '';
  }
}

const isOff = (thinking: string) => thinking === '' || thinking === 'off';

/** 0 and less: no limit. */
function isLess(recorded: string, current: string): boolean {
  const [was, is] = [recorded, current].map((value) => (Number(value) > 0 ? Number(value) : Infinity));
  return is! < was!;
}

function toolRisk(tools: PreflightView['texts']['tools']): string {
  if (!tools?.recorded) return 'The model may call tools that are no longer there.';
  const [old, now] = [tools.recorded, tools.current].map((list) => new Set(list.map(({ name }) => name)));
  const gone = [...old!].some((name) => !now!.has(name));
  const came = [...now!].some((name) => !old!.has(name));
  if (gone) return 'The model may call tools that are no longer there.';
  return came ? 'The model can use more tools.' : 'The model may use its tools differently.';
}
