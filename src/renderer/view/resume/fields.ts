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
