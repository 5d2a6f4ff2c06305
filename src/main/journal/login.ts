import type { StoreEntry } from '../../shared/contract/stores';
import { Failure } from '../../shared/run/failure';
import type { NatsAuth } from './jetstream/address';

/**
 * What an entry refers to, fetched: passwords and tokens out of their variables, files by their paths. Kept in memory
 * only, and asked for anew at each opening.
 *
 * @throws Failure `store_config` for a variable that is not set; names the variable, never a value
 */
export function loginOf(entry: StoreEntry, env: NodeJS.ProcessEnv): NatsAuth {
  const { user, password_env, token_env, creds, nkey, tls } = entry.auth ?? {};
  return {
    ...(user !== undefined && { user }),
    ...(password_env !== undefined && { password: secret(password_env, env) }),
    ...(token_env !== undefined && { token: secret(token_env, env) }),
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
