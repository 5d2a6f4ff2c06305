import { readFileSync, statSync } from 'node:fs';
import * as tls from 'node:tls';
import type { EnvHttpProxyAgent } from 'undici';
import { Failure } from '../../shared/run/failure';
import type { Environment } from './keys';

/** This machine is never reached through a proxy, whatever NO_PROXY says. */
const NEVER_PROXIED = ['localhost', '127.0.0.1', '[::1]'];
/** Milliseconds to reach a server; everything after that is bounded by the call's own time-out. */
const CONNECT_TIMEOUT = 20_000;

const agents = new Map<string, EnvHttpProxyAgent>();

/**
 * A fetch that honours the proxy and certificate settings of `env`: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY
 * in either case, and NODE_EXTRA_CA_CERTS and SSL_CERT_FILE beside the system's and Node's own roots. Read anew for
 * every call, so a changed setting counts at once; connections are shared between calls with equal settings.
 */
export function networkFetch(env: Environment): typeof globalThis.fetch {
  return async (input, init) => {
    // Loaded at the first call: starting the program must not wait for what only a call needs.
    const undici = await import('undici');
    const dispatcher = agentFor(env, undici.EnvHttpProxyAgent);
    // undici's own fetch and the platform's differ only in the types that each declares for itself.
    const send = undici.fetch as unknown as typeof globalThis.fetch;
    const routed: object = { ...init, dispatcher };
    return send(input, routed);
  };
}

function agentFor(env: Environment, Agent: typeof EnvHttpProxyAgent): EnvHttpProxyAgent {
  const all = setting(env, 'ALL_PROXY');
  const httpsProxy = proxyAddress(setting(env, 'HTTPS_PROXY') || all);
  const httpProxy = proxyAddress(setting(env, 'HTTP_PROXY') || all);
  const named = setting(env, 'NO_PROXY');
  const noProxy = named === '*' ? '*' : [named, ...NEVER_PROXIED].filter(Boolean).join(',');
  const files = [env['NODE_EXTRA_CA_CERTS'], env['SSL_CERT_FILE']].filter((file): file is string => !!file);

  const signature = JSON.stringify([httpProxy, httpsProxy, noProxy, files.map(fileStamp)]);
  const known = agents.get(signature);
  if (known) return known;

  const ca = certificates(files);
  // Made once: reading some hundred certificates for every connection would be felt.
  const trust = ca && { secureContext: tls.createSecureContext({ ca }) };
  const agent = new Agent({
    httpProxy,
    httpsProxy,
    noProxy,
    // A call is bounded by its own time-out; a model may well think for minutes before its first byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT, ...trust },
    ...(trust && { requestTls: trust, proxyTls: trust }),
  });
  agents.set(signature, agent);
  return agent;
}

const setting = (env: Environment, name: string): string =>
  (env[name.toLowerCase()] || env[name] || '').trim();

function proxyAddress(text: string): string {
  if (text === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return address;
  throw new Failure({
    code: 'model_unreachable',
    message: 'The proxy setting of this system is not an address that Holdfast can use.',
    kept: 'Nothing was sent, and the run is as it was.',
    todo: 'Set HTTPS_PROXY to an address such as http://proxy.example:8080, or remove it.',
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
