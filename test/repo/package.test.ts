import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../support/prerequisites';
import { read, repositoryFiles } from '../support/repository';

interface Manifest {
  name: string;
  type: string;
  license: string;
  engines: { node: string };
  bin: Record<string, string>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const pages = repositoryFiles().filter((file) => file.endsWith('.md'));

describe('the package', () => {
  it('says what it is: its name, its licence, the Node it needs and its command', () => {
    expect(manifest).toMatchObject({
      name: 'holdfast',
      type: 'module',
      license: 'Apache-2.0',
      engines: { node: '>=20.19' },
      bin: { holdfast: 'out/main/cli.js' },
    });
  });

  it('has the whole text of its licence', () => {
    const text = read('LICENSE');
    expect(text).toMatch(/Apache License\s+Version 2\.0, January 2004/);
    expect(text).toContain('END OF TERMS AND CONDITIONS');
    expect(text.split('\n').length).toBeGreaterThan(195);
  });

  it('has every script that a person is promised', () => {
    for (const script of ['start', 'dev', 'build', 'check', 'test', 'soak', 'bench'])
      expect(manifest.scripts).toHaveProperty(script);
  });

  it('pins each package by its hash and none to an address', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, Record<string, unknown>>;
    };
    const entries = Object.entries(lock.packages).filter(([path]) => path !== '');
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
    expect(
      entries.filter(([, entry]) => !entry.link && !entry.inBundle && typeof entry.integrity !== 'string'),
    ).toEqual([]);
  });

  it('tells for every package why it is there', () => {
    const decisions = pages
      .filter((page) => page.startsWith('docs/decisions/'))
      .map(read)
      .join('\n');
    const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(packages.filter((name) => !decisions.includes(`\`${name}\``))).toEqual([]);
  });

  it('has a CI script that can be started and whose last command is the test command', () => {
    expect(statSync(join(project, '.ci/run')).mode & 0o111).not.toBe(0);
    expect(read('.ci/run').trim().split('\n').at(-1)).toMatch(/^npm test\b/);
  });
});

describe('the pages', () => {
  it('name only commands that exist', () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/\bnpm (run [\w:-]+|start|test)\b/g)].map((match) => match[1] ?? ''),
    );
    expect(named.length).toBeGreaterThan(5);
    const missing = named
      .map((name) => name.replace('run ', ''))
      .filter((name) => !(name in manifest.scripts));
    expect(missing).toEqual([]);
  });

  it('link only to what is there', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => (match[1] ?? '').split('#')[0] ?? '')
        .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(project, normalize(join(dirname(page), target)))))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('list every decision in their index', () => {
    const index = read('docs/decisions/README.md');
    const decisions = pages
      .filter((page) => /^docs\/decisions\/\d{4}-/.test(page))
      .map((page) => page.split('/').at(-1));
    expect(decisions.length).toBeGreaterThan(5);
    expect(decisions.filter((page) => !index.includes(`(${page})`))).toEqual([]);
  });
});
