import type { Agent } from 'undici';
import { asObject, asText } from './parts';
import { listIn, modelNames } from './openai/names';
import { serviceById, SERVICES } from '../../shared/services';

const LOCAL_KINDS = ['ollama', 'lmstudio', 'llamacpp', 'vllm', 'other'] as const;
export type LocalKind = (typeof LOCAL_KINDS)[number];

/** A model server that answers on this machine. */
export interface LocalServer {
  kind: LocalKind;
  /** For people: "Ollama". */
  name: string;
  /** What a profile's `endpoint` would be. */
  endpoint: string;
  /** May be empty: the server runs, but holds no model yet. */
  models: string[];
}

export interface DiscoverOptions {
  ports?: readonly number[];
  /** Milliseconds for each port. A busy server may be missed; a missing one must not hold up anybody. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Ports of the local servers in the list of services. */
export const USUAL_PORTS: readonly number[] = SERVICES.flatMap(({ ports = [] }) => ports);
const nameOf = (kind: LocalKind): string =>
  kind === 'other' ? 'Local model server' : (serviceById(kind)?.name ?? kind);
/** Bytes; a list of models is far smaller, and something else may well listen on these ports. */
const LARGEST_LIST = 2 * 1024 * 1024;

/** Model servers on the loopback addresses, in the order of the ports. Never throws; sends nothing but a GET. */
export async function discoverLocal(options: DiscoverOptions = {}): Promise<LocalServer[]> {
  const { ports = USUAL_PORTS, timeoutMs = 1_000 } = options;
  // Directly: a proxy has no business between this program and this machine.
  const { Agent } = await import('undici');
  const agent = new Agent({ connect: { timeout: timeoutMs } });
  try {
    const found = await Promise.all(
      ports.map(async (port) => {
        const limit = AbortSignal.timeout(timeoutMs);
        const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
        const tries = ['127.0.0.1', '[::1]'].map((host) => probe(agent, host, port, signal));
        return (await Promise.all(tries)).find((server) => server !== undefined);
      }),
    );
    return found.filter((server) => server !== undefined);
  } finally {
    await agent.destroy();
  }
}

async function probe(
  agent: Agent,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  const endpoint = `http://${host}:${port}/v1`;
  const { fetch } = await import('undici');
  try {
    const response = await fetch(`${endpoint}/models`, {
      dispatcher: agent,
      signal,
      redirect: 'error',
      headers: { accept: 'application/json' },
    });
    if (!response.ok || !response.body) return undefined;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > LARGEST_LIST) return undefined;
    }
    const models = modelNames(text);
    if (!models) return undefined;
    const kind = kindOf(text, response.headers.get('server') ?? '', port);
    return { kind, name: nameOf(kind), endpoint, models };
  } catch {
    return undefined;
  }
}

/** By what the server says of itself; by its usual port when it says nothing. */
function kindOf(list: string, server: string, port: number): LocalKind {
  if (/llama\.cpp/i.test(server)) return 'llamacpp';
  const owner = asText(asObject(listIn(list)?.[0])?.['owned_by']).toLowerCase();
  if (owner === 'library') return 'ollama';
  if (owner === 'organization_owner') return 'lmstudio';
  if (owner === 'llamacpp') return 'llamacpp';
  if (owner === 'vllm') return 'vllm';
  const usual = SERVICES.find(({ ports }) => ports?.includes(port))?.id;
  return LOCAL_KINDS.find((one) => one === usual) ?? 'other';
}
