import type { Part } from './pieces';

/** What was made of texts by their words: what streamed a moment ago is the same text that the record brings. */
const cache = new Map<string, unknown>();
const CACHED = 600;

/** @param keep false: the text is on its way, and what is made of it now is of no use a moment later */
export function cached<T>(kind: string, part: Part, breaks: boolean, keep: boolean, make: () => T): T {
  const refs = part.refs.map(({ id, url, title }) => `${id}\n${url}\n${title ?? ''}`).join('\n');
  const key = `${kind}${breaks ? '+' : '-'}${refs}\0${part.text}`;
  const known = cache.get(key);
  if (known !== undefined) return known as T;
  const made = make();
  if (keep) {
    cache.set(key, made);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value ?? '');
  }
  return made;
}
