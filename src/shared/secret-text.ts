import { parseAddress } from './url';

/**
 * What a key looks like, wherever a person may paste one: the field for keys, and fields that must never take one. Only
 * shapes, so that it can be told before anything is stored or sent.
 */

/** Marks with which services begin their keys. */
const PREFIX =
  /^(sk-|sk_|pk-|rk-|gsk_|xai-|AIza|AQ\.|key-|tgp_v|hf_|r8_|nvapi-|pplx-|fw_|csk-|ghp_|github_pat_|eyJ[\w-]+\.eyJ)/;

/** What is usually pasted around a key: quotes, the name of its variable, the word of the header. */
const AROUND = [
  /^export\s+/,
  /^set\s+/i,
  /^[A-Z][A-Z0-9_]{2,}\s*=\s*/,
  /^(authorization|x-api-key|api-key)\s*:\s*/i,
  /^bearer\s+/i,
];

/** The secret itself, without what was pasted around it. */
export function bareSecret(text: string): string {
  let bare = text.trim();
  for (const around of AROUND) bare = bare.replace(around, '');
  return bare.replace(/^(["'`])(.*)\1;?$/s, '$2').trim();
}

/** Why a text cannot be a key of a service; undefined when it can. Never quotes the text. */
export function keyProblem(bare: string): string | undefined {
  if (bare === '') return 'Paste the key.';
  if (/^https?:\/\//i.test(bare)) return 'That is an address, not a key.';
  if (/\s/.test(bare)) return 'A key has no spaces or line breaks. Copy only the key.';
  if (!/^[\x21-\x7e]+$/.test(bare))
    return 'A key has only plain letters, digits and signs. Copy it again from the service.';
  if (/^[*•.…]+$|\*{4,}|\.{3,}|…/.test(bare))
    return 'This is a key as a list shows it, with its middle left out. Create a new key and copy all of it.';
  return undefined;
}

/**
 * Whether a text that stands in a field for something else must be taken for a key: by the mark of a service, or as one
 * long word of letters and digits that no name, model or address looks like.
 */
export function looksLikeKey(text: string): boolean {
  const bare = bareSecret(text);
  if (/\s/.test(bare) || bare.length < 16) return false;
  if (PREFIX.test(bare) && /\d/.test(bare) && bare.length >= 20) return true;
  // Hexadecimal, as Azure gives out, or mixed as most others do.
  if (/^[0-9a-f]{32,}$/i.test(bare)) return true;
  return /^[A-Za-z0-9_-]{32,}$/.test(bare) && changes(bare) >= bare.length / 5;
}

/** Whether a key with the mark of a service stands anywhere in a text, as in a title or a prompt. */
export const holdsKey = (text: string): boolean =>
  text.split(/[\s,;"'`=<>()]+/).some((word) => PREFIX.test(word) && looksLikeKey(word));

/** Whether an address carries a secret: a password, or a key among its parameters. */
export function addressHoldsKey(text: string): boolean {
  const url = parseAddress(text.trim());
  if (!url) return looksLikeKey(text);
  if (url.username !== '' || url.password !== '') return true;
  return [...url.searchParams].some(
    ([name, value]) => looksLikeKey(value) || (/key|token|secret|password/i.test(name) && value !== ''),
  );
}

/** How often letters and digits take turns: often in keys, seldom in names. */
function changes(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at++)
    if (/\d/.test(text[at] ?? '') !== /\d/.test(text[at - 1] ?? '')) count++;
  return count;
}
