import type { Ground } from './ground';
import { patiently } from './read';

/**
 * Deletes a run's records and all that stands beside them but its row in the catalogue and its claims. `before`: only
 * what stands before this place in the stream.
 */
export async function removeRun(ground: Ground, id: string, before?: number): Promise<void> {
  const { subjects } = ground;
  for (const filter of [subjects.run(id), subjects.blob(id, '>'), subjects.aux(id, '>'), subjects.slips(id)])
    await removeAll(ground, filter, before);
}

export async function removeAll(ground: Ground, filter: string, before?: number): Promise<void> {
  await patiently(ground, 'delete the run', () =>
    ground.link.manager.streams.purge(
      ground.stream,
      before === undefined ? { filter } : { filter, seq: before },
    ),
  );
}
