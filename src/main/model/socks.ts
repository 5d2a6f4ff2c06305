import type * as Undici from 'undici';

/** Why a SOCKS proxy led nowhere; `code` says it for those who tell it. */
export class SocksError extends Error {
  constructor(
    readonly code: 'SOCKS_LOGIN' | 'SOCKS_REFUSED' | 'SOCKS_NOT_REACHED' | 'SOCKS_SLOW' | 'SOCKS_PROTOCOL',
    options: { cause: unknown },
  ) {
    super(`SOCKS proxy: ${code}`, options);
  }
}

const TOLD: [RegExp, SocksError['code']][] = [
  [/authentication failed|no accepted authentication|unknown authentication/i, 'SOCKS_LOGIN'],
  [/rejected connection - (?:NotAllowed|CommandNotSupported|AddressNotSupported)/i, 'SOCKS_REFUSED'],
  [/rejected connection/i, 'SOCKS_NOT_REACHED'],
  [/timed out/i, 'SOCKS_SLOW'],
  [/invalid|negotiation|socket closed/i, 'SOCKS_PROTOCOL'],
];

/**
 * Sends every call through a SOCKS 5 proxy, which also looks up the names of servers. TLS is spoken with the server, not
 * with the proxy. undici has one of its own, which speaks TLS with the proxy where there are own certificates, gives up
 * after five seconds, and takes an IPv6 address for a name.
 *
 * @param address `socks5://[user[:password]@]host[:port]`
 */
export function socksDispatcher(
  undici: typeof Undici,
  address: string,
  options: Undici.Agent.Options,
  connect: Undici.buildConnector.BuildOptions & { timeout: number },
): Undici.Dispatcher {
  const proxy = new URL(address);
  const secure = undici.buildConnector(connect);
  return new undici.Agent({
    ...options,
    connect: (target, callback) => {
      const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
      through(proxy, { host: withoutBrackets(target.hostname), port }, connect.timeout).then(
        (socket) => {
          if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, callback);
          else callback(null, socket.setNoDelay());
        },
        (error: unknown) => callback(error as Error, null),
      );
    },
  });
}

async function through(proxy: URL, destination: { host: string; port: number }, timeout: number) {
  const { SocksClient } = await import('socks');
  const userId = decoded(proxy.username);
  try {
    const { socket } = await SocksClient.createConnection({
      proxy: {
        host: withoutBrackets(proxy.hostname),
        port: Number(proxy.port) || 1080,
        type: 5,
        ...(userId !== '' && { userId, password: decoded(proxy.password) }),
      },
      command: 'connect',
      destination,
      timeout,
    });
    return socket;
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    const code = TOLD.find(([words]) => words.test(said))?.[1];
    // That there is nothing at the address of the proxy, the system says.
    if (code === undefined || (error as { code?: unknown }).code !== undefined) throw error;
    // The library's error holds the password.
    throw new SocksError(code, { cause: new Error(said) });
  }
}

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
