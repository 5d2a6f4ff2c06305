import { Failure } from '../../../shared/run/failure';

/** How to reach and prove oneself to a NATS server. What is given here wins over the same thing in the address. */
export interface NatsAuth {
  user?: string;
  password?: string;
  token?: string;
  /** Path of a `.creds` file (JWT and seed). Read again at each connect, so that it may be renewed. */
  creds?: string;
  /** Path of a file with an nkey seed. */
  nkey?: string;
  /** Paths of PEM files. An empty object asks for TLS with the system's own authorities. */
  tls?: { ca?: string; cert?: string; key?: string; handshakeFirst?: boolean };
  /** For accounts that may only use inboxes below a name of their own; `_INBOX` otherwise. */
  inboxPrefix?: string;
  /** JetStream domain, for leaf nodes. */
  domain?: string;
}

export interface NatsAddress {
  /** `host:port`, at least one. */
  servers: string[];
  stream: string;
  auth: NatsAuth;
  /** The address without anything secret: for showing, and for naming the store in other runs. */
  shown: string;
}

const STREAM = /^[^\s.*>/\\\p{Cc}]{1,255}$/u;
const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/;

const bad = (message: string): Failure =>
  new Failure({
    code: 'store_config',
    message,
    todo: 'Write the address as nats://host:4222/STREAM, several servers with a comma between them; options follow after "?".',
  });

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad('That NATS address has a "%" that stands for nothing.');
  }
};

/** Options that an address may carry after `?`, and where they go. */
const OPTIONS: Record<string, (auth: NatsAuth, value: string) => void> = {
  user: (auth, value) => void (auth.user = value),
  password: (auth, value) => void (auth.password = value),
  token: (auth, value) => void (auth.token = value),
  creds: (auth, value) => void (auth.creds = value),
  nkey: (auth, value) => void (auth.nkey = value),
  tls: (auth, value) => {
    if (value === 'false') return;
    auth.tls = { ...auth.tls, ...(value === 'first' && { handshakeFirst: true }) };
  },
  tls_ca: (auth, value) => void (auth.tls = { ...auth.tls, ca: value }),
  tls_cert: (auth, value) => void (auth.tls = { ...auth.tls, cert: value }),
  tls_key: (auth, value) => void (auth.tls = { ...auth.tls, key: value }),
  inbox_prefix: (auth, value) => void (auth.inboxPrefix = value),
  domain: (auth, value) => void (auth.domain = value),
};

/**
 * Reads `nats://[user[:password]@]host[:port][,host[:port]…]/STREAM[?option=value&…]`; `tls://` is the same with TLS. A
 * name before `@` without a password is a token. Options: user, password, token, creds, nkey, tls (true, first),
 * tls_ca, tls_cert, tls_key, inbox_prefix, domain.
 *
 * @throws Failure `store_config`; no message repeats a secret
 */
export function parseAddress(url: string): NatsAddress {
  const parts = /^(nats|tls):\/\/(?:([^@/?#]*)@)?([^/?#]*)\/([^/?#]*)\/?(?:\?([^#]*))?$/.exec(url);
  if (parts === null) throw bad('That is not the address of a NATS stream.');
  const [, scheme, login, hosts = '', name = '', query = ''] = parts;
  const auth: NatsAuth = scheme === 'tls' ? { tls: {} } : {};

  const colon = login?.indexOf(':') ?? -1;
  if (login !== undefined && colon < 0) auth.token = decode(login);
  else if (login !== undefined) {
    auth.user = decode(login.slice(0, colon));
    auth.password = decode(login.slice(colon + 1));
  }
  for (const [key, value] of new URLSearchParams(query)) {
    const set = Object.hasOwn(OPTIONS, key) ? OPTIONS[key] : undefined;
    if (set === undefined)
      throw bad(`A NATS address has no option "${key}" (there are: ${Object.keys(OPTIONS).join(', ')}).`);
    set(auth, value);
  }

  const servers = hosts.split(',').map((host) => {
    const found = HOST.exec(host);
    if (found === null || Number(found[1] ?? 0) > 65_535) throw bad('That NATS address names no server.');
    return found[1] === undefined ? `${host}:4222` : host;
  });
  const stream = decode(name);
  if (stream === '') throw bad('That NATS address names no stream.');
  if (!STREAM.test(stream)) throw bad('A stream name has no spaces, dots, slashes, "*" or ">".');
  const domain = auth.domain === undefined ? '' : `?domain=${encodeURIComponent(auth.domain)}`;
  return {
    servers,
    stream,
    auth,
    shown: `${scheme}://${servers.join(',')}/${encodeURIComponent(stream)}${domain}`,
  };
}
