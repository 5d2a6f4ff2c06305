import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Used } from '../../../src/main/settings/used';
import { tempFolder } from '../../support/folder';

const named = (...names: string[]) => names.map((name) => ({ name }));

it('puts what was used last first, and leaves the others as they were, also under another name', async () => {
  const path = join(tempFolder(), 'state', 'used.json');
  const used = new Used(path);
  let changes = 0;
  used.onChange = () => changes++;
  await Promise.all(['B', 'C', 'C', 'B'].map((name) => used.note(name)));
  expect(used.order(named('A', 'B', 'C', 'D'))).toEqual(named('B', 'C', 'A', 'D'));
  expect(changes).toBe(3);
  await used.renamed('B', 'D');
  expect(used.order(named('A', 'C', 'D'))).toEqual(named('D', 'C', 'A'));
  expect(readFileSync(path, 'utf8')).toBe('["D","C"]');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each(['', '{', '{"a":1}', '[1,null]', '"A"'])('takes a broken file for none: %s', async (text) => {
  const path = join(tempFolder(), 'used.json');
  writeFileSync(path, text);
  const used = new Used(path);
  expect(used.order(named('A', 'B'))).toEqual(named('A', 'B'));
  await used.note('B');
  expect(used.order(named('A', 'B'))).toEqual(named('B', 'A'));
});
