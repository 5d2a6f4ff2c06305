import { describe, expect, it } from 'vitest';
import { isCode, isText, linesMatching, read, repositoryFiles } from '../support/repository';

const files = repositoryFiles();
const text = files.filter(isText);
const code = files.filter(isCode);
const own = 'test/repo/files.test.ts';

describe('the files of the repository', () => {
  it('are found at all', () => {
    expect(code.length).toBeGreaterThan(50);
    expect(text).toContain('README.md');
  });

  it('are short enough to be read in one sitting where they are code', () => {
    const most = (file: string) => (file.startsWith('test/') ? 500 : 350);
    const long = code
      .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
      .filter(({ file, lines }) => lines > most(file));
    expect(long).toEqual([]);
  });

  it('have no test that is switched off, nor one that switches off the others', () => {
    const tests = code.filter((file) => file.startsWith('test/') && file !== own);
    expect(
      linesMatching(
        tests,
        /\b(it|test|describe|suite)\.(skip|only|todo|skipIf|fails)\b|\b(xit|xdescribe|fit|fdescribe)\(/,
      ),
    ).toEqual([]);
  });

  it('leave nothing to do later and silence no tool', () => {
    const others = code.filter((file) => file !== own);
    expect(linesMatching(others, /(\/\/|^\s*\*|\/\*).*\b(TODO|FIXME|XXX)\b/)).toEqual([]);
    expect(linesMatching(others, /@ts-(ignore|nocheck|expect-error)|eslint-disable|prettier-ignore/)).toEqual(
      [],
    );
    expect(linesMatching(others, /^(?!\s*(\*|\/\/)).*\bas any\b/)).toEqual([]);
  });

  it('name no package registry', () => {
    const hosts = [
      ['registry', 'npmjs', 'org'],
      ['registry', 'yarnpkg', 'com'],
      ['npmmirror', 'com'],
      ['deb', 'debian', 'org'],
      ['security', 'debian', 'org'],
      ['snapshot', 'debian', 'org'],
      ['pypi', 'org'],
    ].map((parts) => parts.join('\\.'));
    expect(linesMatching(text, new RegExp(hosts.join('|')))).toEqual([]);
  });

  it('name no path of the machine they were written on', () => {
    expect(
      linesMatching(
        text.filter((file) => file !== own),
        /(^|[\s"'`(=:])\/(work|root)\/\w/,
      ),
    ).toEqual([]);
  });

  it('stand on their own: they point at no page or number that a reader does not have', () => {
    expect(
      linesMatching(
        text.filter((file) => file !== own),
        /§\s?\d|\bissues? #?\d/,
      ),
    ).toEqual([]);
  });

  it('end with a line break and have no carriage return where they are text', () => {
    const odd = text
      .filter((file) => !file.startsWith('test/fixtures/'))
      .filter((file) => read(file) !== '' && (!read(file).endsWith('\n') || read(file).includes('\r\n')));
    expect(odd).toEqual([]);
  });
});
