import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PARTIES } from '../faults/red-team/attempt';
import { project } from '../support/prerequisites';
import { read } from '../support/repository';

const page = read('docs/security.md');

describe('the page on security', () => {
  it('has a section for everyone whom it names', () => {
    for (const party of PARTIES) expect(page.toLowerCase()).toContain(`\n## ${party}`);
  });

  it('names tests that are there', () => {
    const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  });

  it('names the files of the red team', () => {
    const named = [...page.matchAll(/\| ([a-z]+\.ts) +\|/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(join(project, 'test/faults/red-team', file)))).toEqual([]);
  });
});
