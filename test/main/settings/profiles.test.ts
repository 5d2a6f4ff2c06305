import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/shared/run/failure';
import { profile } from '../../../src/main/settings/profile';
import {
  loadProfiles,
  PRACTICE,
  profileNamed,
  removeProfile,
  saveProfile,
} from '../../../src/main/settings/profiles';
import { toolsFor } from '../../../src/main/tool/registry';
import { currentFingerprint } from '../../../src/main/agent';
import { agentParts } from '../../../src/main/parts';
import { tempFolder } from '../../support/folder';

const FILE = `# my profiles
default: Claude

profiles:
  - name: Claude # the good one
    provider: anthropic
    model: claude-sonnet-5
    tools: [read_file, list_files]
    limits:
      max_tokens: 0 # no limit
  # a local one
  - name: Local
    provider: openai
    model: llama
    endpoint: http://127.0.0.1:11434/v1
`;
const file = (text: string) => join(tempFolder({ 'profiles.yaml': text }), 'profiles.yaml');

describe('the profile file', () => {
  it('need not exist: the Practice profile is built in, and its tools exist', async () => {
    const path = join(tempFolder(), 'none/profiles.yaml');
    expect(await loadProfiles(path)).toEqual({ profiles: [PRACTICE], usual: 'Practice', path });
    expect(await profileNamed(undefined, path)).toEqual(PRACTICE);
    expect(toolsFor(PRACTICE).map((tool) => tool.def.name)).toEqual(PRACTICE.tools);
    expect(existsSync(path)).toBe(false);
  });

  it('gives profiles with the defaults filled in, and the one that new runs use', async () => {
    const path = file(FILE);
    const { profiles, usual } = await loadProfiles(path);
    expect(profiles.map(({ name }) => name)).toEqual(['Practice', 'Claude', 'Local']);
    expect(usual).toBe('Claude');
    expect((await profileNamed(undefined, path)).name).toBe('Claude');
    const claude = await profileNamed('Claude', path);
    expect(claude.limits).toEqual({ max_iterations: 50, max_tokens: 0, call_timeout: 120 });
    expect((await profileNamed('Local', path)).limits.max_tokens).toBe(2_000_000);
    await expect(profileNamed('Nobody', path)).rejects.toMatchObject({ code: 'profile_unknown' });
  });

  it.each([
    ['a line that is no YAML', 'profiles:\n  - name: A\n   provider: x\n', 3],
    ['a wrong value', 'profiles:\n  - name: A\n    provider: mars\n    model: m\n', 3],
    ['a missing value', 'profiles:\n  - name: A\n    provider: openai\n', 2],
    [
      'a key that nobody knows',
      'profiles:\n  - name: A\n    provider: openai\n    model: m\n    colour: red\n',
      5,
    ],
    ['a name that is there twice', `${FILE}  - name: Local\n    provider: openai\n    model: m\n`, 16],
    [
      'the name of a built-in profile',
      'profiles:\n  - name: Practice\n    provider: openai\n    model: m\n',
      2,
    ],
    ['a key that is there twice', 'profiles: []\nprofiles: []\n', 2],
  ])('with %s is told with its line, and Practice still works', async (_what, text, line) => {
    const path = file(text);
    const { profiles, problem } = await loadProfiles(path);
    expect(profiles).toEqual([PRACTICE]);
    expect(problem?.code).toBe('settings_broken');
    expect(problem?.data).toMatchObject({ path, line });
    expect(await profileNamed('Practice', path)).toEqual(PRACTICE);
    await expect(profileNamed(undefined, path)).rejects.toMatchObject({ code: 'settings_broken' });
    await expect(profileNamed('A', path)).rejects.toMatchObject({ code: 'settings_broken' });
  });

  const entry = (more: string) => `profiles:\n  - name: A\n    provider: openai\n    model: m\n${more}`;
  it.each([
    ['profiles:\n  - name: [A\n', 2, 13, 'a list that begins with "[" is not closed with "]" before here'],
    ['profiles: {a: 1\n\n\n', 1, 16, 'a group that begins with "{" is not closed with "}" before here'],
    ['profiles:\n  - name: "A\n', 2, 13, 'a text in double quotes is not closed before here'],
    ['profiles:\n  - name: a: b\n', 2, 11, 'a second colon stands on this line'],
    ['profiles:\n\t- name: A\n', 2, 1, 'a line begins with a tab'],
    ['profiles: []\nprofiles: []\n', 2, 1, 'a name is there twice'],
    [`profiles:\n  - name: A\n   model: m\n`, 3, 1, 'does not begin in the same column'],
    ['profiles:\n  - name: @A\n', 2, 11, 'a text that begins with this character has to be in quotes'],
    ['profiles: []]\n', 1, 13, 'a "]" closes nothing'],
    [entry('    limits: { max_tokens: many }\n'), 5, 27, '"max_tokens" has to be a number'],
    [entry('    limits: { call_timeout: 0 }\n'), 5, 29, '"call_timeout" has to be more than 0'],
    [entry('    tools: [list_files, 7]\n'), 5, 25, 'entry 2 of "tools" has to be a text'],
    [entry('    thinking: maybe\n'), 5, 15, '"thinking" has to be true or false'],
    [entry('    endpoint: here\n'), 5, 15, '"endpoint" has to be a whole address'],
    [entry('    colour: red\n'), 5, 5, '"colour" in entry 1 of "profiles" is nothing that can be set'],
    ['profiles:\n  - name: A\n    provider: openai\n', 2, 5, '"model" is missing'],
    [
      'profiles:\n  - name: A\n    provider: mars\n    model: m\n',
      3,
      15,
      '"provider" has to be "anthropic", "openai" or "practice"',
    ],
    ['default: Nobody\n', 1, 10, '"default" names a profile that does not exist (Nobody)'],
    ['hello there\n', 1, 1, 'the whole of it has to be a group of names with values'],
    ['profiles: *x\n', undefined, undefined, 'it holds references that lead nowhere'],
  ])('with %j says so in plain words, at its line and column', async (text, line, column, words) => {
    const { problem } = await loadProfiles(file(text));
    expect(problem?.message).toContain(words);
    expect(problem?.message).not.toMatch(/YAML|\btoken\b|scalar|sequence|mapping|invalid|expected|received/i);
    if (line !== undefined) expect(problem?.message).toContain(`line ${line}, column ${column}: `);
    expect(problem?.data).toMatchObject(line === undefined ? {} : { line, column });
  });

  it('that is broken is never written over', async () => {
    const path = file('profiles: [');
    await expect(saveProfile({ ...PRACTICE, name: 'Mine' }, undefined, path)).rejects.toMatchObject({
      code: 'settings_broken',
    });
    await expect(removeProfile('Mine', path)).rejects.toSatisfy((error) =>
      isFailure(error, 'settings_broken'),
    );
    expect(readFileSync(path, 'utf8')).toBe('profiles: [');
  });

  it('keeps comments and everything that an edit does not change', async () => {
    const path = file(FILE);
    const claude = await profileNamed('Claude', path);
    await saveProfile(
      { ...claude, model: 'claude-opus-5', limits: { ...claude.limits, max_iterations: 9 } },
      'Claude',
      path,
    );
    expect(readFileSync(path, 'utf8')).toBe(
      FILE.replace('claude-sonnet-5', 'claude-opus-5').replace(
        'max_tokens: 0 # no limit',
        'max_tokens: 0 # no limit\n      max_iterations: 9',
      ),
    );
    expect((await profileNamed('Claude', path)).limits.max_iterations).toBe(9);
  });

  it('takes new profiles, renames, and removals, and reads back what was saved', async () => {
    const path = join(tempFolder(), 'config/profiles.yaml');
    const mine = profile.parse({
      name: 'Mine',
      provider: 'openai',
      model: 'm',
      system_prompt: 'a: b\n# c\n"d"',
      limits: { max_iterations: 3 },
    });
    await saveProfile(mine, undefined, path);
    await saveProfile({ ...mine, name: 'Other' }, undefined, path);
    expect(await profileNamed('Mine', path)).toEqual(mine);
    expect(readFileSync(path, 'utf8')).not.toContain('max_tokens');
    await saveProfile({ ...mine, name: 'Ours' }, 'Mine', path);
    expect((await loadProfiles(path)).profiles.map(({ name }) => name)).toEqual([
      'Practice',
      'Ours',
      'Other',
    ]);
    await removeProfile('Ours', path);
    expect((await loadProfiles(path)).profiles.map(({ name }) => name)).toEqual(['Practice', 'Other']);
    await expect(removeProfile('Ours', path)).rejects.toMatchObject({ code: 'profile_unknown' });
    await expect(saveProfile(mine, 'Ours', path)).rejects.toMatchObject({ code: 'profile_unknown' });
    await expect(saveProfile({ ...mine, name: 'Practice' }, undefined, path)).rejects.toMatchObject({
      code: 'bad_request',
    });
    await saveProfile(mine, undefined, path);
    await expect(saveProfile({ ...mine, name: 'Other' }, 'Mine', path)).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  it('follows a rename in "default", and forgets a default that was removed', async () => {
    const path = file(FILE);
    const claude = await profileNamed('Claude', path);
    await saveProfile({ ...claude, name: 'C' }, 'Claude', path);
    expect((await loadProfiles(path)).usual).toBe('C');
    await removeProfile('C', path);
    expect((await loadProfiles(path)).usual).toBe('Practice');
  });

  it('loses no edit when several are made at once', async () => {
    const path = join(tempFolder(), 'profiles.yaml');
    const names = Array.from({ length: 8 }, (_, i) => `P${i}`);
    await Promise.all(names.map((name) => saveProfile({ ...PRACTICE, name }, undefined, path)));
    expect((await loadProfiles(path)).profiles.map(({ name }) => name)).toEqual(['Practice', ...names]);
  });

  it('is written whole, private, through links, and leaves no temporary file', async () => {
    const folder = tempFolder();
    const path = join(folder, 'a/profiles.yaml');
    await saveProfile({ ...PRACTICE, name: 'Mine' }, undefined, path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    mkdirSync(join(folder, 'dots'));
    writeFileSync(join(folder, 'dots/p.yaml'), '');
    chmodSync(join(folder, 'dots/p.yaml'), 0o640);
    symlinkSync(join(folder, 'dots/p.yaml'), join(folder, 'a/link.yaml'));
    await saveProfile({ ...PRACTICE, name: 'Mine' }, undefined, join(folder, 'a/link.yaml'));
    expect(lstatSync(join(folder, 'a/link.yaml')).isSymbolicLink()).toBe(true);
    expect(statSync(join(folder, 'dots/p.yaml')).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(folder, 'dots/p.yaml'), 'utf8')).toContain('Mine');
    expect(readdirSync(join(folder, 'dots'))).toEqual(['p.yaml']);
  });
});

describe('the parts of the core', () => {
  it('make a model, tools and ids for every kind of profile without asking anybody', () => {
    const parts = agentParts({});
    for (const provider of ['practice', 'anthropic', 'openai'] as const) {
      const made = profile.parse({ name: 'x', provider, model: 'm', tools: ['list_files'] });
      expect(parts.model(made).provider).toBe(provider);
      expect(parts.tools(made)).toHaveLength(1);
      expect(currentFingerprint(parts, made).provider).toBe(provider);
    }
    expect(parts.newId()).toMatch(/^[0-9A-Za-z]{27}$/);
    expect(parts.newId()).not.toBe(parts.newId());
  });

  it('know the secrets of variables that a profile names, once it was used', () => {
    const parts = agentParts({
      ANTHROPIC_API_KEY: 'usual-key-123',
      MY_KEY: 'named-key-456',
      OTHER: 'not-a-secret',
    });
    expect(parts.secrets()).toEqual(['usual-key-123']);
    parts.model(
      profile.parse({
        name: 'x',
        provider: 'openai',
        model: 'm',
        endpoint: 'https://example.org',
        key_env: 'MY_KEY',
      }),
    );
    expect(parts.secrets().sort()).toEqual(['named-key-456', 'usual-key-123']);
  });

  it('keep the fingerprint of the Practice profile as it was', () => {
    expect(currentFingerprint(agentParts({}), PRACTICE)).toMatchInlineSnapshot(`
      {
        "max_iterations": 50,
        "max_tokens": 2000000,
        "model": "practice-1",
        "provider": "practice",
        "system_hash": "8b32608fd1ed32daeb150acf0727d4d89b95e4496ebe56dad6560b4d4705cdef",
        "thinking_mode": "summarized",
        "tools_hash": "8ed7821b374e48c892fac9d1b216e50d3eccda0319b4f3a094ab25ae9fa8f6e3",
      }
    `);
  });
});
