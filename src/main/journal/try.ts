import { asFailure } from '../../shared/run/failure';
import type { StoreCheck, StoreEntry } from '../../shared/contract/stores';
import { loginOf } from './login';
import { openStore } from './registry';
import { fileStore } from './file';

/** Opens the store of an entry. Fails as `openStore` and `loginOf` do. */
export const openEntry = async (
  entry: StoreEntry,
  env: NodeJS.ProcessEnv = process.env,
  saved?: SavedLogin,
) => openStore(entry.url, loginOf(entry, env, await saved?.(entry)));

/** The password or token that a person saved for a store. */
export type SavedLogin = (entry: StoreEntry) => Promise<{ kind: string; value: string } | undefined>;

/** Tries a store step by step. Never throws, changes nothing. */
export async function tryEntry(
  entry: StoreEntry,
  env: NodeJS.ProcessEnv = process.env,
  saved?: SavedLogin,
): Promise<StoreCheck[]> {
  if (entry.url.startsWith('file:')) return tryFolder(entry.url.slice('file:'.length));
  try {
    const auth = loginOf(entry, env, await saved?.(entry));
    return await (await import('./jetstream')).checkNats(entry.url, { auth });
  } catch (error) {
    const { message, todo } = asFailure(error);
    return [{ name: 'login', outcome: 'failed', text: [message, todo].filter(Boolean).join(' ') }];
  }
}

async function tryFolder(folder: string): Promise<StoreCheck[]> {
  const checks: StoreCheck[] = [];
  const add = (name: string, outcome: StoreCheck['outcome'], text: string, command?: string) =>
    void checks.push({ name, outcome, text, ...(command !== undefined && { command }) });
  try {
    const store = fileStore(folder);
    try {
      const runs = await store.list();
      const damaged = runs.filter((run) => run.health === 'damaged').length;
      add('folder', 'ok', 'The folder can be used.');
      add('runs', 'ok', runs.length === 1 ? '1 run is in it.' : `${runs.length} runs are in it.`);
      if (damaged > 0)
        add('damage', 'caution', `${damaged} of them cannot be read whole; each is listed with its reason.`);
      if (store.supports.write) add('writing', 'ok', 'Runs can be written and deleted here.');
      else
        add(
          'writing',
          'caution',
          'Runs are only read here: Holdfast did not make this folder, and another program may write it.',
        );
      if (store.supports.write)
        add(
          'programs',
          store.oneProgram === undefined ? 'ok' : 'caution',
          store.oneProgram ??
            'Other programs that lock a run with flock and Holdfast do not write the same run at the same time.',
        );
      if (store.supports.write)
        add(
          'durability',
          store.caution === undefined ? 'ok' : 'caution',
          store.caution ?? 'Each record is written and synced to the disk before it counts.',
        );
    } finally {
      await store.close();
    }
  } catch (error) {
    const { message, todo } = asFailure(error);
    add('folder', 'failed', [message, todo].filter(Boolean).join(' '));
  }
  return checks;
}
