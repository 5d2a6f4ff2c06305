import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Used } from '../../../src/main/settings/used';
import { loadProfiles } from '../../../src/main/settings/profiles';
import { workbench } from '../../support/cli';

const KEY = 'sk-secret-0123456789-abcdWXYZ';
const YAML = `# mine
profiles:
  - name: Mine
    provider: openai
    model: m
    endpoint: https://models.example/v1
    system_prompt: "Say ${KEY}, please."
  - name: Variable
    provider: openai
    model: m
    endpoint: https://other.example/v1?api-key=${KEY}
    key_env: OTHER_KEY
`;

function bench(yaml = YAML) {
  const made = workbench();
  const path = join(made.home, 'profiles.yaml');
  writeFileSync(path, yaml);
  return { ...made, path };
}

describe('holdfast profiles', () => {
  it('lists them in order of use and chooses the default, with the rest of the file as it was', async () => {
    const { run, home, path } = bench();
    const used = new Used(join(home, 'state', 'profiles-used.json'));
    for (const name of ['Variable', 'Mine', 'Variable']) await used.note(name);
    const names = async () =>
      (await run(['profiles', '--json'])).json<{ name: string; default: boolean }>().map((one) => one.name);
    expect(await names()).toEqual(['Variable', 'Mine', 'Practice']);
    expect((await run(['profiles', 'default', 'Mine'])).exit).toBe(0);
    expect((await run(['profiles'])).stdout).toMatch(/^Mine +yes +models\.example +m$/m);
    expect(readFileSync(path, 'utf8')).toBe(`${YAML}default: Mine\n`);
    expect((await run(['profiles', 'default', 'Nothing'])).exit).toBe(2);
    expect((await loadProfiles(path)).usual).toBe('Mine');
  });

  it('exports without keys, and an import elsewhere asks, names what is missing and takes the key', async () => {
    const from = bench();
    await from.run(['keys', 'set', 'Mine', '--unencrypted'], { input: KEY });
    const file = join(from.home, 'shared.yaml');
    expect((await from.run(['profiles', 'export', '--out', file])).exit).toBe(0);
    expect((await from.run(['profiles', 'export', '--out', file])).stderr).toContain('already');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('0123456789');
    expect(text).toContain('(key left out)');
    expect(text).toContain('service: https://models.example');
    expect(text).toContain('variable: OTHER_KEY');

    const to = bench(YAML.slice(0, YAML.indexOf('  - name: Variable')));
    const done = await to.run(['profiles', 'import', file], { answers: ['y', 'y', 'y', 'y', KEY] });
    expect(done.exit).toBe(0);
    expect(done.asked[0]).toContain('https://models.example');
    expect(done.asked[1]).toContain('OTHER_KEY');
    expect(done.stderr).toContain('Mine was imported as Mine 2');
    expect(done.stderr).toContain('Set the variable OTHER_KEY');
    expect((await to.run(['keys', '--json'])).json()).toMatchObject([{ uses: ['Mine 2'], hint: 'WXYZ' }]);
    expect((await loadProfiles(to.path)).profiles.map(({ name }) => name)).toEqual([
      'Practice',
      'Mine',
      'Mine 2',
      'Variable',
    ]);
  });

  it('imports nothing that talks to a service where nobody agrees', async () => {
    const { run, home, path } = bench('profiles: []\n');
    const file = join(home, 'shared.yaml');
    writeFileSync(file, YAML.replaceAll(KEY, 'x'));
    const piped = await run(['profiles', 'import', file]);
    expect(piped.exit).toBe(3);
    expect(piped.stderr).toContain('--yes');
    expect((await run(['profiles', 'import', file], { answers: ['n', 'n'] })).exit).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe('profiles: []\n');
    expect((await run(['profiles', 'import', join(home, 'none.yaml')])).exit).toBe(5);
  });
});
