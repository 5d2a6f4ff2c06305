import { STORE_NAME, USUAL_STORE, type StoreEntry } from '../../../shared/contract/stores';

/** A store as the fields hold it. */
export interface Form {
  kind: 'nats' | 'file';
  name: string;
  folder: string;
  servers: string;
  stream: string;
  login: 'none' | 'user' | 'token' | 'creds' | 'nkey';
  user: string;
  passwordEnv: string;
  tokenEnv: string;
  creds: string;
  nkey: string;
  tls: boolean;
  ca: string;
  cert: string;
  key: string;
  handshakeFirst: boolean;
  inboxPrefix: string;
  domain: string;
}

export type Problems = Partial<Record<keyof Form, string>>;

/** Labels of the fields that can have a problem, in the order in which they are shown. */
export const FIELD_NAMES = {
  name: 'Name',
  folder: 'Folder',
  servers: 'Servers',
  stream: 'Stream',
  user: 'User',
  passwordEnv: 'Environment variable with the password',
  tokenEnv: 'Environment variable with the token',
  creds: 'Credentials file',
  nkey: 'File with the seed',
  ca: 'Authority',
  cert: 'Certificate',
  key: 'Key of the certificate',
} as const satisfies Problems;

export const emptyForm: Form = {
  kind: 'nats',
  name: '',
  folder: '',
  servers: '',
  stream: '',
  login: 'none',
  user: '',
  passwordEnv: '',
  tokenEnv: '',
  creds: '',
  nkey: '',
  tls: false,
  ca: '',
  cert: '',
  key: '',
  handshakeFirst: false,
  inboxPrefix: '',
  domain: '',
};

export function formOf({ name, url, auth = {}, inbox_prefix = '', domain = '' }: StoreEntry): Form {
  if (url.startsWith('file:')) return { ...emptyForm, kind: 'file', name, folder: url.slice('file:'.length) };
  const [, scheme, servers = '', stream = ''] = /^(nats|tls):\/\/([^/]*)\/([^/]*)/.exec(url) ?? [];
  const { user, password_env, token_env, creds, nkey, tls } = auth;
  const login =
    creds !== undefined
      ? 'creds'
      : nkey !== undefined
        ? 'nkey'
        : token_env !== undefined
          ? 'token'
          : user !== undefined
            ? 'user'
            : 'none';
  return {
    ...emptyForm,
    name,
    servers,
    stream: decoded(stream),
    login,
    user: user ?? '',
    passwordEnv: password_env ?? '',
    tokenEnv: token_env ?? '',
    creds: creds ?? '',
    nkey: nkey ?? '',
    tls: scheme === 'tls' || tls !== undefined,
    ca: tls?.ca ?? '',
    cert: tls?.cert ?? '',
    key: tls?.key ?? '',
    handshakeFirst: tls?.handshake_first ?? false,
    inboxPrefix: inbox_prefix,
    domain,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `file:` and `nats://` before what was typed are as good as without. */
export function entryOf(form: Form): StoreEntry {
  const text = (value: string) => value.trim();
  const name = text(form.name);
  if (form.kind === 'file') return { name, url: `file:${text(form.folder).replace(/^file:/, '')}` };
  const servers = text(form.servers)
    .replace(/^(nats|tls):\/\//, '')
    .replace(/\s*,\s*/g, ',')
    .replace(/\/+$/, '');
  const tls = {
    ...(text(form.ca) && { ca: text(form.ca) }),
    ...(text(form.cert) && { cert: text(form.cert) }),
    ...(text(form.key) && { key: text(form.key) }),
    ...(form.handshakeFirst && { handshake_first: true }),
  };
  const auth = {
    ...(form.login === 'user' && {
      user: text(form.user),
      ...(text(form.passwordEnv) && { password_env: text(form.passwordEnv) }),
    }),
    ...(form.login === 'token' && text(form.tokenEnv) && { token_env: text(form.tokenEnv) }),
    ...(form.login === 'creds' && { creds: text(form.creds) }),
    ...(form.login === 'nkey' && { nkey: text(form.nkey) }),
    ...(form.tls && { tls }),
  };
  return {
    name,
    url: `nats://${servers}/${encodeURIComponent(text(form.stream))}`,
    ...(Object.keys(auth).length > 0 && { auth }),
    ...(text(form.inboxPrefix) && { inbox_prefix: text(form.inboxPrefix) }),
    ...(text(form.domain) && { domain: text(form.domain) }),
  };
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const whole = (path: string) => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path.trim());

/** The kind of secret that can be entered for this login; undefined: none, or its variable has it. */
export function secretOf({ kind, login, passwordEnv, tokenEnv }: Form): 'password' | 'token' | undefined {
  if (kind === 'file') return undefined;
  if (login === 'user' && passwordEnv.trim() === '') return 'password';
  return login === 'token' && tokenEnv.trim() === '' ? 'token' : undefined;
}

/** The servers, as a secret is bound to them. */
export const serversOf = (form: Form): string => /^nats:\/\/([^/]*)/.exec(entryOf(form).url)?.[1] ?? '';

/** What is missing or cannot be, by field. `entered`: a password or token was entered or is saved. */
export function problemsOf(form: Form, taken: ReadonlySet<string>, entered = false): Problems {
  const problems: Problems = {};
  const name = form.name.trim();
  if (name === '') problems.name = 'A store needs a name.';
  else if (!STORE_NAME.test(name)) problems.name = 'Letters, digits, “-” and “_”, at most 40.';
  else if (name.toLowerCase() === USUAL_STORE || taken.has(name.toLowerCase()))
    problems.name = 'There is a store of this name already.';
  if (form.kind === 'file') {
    if (!whole(form.folder.replace(/^file:/, '')))
      problems.folder = 'The whole path of a folder, like /home/me/runs.';
    return problems;
  }
  if (form.servers.trim() === '') problems.servers = 'Where the server is, like nats.example.org:4222.';
  else if (/[@?#\s]/.test(form.servers.trim().replace(/,\s+/g, ',')))
    problems.servers = 'Only host and port; the login has fields of its own.';
  if (form.stream.trim() === '') problems.stream = 'The name of a stream that is there.';
  else if (/[\s.*>/\\]/.test(form.stream.trim())) problems.stream = 'No spaces, dots, slashes, “*” or “>”.';
  if (form.login === 'user' && form.user.trim() === '') problems.user = 'Who logs in?';
  if (form.login === 'user' && form.passwordEnv.trim() !== '' && !VARIABLE.test(form.passwordEnv.trim()))
    problems.passwordEnv = 'The name of a variable, not the password itself.';
  if (form.login === 'token' && form.tokenEnv.trim() === '') {
    if (!entered) problems.tokenEnv = 'Enter the token, or name the variable that has it.';
  } else if (form.login === 'token' && !VARIABLE.test(form.tokenEnv.trim()))
    problems.tokenEnv = 'The name of a variable, not the token itself.';
  if (form.login === 'creds' && !whole(form.creds)) problems.creds = 'The whole path of the file.';
  if (form.login === 'nkey' && !whole(form.nkey)) problems.nkey = 'The whole path of the file.';
  if (form.tls)
    for (const key of ['ca', 'cert', 'key'] as const)
      if (form[key].trim() !== '' && !whole(form[key])) problems[key] = 'The whole path of the file.';
  return problems;
}
