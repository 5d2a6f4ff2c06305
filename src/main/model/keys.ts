import { Failure } from '../../shared/run/failure';
import type { Profile } from '../../shared/run/profile';
import { endpointOf } from './endpoint';

export type Environment = Readonly<Record<string, string | undefined>>;

const USUAL = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

/** Variables that hold keys of services that Holdfast talks to, whether or not a profile names them. */
const KNOWN = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'OPENAI_ADMIN_KEY',
  'AZURE_OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'DEEPSEEK_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'MOONSHOT_API_KEY',
  'DASHSCOPE_API_KEY',
  'GEMINI_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
];

/** Shorter values would blank out ordinary words, and no service gives out such keys. */
const SHORTEST_SECRET = 8;

/** The variable that holds this profile's key; undefined when its endpoint gets none. */
export function keyVariable(profile: Pick<Profile, 'provider' | 'endpoint' | 'key_env'>): string | undefined {
  if (profile.provider === 'practice') return undefined;
  if (profile.key_env !== undefined) return profile.key_env;
  return endpointOf(profile).vendor ? USUAL[profile.provider] : undefined;
}

/**
 * The key for this profile's endpoint, or undefined when it goes without one. The usual variable belongs to its own
 * service: another endpoint gets a key only when the profile names one, so no key is ever sent to a stranger.
 * Throws `key_missing` when a key is needed and its variable is empty.
 */
export function keyOf(profile: Profile, env: Environment): string | undefined {
  const variable = keyVariable(profile);
  if (variable === undefined) return undefined;
  const key = env[variable]?.trim();
  const host = endpointOf(profile).host;
  if (key && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure({
    code: 'key_missing',
    message: key
      ? `What the environment variable ${variable} holds cannot be a key for ${host}: it has spaces or special characters.`
      : `No key for ${host}: the environment variable ${variable} is not set.`,
    kept: 'Nothing was sent, and the run is as it was.',
    todo: `Enter a key in Models and keys, or set ${variable} and start Holdfast again.`,
    data: { variable },
  });
}

/** Every secret value in use, longest first, so that one that contains another is replaced whole. */
export function knownSecrets(env: Environment, profiles: readonly Pick<Profile, 'key_env'>[]): string[] {
  const values = new Set<string>();
  const add = (value: string | undefined): void => {
    const text = value?.trim();
    if (text && text.length >= SHORTEST_SECRET) values.add(text);
  };
  for (const name of keyVariables(profiles)) add(env[name]);
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']) {
    const password = /^[a-z]+:\/\/[^/@]*?:([^/@]+)@/i.exec(env[name] ?? '')?.[1];
    add(password);
    if (password?.includes('%')) add(decodePercent(password));
  }
  return [...values].sort((a, b) => b.length - a.length);
}

/** The environment for programs that Holdfast starts (tools, servers): everything except keys of models. */
export function childEnvironment(
  env: Environment,
  profiles: readonly Pick<Profile, 'key_env'>[],
): Record<string, string> {
  const withheld = new Set(keyVariables(profiles));
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !withheld.has(name)) child[name] = value;
  }
  return child;
}

function keyVariables(profiles: readonly Pick<Profile, 'key_env'>[]): string[] {
  return [...KNOWN, ...profiles.flatMap((profile) => profile.key_env ?? [])];
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
