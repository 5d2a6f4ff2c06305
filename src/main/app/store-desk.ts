import type { CommandOutput } from '../../shared/contract/contract';
import type { StoreCheck, StoreEntry } from '../../shared/contract/stores';
import { Failure } from '../../shared/run/failure';
import { checkedStore, loadStores, removeStore, saveStore } from '../settings/stores';
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
    private readonly attempt: (entry: StoreEntry) => Promise<StoreCheck[]>,
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

  async test(entry: StoreEntry): Promise<StoreCheck[]> {
    const wanted = checkedStore(entry);
    await this.#ask(wanted);
    return this.attempt(wanted);
  }

  async save(entry: StoreEntry, was: string | undefined): Promise<void> {
    const wanted = checkedStore(entry);
    await this.#ask(wanted);
    await saveStore(wanted, was, this.path);
    await this.stores.reload();
  }

  async remove(name: string): Promise<void> {
    await removeStore(name, this.path);
    await this.stores.reload();
  }

  /** Throws `forbidden` when the person does not agree, or cannot be asked. */
  async #ask(entry: StoreEntry): Promise<void> {
    const target = targetOf(entry);
    if (this.#allowed.has(target)) return;
    const { stores } = await loadStores(this.path);
    if (stores.some((known) => targetOf(known) === target)) return;
    const agreed = await this.door.confirm(questionAbout(entry));
    if (!agreed)
      throw new Failure({
        code: 'forbidden',
        message: `You did not allow ${placeOf(entry)}.`,
        kept: 'Nothing was opened, sent or saved.',
        todo:
          this.door.kind === 'browser'
            ? `Answer the question where Holdfast runs, or write the store into ${this.path}.`
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

function questionAbout(entry: StoreEntry) {
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
      ...logins(entry),
      'Chats that are kept there, and what their tools read, go to that server.',
    ],
    'Allow',
  );
}

function logins({ auth = {} }: StoreEntry): string[] {
  const { user, password_env, token_env, creds, nkey, tls } = auth;
  const sent = [
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
