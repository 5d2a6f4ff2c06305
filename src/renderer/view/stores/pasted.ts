import { bareSecret, looksLikeKey } from '../../../shared/secret-text';
import type { Form } from './form';

/** What becomes of a text in a field of the form: what changes, and what the person should know about it. */
export interface Pasted {
  part: Partial<Form>;
  /** Why nothing was entered. */
  problem?: string;
  /** What was left out of it. */
  note?: string;
}

/** The seed of an NKey: it is in a file, and only the path of that is entered. */
const SEED = /^S[ACNOUX][A-Z2-7]{54,}$/;
const ADDRESS_FIELDS: ReadonlySet<keyof Form> = new Set(['name', 'folder', 'servers', 'stream']);

/**
 * A whole address that is pasted into one field is taken apart; a password or token in it goes nowhere, and neither does
 * a key that lands in any field. What is typed letter by letter stays as it is.
 */
export function pastedInto(form: Form, key: keyof Form, value: string): Pasted {
  const text = value.trim();
  if (looksLikeKey(text) || SEED.test(bareSecret(text)))
    return {
      part: {},
      problem:
        'That looks like a key, so it was not entered here. A password or token has its own field below.',
    };
  const grown = value.length - String(form[key]).length > 1;
  if (grown && ADDRESS_FIELDS.has(key)) {
    if (/^file:/i.test(text)) return { part: { kind: 'file', folder: folderOf(text) } };
    if (/^(nats|tls):\/\//i.test(text) || (key === 'servers' && /[@/]/.test(text))) return apart(text);
  }
  return { part: { [key]: value } };
}

function folderOf(address: string): string {
  const path = address.replace(/^file:(\/\/(localhost)?(?=\/))?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function apart(address: string): Pasted {
  const part: Partial<Form> = { kind: 'nats' };
  const servers: string[] = [];
  let secret = '';
  for (const one of (address.split(/[?#]/, 1)[0] ?? '').split(',')) {
    const [, scheme = '', rest = ''] = /^\s*(?:([a-z]+):\/\/)?(.*?)\s*$/i.exec(one) ?? [];
    if (scheme.toLowerCase() === 'tls') part.tls = true;
    // A password may have a slash in it, a host never has an "@".
    const at = rest.lastIndexOf('@');
    const [host = '', ...path] = rest.slice(at + 1).split('/');
    if (host !== '') servers.push(host);
    const stream = path.find((piece) => piece !== '');
    if (stream !== undefined) part.stream = decoded(stream);
    if (at < 0) continue;
    const [user = '', ...password] = rest.slice(0, at).split(':');
    if (password.length > 0) {
      part.login = 'user';
      part.user = decoded(user);
      secret = 'password';
    } else {
      part.login = 'token';
      secret = 'token';
    }
  }
  part.servers = servers.join(', ');
  return {
    part,
    ...(secret !== '' && {
      note: `The fields are filled in, except for the ${secret}. Enter that in its own field.`,
    }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
