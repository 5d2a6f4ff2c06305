import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedTo } from '../../../src/main/settings/own-folders';
import { makeFolder } from '../../../src/main/tool/make-folder';
import { movePath } from '../../../src/main/tool/move-path';
import { tempFolder } from '../../support/folder';

const signal = () => new AbortController().signal;
const move = (folder: string, from: string, to: string, closed?: (real: string) => boolean) =>
  movePath.run({ from, to }, { folder, signal: signal(), closed });

describe('make_folder', () => {
  it('makes a folder and those above it, and leaves one that is there as it is', async () => {
    const folder = tempFolder({ 'a/b.txt': 'b' });
    const make = (path: string) => makeFolder.run({ path }, { folder, signal: signal() });
    expect((await make('x/y/z')).content).toBe('Made the folder x/y/z.');
    expect(statSync(join(folder, 'x/y/z')).isDirectory()).toBe(true);
    expect((await make('a')).content).toBe('The folder a is there already.');
    expect((await make('a/b.txt')).is_error).toBe(true);
    for (const path of ['', '.', '..', '../x', '/tmp/x', 'a/b.txt/c', 'a\0b'])
      expect((await make(path)).is_error, path).toBe(true);
    expect(readFileSync(join(folder, 'a/b.txt'), 'utf8')).toBe('b');
  });
});

describe('move_path', () => {
  it('moves files and folders, and makes the folders that are missing', async () => {
    const folder = tempFolder({ 'a.txt': 'a', 'd/e.txt': 'e' });
    expect((await move(folder, 'a.txt', 'new/b.txt')).content).toBe('Moved a.txt to new/b.txt.');
    expect((await move(folder, 'd', 'new/f')).content).toBe('Moved d to new/f.');
    expect(readFileSync(join(folder, 'new/b.txt'), 'utf8')).toBe('a');
    expect(statSync(join(folder, 'new/b.txt')).nlink).toBe(1);
    expect(readFileSync(join(folder, 'new/f/e.txt'), 'utf8')).toBe('e');
    expect(readdirSync(folder)).toEqual(['new']);
    expect(movePath.describe({ from: 'a', to: 'b' })).toBe('Move a to b');
  });

  it('never replaces anything, whatever is there', async () => {
    const folder = tempFolder({
      'a.txt': 'a',
      'b.txt': 'b',
      'd/x': 'x',
      'e/y': 'y',
    });
    mkdirSync(join(folder, 'empty'));
    symlinkSync('b.txt', join(folder, 'l'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    for (const from of ['a.txt', 'd', 'empty'])
      for (const to of ['a.txt', 'b.txt', 'd', 'e', 'empty', 'l', 'dangling', 'd/x', 'b.txt/z'])
        expect((await move(folder, from, to)).is_error, `${from} to ${to}`).toBe(true);
    expect((await move(folder, 'd', 'd/inside')).content).toContain('cannot be moved into itself');
    expect((await move(folder, 'none', 'other')).content).toContain('There is no none');
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('b');
    expect(readFileSync(join(folder, 'e/y'), 'utf8')).toBe('y');
    expect(readFileSync(join(folder, 'd/x'), 'utf8')).toBe('x');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  it('moves nothing out of the folder, nothing into it, no link, and nothing of Holdfast’s own', async () => {
    const outer = tempFolder({
      'in/a.txt': 'a',
      'out/b.txt': 'b',
      'in/deep/er/runs/r.json': 'r',
    });
    const folder = join(outer, 'in');
    symlinkSync('../out', join(folder, 'leak'));
    symlinkSync('a.txt', join(folder, 'link'));
    const ways = [
      ['a.txt', '../out/a.txt'],
      ['a.txt', 'leak/a.txt'],
      ['leak/b.txt', 'b.txt'],
      ['../out/b.txt', 'b.txt'],
      ['leak', 'other'],
      ['link', 'other'],
      ['.', 'other'],
      ['a.txt', join(outer, 'out', 'a.txt')],
    ] as const;
    for (const [from, to] of ways)
      expect((await move(folder, from, to)).is_error, `${from} to ${to}`).toBe(true);
    const closed = closedTo([join(folder, 'deep/er/runs')]);
    for (const from of ['deep', 'deep/er', 'deep/er/runs', 'deep/er/runs/r.json'])
      expect((await move(folder, from, 'taken', closed)).content, from).toContain('own things');
    expect((await move(folder, 'a.txt', 'deep/er/runs/a.txt', closed)).is_error).toBe(true);
    expect(readdirSync(join(outer, 'out'))).toEqual(['b.txt']);
    expect(readdirSync(folder).sort()).toEqual(['a.txt', 'deep', 'leak', 'link']);
  });
});
