import { z } from '../zod';
import type { FingerprintDiff } from './gates';
import { goJson, goString } from './json';
import type { Fingerprint } from './record';

/** A tool as the fingerprint sees it: exactly what the model sees. */
export interface FingerprintTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface FingerprintInput {
  provider: string;
  model: string;
  /** System blocks in their order, without the resume reminder. The first is the profile's prompt, even when empty. */
  system: readonly string[];
  /** In the registry's order; another order is another fingerprint. */
  tools: readonly FingerprintTool[];
  thinking: 'off' | 'summarized';
  /** Tokens over the whole run; 0: no limit. */
  maxTokens: number;
  /** Model calls. */
  maxIterations: number;
}

/** The exact text whose hash stands for the system blocks. */
export const systemText = (system: readonly string[]): string => `[${system.map(goString).join(',')}]`;

/** The exact text whose hash stands for the tools. Schemas have their keys sorted at every level, so their order never matters. */
export function toolsText(tools: readonly FingerprintTool[]): string {
  const one = (tool: FingerprintTool): string =>
    `{"Name":${goString(tool.name)},"Description":${goString(tool.description)},` +
    `"InputSchema":${goJson(tool.input_schema)},"DeferLoading":false}`;
  return `[${tools.map(one).join(',')}]`;
}

/** The prompt that a text of `systemText` was made from, its blocks one after the other; undefined for any other text. */
export function promptIn(text: string): string | undefined {
  const blocks = parsed(z.array(z.string()), text);
  return blocks?.join('\n\n');
}

/** The tools that a text of `toolsText` was made from; undefined for any other text. */
export function toolsIn(text: string): FingerprintTool[] | undefined {
  return parsed(z.array(written), text)?.map(({ Name, Description, InputSchema }) => ({
    name: Name,
    description: Description,
    input_schema: InputSchema,
  }));
}

const written = z.object({
  Name: z.string(),
  Description: z.string(),
  InputSchema: z.record(z.string(), z.unknown()),
});

function parsed<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    const result = schema.safeParse(JSON.parse(text));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a run is written against. Prompt and tools are only ever hashed: neither can be read back from the result.
 * `sha256` gives the hash of a text's UTF-8 bytes as 64 lower-case hex digits.
 */
export const computeFingerprint = (
  input: FingerprintInput,
  sha256: (text: string) => string,
): Fingerprint => ({
  provider: input.provider,
  model: input.model,
  system_hash: sha256(systemText(input.system)),
  tools_hash: sha256(toolsText(input.tools)),
  thinking_mode: input.thinking,
  max_tokens: input.maxTokens,
  max_iterations: input.maxIterations,
});

/** Fields in the order in which they are shown: the one that can never change first. */
export const FINGERPRINT_FIELDS = [
  'provider',
  'model',
  'system_hash',
  'tools_hash',
  'thinking_mode',
  'max_tokens',
  'max_iterations',
] as const satisfies readonly (keyof Fingerprint)[];

/** All seven fields side by side, always in the same order, changed or not. */
export const diffFingerprint = (recorded: Fingerprint, current: Fingerprint): FingerprintDiff[] =>
  FINGERPRINT_FIELDS.map((field) => ({
    field,
    recorded: String(recorded[field]),
    current: String(current[field]),
    changed: recorded[field] !== current[field],
    force: field === 'provider' ? 'hard' : 'forceable',
  }));

export const sameFingerprint = (a: Fingerprint, b: Fingerprint): boolean =>
  FINGERPRINT_FIELDS.every((field) => a[field] === b[field]);
