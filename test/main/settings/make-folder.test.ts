import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/main/settings/make-folder';
import { replaceFile } from '../../../src/main/settings/replace-file';
import { tempFolder } from '../../support/folder';

describe('a folder of our own', () => {
  it('is made with those above it, readable by nobody else, and may be there already', () => {
    const folder = join(tempFolder(), 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    for (const each of [folder, join(folder, '..'), join(folder, '..', '..')])
      expect(statSync(each).mode & 0o777).toBe(0o700);
  });

  it('is refused, not waited for, where it cannot be', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(/EEXIST/);
    expect(() => makeFolder(join(file, 'below'))).toThrow(/ENOTDIR/);
    if (process.platform !== 'linux') return;
    // Says ENOENT although it is there itself: Node's own recursive way never comes back from here.
    expect(() => makeFolder('/proc/none/a/b')).toThrow(/ENOENT/);
    await expect(replaceFile('/proc/none/prefs.json', '{}')).rejects.toThrow(/ENOENT/);
  });
});
