import type { RunHead } from '../../../shared/contract/views';
import type { ProfileEntry } from '../../store/profiles';

/** What a run can go on with. */
export interface ModelChoices {
  /** The profile that it uses, where that is still there. */
  current: ProfileEntry | undefined;
  /** The run itself can go on with these, after the pre-flight. */
  here: ProfileEntry[];
  /** A new run can go on with these: another kind of service, or the run is finished. */
  anew: ProfileEntry[];
  /** Why its model can't be changed now. */
  why?: string;
}

export function modelChoices(
  head: RunHead,
  profiles: readonly ProfileEntry[],
  readOnly: boolean,
): ModelChoices {
  const { row, profile: name } = head;
  const current = profiles.find(({ profile }) => profile.name === name);
  const others = profiles.filter((entry) => entry !== current);
  const provider = row.provider ?? current?.profile.provider;
  const finished = !head.chat && row.status === 'finished';
  const isHere = ({ profile }: ProfileEntry) => profile.provider === provider && !finished;
  const why = reason(head, readOnly);
  return {
    current: finished ? undefined : current,
    here: others.filter(isHere),
    anew: others.filter((entry) => !isHere(entry)),
    ...(why !== undefined && { why }),
  };
}

function reason({ row, mode, phase, reading }: RunHead, readOnly: boolean): string | undefined {
  if (row.private) return 'A private chat keeps its model';
  if (row.status === 'damaged' || row.status === 'new') return 'This run can’t be continued';
  if (mode === 'watch' || row.elsewhere) return 'Open elsewhere: change the model there';
  if (readOnly) return 'This store is read-only';
  if (reading !== undefined) return 'Still loading';
  if (phase !== undefined && phase !== 'idle' && phase !== 'ended')
    return 'Pause the run to change its model';
  return undefined;
}
