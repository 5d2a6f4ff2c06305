import ksuid from 'ksuid';
import { asFailure } from '../shared/run/failure';
import type { MoverAnswer, MoverData } from './app/moving/mover';
import { runTask } from './app/moving/run-task';
import type { RunStore } from './journal/journal';
import { openStore } from './journal/registry';
import { beginPart, tell } from './part';

/** The process that does one task on whole runs: export, import, fork, repair, comparison. mover.ts is its other end. */
const stop = new AbortController();
const PROGRESS_MS = 100;

async function work({ task, stores }: MoverData): Promise<void> {
  const opened = new Map<string, Promise<RunStore>>();
  function open(name: string): Promise<RunStore> {
    let store = opened.get(name);
    if (!store) {
      const address = stores[name];
      if (!address) throw new Error(`The task names no store "${name}".`);
      opened.set(name, (store = openStore(address.url, address.login)));
    }
    return store;
  }
  const say = (answer: MoverAnswer): Promise<void> => tell(answer);
  let told = 0;
  let at: string | undefined;
  let answer: MoverAnswer;
  try {
    const value = await runTask(
      task,
      { open, newId: () => ksuid.randomSync().string, now: () => new Date() },
      {
        signal: stop.signal,
        onProgress: (progress) => {
          const now = performance.now();
          // What is begun is always told: should this process end on it, that is known.
          if (progress.now === at && now - told < PROGRESS_MS) return;
          [told, at] = [now, progress.now];
          void say({ progress });
        },
      },
    );
    answer = { ok: true, value };
  } catch (error) {
    answer = { ok: false, failure: asFailure(error).toJSON() };
  }
  await say(answer);
  for (const store of opened.values()) await store.then((one) => one.close()).catch(() => undefined);
  process.exit();
}

beginPart<MoverData, 'cancel'>((data) => {
  void work(data);
  return () => stop.abort();
});
