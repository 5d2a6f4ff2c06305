import { asFailure } from '../../shared/run/failure';
import type { Failure } from '../../shared/run/failure';
import { placeEntry } from './config';
import { Ledger } from './ledger';
import { metaRecord } from './meta';
import type { Run } from './run';
import { takeBack } from './take-back';

/**
 * Moves a session at rest to a new run that begins with `prompt` and knows nothing of the old one. The new run is made
 * first; only then is the old one suspended, so that a failure leaves everything as it was. Gives the failure, if any.
 */
export async function rotate(run: Run, prompt: string): Promise<Failure | undefined> {
  const { parts, config, stage, ledger: old } = run;
  const id = parts.newId();
  const fresh = new Ledger(id, old.store, stage.emit, parts.now, parts.witness);
  fresh.onDead((failure) => run.control.lose(failure));
  const through = old.lastSeq;
  let begun: (() => void) | undefined;
  try {
    // The new run is told of only once it is certain that the session moves there.
    begun = await fresh.beginQuietly(metaRecord(parts, config, { id, prompt, chat: true }));
    await fresh.note(placeEntry(parts, config, run.folder), 'where the new run works');
    await fresh.note(
      {
        kind: 'lineage',
        at: parts.now().toISOString(),
        from: old.id,
        ...(old.store && { store: old.store.url }),
        through_seq: through,
        why: 'reset',
      },
      'where the new run came from',
    );
  } catch (error) {
    await fresh.release();
    // A run that was made and cannot be used would stand in the list as interrupted for ever.
    if (begun) await old.store?.purge(id).catch(() => {});
    return asFailure(error);
  }
  await suspendOld(run, old);
  run.ledger = fresh;
  run.reminded = false;
  run.approvals.forRun.clear();
  run.control.lost = undefined;
  stage.emit({ type: 'rotated', from: old.id, to: id });
  begun();
  return undefined;
}

async function suspendOld(run: Run, old: Ledger): Promise<void> {
  try {
    if (!old.holds && (await takeBack(run))) return;
    await old.append({ kind: 'terminal', payload: { reason: 'suspended' } }, 'that the old run is suspended');
  } catch (error) {
    run.stage.warn(
      'old_run_not_suspended',
      `The old run could not be marked as paused: ${asFailure(error).message}`,
    );
  } finally {
    await old.release();
  }
}
