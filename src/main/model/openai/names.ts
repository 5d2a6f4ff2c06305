import { LONGEST_NAME, MOST_MODELS } from '../client';
import { asObject, asText } from '../parts';

/** Model names in a service's list, whatever its shape; undefined when it is no list of models. */
export function modelNames(text: string): string[] | undefined {
  const entries = listIn(text);
  if (!entries) return undefined;
  const names = entries.flatMap((entry) => {
    const fields = asObject(entry);
    return (
      asText(fields?.['id']) || asText(fields?.['name']) || asText(fields?.['model']) || asText(entry) || []
    );
  });
  return [...new Set(names)].filter((name) => name.length <= LONGEST_NAME).slice(0, MOST_MODELS);
}

/** The entries themselves, for whoever wants more than names. */
export function listIn(text: string): unknown[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(body)) return body;
  const fields = asObject(body);
  const list = fields?.['data'] ?? fields?.['models'];
  return Array.isArray(list) ? list : undefined;
}
