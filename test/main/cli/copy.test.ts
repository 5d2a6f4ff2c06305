import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workbench } from '../../support/cli';
import { tempFolder } from '../../support/folder';

describe('holdfast copy', () => {
  it('copies a run into another folder and back, byte for byte, and says what it did', async () => {
    const bench = workbench();
    const other = join(tempFolder(), 'other');
    await bench.run(['run', 'count the files', '--id', 'one', '--folder', bench.folder]);
    const there = await bench.run(['copy', 'one', '--to', `file:${other}`]);
    expect([there.exit, there.stdout]).toEqual([0, 'one\n']);
    expect(there.stderr).toMatch(/copied \d+ records, \d+ bytes, to file:.*sha256 [0-9a-f]{64}/s);
    const original = readFileSync(join(bench.runs, 'one.json'));
    expect(readFileSync(join(other, 'one.json')).equals(original)).toBe(true);
    const back = await bench.run(['copy', 'one', '--from', `file:${other}`, '--as', 'two', '--json']);
    expect(JSON.parse(back.stdout)).toMatchObject({
      id: 'one',
      as: 'two',
      bytes: original.length,
      dropped: 0,
    });
    expect(readFileSync(join(bench.runs, 'two.json')).equals(original)).toBe(true);
  });

  it('takes stores by their names, and names those that exist', async () => {
    const bench = workbench();
    const home = join(bench.runs, '..');
    const other = join(tempFolder(), 'archive');
    writeFileSync(join(home, 'stores.yaml'), `stores:\n  - name: archive\n    url: file:${other}\n`);
    await bench.run(['run', 'hello', '--id', 'one']);
    expect((await bench.run(['copy', 'one', '--from', 'default', '--to', 'archive'])).exit).toBe(0);
    expect((await bench.run(['ls', '--store', 'archive', '--json'])).stdout).toContain('"id":"one"');
    const wrong = await bench.run(['copy', 'one', '--to', 'nowhere']);
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain('Stores are: default, archive.');
  });

  it('refuses a target that has the run, a store that only reads, a run that is not there, and one store alone', async () => {
    const bench = workbench();
    const other = join(tempFolder(), 'other');
    await bench.run(['run', 'hello', '--id', 'one']);
    await bench.run(['copy', 'one', '--to', `file:${other}`]);
    const again = await bench.run(['copy', 'one', '--to', `file:${other}`]);
    expect([again.exit, again.stdout]).toEqual([1, '']);
    const foreign = join(tempFolder(), 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'notes.txt'), 'somebody');
    const read = await bench.run(['copy', 'one', '--to', `file:${foreign}`]);
    expect([read.exit, /only read/.test(read.stderr)]).toEqual([1, true]);
    expect((await bench.run(['copy', 'none', '--to', `file:${other}`])).exit).toBe(5);
    expect((await bench.run(['copy', 'one'])).exit).toBe(2);
  });
});
