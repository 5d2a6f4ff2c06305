import { brokenOff, callFailure, CallError, type Where } from './errors';

const NO_SUCH_HOST = new Set(['ENOTFOUND', 'EAI_NONAME', 'EAI_NODATA', 'EAI_FAIL']);
const NOT_REACHED = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'EADDRNOTAVAIL']);
const SLOW = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN']);
const CERTIFICATE =
  /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO$|INVALID_CA|PATH_LENGTH)/;

/** A call that got no answer at all, or lost its connection on the way. */
export function networkError(where: Where, error: unknown): CallError {
  const codes = codesOf(error);
  const has = (test: (code: string) => boolean): boolean => codes.some(test);
  const down = (message: string, todo: string, retry: boolean): CallError =>
    new CallError(
      callFailure(where, { code: 'model_unreachable', message, todo, data: { cause: codes[0] } }, error),
      retry,
    );

  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate !== undefined) return new CallError(tlsFailure(where, certificate, error), false);
  if (has((code) => code === 'ECONNREFUSED'))
    return down(
      `Nothing answers at ${where.host}.`,
      where.local
        ? 'Start the model server (Ollama, LM Studio, llama.cpp or vLLM), then resume.'
        : 'Check the address in the profile and the proxy setting, then resume.',
      false,
    );
  if (has((code) => NO_SUCH_HOST.has(code)))
    return down(
      `There is no server named ${where.host}, or this computer is offline.`,
      'Check the internet connection and the address in the profile, then resume.',
      false,
    );
  if (has((code) => NOT_REACHED.has(code)))
    return down(`${where.host} cannot be reached from here.`, 'Check the network, then resume.', true);
  if (has((code) => SLOW.has(code)))
    return down(
      `${where.host} does not answer.`,
      'Check the network and the proxy setting, then resume.',
      true,
    );
  const socks = codes.find((code) => code.startsWith('SOCKS_'));
  if (socks !== undefined) return down(...socksWords(socks, where.host), socks === 'SOCKS_NOT_REACHED');
  if (/proxy response \((\d+)\)/i.test(messageOf(error))) {
    const status = /proxy response \((\d+)\)/i.exec(messageOf(error))![1];
    return down(
      status === '407'
        ? 'The proxy wants a password.'
        : `The proxy does not let calls to ${where.host} through (${status}).`,
      status === '407' ? 'Put user and password into HTTPS_PROXY.' : 'Check HTTPS_PROXY and NO_PROXY.',
      false,
    );
  }
  return brokenOff(where, error);
}

function socksWords(code: string, host: string): [message: string, todo: string] {
  switch (code) {
    case 'SOCKS_LOGIN':
      return [
        'The SOCKS proxy does not accept the user and password.',
        'Put the right user and password into the address of the proxy, for example socks5://user:password@host:1080.',
      ];
    case 'SOCKS_REFUSED':
      return [
        `The SOCKS proxy does not let calls to ${host} through.`,
        'Ask whoever runs the proxy, or name the host in NO_PROXY.',
      ];
    case 'SOCKS_NOT_REACHED':
      return [
        `The SOCKS proxy cannot reach ${host}.`,
        'Check the network and the proxy setting, then resume.',
      ];
    case 'SOCKS_SLOW':
      return ['The SOCKS proxy does not answer.', 'Check the network and the proxy setting, then resume.'];
    default:
      return [
        'The address of the proxy leads to something that is not a SOCKS 5 proxy.',
        'Check the proxy setting: host, port and kind.',
      ];
  }
}

function tlsFailure(where: Where, code: string, error: unknown) {
  const why = /EXPIRED/.test(code)
    ? 'its certificate has expired'
    : /ALTNAME|HOSTNAME/.test(code)
      ? 'its certificate belongs to another name'
      : /SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|UNTRUSTED|REJECTED/.test(code)
        ? 'its certificate comes from an authority that this computer does not trust'
        : 'the secure connection failed';
  return callFailure(
    where,
    {
      code: 'model_tls',
      message: `No secure connection to ${where.host}: ${why}.`,
      todo: /expired/.test(why)
        ? 'Check the clock of this computer; if it is right, the service must renew its certificate.'
        : 'If your network inspects traffic, name its certificate file in NODE_EXTRA_CA_CERTS. Do not go on otherwise.',
      data: { cause: code },
    },
    error,
  );
}

/** Codes along the chain of causes, outermost first; a failed connect to several addresses holds one for each. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 6) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const each = error instanceof AggregateError ? error.errors.flatMap((e) => codesOf(e, depth + 1)) : [];
  const cause = 'cause' in error ? codesOf(error.cause, depth + 1) : [];
  return [...own, ...each, ...cause];
}

function messageOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 6) return '';
  return `${error.message} ${messageOf(error.cause, depth + 1)}`;
}
