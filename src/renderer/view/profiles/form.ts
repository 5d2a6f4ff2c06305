import type { ProfileView } from '../../../shared/contract/views';
import type { CommandInput } from '../../../shared/contract/contract';
import type { ToolInfo } from '../../store/profiles';

/** A profile while it is edited: numbers are the text that was typed. */
export interface Form {
  name: string;
  provider: ProfileView['provider'];
  model: string;
  endpoint: string;
  key_env: string;
  system_prompt: string;
  thinking: boolean;
  tools: string[];
  max_iterations: string;
  max_tokens: string;
  max_output_tokens: string;
  call_timeout: string;
}
export type Problems = Partial<Record<keyof Form, string>>;

/** Labels of the fields that can have a problem, in the order in which they are shown. */
export const FIELD_NAMES = {
  name: 'Name',
  model: 'Model',
  endpoint: 'Endpoint',
  key_env: 'Environment variable with the key',
  max_iterations: 'Steps',
  max_tokens: 'Token budget',
  max_output_tokens: 'Tokens per answer',
  call_timeout: 'Seconds per call',
} as const satisfies Problems;

export function formOf(profile: ProfileView): Form {
  const { limits } = profile;
  return {
    name: profile.name,
    provider: profile.provider,
    model: profile.model,
    endpoint: profile.endpoint ?? '',
    key_env: profile.key_env ?? '',
    system_prompt: profile.system_prompt,
    thinking: profile.thinking,
    tools: profile.tools,
    max_iterations: String(limits.max_iterations),
    max_tokens: String(limits.max_tokens),
    max_output_tokens: limits.max_output_tokens === undefined ? '' : String(limits.max_output_tokens),
    call_timeout: String(limits.call_timeout),
  };
}

/** Names of the tools that a provider's models can be given. */
export const toolsOf = (tools: readonly ToolInfo[], provider: Form['provider']): string[] =>
  tools.filter((tool) => tool.providers.includes(provider)).map((tool) => tool.name);

/** Tools of a form that its provider's models can't be given; saving leaves them out. */
export const impossibleTools = (form: Form, tools: readonly ToolInfo[]): string[] => {
  const possible = new Set(toolsOf(tools, form.provider));
  return form.tools.filter((name) => !possible.has(name));
};

export const emptyForm = (tools: readonly ToolInfo[]): Form => ({
  name: '',
  provider: 'anthropic',
  model: '',
  endpoint: '',
  key_env: '',
  system_prompt: '',
  thinking: false,
  tools: tools.map((tool) => tool.name),
  max_iterations: '50',
  max_tokens: '2000000',
  max_output_tokens: '',
  call_timeout: '120',
});

const whole = (text: string) => (/^[\d_, ]+$/.test(text.trim()) ? Number(text.replace(/[_, ]/g, '')) : NaN);

/** What keeps a form from being saved, field by field, in words for the person who typed it. */
export function problemsOf(form: Form, taken: ReadonlySet<string>): Problems {
  const out: Problems = {};
  const name = form.name.trim();
  if (name === '') out.name = 'A profile needs a name.';
  else if (name.length > 80) out.name = 'At most 80 characters.';
  else if (taken.has(name)) out.name = 'Another profile has this name.';
  if (form.model.trim() === '') out.model = 'Which model answers?';
  if (form.endpoint.trim() !== '' && !isWebAddress(form.endpoint.trim())) {
    out.endpoint = 'An address that begins with http:// or https://';
  }
  if (form.key_env.trim() !== '' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(form.key_env.trim())) {
    out.key_env = 'The name of an environment variable: letters, digits and _. Never the key itself.';
  }
  const steps = whole(form.max_iterations);
  if (!(steps >= 1 && steps <= 10_000)) out.max_iterations = 'A whole number from 1 to 10,000.';
  if (!(whole(form.max_tokens) >= 0)) out.max_tokens = 'A whole number; 0 means no limit.';
  if (form.max_output_tokens.trim() !== '' && !(whole(form.max_output_tokens) >= 1)) {
    out.max_output_tokens = 'A whole number from 1, or empty.';
  }
  const seconds = Number(form.call_timeout);
  if (!(seconds > 0 && seconds <= 86_400)) out.call_timeout = 'Seconds, up to 86,400.';
  return out;
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

/** The profile that a form without problems stands for. */
export function profileOf(form: Form, tools: readonly ToolInfo[]): CommandInput<'profiles.save'>['profile'] {
  const impossible = new Set(impossibleTools(form, tools));
  const endpoint = form.provider === 'practice' ? '' : form.endpoint.trim();
  const key = form.provider === 'practice' ? '' : form.key_env.trim();
  const output = form.max_output_tokens.trim();
  return {
    name: form.name.trim(),
    provider: form.provider,
    model: form.model.trim(),
    ...(endpoint !== '' && { endpoint }),
    ...(key !== '' && { key_env: key }),
    system_prompt: form.system_prompt,
    thinking: form.thinking,
    tools: form.tools.filter((name) => !impossible.has(name)),
    limits: {
      max_iterations: whole(form.max_iterations),
      max_tokens: whole(form.max_tokens),
      ...(output !== '' && { max_output_tokens: whole(output) }),
      call_timeout: Number(form.call_timeout),
    },
  };
}
