const SET_BY_HAND = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];
/** Any public host: rules that differ by host are for browsers, and a model call knows one proxy. */
const ASKED = 'https://model.example/';

const SCHEMES: Record<string, string> = { HTTPS: 'https', SOCKS5: 'socks5' };

/**
 * The address in an answer of Electron's `resolveProxy` (`PROXY host:port; DIRECT`), first choice only; undefined for a
 * direct connection, and for SOCKS 4, which model calls cannot use.
 */
export function proxyIn(answer: string): string | undefined {
  const found = /^\s*(PROXY|HTTPS|SOCKS5)\s+([^\s;]+)\s*(;|$)/i.exec(answer);
  if (!found?.[2]) return undefined;
  return `${SCHEMES[found[1]?.toUpperCase() ?? ''] ?? 'http'}://${found[2]}`;
}

/**
 * Takes over the proxy of the operating system, which a program started from a desktop does not find in its environment.
 * What the environment names already holds. Never throws.
 */
export async function adoptSystemProxy(
  resolveProxy: (url: string) => Promise<string>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (SET_BY_HAND.some((name) => env[name] || env[name.toLowerCase()])) return;
  const answer = await resolveProxy(ASKED).catch(() => 'DIRECT');
  const proxy = proxyIn(answer);
  if (proxy !== undefined) env['HTTPS_PROXY'] = env['HTTP_PROXY'] = proxy;
}
