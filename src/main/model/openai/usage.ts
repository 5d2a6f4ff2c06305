import type { Usage } from '../../../shared/run/record';
import { asObject, tokens } from '../parts';

/**
 * Token counts of a chunk, or undefined when it has none. `prompt_tokens` includes what came from the service's cache,
 * which is counted apart here. Some services leave reasoning out of `completion_tokens`; the total then shows it.
 */
export function readUsage(chunk: Record<string, unknown>): Usage | undefined {
  const usage = asObject(chunk['usage']) ?? asObject(asObject(chunk['x_groq'])?.['usage']);
  if (!usage) return undefined;
  const prompt = tokens(usage['prompt_tokens']) ?? tokens(usage['input_tokens']) ?? 0;
  const completion = tokens(usage['completion_tokens']) ?? tokens(usage['output_tokens']) ?? 0;
  const total = tokens(usage['total_tokens']) ?? 0;
  const details = asObject(usage['prompt_tokens_details']) ?? asObject(usage['input_tokens_details']);
  const cached =
    tokens(details?.['cached_tokens']) ??
    tokens(usage['prompt_cache_hit_tokens']) ??
    tokens(usage['cached_tokens']) ??
    0;
  const written = tokens(details?.['cache_write_tokens']) ?? 0;
  const read = Math.min(cached, prompt);
  const created = Math.min(written, prompt - read);
  return {
    in_tokens: prompt - read - created,
    out_tokens: Math.max(completion, total - prompt),
    ...(read > 0 && { cache_read_tokens: read }),
    ...(created > 0 && { cache_create_tokens: created }),
  };
}
