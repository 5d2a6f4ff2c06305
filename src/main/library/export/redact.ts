import { MASK, secretFinder } from '../../../shared/run/secret-finder';

export { MASK };

/**
 * Takes secrets out of texts that leave Holdfast: known values, also encoded or cut, and whatever has the shape of a key. Journals are never touched by it.
 */
export interface Redactor {
  (text: string): string;
  /** Places where something was taken out so far. */
  readonly count: number;
}

/** Shapes of keys that services give out. Each is long enough, or marked well enough, to be nothing else. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  /-----BEGIN USER NKEY SEED-----[\s\S]*?(?:------END USER NKEY SEED------|$)/g,
  // OpenAI, Anthropic, OpenRouter and others that begin alike.
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bhf_[A-Za-z0-9]{30,}\b/g,
  /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  // NATS seeds.
  /\bS[ACNOUX][A-Z2-7]{56}\b/g,
  // JSON Web Tokens.
  /\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}/g,
];
/** Marked by what stands before them, which stays. */
const MARKED: readonly RegExp[] = [
  /(\bBearer\s+)[A-Za-z0-9._~+/-]{16,}=*/gi,
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"'<>]{1,200}:)[^\s/@"'<>]{1,500}(?=@)/gi,
];

/** @param known values that are secret here */
export function redactor(known: readonly string[] | undefined): Redactor {
  let count = 0;
  const finder = secretFinder(known ?? []);
  const clean = (text: string): string => {
    if (known === undefined) return text;
    const found = finder.replace(text);
    count += found.count;
    let out = found.text;
    const mask = (...found: unknown[]): string => {
      count++;
      return `${typeof found[1] === 'string' ? found[1] : ''}${MASK}`;
    };
    for (const shape of SHAPES) out = out.replace(shape, mask);
    for (const shape of MARKED) out = out.replace(shape, mask);
    return out;
  };
  return Object.defineProperty(clean, 'count', { get: () => count }) as Redactor;
}
