import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';

export type ProfileEntry = CommandOutput<'profiles.list'>['profiles'][number];
export type ToolInfo = CommandOutput<'profiles.list'>['tools'][number];
export type LocalServer = CommandOutput<'profiles.discover'>['servers'][number];

/** A field of a profile that an offer leads to. */
export type ProfileField = 'key' | 'model' | 'endpoint';

interface ProfilesState {
  profiles: ProfileEntry[];
  tools: ToolInfo[];
  usual: string;
  file: string;
  /** Why the file of profiles cannot be used. */
  problem: CommandOutput<'profiles.list'>['problem'];
  ready: boolean;
  failure: FailureInfo | undefined;
  servers: LocalServer[];
  /** The field that the editor begins in when it opens next. */
  wanted: ProfileField | undefined;
}

export const useProfiles = create<ProfilesState>(() => ({
  profiles: [],
  tools: [],
  usual: '',
  file: '',
  problem: undefined,
  ready: false,
  failure: undefined,
  servers: [],
  wanted: undefined,
}));

export async function loadProfiles(): Promise<void> {
  try {
    const list = await call('profiles.list', {});
    useProfiles.setState({ problem: undefined, ...list, ready: true, failure: undefined });
  } catch (error) {
    useProfiles.setState({ failure: failureOf(error), ready: true });
  }
}

/** Looks for model servers on this computer; finding none is no news. */
export function discoverServers(): void {
  call('profiles.discover', {}).then(
    ({ servers }) => useProfiles.setState({ servers }),
    () => undefined,
  );
}

/** The profile that a new chat uses: the chosen one where it can be used, else the first that can. */
export function pickProfile(
  profiles: readonly ProfileEntry[],
  wanted: string | undefined,
): ProfileEntry | undefined {
  return (
    profiles.find((entry) => entry.profile.name === wanted) ??
    profiles.find((entry) => entry.problem === '') ??
    profiles[0]
  );
}
