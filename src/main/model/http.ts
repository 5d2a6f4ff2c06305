import { readFileSync, statSync } from 'node:fs';
import * as tls from 'node:tls';
import type * as Undici from 'undici';
import { Failure } from '../../shared/run/failure';
import type { Environment } from './keys';
import { socksDispatcher } from './socks';

/** This machine is never reached through a proxy, whatever NO_PROXY says. */
const NEVER_PROXIED = ['localhost', '127.0.0.1', '[::1]'];
/** Characters of NO_PROXY that are looked at. */
const MOST_NAMES = 32 * 1024;
/** Milliseconds to reach a server; everything after that is bounded by the call's own time-out. */
const CONNECT_TIMEOUT = 20_000;

const agents = new Map<string, Undici.Dispatcher>();

/**
 * A fetch that honours the proxy and certificate settings of `env`: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY
 * in either case, and NODE_EXTRA_CA_CERTS and SSL_CERT_FILE beside the system's and Node's own roots. Read anew for
 * every call, so a changed setting counts at once; connections are shared between calls with equal settings.
 */
export function networkFetch(env: Environment): typeof globalThis.fetch {
  return async (input, init) => {
    // Loaded at the first call: starting the program must not wait for what only a call needs.
    const undici = await import('undici');
    const dispatcher = agentFor(env, new URL(input instanceof Request ? input.url : input), undici);
    // undici's own fetch and the platform's differ only in the types that each declares for itself.
    const send = undici.fetch as unknown as typeof globalThis.fetch;
    const routed: object = { ...init, dispatcher };
    return send(input, routed);
  };
}

function agentFor(env: Environment, url: URL, undici: typeof Undici): Undici.Dispatcher {
  const proxy = isDirect(url, noProxyOf(env)) ? '' : usableProxy(env, url);
  const files = [env['NODE_EXTRA_CA_CERTS'], env['SSL_CERT_FILE']].filter((file): file is string => !!file);

  const signature = JSON.stringify([proxy, files.map(fileStamp)]);
  const known = agents.get(signature);
  if (known) return known;

  const ca = certificates(files);
  // Made once: reading some hundred certificates for every connection would be felt.
  const trust = ca && { secureContext: tls.createSecureContext({ ca }) };
  const connect = { timeout: CONNECT_TIMEOUT, ...trust };
  // A call is bounded by its own time-out; a model may well think for minutes before its first byte.
  const patient = { headersTimeout: 0, bodyTimeout: 0 };
  const agent =
    proxy === ''
      ? new undici.Agent({ ...patient, connect })
      : proxy.startsWith('socks5:')
        ? socksDispatcher(undici, proxy, patient, connect)
        : new undici.ProxyAgent({
            ...patient,
            uri: proxy,
            connect,
            ...(trust && { requestTls: trust, proxyTls: trust }),
          });
  agents.set(signature, agent);
  return agent;
}

const setting = (env: Environment, name: string): string =>
  (env[name.toLowerCase()] || env[name] || '').trim();

function noProxyOf(env: Environment): string {
  const named = setting(env, 'NO_PROXY');
  return named === '*' ? '*' : [named, ...NEVER_PROXIED].filter(Boolean).join(',');
}

/** undefined: no address that a call can go through. */
function proxyAddress(text: string): string | undefined {
  if (text === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  // The name of the server is looked up by the proxy in either case.
  if (/^socks(5h?)?:/i.test(address)) return address.replace(/^[^:]+/, 'socks5');
  return /^https?:/i.test(address) ? address : undefined;
}

/** The proxy that a call goes through; none: ''. One that cannot be used stands in the way of no other call. */
function usableProxy(env: Environment, url: URL): string {
  const names =
    url.protocol === 'https:' ? ['HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY'] : ['HTTP_PROXY', 'ALL_PROXY'];
  const name = names.find((one) => setting(env, one) !== '') ?? 'ALL_PROXY';
  const text = setting(env, name);
  const address = proxyAddress(text);
  if (address !== undefined) return address;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
  throw new Failure({
    code: 'model_unreachable',
    message: scheme
      ? `${name} names a proxy of the kind ${scheme}, which Holdfast cannot use.`
      : `${name} is not an address that Holdfast can use.`,
    kept: 'Nothing was sent, and the run is as it was.',
    todo: `Set ${name} to an address such as http://proxy.example:8080 or socks5://proxy.example:1080, or remove it.`,
    data: { variable: name },
  });
}

/** What NO_PROXY names: equal to an entry, or below it. */
function isDirect(url: URL, noProxy: string): boolean {
  if (noProxy === '*') return true;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .slice(0, MOST_NAMES)
    .split(/[,\s]+/)
    .some((entry) => {
      const parts = /^(.+?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, '').toLowerCase());
      if (!parts?.[1] || (parts[2] !== undefined && parts[2] !== port)) return false;
      const host = url.hostname.toLowerCase();
      return host === parts[1] || host.endsWith(`.${parts[1]}`);
    });
}

function fileStamp(file: string): string {
  try {
    const { mtimeMs, size } = statSync(file);
    return `${file}:${mtimeMs}:${size}`;
  } catch {
    return `${file}:absent`;
  }
}

/** undefined: nothing beside the roots that Node trusts by itself. */
function certificates(files: readonly string[]): string[] | undefined {
  const extra = [...systemCertificates()];
  for (const file of files) {
    try {
      extra.push(readFileSync(file, 'utf8'));
    } catch {
      // Node itself only warns when NODE_EXTRA_CA_CERTS can't be read; a call that needs it fails with a TLS error.
    }
  }
  return extra.length === 0 ? undefined : [...tls.rootCertificates, ...extra];
}

/** Roots that the operating system trusts, where this Node can tell (from 22.15 on; so in Electron). */
function systemCertificates(): readonly string[] {
  if (!('getCACertificates' in tls) || typeof tls.getCACertificates !== 'function') return [];
  try {
    const found: unknown = tls.getCACertificates('system');
    return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}
