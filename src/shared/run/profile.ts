import { z } from '../zod';

/** Whose language a service speaks; `openai` stands for every OpenAI-compatible service. */
export const providerId = z.enum(['anthropic', 'openai', 'practice']);
export type ProviderId = z.infer<typeof providerId>;

/** Everything that decides how a run behaves. The fingerprint is computed from it; runs store only its name. */
export const profile = z.strictObject({
  name: z.string().min(1).max(80),
  provider: providerId,
  model: z.string().min(1).max(200),
  /** Base URL; absent: the provider's own. */
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  /** Name of the environment variable that holds the key; absent: the provider's usual one. */
  key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional(),
  system_prompt: z.string().default(''),
  thinking: z.boolean().default(false),
  /** Names of built-in tools; the order here does not matter, the registry's does. */
  tools: z.array(z.string()).default([]),
  limits: z
    .strictObject({
      /** Model calls per run (one-shot) or per follow-up (chat). */
      max_iterations: z.int().min(1).max(10_000).default(50),
      /** Tokens over the whole run; 0: no limit. */
      max_tokens: z.int().min(0).default(2_000_000),
      /** Tokens per call; absent: 8,192, or 16,384 with thinking. */
      max_output_tokens: z.int().min(1).optional(),
      /** Seconds. */
      call_timeout: z.number().positive().max(86_400).default(120),
    })
    .prefault({}),
});
export type Profile = z.infer<typeof profile>;
