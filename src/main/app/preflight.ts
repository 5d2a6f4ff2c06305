import type { PreflightView } from '../../shared/contract/views';
import { Failure } from '../../shared/run/failure';
import { promptIn, toolsIn } from '../../shared/run/fingerprint';
import type { FingerprintDiff } from '../../shared/run/gates';
import { matchingProfiles, preflight } from '../agent';
import type { AgentParts } from '../agent/session';
import type { RunStore } from '../journal/journal';
import type { Profile } from '../settings/profile';
import { startOf } from '../../shared/run/slices';

/** Characters of a lost text that a pre-flight brings along. */
const LOST_SHOWN = 64 * 1024;

export interface PreflightSources {
  parts: AgentParts;
  store: RunStore;
  /** The folder that was chosen for the run in this look. */
  folder?: string | undefined;
  /** Those that could be used, the usual one first among equals. */
  profiles: Profile[];
  usual: string;
}

/**
 * What the window shows before a resume. Without a named profile: the one that the run last used, else one that matches,
 * else the usual one. Looks only. `noted`: the folder that this machine noted for the run.
 */
export async function preflightView(
  sources: PreflightSources,
  id: string,
  named: string | undefined,
): Promise<PreflightView & { noted: { folder?: string; folderId?: string }; used?: string }> {
  const { parts, store, profiles, usual, folder } = sources;
  const byName = (name: string | undefined) => profiles.find((profile) => profile.name === name);
  const look = (profile: Profile) =>
    preflight(parts, { store, id, profile, approvals: 'ask', ...(folder !== undefined && { folder }) });

  let profile = byName(named);
  if (named !== undefined && !profile) throw unknownProfile(named, profiles);
  profile ??= byName(usual) ?? profiles[0];
  if (!profile) throw unknownProfile(usual, profiles);
  let seen = await look(profile);
  const matching = matchingProfiles(seen, parts, profiles);
  // A run from elsewhere chooses none of them, not even by what it was recorded with.
  if (named === undefined && seen.origin.kind === 'here') {
    const best = byName(seen.profile) ?? byName(matching[0]);
    if (best && best.name !== profile.name) {
      profile = best;
      seen = await look(profile);
    }
  }
  const { recordedEndpoint, currentEndpoint } = seen;
  return {
    id,
    origin: seen.origin,
    ok: seen.ok,
    gates: seen.gates,
    diff: seen.diff,
    texts: changedTexts(parts, profile, seen.diff),
    profile: profile.name,
    ...((folder ?? seen.folder) !== undefined && { folder: folder ?? seen.folder }),
    ...(seen.profile !== undefined && { used: seen.profile }),
    noted: {
      ...(seen.folder !== undefined && { folder: seen.folder }),
      ...(seen.folderId !== undefined && { folderId: seen.folderId }),
    },
    matching,
    ...(seen.profile !== undefined && byName(seen.profile) === undefined && { gone: seen.profile }),
    missing: seen.missing.map(({ code, message, kept, todo }) => ({
      code,
      message,
      ...(kept !== undefined && { kept }),
      ...(todo !== undefined && { todo }),
    })),
    endpoint: {
      ...(recordedEndpoint !== undefined && { recorded: recordedEndpoint }),
      ...(currentEndpoint !== undefined && { current: currentEndpoint }),
      changed: recordedEndpoint !== undefined && recordedEndpoint !== currentEndpoint,
    },
    pending: seen.pending,
    unknown: seen.unknown,
    next: seen.next,
    resume: seen.resume,
    ...(seen.say && { say: seen.say }),
    records: seen.records,
    paidCalls: seen.paidCalls,
    pausedTurn: seen.pausedTurn,
    nextCallChars: seen.nextCallChars,
    counters: { ...seen.counters },
    ...(seen.lost && { lost: beginningOf(seen.lost) }),
    writer: await store.writer(id),
  };
}

/** The transcript shows all of it, page by page. */
const beginningOf = ({ text, at }: { text: string; at: string }): PreflightView['lost'] => ({
  text: startOf(text, LOST_SHOWN),
  characters: text.length,
  at,
});

/** The words behind the hashes that differ. */
function changedTexts(parts: AgentParts, profile: Profile, diff: FingerprintDiff[]): PreflightView['texts'] {
  const text = (field: FingerprintDiff['field']) => {
    const found = diff.find((one) => one.field === field && one.changed);
    return found && { recorded: parts.versions?.text(found.recorded) };
  };
  const [prompt, tools] = [text('system_hash'), text('tools_hash')];
  const was = {
    prompt: prompt?.recorded === undefined ? undefined : promptIn(prompt.recorded),
    tools: tools?.recorded === undefined ? undefined : toolsIn(tools.recorded),
  };
  return {
    ...(prompt && {
      prompt: {
        ...(was.prompt !== undefined && { recorded: was.prompt }),
        current: profile.system_prompt,
      },
    }),
    ...(tools && {
      tools: {
        ...(was.tools && { recorded: was.tools }),
        current: parts.tools(profile).map(({ def }) => def),
      },
    }),
  };
}

export const unknownProfile = (name: string, profiles: Profile[]) =>
  new Failure({
    code: 'profile_unknown',
    message: `There is no profile called "${name}".`,
    kept: 'Nothing was started.',
    todo: `Profiles are: ${profiles.map((one) => one.name).join(', ')}.`,
  });
