import { existsSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedTo } from '../../../src/main/settings/own-folders';
import { deletePath } from '../../../src/main/tool/delete-path';
import type { ToolContext } from '../../../src/main/tool/tool';
import { folderTrash, systemTrash } from '../../../src/main/tool/trash';
import { tempFolder } from '../../support/folder';

function scene() {
  const outer = tempFolder({
    'in/a.txt': 'a',
    'in/d/b.txt': 'b',
    'in/own/r.json': 'r',
    'out/c.txt': 'c',
  });
  const folder = join(outer, 'in');
  symlinkSync('../out', join(folder, 'leak'));
  symlinkSync('a.txt', join(folder, 'link'));
  symlinkSync('../../out/c.txt', join(folder, 'd/leak'));
  const bin = join(outer, 'bin');
  const remove = (path: string, more: Partial<ToolContext> = {}) =>
    deletePath.run(
      { path },
      {
        folder,
        signal: new AbortController().signal,
        trash: folderTrash(bin),
        ...more,
      },
    );
  const binned = () =>
    existsSync(bin) ? readdirSync(bin).flatMap((one) => readdirSync(join(bin, one))) : [];
  return { outer, folder, bin, remove, binned };
}

describe('delete_path', () => {
  it('puts a file or a whole folder where a person finds it again, links in it not followed', async () => {
    const { outer, folder, bin, remove, binned } = scene();
    expect((await remove('a.txt')).content).toContain('Moved the file a.txt to the trash (');
    expect((await remove('d')).content).toContain('Moved the folder d to the trash (');
    expect(binned().sort()).toEqual(['a.txt', 'd']);
    const d = readdirSync(bin).find((one) => existsSync(join(bin, one, 'd'))) ?? expect.fail();
    expect(readFileSync(join(bin, d, 'd/b.txt'), 'utf8')).toBe('b');
    expect(readdirSync(folder).sort()).toEqual(['leak', 'link', 'own']);
    expect(readdirSync(join(outer, 'out'))).toEqual(['c.txt']);
    expect(deletePath.describe({ path: 'a.txt' })).toBe('Move a.txt to the trash');
  });

  it('deletes nothing outside, no link, not the folder itself, and nothing of Holdfast’s own', async () => {
    const { outer, folder, remove, binned } = scene();
    const names = [
      '',
      '.',
      '..',
      'd/..',
      '../out',
      '../out/c.txt',
      'leak',
      'leak/c.txt',
      'link',
      'd/leak',
      'x',
    ];
    for (const path of [...names, join(outer, 'out/c.txt'), '/etc/hostname', 'a\0b'])
      expect((await remove(path)).is_error, path).toBe(true);
    const closed = closedTo([join(folder, 'own')]);
    for (const path of ['own', 'own/r.json']) expect((await remove(path, { closed })).is_error).toBe(true);
    const deep = closedTo([join(folder, 'd/b.txt')]);
    expect((await remove('d', { closed: deep })).content).toContain('own things');
    expect((await remove('a.txt', { trash: undefined })).content).toContain('There is no trash here');
    expect((await remove('a.txt', { signal: AbortSignal.abort() })).is_error).toBe(true);
    expect(binned()).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['a.txt', 'd', 'leak', 'link', 'own']);
  });

  it('hands the system a name that still leads to what was asked for, and believes only what it sees', async () => {
    const { folder, remove } = scene();
    const handed: string[] = [];
    const system = systemTrash(async (path) => void handed.push(path));
    expect((await remove('d/b.txt', { trash: system })).content).toContain('did not move d/b.txt');
    expect(handed).toEqual([join(folder, 'd/b.txt')]);
    const works = systemTrash((path) => rm(path));
    expect((await remove('d/b.txt', { trash: works })).content).toContain('trash of this computer');
    const fails = systemTrash(() => Promise.reject(new Error('no trash on this disk')));
    expect((await remove('a.txt', { trash: fails })).is_error).toBe(true);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a');
  });

  it('leaves what took the place of the file that was asked about', async () => {
    const { folder, remove } = scene();
    const closed = (real: string) => {
      // The moment between the first look and the last.
      if (real.endsWith('b.txt') && existsSync(join(folder, 'd/b.txt'))) {
        renameSync(join(folder, 'd'), join(folder, 'moved'));
        writeFileSync(join(folder, 'd'), 'theirs');
      }
      return false;
    };
    expect((await remove('d', { closed })).is_error).toBe(true);
    expect(readFileSync(join(folder, 'd'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(folder, 'moved/b.txt'), 'utf8')).toBe('b');
  });
});
