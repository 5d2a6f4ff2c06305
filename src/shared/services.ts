import type { ProviderId } from './run/profile';
import { parseAddress } from './url';

/** What the models of a service can do as Holdfast uses them: `some` where it depends on the model. */
export type Ability = 'yes' | 'some' | 'no';

/** A service that people use, as *Add a model* offers it. */
export interface Service {
  id: string;
  name: string;
  provider: Exclude<ProviderId, 'practice'>;
  /** Base address; empty: the person has to name it. */
  address: string;
  /** How an address looks where the person has to name it. */
  example?: string;
  /** `none`: a server of one's own that usually wants no key. */
  key: 'needed' | 'none' | 'optional';
  /** Variable that programs of this service usually read. */
  variable?: string;
  /** Page on which keys are made. */
  keysPage?: string;
  /** What the person calls a model there, where that is not its name. */
  modelCalled?: string;
  /** Runs on this computer or in one's own network, on these ports by default. */
  ports?: readonly number[];
  can: { thinking: Ability; images: Ability; tools: Ability; cache: Ability };
  /** What to do when it doesn't answer. */
  start?: string;
}

const can = (thinking: Ability, images: Ability, tools: Ability, cache: Ability) => ({
  thinking,
  images,
  tools,
  cache,
});

/** The one list of services. Order: as it is shown. Later ones are found by name. */
export const SERVICES: readonly Service[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    provider: 'anthropic',
    address: 'https://api.anthropic.com',
    key: 'needed',
    variable: 'ANTHROPIC_API_KEY',
    keysPage: 'https://console.anthropic.com/settings/keys',
    can: can('some', 'yes', 'yes', 'yes'),
  },
  {
    id: 'openai',
    name: 'OpenAI',
    provider: 'openai',
    address: 'https://api.openai.com/v1',
    key: 'needed',
    variable: 'OPENAI_API_KEY',
    keysPage: 'https://platform.openai.com/api-keys',
    can: can('some', 'some', 'yes', 'yes'),
  },
  {
    id: 'gemini',
    name: 'Google Gemini',
    provider: 'openai',
    address: 'https://generativelanguage.googleapis.com/v1beta/openai',
    key: 'needed',
    variable: 'GEMINI_API_KEY',
    keysPage: 'https://aistudio.google.com/apikey',
    can: can('some', 'yes', 'yes', 'yes'),
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    provider: 'openai',
    address: 'https://openrouter.ai/api/v1',
    key: 'needed',
    variable: 'OPENROUTER_API_KEY',
    keysPage: 'https://openrouter.ai/settings/keys',
    can: can('some', 'some', 'some', 'some'),
  },
  {
    id: 'mistral',
    name: 'Mistral',
    provider: 'openai',
    address: 'https://api.mistral.ai/v1',
    key: 'needed',
    variable: 'MISTRAL_API_KEY',
    keysPage: 'https://console.mistral.ai/api-keys',
    can: can('some', 'some', 'yes', 'no'),
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    provider: 'openai',
    address: 'https://api.deepseek.com/v1',
    key: 'needed',
    variable: 'DEEPSEEK_API_KEY',
    keysPage: 'https://platform.deepseek.com/api_keys',
    can: can('yes', 'no', 'yes', 'yes'),
  },
  {
    id: 'groq',
    name: 'Groq',
    provider: 'openai',
    address: 'https://api.groq.com/openai/v1',
    key: 'needed',
    variable: 'GROQ_API_KEY',
    keysPage: 'https://console.groq.com/keys',
    can: can('some', 'some', 'yes', 'some'),
  },
  {
    id: 'xai',
    name: 'xAI',
    provider: 'openai',
    address: 'https://api.x.ai/v1',
    key: 'needed',
    variable: 'XAI_API_KEY',
    keysPage: 'https://console.x.ai',
    can: can('some', 'some', 'yes', 'yes'),
  },
  {
    id: 'together',
    name: 'Together',
    provider: 'openai',
    address: 'https://api.together.xyz/v1',
    key: 'needed',
    variable: 'TOGETHER_API_KEY',
    keysPage: 'https://api.together.ai/settings/api-keys',
    can: can('some', 'some', 'some', 'no'),
  },
  {
    id: 'moonshot',
    name: 'Moonshot',
    provider: 'openai',
    address: 'https://api.moonshot.ai/v1',
    key: 'needed',
    variable: 'MOONSHOT_API_KEY',
    keysPage: 'https://platform.moonshot.ai/console/api-keys',
    can: can('some', 'some', 'yes', 'yes'),
  },
  {
    id: 'azure',
    name: 'Azure OpenAI',
    provider: 'openai',
    address: '',
    example: 'https://my-resource.openai.azure.com/openai/v1',
    key: 'needed',
    variable: 'AZURE_OPENAI_API_KEY',
    keysPage: 'https://ai.azure.com',
    modelCalled: 'Deployment',
    can: can('some', 'some', 'yes', 'yes'),
  },
  {
    id: 'ollama',
    name: 'Ollama',
    provider: 'openai',
    address: 'http://127.0.0.1:11434/v1',
    key: 'none',
    ports: [11434],
    can: can('some', 'some', 'some', 'yes'),
    start: 'Start Ollama, and load a model with “ollama pull”.',
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    provider: 'openai',
    address: 'http://127.0.0.1:1234/v1',
    key: 'none',
    ports: [1234],
    can: can('some', 'some', 'some', 'yes'),
    start: 'In LM Studio, load a model and start the server under Developer.',
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    provider: 'openai',
    address: 'http://127.0.0.1:8080/v1',
    key: 'optional',
    ports: [8080],
    can: can('some', 'some', 'some', 'yes'),
    start: 'Start it with “llama-server --jinja -m MODEL.gguf”.',
  },
  {
    id: 'vllm',
    name: 'vLLM',
    provider: 'openai',
    address: 'http://127.0.0.1:8000/v1',
    key: 'optional',
    ports: [8000],
    can: can('some', 'some', 'some', 'yes'),
    start: 'Start it with “vllm serve MODEL --enable-auto-tool-choice”.',
  },
  {
    id: 'other',
    name: 'Another service',
    provider: 'openai',
    address: '',
    example: 'https://api.example.com/v1',
    key: 'optional',
    can: can('some', 'some', 'some', 'some'),
  },
];

export const serviceById = (id: string): Service | undefined => SERVICES.find((one) => one.id === id);

/** The service at an address, by its host; undefined for one that is not in the list. */
export function serviceAt(provider: ProviderId, address: string | undefined): Service | undefined {
  if (provider === 'practice') return undefined;
  if (address === undefined || address === '')
    return SERVICES.find((one) => one.provider === provider && one.id === provider);
  const url = parseAddress(address);
  if (!url) return undefined;
  if (/\.azure\.com$/.test(url.hostname)) return serviceById('azure');
  return SERVICES.find((one) => {
    const own = parseAddress(one.address);
    if (!own || one.provider !== provider) return false;
    return one.ports
      ? isLoopbackName(url.hostname) && one.ports.includes(Number(url.port))
      : own.host === url.host;
  });
}

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(\.\d+){3}$/.test(name);

/** This machine or a private network, as far as the name tells: plain http is usual there. */
const isNear = (host: string): boolean =>
  isLoopbackName(host) ||
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ||
  !host.includes('.') ||
  /\.(local|internal|lan|home)$/.test(host);

/** Paths of calls and of other interfaces, which people copy along with the address. */
const CALLS = /\/(chat\/completions|completions|responses|embeddings|models|messages)$/;
/** Those of local servers only: elsewhere `/api` is a part of the address. */
const NEAR_CALLS = /\/api(\/(chat|generate|tags|v0(\/.*)?))?$/;

/**
 * The base address that was meant by what a person typed or pasted: without a scheme, with the path of a call, with the
 * path of Ollama's or LM Studio's own interface, or a port alone. Undefined when it is no address.
 */
export function baseAddress(typed: string): string | undefined {
  let text = typed.trim().replace(/^["'<]+|["'>]+$/g, '');
  if (/^:?\d{2,5}$/.test(text)) text = `http://127.0.0.1:${text.replace(':', '')}`;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const host = /^\[[^\]]*\]|^[^:/?#]*/.exec(text)?.[0] ?? '';
    if (host === '') return undefined;
    text = `${isNear(host.toLowerCase()) ? 'http' : 'https'}://${text}`;
  }
  const url = parseAddress(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  let path = url.pathname.replace(/\/+$/, '');
  if (isNear(url.hostname)) path = path.replace(NEAR_CALLS, '');
  while (CALLS.test(path)) path = path.replace(CALLS, '');
  // "0.0.0.0" is where a server listens, and no place that one can call.
  // Azure's own page shows the resource alone.
  if (/\.azure\.com$/.test(url.hostname) && !path.startsWith('/openai')) path = '/openai/v1';
  const origin = url.origin.replace('//0.0.0.0', '//127.0.0.1');
  return `${origin}${path === '' ? '/v1' : path}${url.search}`;
}
