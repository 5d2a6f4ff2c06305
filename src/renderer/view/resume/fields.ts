import { count } from '../kit/numbers';

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
  system_hash: 'What the model is told before anything else. Only a hash is kept.',
  tools_hash: 'What the model may use, and how it is described. Only a hash is kept.',
  thinking_mode: 'Whether it thinks before it answers.',
  max_tokens: 'Tokens that the whole run may use.',
  max_iterations: 'Model calls that the whole run may make.',
};

/** What may happen when a run goes on with another value, for whoever forces it. */
export const FIELD_RISK: Record<string, string> = {
  provider:
    'Cannot be forced: what one service recorded (thinking, its own blocks) cannot be sent to another as it stands.',
  model: 'Another model may read the conversation differently, and refuse thinking that is not its own.',
  system_hash: 'It may no longer do what it was told at first, or contradict what it did so far.',
  tools_hash: 'It may call tools that are no longer there, or not know those that it used.',
  thinking_mode: 'Steps so far were made with other thinking; answers may change in depth and cost.',
  max_tokens: 'The run may stop earlier than planned, or cost more than was agreed.',
  max_iterations: 'The run may stop earlier than planned, or go on for longer than was agreed.',
};
