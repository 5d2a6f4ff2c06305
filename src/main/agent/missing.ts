import { asFailure, Failure } from '../../shared/run/failure';
import type { FailureInfo } from '../../shared/run/failure';
import { FINGERPRINT_FIELDS } from '../../shared/run/fingerprint';
import type { Profile } from '../settings/profile';
import { currentFingerprint, realFolder } from './config';
import type { RunConfig } from './config';
import type { AgentParts, Preflight } from './session';

/** What a resume lacks here: a key, a model, an address, or the folder to work in. Nothing is sent, nothing is written. */
export async function missingFor(
  { profile, model }: RunConfig,
  { folder, folderId }: { folder?: string | undefined; folderId?: string | undefined },
): Promise<FailureInfo[]> {
  const missing: FailureInfo[] = [];
  const look = async (what: () => Promise<unknown>) => {
    try {
      await what();
    } catch (error) {
      missing.push(asFailure(error).toJSON());
    }
  };
  if (!/[^\p{C}\p{Z}]/u.test(profile.model)) missing.push(unnamed(profile).toJSON());
  await look(async () => model.ready?.());
  await look(() => realFolder(folder, folderId));
  return missing;
}

const unnamed = ({ name }: Profile) =>
  new Failure({
    code: 'model_request',
    message: `The profile "${name}" names no model.`,
    kept: 'Nothing was sent, and the run is as it was.',
    todo: 'Choose a model in the profile, or resume with another profile.',
  });

/** Names of the profiles that are now as the run was last accepted, where they also talk to the same place. */
export function matchingProfiles(
  seen: Pick<Preflight, 'diff' | 'recordedEndpoint' | 'profile'>,
  parts: AgentParts,
  profiles: readonly Profile[],
): string[] {
  const recorded = new Map(seen.diff.map((field) => [field.field, field.recorded]));
  const fits = (profile: Profile) => {
    try {
      const current = currentFingerprint(parts, profile);
      const endpoint = parts.model(profile).endpoint;
      return (
        FINGERPRINT_FIELDS.every((field) => recorded.get(field) === String(current[field])) &&
        (seen.recordedEndpoint === undefined || seen.recordedEndpoint === endpoint)
      );
    } catch {
      // A profile that cannot be used cannot match.
      return false;
    }
  };
  return profiles
    .filter(fits)
    .map((profile) => profile.name)
    .sort((a, b) => Number(b === seen.profile) - Number(a === seen.profile));
}
