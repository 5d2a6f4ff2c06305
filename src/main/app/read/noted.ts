import { Failure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import type { RunOverview } from './reader';

/** What the notes of a run tell of it as a whole. */
export function places(
  sidecar: readonly SidecarEntry[],
): Pick<RunOverview, 'profile' | 'folder' | 'endpoint' | 'origin' | 'repairs'> {
  const config = sidecar.findLast((entry) => entry.kind === 'config');
  const lineage = sidecar.findLast((entry) => entry.kind === 'lineage');
  const repairs = sidecar.flatMap((entry) =>
    entry.kind === 'repair' ? [{ at: entry.at, bytes: entry.bytes, backup: entry.backup }] : [],
  );
  return {
    ...(lineage && {
      origin: {
        from: lineage.from,
        ...(lineage.store !== undefined && { store: lineage.store }),
        ...(lineage.through_seq !== undefined && { through: lineage.through_seq }),
        why: lineage.why,
        at: lineage.at,
      },
    }),
    ...(repairs.length > 0 && { repairs: repairs.slice(-10) }),
    ...(config?.profile !== undefined && { profile: config.profile }),
    ...(config?.folder !== undefined && { folder: config.folder }),
    ...(config?.endpoint !== undefined && { endpoint: config.endpoint }),
  };
}

/** Why it ended, where its last record is the end that was noted. */
export function endedIn(sidecar: readonly SidecarEntry[], lastSeq: number): Pick<RunOverview, 'ended'> {
  const entry = sidecar.findLast((one) => one.kind === 'failure');
  if (entry?.seq !== lastSeq) return {};
  const { kind: _kind, seq: _seq, ...ended } = entry;
  return { ended: new Failure(ended as FailureInfo).toJSON() };
}
