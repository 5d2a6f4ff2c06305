import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/folder';
import { project } from '../support/prerequisites';

/** Runs a module's code in a process of its own, as the scripts are, and gives what it printed. */
const evaluate = (code: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: project,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

interface Line {
  test?: string;
  state?: string;
  note?: string;
  again?: boolean;
  figures?: string[];
  end?: boolean;
}

/** What the reporter writes for a folder of tests. */
function reported(files: Record<string, string>): Line[] {
  const folder = tempFolder({ 'vitest.config.mjs': 'export default {};\n', ...files });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  const report = join(folder, 'report');
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
  const reporter = join(project, 'scripts', 'reporter.mjs');
  const env: Record<string, string | undefined> = { ...process.env, HOLDFAST_REPORT: report };
  for (const name of Object.keys(env)) if (name.startsWith('VITEST')) delete env[name];
  spawnSync(process.execPath, [vitest, 'run', '--root', folder, `--reporter=${reporter}`], {
    cwd: folder,
    env,
  });
  if (!existsSync(report)) return [];
  return readFileSync(report, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

describe('the count at the end of the test command', () => {
  it('knows tests that passed, failed and were skipped with a reason, and their figures', () => {
    const lines = reported({
      'a.test.js': `
        import { expect, it } from 'vitest';
        it('passes', async (context) => { await context.annotate('kills: 60', 'figures'); });
        it('fails', () => { expect(1).toBe(2); });
        it('needs something', (context) => { context.skip('real thing: not here'); });
      `,
    });
    expect(lines).toEqual([
      { test: 'a.test.js > passes', state: 'passed', figures: ['kills: 60'] },
      { test: 'a.test.js > fails', state: 'failed', figures: [] },
      { test: 'a.test.js > needs something', state: 'skipped', note: 'real thing: not here', figures: [] },
      { end: true },
    ]);
  });

  it('names a test that passed only when it was tried once more', () => {
    const lines = reported({
      'a.test.js': `
        import { expect, it } from 'vitest';
        let tries = 0;
        it('is steady', { retry: 1 }, () => {});
        it('is not', { retry: 1 }, () => { tries += 1; expect(tries).toBe(2); });
      `,
    });
    expect(lines.map(({ test, state, again }) => [test, state, again])).toEqual([
      ['a.test.js > is steady', 'passed', undefined],
      ['a.test.js > is not', 'passed', true],
      [undefined, undefined, undefined],
    ]);
  });

  it('counts a file that cannot be loaded and a hook that fails, though no test of theirs ran', () => {
    const lines = reported({
      'broken.test.js': `throw new Error('no');`,
      'hook.test.js': `
        import { beforeAll, describe, it } from 'vitest';
        describe('all', () => { beforeAll(() => { throw new Error('no'); }); it('waits', () => {}); });
      `,
    });
    expect(lines.filter(({ state }) => state === 'failed').map(({ test }) => test)).toEqual([
      'broken.test.js',
      'hook.test.js > all',
    ]);
  });

  it('refuses a lane that does not exist, before it does anything', () => {
    const done = spawnSync(process.execPath, ['scripts/test.mjs', 'nothing'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(done.status).toBe(2);
    expect(done.stderr).toContain('unit, faults, nats, e2e');
  });
});

describe('the mirror that packages come from', () => {
  const mirror = (files: Record<string, string>) => {
    const root = JSON.stringify(tempFolder(files));
    return JSON.parse(
      evaluate(
        `import { aptMirror } from './scripts/prerequisites.mjs'; console.log(JSON.stringify(aptMirror(${root})));`,
      ),
    ) as { uri: string; signedBy?: string };
  };

  it("is the machine's own, read from either form of its sources", () => {
    const stanza = [
      'Types: deb',
      'URIs: http://mirror.example/debian-security',
      'Suites: bookworm-security',
      'Components: main',
      '',
      'Types: deb',
      'URIs: http://mirror.example/debian',
      'Suites: bookworm bookworm-updates',
      'Components: main',
      'Signed-By: /usr/share/keyrings/own.gpg',
      '',
    ].join('\n');
    expect(mirror({ 'sources.list.d/debian.sources': stanza })).toMatchObject({
      uri: 'http://mirror.example/debian',
      signedBy: '/usr/share/keyrings/own.gpg',
    });
    const line =
      '# ours\ndeb [arch=amd64 signed-by=/k.gpg] https://mirror.example/debian/ bookworm main contrib\n';
    expect(mirror({ 'sources.list': line })).toMatchObject({
      uri: 'https://mirror.example/debian/',
      signedBy: '/k.gpg',
    });
  });

  it('is not a repository of something else', () => {
    const files = { 'sources.list': 'deb https://packages.example/apt stable main\n' };
    expect(() => mirror(files)).toThrow(/no Debian mirror/);
  });
});

describe('the bench command', () => {
  it('says so when nothing matches, and does not fail', () => {
    const done = spawnSync(process.execPath, ['scripts/bench.mjs', 'no-such-bench'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(done.status).toBe(0);
    expect(done.stdout).toContain('no bench matches');
  });
});
