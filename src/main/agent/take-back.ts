import { Failure } from '../../shared/run/failure';
import { firstRefusal } from '../../shared/run/gates';
import { inspect } from './inspect';
import type { Inspection } from './inspect';
import type { RunOrigin } from './origin';
import type { Run } from './run';

/**
 * Takes the writer's place again for a chat that was at rest. The run is loaded under the lock: if somebody else took
 * it further, this session goes on from there, and a sentence says so. Throws when the run is written elsewhere
 * (`locked`), when a gate refuses it by now, or when it is no longer the same run (`conflict`).
 */
export async function takeBack(run: Run): Promise<string | undefined> {
  const { ledger, control, parts } = run;
  if (!ledger.store) return undefined;
  const journal = await ledger.store.open(ledger.id);
  try {
    const loaded = await journal.load();
    const how = ledger.compare(loaded);
    if (how === 'other') throw replaced();
    const seen = inspect(loaded, run.config, {
      interactive: true,
      force: false,
      allow: run.allow,
      witness: parts.witness,
      store: ledger.store.url,
    });
    // What was accepted for this session, and that its records are ours, could not be noted.
    if (!(ledger.unnoted && how === 'same')) refuse(seen);
    if (loaded.state.pending) throw unfinished();
    if (how === 'grown') await ledger.adopt(loaded);
    control.lost = undefined;
    ledger.hold(journal);
    return how === 'grown'
      ? 'This run was taken further elsewhere in the meantime; it goes on from there.'
      : undefined;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** What a person has accepted of a run that was looked at. */
export interface Accepted {
  acceptEndpoint?: boolean | undefined;
  acceptOrigin?: string | undefined;
}

/** Throws the first reason why a run may not go on: where it comes from, a gate, or an endpoint that nobody accepted. */
export function refuse(seen: Inspection, { acceptEndpoint, acceptOrigin }: Accepted = {}): void {
  if (seen.origin.kind !== 'here' && acceptOrigin !== seen.origin.seen) throw fromElsewhere(seen.origin);
  const refusal = firstRefusal(seen.gates);
  if (refusal) throw refusal;
  if (!seen.endpointChanged || acceptEndpoint) return;
  const [from, to] = [seen.recordedEndpoint ?? '', seen.currentEndpoint ?? 'a model that needs no network'];
  throw new Failure({
    code: 'endpoint_changed',
    message: `This conversation went to ${from} so far; it would now be sent to ${to}.`,
    kept: 'Nothing was sent and nothing was changed.',
    todo: 'Choose the profile that it was written with, or accept the new place.',
    data: { from, to },
  });
}

/** Nothing that came along decides where a run works, so the person chooses. */
export function fromElsewhere({
  kind,
  seen,
  told,
}: {
  kind: RunOrigin['kind'];
  seen: string;
  told: { [K in keyof RunOrigin['told']]?: string | undefined };
}): Failure {
  return new Failure({
    code: 'from_elsewhere',
    message:
      kind === 'import'
        ? 'This run was imported. Which profile and folder it uses on this computer has not been chosen yet.'
        : 'Another computer or program wrote the latest part of this run. Which profile and folder it uses on this computer has not been chosen yet.',
    kept: 'Nothing was run, sent or changed.',
    todo: 'Review the run, choose a profile and a folder for it, then resume it.',
    data: { origin: kind, seen, ...told },
  });
}

const replaced = (): Failure =>
  new Failure({
    code: 'conflict',
    message: 'This run is no longer the one that is open here: its records were replaced.',
    kept: 'Nothing was changed, and what you have typed is not sent.',
    todo: 'Close it here and open it again.',
  });

const unfinished = (): Failure =>
  new Failure({
    code: 'conflict',
    message: 'This run was taken further elsewhere and has a turn whose tools are not finished.',
    kept: 'Nothing was changed, and what you have typed is not sent.',
    todo: 'Close it here and resume it, so that you see what would run.',
  });
