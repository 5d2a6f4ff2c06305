import type { CommandOutput } from '../../shared/contract/contract';
import type { StoreCheck, StoreEntry } from '../../shared/contract/stores';
import { Failure } from '../../shared/run/failure';
import { checkedStore, loadStores, removeStore, saveStore } from '../settings/stores';
import type { KeptSecret } from '../../shared/contract/kept-secret';
import { loginUse, serversOf } from '../journal/login';
import type { SavedLogin } from '../journal/try';
import type { Keyring } from '../settings/secrets/keyring';
import type { SecretEntry } from '../settings/secrets/secret-store';
import type { Door } from './door';
import { questionOf } from './question';
import type { Stores } from './stores';

/**
 * The list of stores, for the window. Which folders and servers runs may go to is decided outside the page: an address,
 * or something to log in with there, that is not in the file yet is asked for through the door before anything touches it.
 */
export class StoreDesk {
  readonly #allowed = new Set<string>();

  constructor(
    private readonly path: string,
    private readonly stores: Stores,
    private readonly door: Door,
    private readonly keyring: Keyring,
    private readonly attempt: (entry: StoreEntry, saved: SavedLogin) => Promise<StoreCheck[]>,
  ) {}

  async list(): Promise<CommandOutput<'stores.list'>> {
    const { path, problem } = await loadStores(this.path);
    this.stores.tryAgain();
    return {
      stores: this.stores.views(),
      file: path,
      ...(problem && { problem: problem.toJSON() }),
    };
  }

  /** `secret`: id of a held password or token, which is tried in place of the saved one. */
  async test(entry: StoreEntry, secret?: string): Promise<StoreCheck[]> {
    const wanted = checkedStore(entry);
    const held = secret === undefined ? undefined : await this.#held(secret, wanted);
    await this.#ask(wanted, held);
    return this.attempt(wanted, async () => {
      if (held) return { kind: held.kind, value: await this.keyring.valueOf(held.id) };
      const use = loginUse(wanted);
      const saved = use && (await this.keyring.entryFor(use));
      return saved && { kind: saved.kind, value: await this.keyring.valueOf(saved.id) };
    });
  }

  async save(entry: StoreEntry, was: string | undefined, secret?: KeptSecret): Promise<void> {
    const wanted = checkedStore(entry);
    const held = secret && (await this.#held(secret.id, wanted));
    await this.#ask(wanted, held);
    await saveStore(wanted, was, this.path);
    if (was !== undefined) await this.keyring.renamed('login', was, wanted.name);
    const use = loginUse(wanted);
    if (secret && use) await this.keyring.keep(secret.id, use, secret.keep);
    await this.stores.reload();
  }

  async remove(name: string): Promise<void> {
    await removeStore(name, this.path);
    await this.stores.reload();
  }

  async #held(id: string, entry: StoreEntry): Promise<SecretEntry> {
    const found = (await this.keyring.list()).find((one) => one.id === id);
    if (found && found.kind !== 'key' && found.service === serversOf(entry.url)) return found;
    throw new Failure({
      code: 'bad_request',
      message: found ? 'The password was entered for another server.' : 'The password is no longer held.',
      kept: 'Nothing was opened, sent or saved.',
      todo: 'Enter it again.',
    });
  }

  /** Throws `forbidden` when the person does not agree, or cannot be asked. */
  async #ask(entry: StoreEntry, held: SecretEntry | undefined): Promise<void> {
    const target = targetOf(entry) + (held ? ` ${held.id}` : '');
    if (this.#allowed.has(target)) return;
    const { stores } = await loadStores(this.path);
    if (stores.some((known) => targetOf(known) === target)) return;
    const agreed = await this.door.confirm(questionAbout(entry, held));
    if (!agreed)
      throw new Failure({
        code: 'forbidden',
        message: `You did not allow ${placeOf(entry)}.`,
        kept: 'Nothing was opened, sent or saved.',
        todo:
          this.door.kind === 'browser'
            ? `Save it again and answer the question, or write the store into ${this.path}.`
            : 'Try it again to be asked again.',
      });
    this.#allowed.add(target);
  }
}

/** Everything of an entry but its name. */
const targetOf = ({ url, auth, inbox_prefix, domain }: StoreEntry): string =>
  JSON.stringify([url, auth ?? {}, inbox_prefix ?? '', domain ?? '']);

const placeOf = ({ url }: StoreEntry): string =>
  url.startsWith('file:') ? `the folder ${url.slice('file:'.length)}` : url;

function questionAbout(entry: StoreEntry, held: SecretEntry | undefined) {
  const { url } = entry;
  if (url.startsWith('file:'))
    return questionOf(
      'Let Holdfast keep runs in this folder?',
      [
        `Folder: ${url.slice('file:'.length)}`,
        'The runs in it are shown beside yours, and new ones can be kept there.',
      ],
      'Allow',
    );
  const servers = url.replace(/^\w+:\/\//, '').split('/')[0] ?? '';
  return questionOf(
    `Let Holdfast talk to the NATS server at ${servers}?`,
    [
      `Address: ${url}`,
      ...logins(entry, held),
      'Chats that are kept there, and what their tools read, go to that server.',
    ],
    'Allow',
  );
}

function logins({ auth = {} }: StoreEntry, held: SecretEntry | undefined): string[] {
  const { user, password_env, token_env, creds, nkey, tls } = auth;
  const sent = [
    ...(held ? [`the ${held.kind} that you entered`] : []),
    ...(password_env === undefined ? [] : [`the password in the environment variable ${password_env}`]),
    ...(token_env === undefined ? [] : [`the token in the environment variable ${token_env}`]),
    ...(user === undefined ? [] : [`the user name ${user}`]),
  ];
  const proofs = [
    ...(creds === undefined ? [] : [`the credentials file ${creds}`]),
    ...(nkey === undefined ? [] : [`the nkey file ${nkey}`]),
    ...(tls?.cert === undefined ? [] : [`the certificate ${tls.cert}`]),
    ...(tls?.key === undefined ? [] : [`the key file ${tls.key}`]),
  ];
  return [
    ...(sent.length > 0
      ? sent.map((one) => `Sent there: ${one}.`)
      : ['No password and no token is sent there.']),
    ...proofs.map((one) => `Used to log in: ${one}.`),
  ];
}
