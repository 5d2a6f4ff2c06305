import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { Failure } from '../../shared/run/failure';
import { computeFingerprint, systemText, toolsText } from '../../shared/run/fingerprint';
import type { Fingerprint } from '../../shared/run/record';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { Model, ModelRequest, ToolDef } from '../model/model';
import type { Profile } from '../settings/profile';
import { folderId, isSameFolder } from '../tool/identity';
import type { Tool, ToolSet } from '../tool/tool';
import type { AgentParts } from './session';

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Everything that a profile decides about a run, worked out once. Only the fingerprint of it is ever written. */
export interface RunConfig {
  profile: Profile;
  model: Model;
  tools: ToolSet;
  defs: ToolDef[];
  fingerprint: Fingerprint;
  thinking: ModelRequest['thinking'];
  /** Tokens of one answer. */
  maxOutputTokens: number;
  /** Milliseconds. */
  timeoutMs: number;
}

/** Throws what the model or the tools of a profile throw when they cannot be made. */
export function runConfig(parts: AgentParts, profile: Profile): RunConfig {
  const model = parts.model(profile);
  const tools = parts.tools(profile);
  const defs = tools.map((tool) => tool.def);
  const thinking = profile.thinking ? 'summarized' : 'off';
  const { limits } = profile;
  return {
    profile,
    model,
    tools,
    defs,
    thinking,
    fingerprint: computeFingerprint(
      {
        provider: model.provider,
        model: profile.model,
        system: [profile.system_prompt],
        tools: defs,
        thinking,
        maxTokens: limits.max_tokens,
        maxIterations: limits.max_iterations,
      },
      sha256,
    ),
    maxOutputTokens: limits.max_output_tokens ?? (profile.thinking ? 16_384 : 8_192),
    timeoutMs: limits.call_timeout * 1000,
  };
}

/** What a run of this profile would be written against now. Throws like its model and tools. */
export const currentFingerprint = (parts: AgentParts, profile: Profile): Fingerprint =>
  runConfig(parts, profile).fingerprint;

/** The texts that the hashes of its fingerprint stand for. */
export const versionTexts = ({ profile, defs }: Pick<RunConfig, 'profile' | 'defs'>): string[] => [
  systemText([profile.system_prompt]),
  toolsText(defs),
];

export const toolNamed = (config: RunConfig, name: string): Tool | undefined =>
  config.tools.find((tool) => tool.def.name === name);

/** Where a run runs, as its sidecar keeps it. */
export function placeEntry(
  parts: AgentParts,
  config: RunConfig,
  folder: GrantedFolder | undefined,
): Extract<SidecarEntry, { kind: 'config' }> {
  return {
    kind: 'config',
    at: parts.now().toISOString(),
    profile: config.profile.name,
    ...(folder !== undefined && { folder: folder.path, folder_id: folder.id }),
    ...(config.model.endpoint !== undefined && { endpoint: config.model.endpoint }),
  };
}

/** The folder that a run may work in: a real absolute path, and which folder that was (see tool/identity.ts). */
export interface GrantedFolder {
  path: string;
  id: string;
}

/**
 * A run's folder as it is now. `granted`: which one it was when it was chosen. Throws `not_found` when it is not a folder
 * now, or another one.
 */
export async function realFolder(
  folder: string | undefined,
  granted?: string,
): Promise<GrantedFolder | undefined> {
  if (folder === undefined) return undefined;
  let found: GrantedFolder | undefined;
  try {
    const real = await realpath(folder);
    const stat = await lstat(real, { bigint: true });
    if (stat.isDirectory()) found = { path: real, id: folderId(stat) };
  } catch (cause) {
    throw noFolder(folder, cause);
  }
  if (!found) throw noFolder(folder);
  if (granted !== undefined && !isSameFolder(granted, found.id)) throw otherFolder(folder);
  return found;
}

const otherFolder = (folder: string) =>
  new Failure({
    code: 'not_found',
    message: `The folder ${folder} is not the one that you chose: another one has taken its place.`,
    kept: 'Nothing was started and nothing was changed.',
    todo: 'Look at what is there now, and choose the folder again.',
    data: { path: folder },
  });

const noFolder = (folder: string, cause?: unknown) =>
  new Failure(
    {
      code: 'not_found',
      message: `The folder ${folder} is not there, or it is not a folder.`,
      kept: 'Nothing was started and nothing was changed.',
      todo: 'Choose the folder that the run is to work in.',
      data: { path: folder },
    },
    { cause },
  );
