import type { Endpoint } from '../endpoint';

/** How a service wants earlier reasoning sent back. */
export type Echo =
  /** Never: it refuses or ignores the field. */
  | 'never'
  /** With every assistant message between two messages of the person in which tools were called; elsewhere not. */
  | 'tool_turns'
  /** With every assistant message. */
  | 'always';

/** What chat completions services do differently; a refusal corrects it while the program runs. */
export interface Habits {
  /** Name of the length limit. */
  tokensField: 'max_tokens' | 'max_completion_tokens';
  echo: Echo;
  echoField: 'reasoning_content' | 'reasoning';
  /** Asks for a last chunk with token counts. */
  includeUsage: boolean;
  /** Members that switch reasoning on or off, as JSON texts. */
  thinking: (wanted: 'off' | 'summarized') => Record<string, string>;
}

const nothing = (): Record<string, string> => ({});

/**
 * By address first, then by the model's name, since gateways pass a model's own demands on.
 *
 * DeepSeek and Moonshot refuse a tool turn that comes back without its reasoning, and DeepSeek's first reasoner
 * refused a plain turn that came back with it: so exactly the tool turns carry it. Zhipu's and MiniMax's models read
 * it the same way. OpenRouter passes it on to whoever wants it. OpenAI, Azure, Mistral, Groq and xAI refuse or ignore
 * it. Local servers read it where the model's template does, and skip it elsewhere.
 */
export function habitsOf(endpoint: Endpoint, model: string): Habits {
  const host = endpoint.host.toLowerCase();
  const is = (...names: string[]): boolean =>
    names.some((name) => host === name || host.endsWith(`.${name}`));
  const habits: Habits = {
    tokensField: 'max_tokens',
    echo: 'never',
    echoField: 'reasoning_content',
    includeUsage: true,
    thinking: nothing,
  };
  if (endpoint.vendor || is('azure.com')) return { ...habits, tokensField: 'max_completion_tokens' };
  if (is('openrouter.ai'))
    return {
      ...habits,
      echo: 'always',
      echoField: 'reasoning',
      thinking: (wanted) => (wanted === 'summarized' ? { reasoning: '{"enabled":true}' } : {}),
    };
  if (is('deepseek.com'))
    return {
      ...habits,
      echo: 'tool_turns',
      thinking: (wanted) => ({ thinking: `{"type":"${wanted === 'off' ? 'disabled' : 'enabled'}"}` }),
    };
  if (is('moonshot.ai', 'moonshot.cn', 'z.ai', 'bigmodel.cn')) return { ...habits, echo: 'tool_turns' };
  if (is('mistral.ai', 'groq.com', 'x.ai')) return habits;
  if (endpoint.local || /deepseek|kimi|glm-|minimax/i.test(model)) return { ...habits, echo: 'tool_turns' };
  return habits;
}
