import { isAlias, isMap, isScalar, parseDocument, stringify, visit } from 'yaml';
import type { Document } from 'yaml';
import { Failure, isFailure } from '../../shared/run/failure';
import { addressHoldsKey, looksLikeKey } from '../../shared/secret-text';
import { z } from '../../shared/zod';
import { builtInTools } from '../tool/registry';
import { profile as profileSchema, type Profile } from './profile';
import { withoutDefaults } from './profiles';
import { issueWords, mistakeWords } from './yaml-words';

/** Bytes of a file that profiles are shared in, and how many it may name. */
export const EXCHANGE_BYTES = 256 * 1024;
const MOST_PROFILES = 100;

/** A key that a shared profile needs: which profile, for which service, and the variable that it was in. */
export interface NeededKey {
  profile: string;
  service: string;
  variable?: string;
}

export interface Exchange {
  profiles: Profile[];
  /** Names of the profiles that need a key, as they are in the file. */
  needKey: ReadonlySet<string>;
  /** What was left out, in words. */
  notes: string[];
}

const HEAD = `# Profiles for Holdfast, without their keys. "keys" names the keys that they need.
# To use them: Models and keys, Import…, or: holdfast profiles import FILE
`;

/** Profiles as a file to share. `secrets` are replaced wherever they are, and so is what an address carries of them. */
export function exchangeText(
  profiles: readonly Profile[],
  keys: readonly NeededKey[],
  secrets: readonly string[],
): string {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string')
      return secrets.reduce((text, secret) => text.replaceAll(secret, '(key left out)'), value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clean(item)]));
  };
  const bare = profiles.map((one) => withoutDefaults({ ...one, ...bareEndpoint(one) }));
  const content = clean({ version: 1, profiles: bare, ...(keys.length > 0 && { keys }) });
  return HEAD + stringify(content, { lineWidth: 0 });
}

function bareEndpoint({ endpoint }: Profile): { endpoint?: string } {
  if (endpoint === undefined || !addressHoldsKey(endpoint)) return {};
  const url = new URL(endpoint);
  url.username = url.password = url.search = url.hash = '';
  return { endpoint: url.href };
}

const FILE = z.strictObject({
  version: z.literal(1).optional(),
  /** The name of the sender's own default counts for nothing here. */
  default: z.string().max(80).optional(),
  profiles: z.array(profileSchema).min(1).max(MOST_PROFILES),
  keys: z
    .array(z.strictObject({ profile: z.string(), service: z.string(), variable: z.string().optional() }))
    .max(MOST_PROFILES)
    .default([]),
});

/**
 * What a shared file names. The file comes from elsewhere, so its size and shape are bounded and references are refused.
 * Fields and tools that this version does not know are left out and told. `settings_broken`, with line and column.
 */
export function readExchange(text: string): Exchange {
  if (Buffer.byteLength(text) > EXCHANGE_BYTES)
    throw broken(`it is larger than ${EXCHANGE_BYTES / 1024} KiB`);
  try {
    return checked(text);
  } catch (error) {
    if (isFailure(error)) throw error;
    // Nested deeper than a parser can go.
    throw broken('it is not what such a file can be', error);
  }
}

function checked(text: string): Exchange {
  // The parser compares every name with every other one; the walk below does not.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
  const at = (offset = 0) => {
    const lines = text.slice(0, offset).split('\n');
    return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: `;
  };
  const [mistake] = document.errors;
  if (mistake) throw broken(at(mistake.pos[0]) + mistakeWords(mistake));
  visit(document, (_, node) => {
    if (isAlias(node)) throw broken(`${at(node.range?.[0])}references are not taken from a shared file`);
    if (!isMap(node)) return;
    const names = new Set<unknown>();
    for (const { key } of node.items) {
      const name = isScalar(key) ? key.value : key;
      if (names.has(name))
        throw broken(`${at(isScalar(key) ? key.range?.[0] : node.range?.[0])}a name is there twice`);
      names.add(name);
    }
  });
  const data: unknown = document.toJS({ maxAliasCount: 0 });
  const notes: string[] = [];
  const { profiles, keys } = known(data, document, notes);
  return {
    profiles: profiles.map((one) => withKnownTools(one, notes)),
    needKey: new Set(keys.map((key) => key.profile)),
    notes,
  };
}

/** The file without the fields that nobody knows here. */
function known(data: unknown, document: Document, notes: string[]): z.infer<typeof FILE> {
  const first = FILE.safeParse(data);
  if (first.success) return first.data;
  for (const issue of first.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const owner = issue.path.reduce<unknown>(
      (value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step],
      data,
    );
    for (const key of issue.keys) {
      notes.push(`Holdfast does not know "${shown(key)}"${placeWords(issue.path)} and left it out.`);
      delete (owner as Record<string, unknown>)[key];
    }
  }
  const again = FILE.safeParse(data);
  if (again.success) return again.data;
  const [issue] = again.error.issues;
  throw broken(issue ? issueWords(issue, document) : 'it is not what such a file can be');
}

const placeWords = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? ''
    : ` in ${path.map((step) => (typeof step === 'number' ? step + 1 : String(step))).join(' ')}`;
// Whoever writes a key as a name must not find it in a message.
const shown = (name: string): string => (looksLikeKey(name) ? '…' : name.slice(0, 80));

function withKnownTools(profile: Profile, notes: string[]): Profile {
  const names = new Set(builtInTools(profile.provider).map(({ def }) => def.name));
  const unknown = profile.tools.filter((name) => !names.has(name));
  if (unknown.length === 0) return profile;
  notes.push(
    `"${profile.name}" names tools that are not in this Holdfast: ${unknown.map(shown).join(', ')}. They were left out.`,
  );
  return { ...profile, tools: profile.tools.filter((name) => names.has(name)) };
}

/** The name, or the first one with a number after it that is not taken. */
export function freeProfileName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n++) {
    const name = `${wanted.slice(0, 80 - ` ${n}`.length)} ${n}`;
    if (!taken.has(name)) return name;
  }
}

const broken = (what: string, cause?: unknown) =>
  new Failure(
    {
      code: 'settings_broken',
      message: `The file cannot be imported: ${what}.`,
      kept: 'Your profiles are as they were.',
      todo: 'Ask for the file again, or correct it.',
    },
    { cause },
  );
