import type { StoreEntry } from '../../shared/contract/stores';
import { Failure } from '../../shared/run/failure';
import type { NatsAuth } from './jetstream/address';

/** What a saved password or token of this store is found by; undefined for one that needs no login. */
export function loginUse({
  name,
  url,
}: StoreEntry): { kind: 'login'; service: string; name: string } | undefined {
  const servers = serversOf(url);
  return servers === '' ? undefined : { kind: 'login', service: servers, name };
}

/** The servers of an address, as a secret is bound to them; empty for a folder. */
export const serversOf = (url: string): string => /^(?:nats|tls):\/\/([^/]*)/.exec(url)?.[1] ?? '';

/**
 * What an entry refers to, fetched: passwords and tokens out of their variables, files by their paths. Kept in memory
 * only, and asked for anew at each opening. `saved`: a password or token that a person saved for this store.
 *
 * @throws Failure `store_config` for a variable that is not set; names the variable, never a value
 */
export function loginOf(
  entry: StoreEntry,
  env: NodeJS.ProcessEnv,
  saved?: { kind: string; value: string },
): NatsAuth {
  const { user, password_env, token_env, creds, nkey, tls } = entry.auth ?? {};
  return {
    ...(user !== undefined && { user }),
    ...(password_env !== undefined && { password: secret(password_env, env) }),
    ...(token_env !== undefined && { token: secret(token_env, env) }),
    ...(saved?.kind === 'password' && password_env === undefined && { password: saved.value }),
    ...(saved?.kind === 'token' && token_env === undefined && { token: saved.value }),
    ...(creds !== undefined && { creds }),
    ...(nkey !== undefined && { nkey }),
    ...(tls !== undefined && {
      tls: {
        ...(tls.ca !== undefined && { ca: tls.ca }),
        ...(tls.cert !== undefined && { cert: tls.cert }),
        ...(tls.key !== undefined && { key: tls.key }),
        ...(tls.handshake_first !== undefined && { handshakeFirst: tls.handshake_first }),
      },
    }),
    ...(entry.inbox_prefix !== undefined && { inboxPrefix: entry.inbox_prefix }),
    ...(entry.domain !== undefined && { domain: entry.domain }),
  };
}

function secret(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  throw new Failure({
    code: 'store_config',
    message: `The environment variable ${name} is not set.`,
    todo: `Set ${name} where Holdfast is started, then start it again.`,
  });
}
