import { isIP } from 'node:net';
import type { Profile } from '../../shared/run/profile';

/** Where a profile's requests go. */
export interface Endpoint {
  /** Base for paths, without a slash at its end. */
  base: string;
  origin: string;
  host: string;
  /** Query that the address carries and every request repeats (Azure's api-version). */
  query: Record<string, string>;
  /** The service that the provider id is named after: only it gets the key that is in its usual variable. */
  vendor: boolean;
  /** This machine or a private network: needs no key, and no proxy when it is this machine. */
  local: boolean;
}

const HOME = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' } as const;

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname);

function isPrivate(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const kind = isIP(bare);
  if (kind === 4) return /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(bare);
  if (kind === 6) return /^(f[cd]|fe[89ab])/i.test(bare);
  return !bare.includes('.') || bare.endsWith('.local') || bare.endsWith('.internal');
}

/**
 * People paste addresses with and without `/v1` and with the full path of a call; all of them mean the same service.
 */
export function endpointOf(profile: Pick<Profile, 'provider' | 'endpoint'>): Endpoint {
  const provider = profile.provider === 'anthropic' ? 'anthropic' : 'openai';
  const url = new URL(profile.endpoint ?? HOME[provider]);
  let path = url.pathname.replace(/\/+$/, '');
  if (provider === 'anthropic') path = path.replace(/\/v1(\/messages)?$/, '');
  else path = path.replace(/\/chat\/completions$/, '') || '/v1';
  return {
    base: url.origin + path,
    origin: url.origin,
    host: url.host,
    query: Object.fromEntries(url.searchParams),
    vendor: url.origin === new URL(HOME[provider]).origin,
    local: isLoopback(url.hostname) || isPrivate(url.hostname),
  };
}
