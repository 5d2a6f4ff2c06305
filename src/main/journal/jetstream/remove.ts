import type { Ground } from './ground';
import { patiently } from './read';

/** Deletes a run's records and all that stands beside them but its row in the catalogue and its claims. */
export async function removeRun(ground: Ground, id: string): Promise<void> {
  const { subjects } = ground;
  for (const filter of [subjects.run(id), subjects.blob(id, '>'), subjects.aux(id, '>')])
    await removeAll(ground, filter);
}

export async function removeAll(ground: Ground, filter: string): Promise<void> {
  await patiently(ground, 'delete the run', () =>
    ground.link.manager.streams.purge(ground.stream, { filter }),
  );
}
