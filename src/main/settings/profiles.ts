import { join } from 'node:path';
import type { Document } from 'yaml';
import { z } from '../../shared/zod';
import { Failure } from '../../shared/run/failure';
import { isDeviceName } from '../../shared/run/names';
import { builtInTools } from '../tool/registry';
import { PRACTICE_MODEL } from '../model/practice';
import { folders } from './paths';
import { profile as profileSchema } from './profile';
import type { Profile } from './profile';
import { replaceFile } from './replace-file';
import { readSettings, type SettingsFile } from './yaml-file';

/** Works on a fresh install: no key, no network, no file. Its tools are named one by one, so that a new one never joins by itself. */
export const PRACTICE: Profile = profileSchema.parse({
  name: 'Practice',
  provider: 'practice',
  model: PRACTICE_MODEL,
  system_prompt:
    'You help a person to work with the files in their folder. Say plainly what you did and what you found.',
  thinking: true,
  tools: ['list_files', 'read_file', 'search_text', 'file_stats', 'wait', 'write_file', 'append_file'],
});
export const BUILT_IN: readonly Profile[] = [PRACTICE];

const FILE = {
  called: 'The profile file',
  shape: z.strictObject({
    /** Name of the profile that new runs use; absent: Practice. */
    default: z.string().optional(),
    profiles: z.array(profileSchema).default([]),
  }),
  kept: 'The file is as it was, and so is every run. The Practice profile works without it.',
};

export interface Profiles {
  /** Built-in ones first, then the file's in its order. */
  profiles: Profile[];
  /** The one that new runs use. */
  usual: string;
  path: string;
  /** Why the file was not read: `settings_broken` with data path, line and column. The built-in profiles work all the same. */
  problem?: Failure;
}

export const profilesPath = (): string => join(folders().config, 'profiles.yaml');

/** Reads the profile file, which need not exist. Never rejects for what is in it: see `problem`. */
export async function loadProfiles(path = profilesPath()): Promise<Profiles> {
  const usual = PRACTICE.name;
  try {
    const { value, broken } = await read(path);
    const known = [...BUILT_IN, ...value.profiles];
    if (value.default !== undefined && !known.some(({ name }) => name === value.default))
      throw broken(`"default" names a profile that does not exist (${value.default})`, ['default']);
    return { profiles: known, usual: value.default ?? usual, path };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { profiles: [...BUILT_IN], usual, path, problem: error };
  }
}

/**
 * The profile of this name, or without a name the one that new runs use. `profile_unknown` names those that exist;
 * `settings_broken` when the answer would be in a file that cannot be read.
 */
export async function profileNamed(name?: string, path = profilesPath()): Promise<Profile> {
  const { profiles, usual, problem } = await loadProfiles(path);
  const found = profiles.find((one) => one.name === (name ?? usual));
  if (problem && (name === undefined || !found)) throw problem;
  if (found) return found;
  throw new Failure({
    code: 'profile_unknown',
    message: `There is no profile called "${name ?? usual}".`,
    todo: `Profiles are: ${profiles.map((one) => one.name).join(', ')}.`,
    data: { path },
  });
}

/**
 * Writes one profile into the file: in the place of `was`, or of the one of the same name, or at the end. Comments and
 * everything that is not changed stay as they are. A broken file is never written over (`settings_broken`); names of
 * built-in profiles and names that are taken are refused (`bad_request`).
 */
export function saveProfile(profile: Profile, was?: string, path = profilesPath()): Promise<void> {
  return oneAfterAnother(async () => {
    const wanted = profileSchema.parse(profile);
    if (BUILT_IN.some(({ name }) => name === wanted.name)) throw builtIn(wanted.name);
    const { document, value } = await read(path);
    const at = value.profiles.findIndex(({ name }) => name === (was ?? wanted.name));
    if (value.profiles[at]?.name !== wanted.name && isDeviceName(wanted.name)) throw device(wanted.name);
    if (was !== undefined && at < 0) throw gone(was);
    if (value.profiles.some(({ name }, index) => name === wanted.name && index !== at))
      throw taken(wanted.name);
    if (!document.has('profiles')) document.set('profiles', document.createNode([]));
    const before = value.profiles[at];
    if (before) change(document, ['profiles', at], before, wanted);
    else document.addIn(['profiles'], document.createNode(withoutDefaults(wanted)));
    if (was !== undefined && was !== wanted.name && value.default === was)
      document.set('default', wanted.name);
    await replaceFile(path, document.toString(LAYOUT));
  });
}

/** Takes a profile out of the file. `profile_unknown` when it is not there. */
export function removeProfile(name: string, path = profilesPath()): Promise<void> {
  return oneAfterAnother(async () => {
    if (BUILT_IN.some((one) => one.name === name)) throw builtIn(name);
    const { document, value } = await read(path);
    const at = value.profiles.findIndex((one) => one.name === name);
    if (at < 0) throw gone(name);
    document.deleteIn(['profiles', at]);
    if (value.default === name) document.delete('default');
    await replaceFile(path, document.toString(LAYOUT));
  });
}

/** The profile that new runs use from now on. `profile_unknown` when there is none of this name. */
export function saveUsual(name: string, path = profilesPath()): Promise<void> {
  return oneAfterAnother(async () => {
    const { document, value } = await read(path);
    if (![...BUILT_IN, ...value.profiles].some((one) => one.name === name)) throw gone(name);
    if (value.default === name || (value.default === undefined && name === PRACTICE.name)) return;
    document.set('default', name);
    await replaceFile(path, document.toString(LAYOUT));
  });
}

let last: Promise<unknown> = Promise.resolve();
/** Two edits at once must not lose one of them. */
function oneAfterAnother<T>(task: () => Promise<T>): Promise<T> {
  const turn = last.then(task);
  last = turn.catch(() => undefined);
  return turn;
}

async function read(path: string): Promise<SettingsFile<z.infer<typeof FILE.shape>>> {
  const file = await readSettings(path, FILE);
  const names = new Set(BUILT_IN.map(({ name }) => name));
  for (const [index, { name }] of file.value.profiles.entries()) {
    if (names.has(name))
      throw file.broken(`the name "${name}" is there twice or belongs to a built-in profile`, [
        'profiles',
        index,
        'name',
      ]);
    names.add(name);
  }
  return file;
}

/** Sets what differs, and leaves the rest of the text alone. */
function change(document: Document, path: (string | number)[], before: object, after: object): void {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(key), now.get(key)];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    if (is === undefined) document.deleteIn([...path, key]);
    else if (plain(was) && plain(is) && document.hasIn([...path, key]))
      change(document, [...path, key], was, is);
    else
      document.setIn(
        [...path, key],
        document.createNode(plain(is) ? differing(is, plain(was) ? was : {}) : is),
      );
  }
}

/** Long lines and flow lists stay as a person wrote them. */
const LAYOUT = { lineWidth: 0, flowCollectionPadding: false };

const plain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const differing = (value: object, base: object): object => {
  const known = new Map<string, unknown>(Object.entries(base));
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => JSON.stringify(item) !== JSON.stringify(known.get(key))),
  );
};

/** A new profile as a person would write it. */
export function withoutDefaults(profile: Profile): object {
  const { name, provider, model } = profile;
  const bare = profileSchema.parse({ name, provider, model });
  const { limits, ...rest } = differing(profile, bare) as Partial<Profile>;
  return { name, provider, model, ...rest, ...(limits && { limits: differing(limits, bare.limits) }) };
}

const builtIn = (name: string) =>
  new Failure({
    code: 'bad_request',
    message: `"${name}" is built in and cannot be changed.`,
    todo: 'Save it under another name.',
  });
const device = (name: string) =>
  new Failure({
    code: 'bad_request',
    message: `A profile cannot be called "${name}": Windows keeps this name for a device.`,
    kept: 'Nothing was saved.',
    todo: 'Choose another name.',
  });
const taken = (name: string) =>
  new Failure({
    code: 'bad_request',
    message: `There is a profile called "${name}" already.`,
    todo: 'Choose another name.',
  });
const gone = (name: string) =>
  new Failure({
    code: 'profile_unknown',
    message: `There is no profile called "${name}" in the file.`,
    kept: 'The file is as it was.',
  });

/** Names of tools that a profile may list, for an editor. */
export const toolNames = (provider: Profile['provider']): string[] =>
  builtInTools(provider).map((tool) => tool.def.name);
