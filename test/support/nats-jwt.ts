import { randomUUID } from 'node:crypto';
import { nkeys } from 'nats';

/** The little of the client's key pairs that is needed here; the package does not type them. */
interface KeyPair {
  getPublicKey(): string;
  getSeed(): Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}
const keys = nkeys as {
  createOperator(): KeyPair;
  createAccount(): KeyPair;
  createUser(): KeyPair;
};

const base64 = (value: Uint8Array | string): string => Buffer.from(value).toString('base64url');

function signed(issuer: KeyPair, subject: string, name: string, nats: Record<string, unknown>): string {
  const head = base64(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const body = base64(
    JSON.stringify({
      jti: randomUUID(),
      iat: Math.floor(Date.now() / 1000),
      iss: issuer.getPublicKey(),
      name,
      sub: subject,
      nats: { ...nats, version: 2 },
    }),
  );
  return `${head}.${body}.${base64(issuer.sign(Buffer.from(`${head}.${body}`)))}`;
}

const LIMITS = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

export const newUserSeed = (): { seed: string; publicKey: string } => {
  const user = keys.createUser();
  return { seed: Buffer.from(user.getSeed()).toString('utf8'), publicKey: user.getPublicKey() };
};

/** An operator with one account and a user in it, made for one test: server lines, and a credentials file's text. */
export function operatorMode(): { config: string; creds: string } {
  const [operator, system, account, user] = [
    keys.createOperator(),
    keys.createAccount(),
    keys.createAccount(),
    keys.createUser(),
  ];
  const accountJwt = (pair: KeyPair, name: string, limits: Record<string, unknown>): string =>
    signed(operator, pair.getPublicKey(), name, {
      type: 'account',
      limits,
      default_permissions: { pub: {}, sub: {} },
    });
  const { mem_storage: _m, disk_storage: _d, streams: _s, consumer: _c, ...plain } = LIMITS;
  const jwts = {
    operator: signed(operator, operator.getPublicKey(), 'Tests', {
      type: 'operator',
      system_account: system.getPublicKey(),
    }),
    system: accountJwt(system, 'SYS', plain),
    account: accountJwt(account, 'Runs', LIMITS),
    user: signed(account, user.getPublicKey(), 'holdfast', {
      type: 'user',
      pub: {},
      sub: {},
      subs: -1,
      data: -1,
      payload: -1,
    }),
  };
  return {
    config: [
      `operator: ${jwts.operator}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: { ${system.getPublicKey()}: ${jwts.system}, ${account.getPublicKey()}: ${jwts.account} }`,
    ].join('\n'),
    creds: [
      '-----BEGIN NATS USER JWT-----',
      jwts.user,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      Buffer.from(user.getSeed()).toString('utf8'),
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
  };
}
