import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/folder';
import { pauseOf } from '../../support/pauses';
import { sampled } from '../../support/prerequisites';
import { builtInTools } from '../../../src/main/tool/registry';

const PAUSE_MS = 50;
const MB = 1024 * 1024;
const FILES = sampled(2, 64);
const WIDE = sampled(2_000, 20_500);

async function use(folder: string, name: string, input: unknown): Promise<string> {
  const tool = builtInTools('practice').find((one) => one.def.name === name);
  return (await tool!.run(input, { folder, signal: new AbortController().signal })).content;
}

describe('the longest pause that a tool makes', () => {
  it.each<[string, (n: number) => string | Buffer, string]>([
    ['newlines', () => '\n'.repeat(4 * MB - 4) + 'end', 'END'],
    ['newlines, with a text that goes over lines', () => '\n'.repeat(4 * MB), '\n'],
    ['one line', () => 'word '.repeat(800_000), 'absent'],
    [
      'Latin-1 that begins late',
      () => Buffer.from('word\n'.repeat(50_000) + '\xe9t\xe9 \n'.repeat(500_000), 'latin1'),
      'été',
    ],
  ])('is under 50 ms for search_text over files of %s', async (_, content, query) => {
    const folder = tempFolder();
    for (let n = 0; n < FILES; n++) writeFileSync(join(folder, `f${n}`), content(n));
    let found = '';
    const pause = await pauseOf(async () => (found = await use(folder, 'search_text', { query })), PAUSE_MS);
    expect(pause).toBeLessThan(PAUSE_MS);
    if (query === 'END') expect(found).toContain(`f0:${4 * MB - 3}: end`);
    else if (query === 'été') expect(found).toContain('f0:50001: été');
    else expect(found).toBe('No matches.');
  });

  it('is under 50 ms for file_stats over a deep and a wide tree, which says where it stopped', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, ...Array.from({ length: 500 }, () => 'd')), { recursive: true });
    let found = '';
    const look = async () => (found = await use(folder, 'file_stats', {}));
    expect(await pauseOf(look, PAUSE_MS)).toBeLessThan(PAUSE_MS);
    expect(found).toContain('folders: 64\n');
    expect(found).toContain(
      '(folders more than 64 levels down were not entered: nothing in them is counted)',
    );
    expect(await use(folder, 'search_text', { query: 'x' })).toContain('levels down were not entered');

    mkdirSync(join(folder, 'a'));
    for (let n = 0; n < WIDE; n++) writeFileSync(join(folder, 'a', `f${n}`), '');
    expect(await pauseOf(look, PAUSE_MS)).toBeLessThan(PAUSE_MS);
    if (WIDE > 20_000)
      expect(found).toContain('counted so far; the folder is larger than what one call looks at');
  });
});
