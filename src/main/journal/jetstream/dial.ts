import { readFileSync } from 'node:fs';
import { credsAuthenticator, nkeyAuthenticator } from 'nats';
import type { ConnectionOptions } from 'nats';
import { Failure } from '../../../shared/run/failure';
import type { NatsAddress, NatsAuth } from './address';
import { unavailable } from './failures';
import { Link } from './link';

const CONNECT_MS = 5_000;

interface Shared {
  link: Promise<Link>;
  users: number;
}

const shared = new Map<string, Shared>();

/**
 * The connection for this address: the one that is there, or a new one.
 *
 * @returns the link, and how to give it back; the last one to do so closes it
 * @throws Failure `store_unavailable`, `store_config` (credentials that cannot be read or are not accepted)
 */
export async function takeLink(address: NatsAddress): Promise<{ link: Link; release: () => Promise<void> }> {
  const key = JSON.stringify([address.servers, address.auth]);
  let entry = shared.get(key);
  if (entry === undefined) {
    entry = { link: Link.open(() => optionsOf(address), address.auth), users: 0 };
    shared.set(key, entry);
  }
  const mine = entry;
  mine.users += 1;
  const leave = (): boolean => {
    mine.users -= 1;
    if (mine.users > 0) return false;
    if (shared.get(key) === mine) shared.delete(key);
    return true;
  };
  try {
    const link = await mine.link;
    let left = false;
    return {
      link,
      async release() {
        if (left) return;
        left = true;
        if (leave()) await link.close();
      },
    };
  } catch (error) {
    leave();
    throw connectFailure(address, error);
  }
}

function optionsOf(address: NatsAddress): ConnectionOptions {
  const { auth } = address;
  return {
    servers: address.servers,
    name: 'holdfast',
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    reconnectJitter: 200,
    pingInterval: 20_000,
    ignoreAuthErrorAbort: true,
    // What is thrown is told by what was asked; a stack for each request costs more than sending it.
    noAsyncTraces: true,
    ...(auth.inboxPrefix !== undefined && { inboxPrefix: auth.inboxPrefix }),
    ...loginOf(auth),
    ...(auth.tls !== undefined && { tls: tlsOf(auth.tls) }),
  };
}

function loginOf(auth: NatsAuth): Partial<ConnectionOptions> {
  // Read at each connect: files of credentials are renewed under a running program.
  if (auth.creds !== undefined) {
    const path = auth.creds;
    secretFile(path, 'credentials');
    return { authenticator: (nonce) => credsAuthenticator(secretFile(path, 'credentials'))(nonce) };
  }
  if (auth.nkey !== undefined) {
    const path = auth.nkey;
    seedOf(path);
    return { authenticator: (nonce) => nkeyAuthenticator(seedOf(path))(nonce) };
  }
  if (auth.token !== undefined) return { token: auth.token };
  if (auth.user === undefined) return {};
  return { user: auth.user, ...(auth.password !== undefined && { pass: auth.password }) };
}

const tlsOf = (tls: NonNullable<NatsAuth['tls']>): NonNullable<ConnectionOptions['tls']> => ({
  ...(tls.ca !== undefined && { caFile: tls.ca }),
  ...(tls.cert !== undefined && { certFile: tls.cert }),
  ...(tls.key !== undefined && { keyFile: tls.key }),
  ...(tls.handshakeFirst === true && { handshakeFirst: true }),
});

function secretFile(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure(
      {
        code: 'store_config',
        message: `The file with the NATS ${what} cannot be read.`,
        todo: 'Check its path and its permissions.',
        data: { path },
      },
      { cause: error },
    );
  }
}

/** The seed in an nkey file; comments and empty lines around it are usual. */
function seedOf(path: string): Uint8Array {
  const seed = /^S[A-Z2-7]{20,}$/m.exec(Buffer.from(secretFile(path, 'nkey')).toString('utf8'))?.[0];
  if (seed !== undefined) return Buffer.from(seed);
  throw new Failure({
    code: 'store_config',
    message: 'The file with the NATS nkey holds no seed.',
    todo: 'Name the file whose line begins with "S", as nsc or nk wrote it.',
    data: { path },
  });
}

function connectFailure(address: NatsAddress, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = (error as { code?: string }).code ?? '';
  if (/AUTH|CREDS|NKEY|PERMISSIONS/.test(code))
    return new Failure(
      {
        code: 'store_config',
        message: `The NATS server at ${address.servers.join(', ')} does not accept these credentials.`,
        todo: 'Check user and password, token, credentials file or nkey of this store.',
      },
      { cause: error },
    );
  return unavailable(`No NATS server answers at ${address.servers.join(', ')}`, error);
}
